"""A traced program: named inputs and outputs over an expression graph, and its operation counts."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from rikigaku.core.errors import WrongValue
from rikigaku.core.value_text import short
from rikigaku.numbers.expression_graph import ELEMENTARY, Graph, Node, Traced, reachable

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Port:
    """A named input or output array."""

    name: str
    shape: Shape
    used: bool = True  # whether any output depends on it
    packing: Any = None  # of a packed output: `numbers.packed_outputs.Packing`

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True, eq=False)
class Program:
    """A recorded program: the elements of inputs (nodes) and of outputs (nodes or constants), row-major."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    arguments: tuple[tuple[Node, ...], ...]
    results: tuple[tuple[Traced, ...], ...]

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes the results depend on, arguments before uses."""
        return tuple(reachable(x for result in self.results for x in result))

    @cached_property
    def operations(self) -> "Operations":
        """Number of each operation for one state."""
        counts = Counter(node.op for node in self.nodes)
        for node in self.nodes:
            if node.op == "call":  # an iteration of a loop, whose body is a program
                counts.update(node.value.operations.counts)
        return Operations(counts, _sine_pairs(self.nodes))

    @property
    def length(self) -> int:
        """Number of operations in the code; a loop body is counted once."""
        calls = [node.value for node in self.nodes if node.op == "call"]
        again = Counter(calls) - Counter(set(calls))
        return self.operations.total - sum(count * body.operations.total for body, count in again.items())


@dataclass(frozen=True)
class Operations:
    """Operation counts of a program. Signs and constants are free; sin and cos of one angle are a pair."""

    counts: Mapping[str, int]
    sincos: int

    @property
    def mul(self) -> int:
        return self.counts.get("mul", 0)

    @property
    def add(self) -> int:
        """Additions and subtractions."""
        return self.counts.get("add", 0) + self.counts.get("sub", 0)

    @property
    def div(self) -> int:
        return self.counts.get("div", 0)

    @property
    def total(self) -> int:
        """Number of all operations except sines and cosines."""
        return sum(
            self.counts.get(op, 0)
            for op in ("add", "sub", "mul", "div", "sqrt", "sign", "atan2", "less", "choose", "lookup")
        )

    def __str__(self) -> str:
        parts = [f"{self.mul} mul", f"{self.add} add"]
        parts += [
            f"{self.counts[op]} {op}"
            for op in ("div", "sqrt", "sign", "atan2", "choose", "lookup")
            if self.counts.get(op)
        ]
        if self.sincos:
            parts.append(f"{self.sincos} sincos")
        return ", ".join(parts)

    __repr__ = __str__


def trace(
    name: str,
    inputs: Sequence[tuple[str, Shape]],
    function: Callable[..., Mapping[str, Any]],
    graph: Graph | None = None,
) -> Program:
    """The program that `function` computes, recorded by calling it with nodes.

    The function takes one nested list of nodes for each input (a node for shape ()), and returns a mapping
    from output names to nested lists.
    """
    graph = graph or Graph()
    # A robot's symbol may have the name of an input; then its index is appended.
    names = [name for name, _ in inputs]
    labels = [name if name not in names[:k] else f"{name}#{k}" for k, name in enumerate(names)]
    arguments = tuple(
        tuple(graph.input(f"{label}[{i}]") for i in range(prod(shape)))
        for label, (_, shape) in zip(labels, inputs, strict=True)
    )
    shapes = [shape for _, shape in inputs]
    nested = [_nested(list(nodes), shape) for nodes, shape in zip(arguments, shapes, strict=True)]
    try:
        results = function(*nested)
    except TypeError as error:  # of a universal function of NumPy, called with a node
        if "__array_ufunc__" not in str(error):
            raise
        raise WrongValue(f"NumPy's functions cannot be recorded. {ELEMENTARY}") from error
    outputs = tuple(Port(key, shape_of(value)) for key, value in results.items())
    elements = tuple(tuple(flatten(value)) for value in results.values())
    for port, result in zip(outputs, elements, strict=True):
        _check_result(name, port, result)
    needed = set(reachable(x for result in elements for x in result))
    ports = tuple(
        Port(name, shape, not needed.isdisjoint(nodes))
        for (name, shape), nodes in zip(inputs, arguments, strict=True)
    )
    return Program(name, ports, outputs, arguments, elements)


def _check_result(name: str, port: Port, elements: tuple[Any, ...]) -> None:
    """Raise WrongValue if a result is not a number or nested lists of numbers of equal lengths."""
    wrong = next((x for x in elements if isinstance(x, str | None)), port)
    if wrong is not port or len(elements) != port.size:
        found = "lists of different lengths" if wrong is port else short(wrong)
        raise WrongValue(
            f"{port.name} of {name} is a number, or nested lists of numbers of equal lengths; the recursion "
            f"returned {found}."
        )


def flatten(value: Any) -> Iterator[Any]:
    """The elements of a nested list, row-major."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from flatten(item)
    elif isinstance(value, np.ndarray) and value.dtype == object:
        yield from value.flat
    else:
        yield value


def shape_of(value: Any) -> Shape:
    """Shape of a nested list."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value.shape
    if isinstance(value, (list, tuple)):
        return (len(value), *(shape_of(value[0]) if value else ()))
    return ()


def _nested(flat: list[Any], shape: Shape) -> Any:
    if not shape:
        return flat[0]
    if len(shape) == 1:
        return flat
    step = prod(shape[1:])
    return [_nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def _sine_pairs(nodes: tuple[Node, ...]) -> int:
    return len({node.args[0] for node in nodes if node.op in ("sin", "cos")})


def with_elements(ports: tuple[Port, ...], items: Sequence[Any]) -> tuple[tuple[Port, ...], list[Any]]:
    """The ports that are not empty, and the item of each."""
    pairs = [(port, x) for port, x in zip(ports, items, strict=True) if port.size]
    return tuple(port for port, _ in pairs), [x for _, x in pairs]
