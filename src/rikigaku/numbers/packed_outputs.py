"""Packed outputs: the elements that depend on the state, each once, without constants."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.errors import WrongSize
from rikigaku.core.types import Array
from rikigaku.numbers.expression_graph import Node, Traced
from rikigaku.numbers.program import Port, Program, Shape

# Large results are padded to whole cache lines, so that batches are stored fastest.
_LINE, _LARGE = 8, 64


@dataclass(frozen=True)
class Packing:
    """Index map between a packed result and the full one.

    shape: of the full result; sources: for each of its elements, row-major, the index of the packed number,
    or -1 - k for the k-th of `constants`. Zeros may follow the packed numbers as padding.
    """

    shape: Shape
    sources: tuple[int, ...]
    constants: tuple[float, ...] = ()

    @cached_property
    def count(self) -> int:
        """Number of packed elements."""
        return max(self.sources, default=-1) + 1

    @property
    def size(self) -> int:
        """Length of the packed result, padding included."""
        return -(-self.count // _LINE) * _LINE if self.count > _LARGE else self.count

    @cached_property
    def places(self) -> tuple[NDArray[np.intp], ...]:
        """Indices of the packed elements in the full result (first occurrence), one array for each axis."""
        _, first = np.unique(np.array(self.sources), return_index=True)
        return np.unravel_index(first[len(first) - self.count :], self.shape)

    def unpack(self, packed: Any) -> Array:
        """Full results, `(..., *shape)`, of packed ones, `(..., size)`; a state with a NaN is all NaN."""
        packed = np.asarray(packed, dtype=np.float64)
        if packed.ndim == 0 or packed.shape[-1] != self.size:
            raise WrongSize(
                f"A packed result of shape {self.shape} has {self.size} numbers: its array ends in an axis "
                f"of that length; one of shape {packed.shape} was given."
            )
        sources = np.array(self.sources, dtype=np.intp)
        full = np.empty((*packed.shape[:-1], len(sources)))
        known = sources < 0
        full[..., ~known] = packed[..., sources[~known]]
        bad = np.isnan(packed).any(axis=-1, keepdims=True)
        full[..., known] = np.where(bad, np.nan, np.array(self.constants or [0.0])[-1 - sources[known]])
        return full.reshape(*packed.shape[:-1], *self.shape)


def packed_outputs(program: Program) -> Program:
    """The program with every output packed; its ports have the `Packing`."""
    outputs: list[Port] = []
    results: list[tuple[Traced, ...]] = []
    for port, elements in zip(program.outputs, program.results, strict=True):
        numbers = _loop_by_loop(elements)
        sources, constants = _sources(elements, numbers)
        packing = Packing(port.shape, tuple(sources), tuple(constants))
        outputs.append(replace(port, shape=(packing.size,), packing=packing))
        results.append((*numbers, *(0.0 for _ in range(packing.size - len(numbers)))))
    return replace(program, outputs=tuple(outputs), results=tuple(results))


def _loop_by_loop(elements: Sequence[Traced]) -> list[Node]:
    """The nodes among the elements, each once.

    Results of one loop iteration are adjacent, so that they can be stored as soon as they are computed.
    """
    nodes = list(dict.fromkeys(x for x in elements if isinstance(x, Node) and x.op != "const"))
    order = {call: place for place, call in enumerate(dict.fromkeys(map(_call, nodes)))}
    return sorted(nodes, key=lambda x: (order[_call(x)], x.value if x.op == "result" else 0))


def _call(x: Node) -> Node | None:
    """The loop iteration whose result the node is."""
    return x.args[0] if x.op == "result" else None


def _sources(elements: Sequence[Traced], numbers: list[Node]) -> tuple[list[int], list[float]]:
    """For every element the index of its number, or -1 - k for the k-th constant; and the constants."""
    places = {x: place for place, x in enumerate(numbers)}
    constants: dict[float, int] = {}
    sources = []
    for x in elements:
        if isinstance(x, Node) and x.op != "const":
            sources.append(places[x])
        else:
            value = float(x.value) if isinstance(x, Node) else float(x)
            sources.append(-1 - constants.setdefault(value, len(constants)))
    return sources, list(constants)
