"""A program: named inputs and outputs over a graph, and how many operations it takes."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from rikigaku.numbers.graph import Graph, Node, Traced, reachable

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Port:
    """A named array going in or out."""

    name: str
    shape: Shape
    used: bool = True  # whether any result depends on it
    packing: Any = None  # of a packed output: how it spreads into the whole one (`numbers.packed.Packing`)

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True, eq=False)
class Program:
    """What a law recorded: the elements of inputs (nodes) and of outputs (nodes or constants), row-major."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    arguments: tuple[tuple[Node, ...], ...]
    results: tuple[tuple[Traced, ...], ...]

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes the results need, arguments before uses."""
        return tuple(reachable(x for result in self.results for x in result))

    @cached_property
    def operations(self) -> "Operations":
        """How many of each operation one state takes."""
        counts = Counter(node.op for node in self.nodes)
        for node in self.nodes:
            if node.op == "call":  # a turn of a loop, a program of its own
                counts.update(node.value.operations.counts)
        return Operations(counts, _sine_pairs(self.nodes))

    @property
    def length(self) -> int:
        """How many operations are written down: those of a loop's turn once."""
        calls = [node.value for node in self.nodes if node.op == "call"]
        again = Counter(calls) - Counter(set(calls))
        return self.operations.total - sum(count * turn.operations.total for turn, count in again.items())


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
        """All operations but the sines and cosines."""
        return sum(
            self.counts.get(op, 0) for op in ("add", "sub", "mul", "div", "sqrt", "sign", "less", "choose")
        )

    def __str__(self) -> str:
        parts = [f"{self.mul} mul", f"{self.add} add"]
        parts += [
            f"{self.counts[op]} {op}" for op in ("div", "sqrt", "sign", "choose") if self.counts.get(op)
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
    """Record what `function` does with arrays of nodes of the given shapes.

    The function gets one nested list of nodes per input (a node for shape ()), and returns a mapping from
    output names to nested lists.
    """
    graph = graph or Graph()
    # A robot's symbol may have the name of an input: then its place tells the two apart.
    names = [name for name, _ in inputs]
    labels = [name if name not in names[:k] else f"{name}#{k}" for k, name in enumerate(names)]
    arguments = tuple(
        tuple(graph.input(f"{label}[{i}]") for i in range(prod(shape)))
        for label, (_, shape) in zip(labels, inputs, strict=True)
    )
    shapes = [shape for _, shape in inputs]
    results = function(*(_nested(list(nodes), shape) for nodes, shape in zip(arguments, shapes, strict=True)))
    outputs = tuple(Port(key, shape_of(value)) for key, value in results.items())
    elements = tuple(tuple(flatten(value)) for value in results.values())
    needed = set(reachable(x for result in elements for x in result))
    ports = tuple(
        Port(name, shape, not needed.isdisjoint(nodes))
        for (name, shape), nodes in zip(inputs, arguments, strict=True)
    )
    return Program(name, ports, outputs, arguments, elements)


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
    """The ports that hold numbers, and what belongs to each."""
    pairs = [(port, x) for port, x in zip(ports, items, strict=True) if port.size]
    return tuple(port for port, _ in pairs), [x for _, x in pairs]
