"""Digest of the content of Python objects: numbers, text, arrays, robots, instances, code of functions."""

import copyreg
import enum
import functools
import hashlib
import logging
import threading
import types
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import chain
from pathlib import PurePath
from typing import Any

import numpy as np

from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import Formula
from rikigaku.rollout.code_content import (
    ModulePart,
    ModuleText,
    Read,
    class_parts,
    code_parts,
    enclosed_values,
    function_parts,
    is_library,
    is_single_dispatch,
    library_name,
)
from rikigaku.rollout.object_graph import Node, graph_digest, hashed


def content_digest(x: Any) -> str:
    """Hexadecimal digest; equal contents have equal digests in every process.

    A function is digested by its code, constants, defaults, and the values that it encloses or reads from
    modules; functions and classes that it reads likewise. An instance is digested by its attributes and its
    class; of other objects what `pickle` would write is digested. What belongs to Python or to an installed
    package is digested by name and version.

    Raises:
        TypeError: for an object whose content is not known, with the name of its type.
    """
    return _Objects().digest(x).hex()


class _Objects:
    """Objects as nodes of a graph, each one once: by their identity, not by the paths that lead to it."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._known: dict[Any, bytes | int] = {}
        self._kept: list[Any] = []  # so that an identity remains that of its object
        self._waiting: list[tuple[Any, int, str]] = []  # objects, their nodes, what a function read them as

    def digest(self, x: Any) -> bytes:
        self._part(("of", x), "")
        while self._waiting:
            x, k, name = self._waiting.pop()
            node = self._nodes[k]
            try:
                node.label, parts = _parts(x)
            except TypeError as unknown:
                raise TypeError(f"{unknown} ({name})" if name else str(unknown)) from None
            node.unordered = isinstance(x, _Members)
            node.parts = [self._part(y, y.name if isinstance(y, Read) else name) for y in parts]
            if len(self._nodes) > _MOST_OBJECTS:
                raise TypeError(f"{type(x).__name__} of too many parts")
        return graph_digest(self._nodes)

    def _part(self, x: Any, name: str) -> bytes | int:
        """The digest of an object without parts; the number of another's node."""
        if type(x) in _ATOMS:
            return _atom_digest(x)
        if type(x) in (list, tuple) and all(type(y) in _ATOMS for y in x):
            return hashed(_length(x), map(_atom_digest, x))
        key = x.key if isinstance(x, ModulePart | ModuleText) else id(x)
        if key not in self._known:
            self._kept.append(x)
            if isinstance(x, RobotModel):
                self._known[key] = hashed(f"robot {x.digest}")
            elif type(x) is np.ndarray and x.dtype.kind not in "OV":
                self._known[key] = _array_digest(x)
            else:
                self._known[key] = len(self._nodes)
                self._waiting.append((x, len(self._nodes), name))
                self._nodes.append(Node())
        return self._known[key]


_MOST_OBJECTS = 3_000_000
_ATOMS = {str, bytes, bool, int, float, complex, range, type(None), type(...), type(NotImplemented)}
_BASES = (str, bytes, int, float, complex, range)


def _atom_digest(x: Any) -> bytes:
    return hashed(f"{type(x).__name__} {x!r}")


def _length(x: Any) -> str:
    """list or tuple, and how long."""
    return f"{'list' if isinstance(x, list) else 'tuple'} {len(x)}"


def _array_digest(x: np.ndarray[Any, Any]) -> bytes:
    text = x.dtype.kind in "SU"  # of any length, 0 too
    content = hashlib.sha256(x.tobytes() if text else np.ascontiguousarray(x).reshape(-1).view(np.uint8).data)
    return hashed(f"array {x.dtype} {x.shape}", (content.digest(),))


class _Members(tuple[Any, ...]):
    """Members of a set, in any order."""


def _parts(x: Any) -> tuple[str, Iterator[Any]]:
    """What an object is, and the objects that it consists of.

    An object of a class that is derived from one of Python or NumPy has the content of that one, its class
    (if it is the user's) and its attributes.
    """
    kind = type(x).__qualname__
    if isinstance(x, _Members):
        return f"members {len(x)}", iter(x)
    if isinstance(x, enum.Enum):
        return f"{kind} {x.name}", chain((x.value,), _own_class(x), _attributes(x))
    if isinstance(x, np.generic) and not isinstance(x, np.void):
        return f"{kind} {x!r}", _own(x)
    if isinstance(x, PurePath | Formula):
        return f"{kind} {x!r}", iter(_own_class(x))
    for base in _BASES:
        if isinstance(x, base):
            return f"{kind} {base.__repr__(x)}", _own(x)
    if isinstance(x, list | tuple):
        return _length(x), chain(_own(x), list.__iter__(x) if isinstance(x, list) else tuple.__iter__(x))
    if isinstance(x, dict):
        factory = (x.default_factory,) if isinstance(x, defaultdict) else ()
        return f"mapping {len(x)}", chain(_own(x), factory, *dict.items(x))
    if isinstance(x, Mapping) and is_library(type(x).__module__):
        return f"mapping {len(x)}", chain(*x.items())
    if isinstance(x, set | frozenset):
        return "set", chain(_own(x), (_Members(x),))
    if isinstance(x, np.void):
        return kind, iter((np.asarray(x),))
    if isinstance(x, np.ndarray) and x.dtype.kind != "V":
        plain = x.view(np.ndarray)
        own: Iterator[Any] = iter(_own_class(x)) if isinstance(x, np.memmap) else _own(x)
        return f"{kind} {x.shape}", chain(own, plain.ravel() if x.dtype.kind == "O" else (plain,))
    return _code_parts(x) or _instance_parts(x)


def _own(x: Any) -> Iterator[Any]:
    """The class of an instance, if it is the user's, and its attributes."""
    slots = (name for c in type(x).__mro__ for name in _slot_names(c))
    return chain(_own_class(x), _attributes(x), *((name, getattr(x, name, None)) for name in slots))


def _slot_names(c: type) -> list[str]:
    own = sorted(vars(c).items()) if c.__flags__ & _PYTHON_CLASS else []
    return [name for name, y in own if isinstance(y, types.MemberDescriptorType)]


def _attributes(x: Any) -> Iterator[Any]:
    """Names and values of attributes, without those that the class computes when they are read."""
    cached = {n for c in type(x).__mro__ for n, y in vars(c).items() if isinstance(y, _CACHED)}
    if isinstance(x, enum.Enum):
        cached |= {"_value_", "_name_", "__objclass__", "_sort_order_", "_inverted_"}
    own = sorted(getattr(x, "__dict__", {}).items())
    return chain(*(pair for pair in own if pair[0] not in cached))


def _code_parts(x: Any) -> tuple[str, Iterator[Any]] | None:
    """Functions, classes and modules."""
    if isinstance(x, functools.partial):
        return "partial", chain((x.func, x.args, x.keywords), _own(x))
    if isinstance(x, types.MethodType):
        return "method", iter((x.__func__, x.__self__))
    if isinstance(x, types.FunctionType):
        if is_single_dispatch(x):
            return "single dispatch", chain(*x.registry.items())  # type: ignore[attr-defined]
        if is_library(x.__module__):
            return f"library {library_name(x)}", enclosed_values(x)
        return "function", function_parts(x)
    if isinstance(x, types.CodeType):
        return "code", code_parts(x)
    if isinstance(x, type):
        if is_library(x.__module__):
            return f"library {library_name(x)}", iter(())
        return f"class {x.__module__}.{x.__qualname__}", class_parts(x)
    if isinstance(x, types.ModuleType):  # what is read from it is not known
        return _code_parts(ModulePart(x, set(vars(x))))
    if isinstance(x, ModulePart):
        own = not is_library(x.module.__name__)
        return f"module {library_name(x.module)}", x.parts() if own else iter(())
    if isinstance(x, Read):
        return x.name, iter((x.value,))
    if isinstance(x, ModuleText):
        return f"source of {x.name}", x.parts()
    if isinstance(x, types.BuiltinFunctionType):
        owner = x.__self__
        return f"library {library_name(x)}", iter(() if isinstance(owner, types.ModuleType) else (owner,))
    if isinstance(x, np.ufunc | types.MethodDescriptorType | types.WrapperDescriptorType):
        return f"library {x.__name__}", iter(())
    if isinstance(getattr(x, "__wrapped__", None), types.FunctionType) and callable(x):
        return f"wrapped {type(x).__qualname__}", iter((x.__wrapped__,))  # functools.cache
    return None


_WITHOUT_CONTENT = (logging.Logger, type(threading.Lock()), type(threading.RLock()))
_PYTHON_CLASS = 1 << 9  # of `type.__flags__`: made by a class statement
_PICKLED = ("__reduce__", "__reduce_ex__", "__getstate__")


def _instance_parts(x: Any) -> tuple[str, Iterator[Any]]:
    """An instance: what its class says, or its attributes, or what `pickle` would write.

    Raises:
        TypeError: if there is none of these.
    """
    kind = f"{type(x).__module__}.{type(x).__qualname__}"
    if isinstance(x, _WITHOUT_CONTENT):
        return f"{kind} {getattr(x, 'name', '')}", iter(())
    if not _says_its_content(x):
        if is_dataclass(x) and (is_library(type(x).__module__) or not hasattr(x, "__dict__")):
            return kind, chain(_own_class(x), (getattr(x, field.name) for field in fields(x)))
        if _is_plain(x):
            return kind, chain(_own_class(x), _attributes(x))
    try:
        written = copyreg.dispatch_table.get(type(x), lambda x: x.__reduce_ex__(4))(x)
    except Exception:
        raise TypeError(type(x).__name__) from None
    if isinstance(written, str) and is_library(getattr(x, "__module__", None)):
        return f"library {library_name(x)}", iter(())
    if isinstance(written, str) or type(x) is object:
        raise TypeError(type(x).__name__)
    return kind, chain(_own_class(x), (list(y) if isinstance(y, Iterator) else y for y in written))


_CACHED = functools.cached_property


def _own_class(x: Any) -> tuple[type, ...]:
    """The class of an instance, if it is the user's: its methods and attributes."""
    return () if is_library(type(x).__module__) else (type(x),)


def _says_its_content(x: Any) -> bool:
    """Whether a class statement says what `pickle` writes."""
    return any(name in vars(c) for c in type(x).__mro__ if c.__flags__ & _PYTHON_CLASS for name in _PICKLED)


def _is_plain(x: Any) -> bool:
    """Whether the attributes in `vars(x)` are all that an object consists of."""
    *own, _ = type(x).__mro__
    simple = all(c.__flags__ & _PYTHON_CLASS and not vars(c).get("__slots__") for c in own)
    return isinstance(x, types.SimpleNamespace) or (simple and hasattr(x, "__dict__"))
