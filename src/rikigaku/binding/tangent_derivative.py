"""Derivatives of a recorded law with respect to its inputs; for q in the tangent space of its manifold."""

from collections.abc import Mapping

from rikigaku.core.errors import UnknownName
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.expression_graph import Node, Traced
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import Port, Program
from rikigaku.numbers.program_derivative import forward, reverse
from rikigaku.numbers.program_evaluation import unrolled


def derivative_program(robot: RobotModel, program: Program, wrt: tuple[str, ...]) -> Program:
    """The derivatives of a program's only output with respect to the named inputs, derivative axis last."""
    program = unrolled(program)
    names = [port.name for port in program.inputs]
    outputs: list[Port] = []
    results: list[tuple[Traced, ...]] = []
    (port,), (values,) = program.outputs, program.results
    for name in wrt:
        if name not in names:
            raise UnknownName("input or symbol", name, names, f"the law {program.name}")
        k = names.index(name)
        nodes = program.arguments[k]
        symbols = {symbol: program.arguments[names.index(symbol)][0] for symbol in robot.free_symbols}
        columns = directions(robot, name, list(nodes), symbols)
        if len(columns) <= len(values) or (name == "q" and robot.nq != robot.nv):
            rows = forward(values, columns)
        else:
            rows = reverse(values, nodes)
        shape = port.shape + ((len(columns),) if program.inputs[k].shape else ())
        outputs.append(Port(name, shape))
        results.append(tuple(x for row in rows for x in row))
    return Program(
        f"{program.name} derivative", program.inputs, tuple(outputs), program.arguments, tuple(results)
    )


def second_derivative_program(robot: RobotModel, program: Program, wrt: tuple[str, ...]) -> Program:
    """The derivatives of the derivatives, one output for each pair of names, the second axis last."""
    programs = [derivative_program(robot, derivative_program(robot, program, (name,)), wrt) for name in wrt]
    outputs = [
        Port(f"{name} {port.name}", port.shape)
        for name, own in zip(wrt, programs, strict=True)
        for port in own.outputs
    ]
    first = programs[0]
    results = tuple(result for own in programs for result in own.results)
    return Program(
        f"{program.name} second derivative", first.inputs, tuple(outputs), first.arguments, results
    )


def directions(
    robot: RobotModel, name: str, nodes: list[Node], symbols: Mapping[str, Node]
) -> list[dict[Node, Traced]]:
    """Tangent directions of an input: unit vectors; for q the columns of T(q) in dq/dt = T(q) v."""
    if name != "q" or robot.nq == robot.nv:
        return [{node: 1.0} for node in nodes]
    mechanism = instantiate(robot, FLOATS, symbols)
    result = []
    for body in mechanism.bodies:
        own = [nodes[k] for k in body.q]
        for i, k in enumerate(body.v):
            unit = [float(i == j) for j in range(body.joint.nv)]
            rates = body.joint.rate(own, unit)
            result.append(
                (k, {node: rate for node, rate in zip(own, rates, strict=True) if _is_nonzero(rate)})
            )
    return [direction for _, direction in sorted(result, key=lambda item: item[0])]


def _is_nonzero(x: Traced) -> bool:
    return isinstance(x, Node) or x != 0
