"""Digest of the content of Python objects: numbers, text, arrays, robots, instances, code of functions."""

import copyreg
import enum
import functools
import hashlib
import logging
import threading
import types
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
    library_name,
)


def content_digest(x: Any) -> str:
    """Hexadecimal digest; equal contents have equal digests in every process.

    A function is digested by its code, constants, defaults, and the values that it encloses or reads from
    modules; functions and classes that it reads likewise. An instance is digested by its attributes and its
    class; of other objects what `pickle` would write is digested. What belongs to Python or to an installed
    package is digested by name and version.

    Raises:
        TypeError: for an object whose content is not known, with the name of its type.
    """
    return _Digest().of(x)


class _Digest:
    """One digest. Functions and classes are digested once; a second time their number stands for them."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._code: dict[int, tuple[int, Any]] = {}

    def of(self, x: Any) -> str:
        try:
            self._add(x, ())
        except RecursionError:
            raise TypeError(f"{type(x).__name__} of too many levels") from None
        return self._hash.hexdigest()

    def _text(self, text: str) -> None:
        self._hash.update(f"{text};".encode())

    def _add(self, x: Any, within: tuple[int, ...]) -> None:
        """within: identities of the objects that contain x; an object may contain itself."""
        if id(x) in within:
            self._text(f"container {within.index(id(x))}")
        elif id(x) in self._code:
            self._text(f"code {self._code[id(x)][0]}")
        elif isinstance(x, RobotModel):
            self._text(f"robot {x.digest}")
        elif isinstance(x, np.ndarray) and x.dtype.kind not in "OV":
            self._text(f"array {x.dtype} {x.shape}")
            self._hash.update(np.ascontiguousarray(x).tobytes())
        elif isinstance(x, set | frozenset):
            self._text(f"set {len(x)} {sorted(map(content_digest, x))}")
        else:
            if isinstance(x, type | types.FunctionType):
                self._code[id(x)] = len(self._code), x  # kept: its identity remains its own
            name, parts = _parts(x)
            self._text(name)
            for part in parts:
                try:
                    self._add(part, (*within, id(x)))
                except TypeError as unknown:
                    if isinstance(part, Read) and "(" not in str(unknown):
                        raise TypeError(f"{unknown} ({part.name})") from None
                    raise


def _parts(x: Any) -> tuple[str, Iterator[Any]]:
    """What an object is, and the objects that it consists of."""
    none: Iterator[Any] = iter(())
    if isinstance(x, enum.Enum):
        return f"{type(x).__qualname__} {x.name}", iter((x.value,))
    if isinstance(x, str | bytes | bool | int | float | complex | np.generic | range | PurePath | Formula):
        return f"{type(x).__name__} {x!r}", none
    if x is None or x is ... or x is NotImplemented:
        return repr(x), none
    if isinstance(x, Mapping):
        return f"mapping {len(x)}", chain(_own_class(x), (part for pair in x.items() for part in pair))
    if isinstance(x, np.ndarray) and x.dtype.kind == "O":
        return f"objects {x.shape}", iter(x.ravel())
    if isinstance(x, list | tuple):
        return f"sequence {len(x)}", chain(_own_class(x), x)
    return _code_parts(x) or _instance_parts(x)


def _code_parts(x: Any) -> tuple[str, Iterator[Any]] | None:
    """Functions, classes and modules."""
    if isinstance(x, functools.partial):
        return "partial", iter((x.func, x.args, x.keywords))
    if isinstance(x, types.MethodType):
        return "method", iter((x.__func__, x.__self__))
    if isinstance(x, types.FunctionType):
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
            cached = {n for c in type(x).__mro__ for n, y in vars(c).items() if isinstance(y, _CACHED)}
            attributes = sorted(vars(x).items())
            return kind, chain(_own_class(x), *(pair for pair in attributes if pair[0] not in cached))
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
