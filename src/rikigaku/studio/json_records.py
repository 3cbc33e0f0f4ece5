"""Frozen records from and to JSON data, checked against their annotations."""

import dataclasses
import math
import types
import typing
from functools import cache
from typing import Any, Literal, TypeVar

from rikigaku.core.errors import WrongValue
from rikigaku.core.value_text import short

Record = TypeVar("Record")


class JsonText(str):
    """JSON of a large result, which is passed on as it stands: decoding it would stop all pages."""

    __slots__ = ()


def finite(data: Any) -> Any:
    """JSON data whose numbers that are not finite are null."""
    if isinstance(data, dict):
        return {key: finite(item) for key, item in data.items()}
    if isinstance(data, list | tuple):
        return [finite(item) for item in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def encoded(record: Any) -> dict[str, Any]:
    """The record as JSON data."""
    return dataclasses.asdict(record)


def decoded(kind: type[Record], data: object) -> Record:
    """A record of that class from JSON data.

    Raises:
        WrongValue: for a field that is missing, unknown or of another type, with its place.
    """
    result: Record = _value(kind, data, kind.__name__)
    return result


def decoded_union(union: Any, data: object, what: str) -> Any:
    """A record of one of the classes of a union, chosen by the field `type`.

    Raises:
        WrongValue: for an unknown type, or as `decoded`.
    """
    name = data.get("type") if isinstance(data, dict) else None
    kinds = _by_type(union)
    if not isinstance(name, str) or name not in kinds:
        raise WrongValue(f"{what} has the type {short(name)}; known are {', '.join(kinds)}.")
    return _value(kinds[name], data, name)


@cache
def _by_type(union: Any) -> dict[str, Any]:
    return {typing.get_args(_hints(kind)["type"])[0]: kind for kind in typing.get_args(union)}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _value(annotation: Any, data: Any, where: str) -> Any:
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any:
        return data
    if dataclasses.is_dataclass(annotation) and isinstance(annotation, type):
        return _record(annotation, data, where)
    if origin is list and isinstance(data, list):
        return [_value(parts[0], item, f"{where}[{k}]") for k, item in enumerate(data)]
    if origin is dict and isinstance(data, dict):
        return {str(key): _value(parts[1], item, f"{where}.{key}") for key, item in data.items()}
    if origin is Literal and data in parts:
        return data
    if origin in (types.UnionType, typing.Union):
        if all(dataclasses.is_dataclass(part) for part in parts):
            return decoded_union(annotation, data, where)
        for part in parts:
            try:
                return _value(part, data, where)
            except WrongValue:
                continue
    if annotation is type(None) and data is None:
        return None
    if annotation is float and isinstance(data, int | float) and not isinstance(data, bool):
        try:
            return float(data)
        except OverflowError:
            raise WrongValue(f"{where} is {short(data)}, beyond the largest number.") from None
    if annotation in (int, str, bool) and type(data) is annotation:
        return data
    raise WrongValue(f"{where} is {short(data)}; expected is {_shown(annotation)}.")


def _record(kind: type, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise WrongValue(f"{where} is {short(data)}; expected is an object like {kind.__name__}.")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    if unknown := sorted(set(map(str, data)) - fields.keys()):
        raise WrongValue(f"{where} has no field {short(unknown[0])}; it has {', '.join(fields)}.")
    values = {}
    for name, field in fields.items():
        if name in data:
            values[name] = _value(_hints(kind)[name], data[name], f"{where}.{name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise WrongValue(f"{where}.{name} is missing.")
    return kind(**values)


def _shown(annotation: Any) -> str:
    parts = typing.get_args(annotation)
    if typing.get_origin(annotation) is Literal:
        return "one of " + ", ".join(map(repr, parts))
    return getattr(annotation, "__name__", str(annotation))
