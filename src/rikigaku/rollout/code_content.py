"""What functions, classes and modules of the user consist of, and which of them come from a library."""

import dis
import enum
import functools
import importlib.util
import os
import sys
import sysconfig
import types
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

# Set by Python, not by the class statement; or copies of what the class has anyway.
_GENERATED = {
    "__dict__", "__weakref__", "__module__", "__doc__", "__annotations__", "__annotate__",
    "__annotate_func__", "__annotations_cache__", "__firstlineno__", "__static_attributes__",
    "__dataclass_fields__", "__dataclass_params__", "__match_args__", "__abstractmethods__", "_abc_impl",
    "__parameters__", "__orig_bases__", "__hash__", "__slots__",
    "__slotnames__",
}  # fmt: skip
_METHODS = (
    types.FunctionType, property, types.DynamicClassAttribute, staticmethod, classmethod,
    functools.cached_property,
)  # fmt: skip
_PATHS = tuple(
    os.path.realpath(path) + os.sep
    for name, path in sysconfig.get_paths().items()
    if name in ("stdlib", "platstdlib", "purelib", "platlib")
)


def is_library(module: str | None) -> bool:
    """Whether a module belongs to Python, to an installed package or to rikigaku.

    A module of the user may have the name of one of Python: its file tells.
    """
    top = (module or "").split(".")[0]
    if top in ("rikigaku", "builtins"):
        return True
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    if file is None:
        return top in sys.stdlib_module_names and top != "__main__"
    return _is_installed(file)


def library_name(x: Any) -> str:
    """Module, name and version of an object of a library."""
    module = x.__name__ if isinstance(x, types.ModuleType) else getattr(x, "__module__", None) or ""
    top = sys.modules.get(module.split(".")[0])
    name = getattr(x, "__qualname__", getattr(x, "__name__", type(x).__qualname__))
    return f"{module} {name} {getattr(top, '__version__', '')}"


def function_parts(x: types.FunctionType) -> Iterator[Any]:
    """Code, defaults, attributes, enclosed values, and what the code reads from its module."""
    yield x.__code__
    yield x.__defaults__
    yield x.__kwdefaults__
    yield vars(x)
    names = _names(x.__code__)
    read = _globals_read(x.__code__) & x.__globals__.keys()
    for part in chain(enclosed_values(x), (Read(name, x.__globals__[name]) for name in sorted(read))):
        yield part.of_module(names)
    for module in sorted(_imported(x.__code__, x.__globals__.get("__package__"))):
        yield ModuleText(module)


def is_single_dispatch(x: types.FunctionType) -> bool:
    """Whether `functools.singledispatch` made it: its closure has a cache that grows with calls."""
    return isinstance(getattr(x, "registry", None), types.MappingProxyType) and hasattr(x, "_clear_cache")


def enclosed_values(x: types.FunctionType) -> Iterator["Read"]:
    """Values of outer functions that a function reads."""
    for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
        try:
            yield Read(name, cell.cell_contents)
        except ValueError:  # not assigned yet
            yield Read(name, None)


def code_parts(x: types.CodeType) -> Iterator[Any]:
    """Instructions, constants and names."""
    return iter((x.co_code, x.co_exceptiontable, x.co_consts, x.co_names, x.co_varnames, x.co_freevars))


def class_parts(x: type) -> Iterator[Any]:
    """Metaclass, bases, and attributes: values, and the functions of methods and properties."""
    if not is_library(type(x).__module__):
        yield type(x)
    yield x.__bases__
    if issubclass(x, enum.Enum):
        yield [(name, member.value) for name, member in x.__members__.items()]
    for name, value in sorted(vars(x).items()):
        if name in _GENERATED or (issubclass(x, enum.Enum) and not isinstance(value, _METHODS)):
            continue
        yield name
        if isinstance(value, property | types.DynamicClassAttribute):
            yield from (value.fget, value.fset, value.fdel)
        elif isinstance(value, staticmethod | classmethod):
            yield value.__func__
        elif isinstance(value, functools.cached_property):
            yield value.func
        elif isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType):
            continue  # of __slots__
        else:
            yield value


class Read:
    """A value that a function reads, with its name."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def of_module(self, names: set[str]) -> "Read":
        """Itself; of a module the values with these names."""
        value = self.value
        return Read(self.name, ModulePart(value, names) if isinstance(value, types.ModuleType) else value)


class ModulePart:
    """A module, and the names that a function's code reads from something."""

    def __init__(self, module: types.ModuleType, names: set[str]) -> None:
        self.module, self.names = module, names
        self.key = id(module), frozenset(names)  # two of the same key have the same parts

    def parts(self) -> Iterator[Read]:
        """The values that it has under these names."""
        for name in sorted(self.names & vars(self.module).keys()):
            yield Read(name, vars(self.module)[name]).of_module(self.names)


class ModuleText:
    """The source of a module that is imported within a function, and of those that it imports."""

    def __init__(self, name: str) -> None:
        self.name = self.key = name

    def parts(self) -> Iterator[Any]:
        """Its bytes, and the modules that its code imports anywhere; nothing for those of libraries."""
        try:
            spec = importlib.util.find_spec(self.name)
        except (ImportError, ValueError):
            spec = None
        origin = None if spec is None else spec.origin
        if spec is None or origin is None or not os.path.isfile(origin) or _is_installed(origin):
            return
        if self.name.split(".")[0] == "rikigaku":
            return
        source = Path(origin).read_bytes()
        yield source
        if origin.endswith(".py"):
            try:
                code = compile(source, origin, "exec", dont_inherit=True)
            except (SyntaxError, ValueError):  # the import says so
                return
            yield from map(ModuleText, sorted(_imported(code, spec.parent)))


def _is_installed(file: str) -> bool:
    path = os.path.realpath(file)
    packages = f"{os.sep}site-packages{os.sep}" in path or f"{os.sep}dist-packages{os.sep}" in path
    return packages or path.startswith(_PATHS)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function and of those defined within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _names(code: types.CodeType) -> set[str]:
    return {name for own in _codes(code) for name in own.co_names}


def _globals_read(code: types.CodeType) -> set[str]:
    return {
        step.argval
        for own in _codes(code)
        for step in dis.get_instructions(own)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }


def _imported(code: types.CodeType, package: str | None) -> set[str]:
    """Names of modules that the code imports, also as `from module import submodule`."""
    found: set[str] = set()
    for own in _codes(code):
        constants: list[Any] = [None, None]  # level and names, before the import
        base = ""
        for step in dis.get_instructions(own):
            if step.opname in ("LOAD_CONST", "LOAD_SMALL_INT"):
                constants = [constants[1], step.argval]
            elif step.opname == "IMPORT_NAME":
                level = constants[0] if isinstance(constants[0], int) else 0
                try:
                    base = importlib.util.resolve_name("." * level + step.argval, package)
                except ImportError:
                    base = step.argval
                parts = base.split(".")
                found |= {".".join(parts[: k + 1]) for k in range(len(parts))}
            elif step.opname == "IMPORT_FROM":
                found.add(f"{base}.{step.argval}")
    return found
