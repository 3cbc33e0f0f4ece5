"""Export of a law's program: name of the function, comments for its reader, files."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rikigaku.binding.input_descriptions import input_descriptions
from rikigaku.export.export_files import exported_program
from rikigaku.export.export_record import Export
from rikigaku.export.identifiers import identifier
from rikigaku.laws.display_names import port_names
from rikigaku.laws.law import Law
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.program import Program

_STATE = ("q", "v", "a")


def exported(
    language: str,
    robot: RobotModel,
    law: Law,
    program: Program,
    derivative: Sequence[str],
    path: str | os.PathLike[str] | None,
    name: str | None,
    exporters: Mapping[str, Callable[[Export], Any]],
) -> Any:
    """The program in a language: text or bytes, written to `path` if given, or an object.

    Args:
        derivative: variables of differentiation, if the outputs are derivatives.
        exporters: by language, beside those of `rikigaku.export.languages`.
    """
    own = f"{identifier(robot.name)[:24].rstrip('_')}_{law.identifier}{'_derivative' * bool(derivative)}"

    def export(chosen: str) -> Export:
        return _export(robot, law, program, derivative, chosen)

    return exported_program(language, export, path, name, own, exporters)


def _export(robot: RobotModel, law: Law, program: Program, derivative: Sequence[str], name: str) -> Export:
    summary = f"{law.called} of robot {robot.name}: {law.summary}"
    descriptions: tuple[str, ...] = (law.summary,) * len(program.outputs)
    if derivative:
        (output,) = law.outputs
        ports = [
            replace(port, name=f"d{output}_d{by}")
            for port, by in zip(program.outputs, derivative, strict=True)
        ]
        program = replace(program, outputs=tuple(ports))
        summary = f"Derivatives of {summary}"
        descriptions = tuple(
            f"derivative of {output} by {by}{' (tangent)' * (by == 'q')}, derivative axis last"
            for by in derivative
        )
    elif len(program.outputs) > 1:
        descriptions = tuple(f"{port.name} of {law.called}" for port in program.outputs)
    inputs = input_descriptions(robot, law, program.inputs)
    read = _inputs_read(robot, program)
    program = replace(
        program,
        inputs=tuple(program.inputs[k] for k in read),
        arguments=tuple(program.arguments[k] for k in read),
    )
    elements = _element_names(robot, law, program)
    return Export(program, name, summary, tuple(inputs[k] for k in read), descriptions, elements)


def _element_names(robot: RobotModel, law: Law, program: Program) -> dict[str, tuple[str, ...]]:
    """Names of the elements of q, v and a among the arguments: those of the joints, with dots."""
    ports = {port.name: port.shape for port in (*program.outputs, *program.inputs) if port.name in _STATE}
    sizes = {"q": robot.nq, "v": robot.nv, "a": robot.nv}
    inputs = [
        (name, shape)
        for name, shape in ports.items()
        if len(shape) == 1 and shape[0] == len(law.coordinates.get(name, range(sizes[name])))
    ]
    names = port_names(robot, law, inputs)
    return {name: tuple(names[f"{name}[{k}]"] for k in range(size)) for name, (size,) in inputs}


def _inputs_read(robot: RobotModel, program: Program) -> list[int]:
    """Indices of the inputs of the function: all of the law, and symbols that some result depends on."""
    count, own = len(program.inputs), len(program.inputs) - len(robot.free_symbols)
    needed = set(program.nodes)
    return [k for k in range(count) if k < own or not needed.isdisjoint(program.arguments[k])]
