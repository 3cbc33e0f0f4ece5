"""Validation of the arguments of public functions against their own annotations.

An annotation states what an argument is: `duration: float`, `frame: str | None`, `q: ArrayLike`,
`contacts: Sequence[Contact]`. `checked` compares the arguments of a call that failed with it, `check_fields`
the fields of a dataclass when it is made. Quoted annotations name classes that only type checkers import, and
are not compared.
"""

import inspect
import os
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Callable as AnyCallable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache, wraps
from typing import Any, Literal, NoReturn, TypeVar, Union, cast, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.errors import FrozenData, RikigakuError, UnknownName, WrongValue
from rikigaku.core.validation import is_array, is_flag, is_number, is_whole, short, takes_arguments

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)


@dataclass(frozen=True)
class Requirement:
    """What an argument must be: the words for a message, and the test."""

    text: str
    holds: Callable[[Any], bool]


def checked(function: Function) -> Function:
    """Decorator of a public function or method: it fails with errors of the package for wrong arguments.

    A function validates what it knows best, in its own words: bounds, sizes, names of a robot. If it fails
    with any other error, the arguments are compared with the signature and the annotations, and the first
    that does not fit is named. If all fit, the error is raised as it is: it may come from a user's function.
    A call that succeeds costs nothing more.

    Raises (in a call):
        UnknownName: for an option that does not exist, with the nearest one that does.
        WrongValue: if an argument is missing, or is not what its annotation says.
    """

    @wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except RikigakuError:
            raise
        except Exception as error:
            _compare(function, args, keywords, error)
            raise

    return cast(Function, call)


def checked_data(kind: Class) -> Class:
    """Decorator of a frozen dataclass: its constructor raises errors of the package, as `checked` functions.

    No attribute can be assigned, neither a field nor any other, also in classes derived from it.
    """
    setattr(kind, "__init__", checked(vars(kind)["__init__"]))  # noqa: B010 - it is no attribute of an instance
    setattr(kind, "__setattr__", _refuse_assignment)  # noqa: B010
    return kind


def _refuse_assignment(data: Any, name: str, value: object) -> NoReturn:
    raise FrozenData(type(data).__name__, name, [field.name for field in fields(data)])


def _compare(
    function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any], cause: Exception
) -> None:
    """Compare the arguments of a call with the signature and the annotations of its function."""
    signature, name = inspect.signature(function), _called(function, args)
    try:
        bound = signature.bind(*args, **keywords)
    except TypeError as error:  # "missing a required argument: 'duration'"
        raise _wrong_arguments(name, signature, keywords, error) from None
    for key, x in bound.arguments.items():
        parameter = signature.parameters[key]
        one = requirement(parameter.annotation)
        for what, item in _items(parameter, x):
            if not one.holds(item):
                raise WrongValue(f"{what} of {name} is {one.text}; {short(item)} was given.") from cause


def _wrong_arguments(
    name: str, signature: inspect.Signature, keywords: Mapping[str, Any], error: TypeError
) -> RikigakuError:
    parameters = signature.parameters
    known = [key for key, p in parameters.items() if p.kind not in _VARIABLE and not _is_own_object(p)]
    unknown = [key for key in keywords if key not in parameters]
    any_keyword = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    if unknown and not any_keyword:
        return UnknownName("option", unknown[0], known, f"the call {name}(...)")
    none = "keywords only (name=...)" if any_keyword else "no arguments"
    return WrongValue(f"{name} takes {', '.join(known) or none}: {error}.")


def _items(parameter: inspect.Parameter, x: Any) -> list[tuple[str, Any]]:
    """The arguments that a parameter took, each with its name."""
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return [(f"Argument {k + 1}", item) for k, item in enumerate(x)]
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return list(x.items())
    return [(parameter.name, x)]


def check_fields(data: Any) -> None:
    """Compare the fields of a dataclass with their annotations (in `__post_init__`).

    Raises:
        WrongValue: for the first field that is something else.
    """
    kind: type = type(data)
    for key, one in _field_requirements(kind).items():
        if not one.holds(x := getattr(data, key)):
            raise WrongValue(f"{key} of {kind.__name__} is {one.text}; {short(x)} was given.")


@cache
def _field_requirements(kind: type) -> dict[str, Requirement]:
    found = {field.name: requirement(field.type) for field in fields(kind)}
    return {key: one for key, one in found.items() if one is not ANYTHING}


def _is_own_object(parameter: inspect.Parameter) -> bool:
    """Whether it is the object of a method: `self`, or of a function that a class takes over, quoted."""
    return parameter.name in ("self", "cls") or (
        isinstance(parameter.annotation, str) and parameter.default is inspect.Parameter.empty
    )


def _called(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """The name a caller knows: of a constructor that of the object's own class."""
    return type(args[0]).__name__ if function.__name__ == "__init__" and args else function.__name__


# -- requirements of annotations ----------------------------------------------------------------------------
ANYTHING = Requirement("anything", lambda x: True)
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_PATH = Requirement("the path of a file", lambda x: isinstance(x, os.PathLike))
_REAL = Requirement("an array of real numbers", is_array)
_BASIC: dict[Any, Requirement] = {
    Any: ANYTHING,
    object: ANYTHING,
    inspect.Parameter.empty: ANYTHING,
    None: Requirement("None", lambda x: x is None),
    type(None): Requirement("None", lambda x: x is None),
    bool: Requirement("True or False", is_flag),
    int: Requirement("a whole number", is_whole),
    float: Requirement("a finite number", is_number),
    str: Requirement("a text", lambda x: isinstance(x, str)),
    Fraction: Requirement("a fraction", lambda x: isinstance(x, Fraction)),
    ArrayLike: _REAL,
}


def requirement(annotation: Any) -> Requirement:
    """The requirement that an annotation states; `ANYTHING` if it states none, or is quoted."""
    try:
        if annotation in _BASIC:
            return _BASIC[annotation]
    except TypeError:  # not hashable: a list within Callable[[...], ...]
        return ANYTHING
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Union or isinstance(annotation, types.UnionType):
        return _union(annotation, arguments)
    if origin is Literal:
        words = _listed([repr(word) for word in arguments])
        return Requirement(words, lambda x: any(type(x) is type(word) and x == word for word in arguments))
    if origin is np.ndarray:
        return _REAL
    if origin is AnyCallable:
        return _callable(arguments)
    if isinstance(origin, type):
        return _container(origin, arguments)
    return _instance(annotation) if isinstance(annotation, type) else ANYTHING


def _union(annotation: Any, arguments: tuple[Any, ...]) -> Requirement:
    # ArrayLike is a union itself; within another one its members are found among the others.
    members = set(get_args(ArrayLike))
    array_like = members <= set(arguments)
    others = [one for one in arguments if not (array_like and one in members)]
    parts = [requirement(one) for one in others] + [_REAL] * array_like
    if ANYTHING in parts:
        return ANYTHING
    text = _listed(list(dict.fromkeys(part.text for part in parts)))
    return Requirement(text, lambda x: any(part.holds(x) for part in parts))


def _callable(arguments: tuple[Any, ...]) -> Requirement:
    if not arguments or not isinstance(arguments[0], list):
        return Requirement("a function", callable)
    count = len(arguments[0])
    text = f"a function of {count} argument{'s' * (count != 1)}"
    return Requirement(text, lambda x: callable(x) and takes_arguments(x, count))


def _container(origin: type, arguments: tuple[Any, ...]) -> Requirement:
    if issubclass(origin, os.PathLike):
        return _PATH
    if issubclass(origin, Mapping):
        key, value = (requirement(one) for one in arguments)
        text = f"a mapping (key: {key.text}; value: {value.text})"
        return Requirement(
            text,
            lambda x: isinstance(x, Mapping) and all(key.holds(k) and value.holds(v) for k, v in x.items()),
        )
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is ...):
        parts = [requirement(one) for one in arguments]
        same = len({part.text for part in parts}) == 1
        each = f"each {parts[0].text}" if same else ", ".join(part.text for part in parts)
        return Requirement(
            f"a sequence of {len(parts)} ({each})",
            lambda x: (
                _is_row(x, Collection)
                and len(x) == len(parts)
                and all(part.holds(item) for part, item in zip(parts, x, strict=True))
            ),
        )
    if issubclass(origin, Iterable):
        each_one = requirement(arguments[0])
        kind = Collection if issubclass(origin, Collection) else Iterable
        text = "a sequence" if each_one is ANYTHING else f"a sequence (each item {each_one.text})"
        of_numbers = each_one.holds(0.0)
        return Requirement(
            text,  # an empty array says nothing of its items, and has no truth value
            lambda x: _is_row(x, kind) and (of_numbers or not _is_empty_array(x)) and _all(each_one, x),
        )
    return _instance(origin)


def _is_row(x: Any, kind: type) -> bool:
    """Whether x is a row of items: not a text, not a mapping, not an array without axes."""
    if isinstance(x, np.ndarray):
        return x.ndim > 0
    return isinstance(x, kind) and not isinstance(x, str | bytes | Mapping)


def _is_empty_array(x: Any) -> bool:
    return isinstance(x, np.ndarray) and not len(x)


def _all(one: Requirement, x: Any) -> bool:
    # An iterator would be used up by the test: the function itself looks at its items.
    return isinstance(x, Iterator) or all(map(one.holds, x))


def _instance(kind: type) -> Requirement:
    if getattr(kind, "_is_protocol", False):
        members = [name for name in vars(kind) if not name.startswith("_") or name == "__call__"]
        text = f"{_article(kind.__name__)} (an object with {', '.join(members)})"
        return Requirement(
            text, lambda x: not isinstance(x, type) and all(hasattr(x, name) for name in members)
        )
    return Requirement(_article(kind.__name__), lambda x: isinstance(x, kind))


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
