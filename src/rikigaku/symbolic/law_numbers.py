"""What a law gives on exact numbers, as data: found in this process or in a child."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Any

from rikigaku.model.robot import Robot
from rikigaku.numbers.program import Shape
from rikigaku.numbers.ring import Ring
from rikigaku.symbolic.exact_state import Inputs, with_roots
from rikigaku.symbolic.saved_numbers import restored_numbers, saved_numbers


@dataclass(frozen=True)
class Result:
    """One output: its numbers, row-major; parts: the same as sums over determinants, where they came so."""

    shape: Shape
    numbers: Sequence[Any]
    parts: Sequence[Any] = ()


@dataclass(frozen=True)
class LawNumbers:
    """All outputs of a law by name, numbers of one ring."""

    ring: Ring
    results: Mapping[str, Result]


def saved(found: LawNumbers) -> dict[str, Any]:
    """As JSON."""
    outputs = {name: [result.shape, bool(result.parts)] for name, result in found.results.items()}
    numbers = [x for result in found.results.values() for x in (*result.numbers, *result.parts)]
    return {"outputs": outputs, **saved_numbers(found.ring, numbers)}


def restored(robot: Robot, inputs: Inputs, spare: int, data: Mapping[str, Any]) -> LawNumbers:
    """The same in the ring that the robot's other formulas live in; spare: as `exact_results` takes it."""

    def in_ring(ring: Ring) -> LawNumbers:
        waiting = iter(restored_numbers(ring, data))
        results = {}
        for name, (shape, in_parts) in data["outputs"].items():
            numbers = list(islice(waiting, prod(shape)))
            parts = list(islice(waiting, prod(shape) if in_parts else 0))
            results[name] = Result(tuple(shape), numbers, parts)
        return LawNumbers(ring, results)

    return with_roots(robot, inputs, in_ring, spare)
