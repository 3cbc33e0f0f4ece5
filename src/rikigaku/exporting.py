"""A law's program handed to another language: names, words for its reader, files. Behind `bound.py`."""

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from rikigaku.codegen.export import OBJECTS, known_language, texts
from rikigaku.codegen.export_names import identifier
from rikigaku.codegen.export_record import Export
from rikigaku.errors import WrongValue
from rikigaku.files import write_whole
from rikigaku.laws.record import Law
from rikigaku.meaning import input_meanings
from rikigaku.model.robot import Robot
from rikigaku.numbers.program import Program


def exported(
    language: str,
    robot: Robot,
    law: Law,
    program: Program,
    derivative: Sequence[str],
    path: str | os.PathLike[str] | None,
    name: str | None,
) -> Any:
    """The program in a language: text, written to `path` if given, or an object.

    Args:
        derivative: what the program's outputs are derivatives by, if they are.
    """
    language = known_language(language)
    place = None if path is None else Path(path)
    if place is not None and language in OBJECTS:
        raise WrongValue(
            f"Export to {language} gives an object, not a text: there is nothing to write to a file."
        )
    if name is None:
        own = f"{identifier(robot.name)[:24].rstrip('_')}_{law.name}{'_derivative' * bool(derivative)}"
        name = place.stem if place is not None and language == "matlab" else own
    export = _export(robot, law, program, derivative, name)
    if language == "sympy":
        return import_module("rikigaku.symbolic.export_sympy").sympy_law(export.program)
    if language == "casadi":
        return import_module("rikigaku.codegen.export_casadi").function(export)
    text, files = texts(language, export, place)
    for file, content in files.items():
        write_whole(file, content.encode())
    return text


def _export(robot: Robot, law: Law, program: Program, derivative: Sequence[str], name: str) -> Export:
    summary = f"{law.called} of robot {robot.name}: {law.summary}"
    meanings: tuple[str, ...] = (law.summary,) * len(program.outputs)
    if derivative:
        (output,) = law.outputs
        ports = [
            replace(port, name=f"d{output}_d{by}")
            for port, by in zip(program.outputs, derivative, strict=True)
        ]
        program = replace(program, outputs=tuple(ports))
        summary = f"Derivatives of {summary}"
        meanings = tuple(
            f"derivative of {output} by {by}{' (tangent)' * (by == 'q')}, derivative axis last"
            for by in derivative
        )
    elif len(program.outputs) > 1:
        meanings = tuple(f"{port.name} of {law.called}" for port in program.outputs)
    inputs = input_meanings(robot, law, program.inputs)
    read = _read(robot, program)
    program = replace(
        program,
        inputs=tuple(program.inputs[k] for k in read),
        arguments=tuple(program.arguments[k] for k in read),
    )
    return Export(program, name, summary, tuple(inputs[k] for k in read), meanings)


def _read(robot: Robot, program: Program) -> list[int]:
    """Places of the inputs that the function takes: all of the law, and symbols that some result needs."""
    count, own = len(program.inputs), len(program.inputs) - len(robot.free_symbols)
    needed = set(program.nodes)
    return [k for k in range(count) if k < own or not needed.isdisjoint(program.arguments[k])]
