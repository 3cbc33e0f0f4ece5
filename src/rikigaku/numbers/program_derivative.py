"""Automatic differentiation of a traced program, forward and reverse, recorded in the same graph."""

from collections.abc import Iterable, Mapping, Sequence

from rikigaku.core.errors import WrongValue
from rikigaku.numbers.expression_graph import Node, Traced, reachable


def partials(node: Node) -> tuple[Traced, ...]:
    """Derivative of a node with respect to each of its arguments."""
    args = node.args
    match node.op:
        case "add":
            return (1.0, 1.0)
        case "sub":
            return (1.0, -1.0)
        case "mul":
            return (_number(args[1]), _number(args[0]))
        case "div":
            inverse = 1.0 / args[1]
            return (inverse, -(node * inverse))
        case "neg":
            return (-1.0,)
        case "sqrt":
            return (0.5 / node,)
        case "sin":
            return (args[0].cos(),)
        case "cos":
            return (-(args[0].sin()),)
        case "atan2":
            y, x = args
            square = y * y + x * x
            return (x / square, -(y / square))
        case "sign" | "less" | "lookup":
            return (0.0,) * len(args)
        case "choose":
            return (0.0, args[0].choose(1.0, 0.0), args[0].choose(0.0, 1.0))
    raise WrongValue(f"The operation {node.op!r} has no derivative.")


def _number(node: Node) -> Traced:
    """A constant as a float, so that operations with it are folded."""
    return float(node.value) if node.op == "const" else node


def forward(outputs: Sequence[Traced], seeds: Iterable[Mapping[Node, Traced]]) -> list[list[Traced]]:
    """Directional derivatives: a row for each output, a column for each seed (a direction in the inputs)."""
    nodes = [node for node in reachable(outputs) if node.args]
    slopes = {node: partials(node) for node in nodes}
    columns = []
    for seed in seeds:
        tangent: dict[Node, Traced] = dict(seed)
        for node in nodes:
            total: Traced = 0.0
            for arg, slope in zip(node.args, slopes[node], strict=True):
                if arg in tangent:
                    total = total + slope * tangent[arg]
            if type(total) is Node or total != 0.0:
                tangent[node] = total
        columns.append([tangent.get(x, 0.0) if type(x) is Node else 0.0 for x in outputs])
    return [[column[i] for column in columns] for i in range(len(outputs))]


def reverse(outputs: Sequence[Traced], inputs: Sequence[Node]) -> list[list[Traced]]:
    """Gradients: one row for each output, one column for each input."""
    nodes = [node for node in reachable(outputs) if node.args]
    slopes = {node: partials(node) for node in nodes}
    rows = []
    for output in outputs:
        adjoint: dict[Node, Traced] = {output: 1.0} if type(output) is Node else {}
        for node in reversed(nodes):
            weight = adjoint.get(node)
            if weight is None:
                continue
            for arg, slope in zip(node.args, slopes[node], strict=True):
                if arg.op != "const":
                    adjoint[arg] = adjoint.get(arg, 0.0) + weight * slope
        rows.append([adjoint.get(x, 0.0) for x in inputs])
    return rows
