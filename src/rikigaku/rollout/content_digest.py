"""Digest of the content of Python objects: numbers, text, arrays, robots, instances, code of functions."""

import dis
import enum
import functools
import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import Formula


def content_digest(x: Any) -> str:
    """Hexadecimal digest; equal contents have equal digests in every process.

    A function is digested by its code, constants, defaults, and the values that it encloses or reads from its
    module; functions that it calls are, too, if they are defined there. Instances of Python classes are
    digested by their attributes. Classes, values of the module whose content is not known, and functions of
    other modules, are digested by their names.

    Raises:
        TypeError: for an object whose content is not known, with the name of its type.
    """
    digest = hashlib.sha256()
    _add(digest.update, x, ())
    return digest.hexdigest()


def _add(update: Callable[[bytes], None], x: Any, within: tuple[int, ...]) -> None:
    """within: identities of the objects that contain x; a function may enclose itself."""
    if id(x) in within:
        update(f"container {within.index(id(x))};".encode())
    elif isinstance(x, RobotModel):
        update(f"robot {x.digest};".encode())
    elif isinstance(x, np.ndarray) and x.dtype.kind not in "OV":
        update(f"array {x.dtype} {x.shape}".encode())
        update(np.ascontiguousarray(x).tobytes())
    elif isinstance(x, set | frozenset):
        update(f"set {len(x)} {sorted(map(content_digest, x))}".encode())
    else:
        name, parts = _parts(x)
        update(f"{name};".encode())
        for part in parts:
            _add(update, part, (*within, id(x)))


def _parts(x: Any) -> tuple[str, Iterator[Any]]:
    """What an object is, and the objects that it consists of."""
    kind = f"{type(x).__module__}.{type(x).__qualname__}"
    none: Iterator[Any] = iter(())
    if isinstance(x, Mapping):
        return f"mapping {len(x)}", (part for pair in x.items() for part in pair)
    if isinstance(x, np.ndarray) and x.dtype.kind == "O":
        return f"objects {x.shape}", iter(x.ravel())
    if isinstance(x, list | tuple):
        return f"sequence {len(x)}", iter(x)
    if isinstance(x, enum.Enum):
        return f"{kind} {x.name}", none
    if isinstance(x, str | bytes | bool | int | float | complex | np.generic | range | PurePath | Formula):
        return f"{type(x).__name__} {x!r}", none
    if x is None or x is ...:
        return repr(x), none
    if isinstance(x, functools.partial):
        return "partial", iter((x.func, x.args, x.keywords))
    if isinstance(x, types.MethodType):
        return "method", iter((x.__func__, x.__self__))
    if isinstance(x, types.FunctionType):
        enclosed = [cell.cell_contents for cell in x.__closure__ or ()]
        return "function", iter((x.__code__, x.__defaults__, x.__kwdefaults__, enclosed, _Module(x)))
    if isinstance(x, _Module):
        return "module", (part for pair in x.values() for part in pair)
    if isinstance(x, types.CodeType):
        return "code", iter((x.co_code, x.co_consts, x.co_names, x.co_varnames, x.co_freevars))
    if isinstance(x, type | types.BuiltinFunctionType | np.ufunc | types.ModuleType):
        return f"{getattr(x, '__module__', '')}.{getattr(x, '__qualname__', x.__name__)}", none
    if is_dataclass(x):
        return kind, (getattr(x, field.name) for field in fields(x))
    if _is_plain(x):
        cached = {name for c in type(x).__mro__ for name, y in vars(c).items() if isinstance(y, _CACHED)}
        return kind, (part for pair in sorted(vars(x).items()) if pair[0] not in cached for part in pair)
    raise TypeError(type(x).__name__)


_CACHED = functools.cached_property
_PYTHON_CLASS = 1 << 9  # of `type.__flags__`: made by a class statement


def _is_plain(x: Any) -> bool:
    """Whether the attributes in `vars(x)` are all that an object consists of."""
    *own, _ = type(x).__mro__
    simple = all(c.__flags__ & _PYTHON_CLASS and not vars(c).get("__slots__") for c in own)
    return isinstance(x, types.SimpleNamespace) or (simple and hasattr(x, "__dict__"))


class _Module:
    """What a function reads from its module."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function

    def values(self) -> Iterator[tuple[str, Any]]:
        """Names in their order, and values; text where a value is digested by its name."""
        known = self.function.__globals__
        for name in sorted(_globals_read(self.function.__code__)):
            if name in known:
                yield name, self._value(known[name])

    def _value(self, x: Any) -> Any:
        if isinstance(x, types.FunctionType):
            own = x.__globals__ is self.function.__globals__
            return x if own else f"{x.__module__}.{x.__qualname__}"
        try:
            content_digest(x)
        except (TypeError, RecursionError):
            return f"{type(x).__module__}.{type(x).__qualname__}"
        return x


def _globals_read(code: types.CodeType) -> set[str]:
    """Names of the module's values in the code of a function and of those defined within it."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _globals_read(constant)
    return found
