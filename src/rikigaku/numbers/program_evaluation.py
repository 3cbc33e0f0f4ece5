"""Evaluation of a program on any kind of number with + - * /: floats, SymPy, CasADi, nodes."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import lt
from typing import Any

from rikigaku.numbers.elementary_functions import atan2, cos, lookup, sign, sin, sqrt, where
from rikigaku.numbers.expression_graph import Node
from rikigaku.numbers.program import Program


def evaluated(
    program: Program,
    inputs: Sequence[Sequence[Any]],
    functions: Mapping[str, Callable[..., Any]],
    shared: Callable[[Any], Any] = lambda value: value,
) -> list[list[Any]]:
    """The elements of every output, row-major, at these elements of the inputs.

    Args:
        functions: "const", "sqrt", "sin", "cos", "sign", "atan2", "less" and "choose" for this kind of
            number.
        shared: applied to each value that several operations use, for example to name it.
    """
    known: dict[Node, Any] = {
        node: x
        for nodes, values in zip(program.arguments, inputs, strict=True)
        for node, x in zip(nodes, values, strict=True)
    }
    uses = Counter(arg for node in program.nodes for arg in node.args)
    uses.update(x for result in program.results for x in result if isinstance(x, Node))
    for node in program.nodes:
        if node not in known:
            value = _value(node, [known[arg] for arg in node.args], functions, shared)
            named = uses[node] > 1 and node.op not in ("const", "neg", "less", "call", "result")
            known[node] = shared(value) if named else value
    const = functions["const"]
    return [
        [known[x] if isinstance(x, Node) else const(float(x)) for x in elements]
        for elements in program.results
    ]


def _value(
    node: Node,
    args: list[Any],
    functions: Mapping[str, Callable[..., Any]],
    shared: Callable[[Any], Any],
) -> Any:
    match node.op:
        case "add":
            return args[0] + args[1]
        case "sub":
            return args[0] - args[1]
        case "mul":
            return args[0] * args[1]
        case "div":
            return args[0] / args[1]
        case "neg":
            return -args[0]
        case "const":
            return functions["const"](node.value)
        case "call":  # an iteration of a loop
            count = node.value.inputs[0].size
            return evaluated(node.value, (args[:count], args[count:]), functions, shared)[0]
        case "result":
            return args[0][node.value]
        case "lookup":
            return lookup(node.value, args[0])
    return functions[node.op](*args)


def unrolled(program: Program) -> Program:
    """The same program with its loops unrolled."""
    if not any(node.op == "call" for node in program.nodes):
        return program
    functions: dict[str, Callable[..., Any]] = {"const": float, "less": lt, "choose": where}
    functions |= {"sqrt": sqrt, "sin": sin, "cos": cos, "sign": sign, "atan2": atan2}
    results = evaluated(program, program.arguments, functions)
    return replace(program, results=tuple(map(tuple, results)))
