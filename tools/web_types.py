"""Write the records of `rikigaku.web.model_document` as TypeScript: python tools/web_types.py."""

import dataclasses
import types
import typing
from pathlib import Path

from rikigaku.web import model_document

TARGET = Path(__file__).parent.parent / "web" / "src" / "document" / "model_document.ts"
_PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null"}


def type_text(annotation: typing.Any) -> str:
    """A Python annotation as a type of TypeScript."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if dataclasses.is_dataclass(annotation):
        return str(getattr(annotation, "__name__", annotation))
    if origin is list:
        inner = type_text(parts[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin is typing.Literal:
        return " | ".join(f'"{part}"' for part in parts)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(type_text(part) for part in parts)
    raise TypeError(
        f"{annotation} has no TypeScript type here: use list, Literal, None, numbers and records."
    )


def typescript() -> str:
    """The text of the file."""
    lines = ["// Written by tools/web_types.py from src/rikigaku/web/model_document.py. Do not edit.", ""]
    lines += [f"export const SCHEMA = {model_document.SCHEMA};", ""]
    for value in vars(model_document).values():
        if not (dataclasses.is_dataclass(value) and isinstance(value, type)):
            continue
        hints = typing.get_type_hints(value)
        text = " ".join((value.__doc__ or "").split("\n\n")[0].split())
        lines += [f"/** {text} */", f"export interface {value.__name__} {{"]
        lines += [f"  {field.name}: {type_text(hints[field.name])};" for field in dataclasses.fields(value)]
        lines += ["}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(typescript(), "utf-8")
