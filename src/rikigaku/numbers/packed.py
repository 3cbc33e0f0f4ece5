"""Results without what is known of them beforehand: constants, and elements equal to others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongSize
from rikigaku.numbers.graph import Node, Traced
from rikigaku.numbers.program import Port, Program, Shape

Array = NDArray[np.float64]

# Large results are filled up to whole lines of memory, so that those of many states are written fastest.
_LINE, _LARGE = 8, 64


@dataclass(frozen=True)
class Packing:
    """How the numbers of a packed result lie in the whole one, and back.

    shape: of the whole result; sources: for each of its elements, row-major, the packed number that stands
    there, or -1 - k for the k-th of `constants`. Behind the packed numbers a few zeros may follow.
    """

    shape: Shape
    sources: tuple[int, ...]
    constants: tuple[float, ...] = ()

    @cached_property
    def count(self) -> int:
        """How many numbers are packed."""
        return max(self.sources, default=-1) + 1

    @property
    def size(self) -> int:
        """The length of the packed result."""
        return -(-self.count // _LINE) * _LINE if self.count > _LARGE else self.count

    @cached_property
    def places(self) -> tuple[NDArray[np.intp], ...]:
        """Indices, one array for each axis of the whole result: where each packed number stands first."""
        _, first = np.unique(np.array(self.sources), return_index=True)
        return np.unravel_index(first[len(first) - self.count :], self.shape)

    def unpack(self, packed: Any) -> Array:
        """The whole results, `(..., *shape)`, of packed ones, `(..., size)`. A state of NaN stays one."""
        packed = np.asarray(packed, dtype=np.float64)
        if packed.ndim == 0 or packed.shape[-1] != self.size:
            raise WrongSize(
                f"A packed result of shape {self.shape} has {self.size} numbers: its array ends in an axis "
                f"of that length; one of shape {packed.shape} was given."
            )
        sources = np.array(self.sources, dtype=np.intp)
        whole = np.empty((*packed.shape[:-1], len(sources)))
        known = sources < 0
        whole[..., ~known] = packed[..., sources[~known]]
        bad = np.isnan(packed).any(axis=-1, keepdims=True)
        whole[..., known] = np.where(bad, np.nan, np.array(self.constants or [0.0])[-1 - sources[known]])
        return whole.reshape(*packed.shape[:-1], *self.shape)


def packed_outputs(program: Program) -> Program:
    """The program with every output packed, and its ports knowing how."""
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
    """The nodes among the elements, each once. What a turn of a loop makes stands together, so that it can be
    written as soon as it is made."""
    nodes = list(dict.fromkeys(x for x in elements if isinstance(x, Node) and x.op != "const"))
    turns = {turn: place for place, turn in enumerate(dict.fromkeys(map(_turn, nodes)))}
    return sorted(nodes, key=lambda x: (turns[_turn(x)], x.value if x.op == "result" else 0))


def _turn(x: Node) -> Node | None:
    return x.args[0] if x.op == "result" else None


def _sources(elements: Sequence[Traced], numbers: list[Node]) -> tuple[list[int], list[float]]:
    """For every element which number it is, or -1 - k for the k-th of the constants; and those."""
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
