"""Scalar operands packed into one array on each side where a ufunc has too many (NumPy allows 64)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from rikigaku.core.errors import TooLarge
from rikigaku.core.types import Array
from rikigaku.numbers.program import Port, Program

MOST_OPERANDS = 64  # of NumPy's ufuncs and of the handlers for XLA
_MOST_UNPACKED = 60

Ports = tuple[Port, ...]
T = TypeVar("T")


def are_packed(inputs: Ports, outputs: Ports) -> bool:
    """Whether the native code takes all scalar inputs, and all scalar outputs, as one last array."""
    return len(inputs) + len(outputs) > _MOST_UNPACKED


def packed_ports(inputs: Ports, outputs: Ports) -> tuple[Ports, Ports]:
    """The inputs and outputs of the native code."""
    if not are_packed(inputs, outputs):
        return inputs, outputs
    return _packed_side(inputs), _packed_side(outputs)


def packed_program(program: Program) -> Program:
    """The program with its inputs and outputs packed."""
    if not are_packed(program.inputs, program.outputs):
        return program
    inputs, outputs = packed_ports(program.inputs, program.outputs)
    arguments = _packed_elements(program.inputs, program.arguments)
    results = _packed_elements(program.outputs, program.results)
    return replace(program, inputs=inputs, outputs=outputs, arguments=arguments, results=results)


def _packed_elements(ports: Ports, elements: Sequence[tuple[T, ...]]) -> tuple[tuple[T, ...], ...]:
    arrays, numbers = divided(ports, elements)
    return (*arrays, *([tuple(x for (x,) in numbers)] if numbers else []))


def packed_inputs(ports: Ports, arrays: Sequence[Array]) -> list[Array]:
    """The arrays of inputs that are packed."""
    rest, numbers = divided(ports, arrays)
    return [*rest, *([np.stack(np.broadcast_arrays(*numbers), axis=-1)] if numbers else [])]


def packed_outputs(ports: Ports, arrays: Sequence[Array]) -> tuple[list[Array], list[Array]]:
    """Arrays to fill of outputs that are packed, and those to which the last one is copied afterwards."""
    rest, numbers = divided(ports, arrays)
    if not numbers:
        return rest, []
    return [*rest, np.empty((*numbers[0].shape, len(numbers)), numbers[0].dtype)], numbers


def divided(ports: Ports, items: Sequence[T]) -> tuple[list[T], list[T]]:
    """The items of arrays and those of scalars."""
    pairs = list(zip(ports, items, strict=True))
    return [x for port, x in pairs if port.shape], [x for port, x in pairs if not port.shape]


def check_count(what: str, inputs: Sequence[Port], outputs: Sequence[Port]) -> None:
    """Raise TooLarge if the code for batches has more operands than can be passed."""
    if (count := len(inputs) + len(outputs)) > MOST_OPERANDS:
        raise TooLarge(
            f"{what} has {len(inputs)} arrays as inputs and {len(outputs)} as results; native code for "
            f"batches passes {MOST_OPERANDS}, not {count}. Differentiate by fewer inputs or symbols at a "
            "time, or apply wrenches to fewer frames."
        )


def _packed_side(ports: Ports) -> Ports:
    arrays, numbers = divided(ports, ports)
    return (*arrays, *([Port("numbers", (len(numbers),))] if numbers else []))
