"""The value of a traced number, by the plain meaning of each operation: the tests' own interpreter."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rikigaku.numbers.expression_graph import Node, reachable

FLOAT = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt}


def values(
    outputs: Sequence[Any], inputs: Mapping[str, Any], functions: Mapping[str, Any] = FLOAT
) -> list[Any]:
    """Values of the outputs where the inputs have these values, by name; `functions`: sin, cos, sqrt."""
    known: dict[Node, Any] = {}
    for node in reachable(outputs):
        known[node] = _value(node, [known[arg] for arg in node.args], inputs, functions)
    return [known[x] if isinstance(x, Node) else x for x in outputs]


def _value(node: Node, args: list[Any], inputs: Mapping[str, Any], functions: Mapping[str, Any]) -> Any:
    match node.op:
        case "input":
            return inputs[str(node.value)]
        case "const":
            return node.value
        case "add":
            return args[0] + args[1]
        case "sub":
            return args[0] - args[1]
        case "mul":
            return args[0] * args[1]
        case "div":
            return args[0] / args[1]
        case "lookup":
            return node.value[int(min(max(args[0], 0), len(node.value) - 1))]
        case "neg":
            return -args[0]
        case "sign":
            return (args[0] > 0) - (args[0] < 0)
        case "less":
            return args[0] < args[1]
        case "choose":
            return args[1] if args[0] else args[2]
    return functions[node.op](args[0])
