"""Forks while other threads work: the child finds every lock of the package free.

A fork copies the locks that other threads hold, but not the threads. A child that asks for such a lock waits
for ever. So a fork waits for operations that it must not interrupt (a call of LLVM, the import of a module),
and locks that only keep two threads from computing the same value twice are made anew in the child.
"""

import _imp
import contextlib
import importlib
import os
import sys
from collections.abc import Callable
from functools import cached_property
from operator import methodcaller
from threading import RLock
from typing import Protocol

# Packages that we import when they are first needed, and so perhaps in a thread.
_OWN = {"rikigaku", "defusedxml", "flint", "llvmlite", "matplotlib", "numpy", "scipy", "sympy", "tomlkit"}
_LATE = _OWN | sys.stdlib_module_names


class Lock(Protocol):
    """A lock that its owner may acquire again: the thread that forks may be the one that holds it."""

    def acquire(self, blocking: bool = ..., timeout: float = ...) -> bool: ...
    def release(self) -> None: ...


_awaited: list[tuple[Lock, float]] = []
_free = methodcaller("_at_fork_reinit")  # as the standard library frees its own locks
_releases: list[Callable[[], None]] = []  # of the locks that the fork under way holds


def free_at_fork(lock: Lock, patience: float = -1) -> None:
    """Let every fork wait for this lock, at most so many seconds (-1: as long as it takes).

    A thread that holds the lock must not import modules.
    """
    _awaited.append((lock, patience))


def _before() -> None:
    seen: set[str] = set()
    while True:
        for lock, patience in _awaited:
            if lock.acquire(timeout=patience):
                _releases.append(lock.release)
        _imp.acquire_lock()  # now no thread can begin to import
        _releases.append(_imp.release_lock)
        if not (under_way := _imports_under_way() - seen):
            return
        _after()
        for name in under_way:
            with contextlib.suppress(Exception):  # the importing thread reports it
                importlib.import_module(name)  # waits for that thread
        seen |= under_way


def _after() -> None:
    while _releases:
        _releases.pop()()


def _after_in_child() -> None:
    for lock, _ in _awaited:
        if lock.release not in _releases:
            _free(lock)
    _after()
    _renew_property_locks()


def _imports_under_way() -> set[str]:
    """Modules whose import lock some thread holds; Python does not free these locks in a child."""
    locks = vars(vars(importlib)["_bootstrap"]).get("_module_locks", {})
    return {name for name in locks if isinstance(name, str) and name.partition(".")[0] in _LATE}


def _renew_property_locks() -> None:
    """Free the locks of cached properties: Python 3.11 holds one a property while the value is computed."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "rikigaku":
            for kind in [x for x in vars(module).values() if isinstance(x, type) and x.__module__ == name]:
                for attribute in vars(kind).values():
                    if isinstance(attribute, cached_property) and "lock" in vars(attribute):
                        vars(attribute)["lock"] = RLock()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
