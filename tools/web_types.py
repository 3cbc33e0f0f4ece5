"""Write the records that pages and Python share as TypeScript: python tools/web_types.py."""

import dataclasses
import json
import types
import typing
from pathlib import Path
from types import ModuleType

from rikigaku.model.joints.joint_types import CUT_JOINTS, JOINT_TYPES
from rikigaku.studio import document_records, messages
from rikigaku.studio.tasks import TASKS
from rikigaku.web import model_document

SOURCES = Path(__file__).parent.parent / "web" / "src"
_PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null"}


def type_text(annotation: typing.Any) -> str:
    """A Python annotation as a type of TypeScript."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if annotation is typing.Any:
        return "unknown"
    if dataclasses.is_dataclass(annotation):
        return str(getattr(annotation, "__name__", annotation))
    if origin is list:
        inner = type_text(parts[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin is dict and parts[0] is str:
        return f"Record<string, {type_text(parts[1])}>"
    if origin is typing.Literal:
        return " | ".join(f'"{part}"' for part in parts)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(type_text(part) for part in parts)
    raise TypeError(
        f"{annotation} has no TypeScript type here: use list, dict, Literal, None, numbers and records."
    )


def interfaces(module: ModuleType) -> list[str]:
    """The records that a module defines, as interfaces; its unions of records as types."""
    lines: list[str] = []
    for name, value in vars(module).items():
        parts = typing.get_args(value)
        if parts and all(dataclasses.is_dataclass(part) for part in parts):
            lines += [f"export type {name} = {type_text(value)};", ""]
        if not (dataclasses.is_dataclass(value) and isinstance(value, type)):
            continue
        if value.__module__ != module.__name__:
            continue
        lines += interface(value)
    return lines


def interface(record: type) -> list[str]:
    """A record as an interface."""
    hints = typing.get_type_hints(record)
    text = " ".join((record.__doc__ or "").split("\n\n")[0].split())
    fields = [f"  {field.name}: {type_text(hints[field.name])};" for field in dataclasses.fields(record)]
    return [f"/** {text} */", f"export interface {record.__name__} {{", *fields, "}", ""]


def _head(*modules: ModuleType) -> list[str]:
    files = ", ".join(f"src/{module.__name__.replace('.', '/')}.py" for module in modules)
    return [f"// Written by tools/web_types.py from {files}. Do not edit.", ""]


def model_text() -> str:
    """web/src/document/model_document.ts."""
    lines = [*_head(model_document), f"export const SCHEMA = {model_document.SCHEMA};", ""]
    return "\n".join(lines + interfaces(model_document))


def message_text() -> str:
    """web/src/studio/messages.ts."""
    imported = 'import type { RobotDocument } from "../document/model_document";'
    lines = [*_head(document_records, messages), imported, ""]
    for name, known in (("JOINT_TYPES", JOINT_TYPES), ("CUT_JOINTS", CUT_JOINTS)):
        lines += [f"export const {name} = [{', '.join(map(json.dumps, known))}] as const;", ""]
    return "\n".join(lines + interfaces(document_records) + interfaces(messages))


def task_text() -> str:
    """web/src/studio/tasks.ts: arguments and results of all tasks, with the records inside them."""
    records: dict[str, type] = {}
    pairs = []
    for name, task in TASKS.items():
        hints = typing.get_type_hints(task.call)
        _collect(hints["arguments"], records)
        _collect(hints["return"], records)
        pairs.append(f"  {name}: [{type_text(hints['arguments'])}, {type_text(hints['return'])}];")
    shared = sorted(name for name, record in records.items() if record.__module__ == model_document.__name__)
    lines = ["// Written by tools/web_types.py from src/rikigaku/studio/tasks. Do not edit.", ""]
    if shared:
        lines += [f'import type {{ {", ".join(shared)} }} from "../document/model_document";', ""]
    for name, record in records.items():
        if name not in shared:
            lines += interface(record)
    return "\n".join(
        [*lines, "/** Argument and result of each task. */", "export interface Tasks {", *pairs, "}", ""]
    )


def _collect(annotation: typing.Any, found: dict[str, type]) -> None:
    """Records of an annotation and of their fields, those inside first."""
    for part in typing.get_args(annotation):
        _collect(part, found)
    if not (dataclasses.is_dataclass(annotation) and isinstance(annotation, type)):
        return
    known = found.get(annotation.__name__)
    if known is not None:
        if known is not annotation:
            raise TypeError(f"Two records are called {annotation.__name__}: rename one of them.")
        return
    if annotation.__module__ != model_document.__name__:
        for hint in typing.get_type_hints(annotation).values():
            _collect(hint, found)
    found[annotation.__name__] = annotation


def texts() -> dict[Path, str]:
    """The generated files and their texts."""
    return {
        SOURCES / "document" / "model_document.ts": model_text(),
        SOURCES / "studio" / "messages.ts": message_text(),
        SOURCES / "studio" / "tasks.ts": task_text(),
    }


if __name__ == "__main__":
    for target, text in texts().items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
