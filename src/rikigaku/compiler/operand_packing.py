"""Scalar inputs packed into one array where a ufunc has too many operands (NumPy allows 64)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rikigaku.core.types import Array
from rikigaku.numbers.program import Port, Program

_MOST_PORTS = 60

Ports = tuple[Port, ...]


def packed_ports(inputs: Ports, outputs: Ports) -> Ports:
    """The inputs of the native code: if they are too many, all scalars are one last array."""
    if not _too_many(inputs, outputs):
        return inputs
    numbers = [port for port in inputs if not port.shape]
    return (*(port for port in inputs if port.shape), Port("numbers", (len(numbers),)))


def packed_program(program: Program) -> Program:
    """The program with its inputs packed."""
    if not _too_many(program.inputs, program.outputs):
        return program
    pairs = list(zip(program.inputs, program.arguments, strict=True))
    arrays = [nodes for port, nodes in pairs if port.shape]
    numbers = tuple(nodes[0] for port, nodes in pairs if not port.shape)
    inputs = packed_ports(program.inputs, program.outputs)
    return replace(program, inputs=inputs, arguments=(*arrays, numbers))


def packed_arrays(inputs: Ports, outputs: Ports, arrays: Sequence[Array]) -> Sequence[Array]:
    """The arrays of the inputs, packed in the same way."""
    if not _too_many(inputs, outputs):
        return arrays
    numbers = [x for port, x in zip(inputs, arrays, strict=True) if not port.shape]
    rest = [x for port, x in zip(inputs, arrays, strict=True) if port.shape]
    return [*rest, np.stack(np.broadcast_arrays(*numbers), axis=-1)]


def _too_many(inputs: Ports, outputs: Ports) -> bool:
    return len(inputs) + len(outputs) > _MOST_PORTS
