"""Products of a program's derivatives with vectors, as programs: J t (forward), and J^T w (reverse).

Both results are programs again, with the vectors as further inputs: products of any order follow.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Protocol

from rikigaku.numbers.expression_graph import Node, Traced, reachable
from rikigaku.numbers.program import Port, Program, Shape
from rikigaku.numbers.program_derivative import forward, reverse
from rikigaku.numbers.program_evaluation import unrolled


class Chart(Protocol):
    """Coordinates of the directions in which the inputs of a program change."""

    def shape(self, k: int, port: Port) -> Shape:
        """Shape of a direction of input k."""

    def pushed(self, k: int, x: Sequence[Node], t: Sequence[Traced]) -> Sequence[Traced]:
        """Rates of the elements x of input k for a direction t."""

    def pulled(self, k: int, x: Sequence[Node], g: Sequence[Traced]) -> Sequence[Traced]:
        """Derivatives by the coordinates of a direction, from those by the elements: the transpose."""


def tangent_program(program: Program, active: Sequence[int], chart: Chart) -> Program:
    """The derivative of all outputs in one direction: sum of J_i t_i over the active inputs.

    Its inputs are those of the program, then a direction t_i of each active input.
    """
    program = unrolled(program)
    ports = [
        Port(f"direction of {port.name}", chart.shape(i, port))
        for i, port in ((i, program.inputs[i]) for i in active)
    ]
    vectors = _inputs(program, ports)
    seed: dict[Node, Traced] = {}
    for i, t in zip(active, vectors, strict=True):
        nodes = program.arguments[i]
        seed.update(zip(nodes, chart.pushed(i, nodes, t), strict=True))
    rates = iter(forward(list(chain(*program.results)), [seed]))
    results = [tuple(next(rates)[0] for _ in values) for values in program.results]
    return _program(f"tangent of {program.name}", program, ports, vectors, program.outputs, results)


def gradient_program(program: Program, active: Sequence[int], chart: Chart) -> Program:
    """The gradient of sum w_j y_j, with a weight for each element of the outputs: sum of J_ji w_j.

    Its inputs are those of the program, then weights in the shape of each output; its outputs are in the
    coordinates of the directions of the active inputs.
    """
    program = unrolled(program)
    ports = [Port(f"weights of {port.name}", port.shape) for port in program.outputs]
    vectors = _inputs(program, ports)
    pairs = zip(chain(*program.results), chain(*vectors), strict=True)
    total = sum((y * w for y, w in pairs), start=0.0)
    rows = iter(reverse([total], [node for i in active for node in program.arguments[i]])[0])
    results = []
    for i in active:
        nodes = program.arguments[i]
        results.append(tuple(chart.pulled(i, nodes, [next(rows) for _ in nodes])))
    outputs = tuple(Port(program.inputs[i].name, chart.shape(i, program.inputs[i])) for i in active)
    return _program(f"gradient of {program.name}", program, ports, vectors, outputs, results)


def _inputs(program: Program, ports: Sequence[Port]) -> list[tuple[Node, ...]]:
    """New input nodes in the program's graph; their labels differ from those of the inputs before them."""
    graph = next(node.graph for nodes in program.arguments for node in nodes)
    first = len(program.inputs)
    return [
        tuple(graph.input(f"{port.name} #{first + k}[{i}]") for i in range(port.size))
        for k, port in enumerate(ports)
    ]


def _program(
    name: str, program: Program, ports: Sequence[Port], vectors: Sequence[tuple[Node, ...]],
    outputs: tuple[Port, ...], results: Sequence[tuple[Traced, ...]],
) -> Program:  # fmt: skip
    inputs, arguments = (*program.inputs, *ports), (*program.arguments, *vectors)
    needed = set(reachable(chain(*results)))
    used = [not needed.isdisjoint(nodes) for nodes in arguments]
    inputs = tuple(replace(port, used=flag) for port, flag in zip(inputs, used, strict=True))
    return Program(name, inputs, outputs, arguments, tuple(results))
