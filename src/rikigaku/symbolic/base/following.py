"""Closed robots whose dependent coordinates follow linearly (parallelograms, gears): how they do.

There q_dependent = n . q_independent + constant on the whole component, n rational, constants of angles parts
of a turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from rikigaku.numbers.formula import PI, ZERO, Formula


@dataclass(frozen=True)
class Following:
    """All coordinates from some: q = slopes q_independent + turns pi, v and a alike.

    independent: places in v. slopes: a row for each coordinate. turns: constants, as parts of half a turn.
    """

    independent: tuple[int, ...]
    slopes: tuple[tuple[Fraction, ...], ...]
    turns: tuple[Fraction, ...]

    @property
    def fineness(self) -> int:
        """What the denominators of the slopes divide."""
        return lcm(*(x.denominator for row in self.slopes for x in row))

    @property
    def order(self) -> int:
        """Of the roots of unity that hold the constants."""
        return lcm(*(2 * x.denominator for x in self.turns))

    def rates(self, v: Sequence[Any]) -> list[Any]:
        """All rates, from those of the independent coordinates among v."""
        own = [v[k] for k in self.independent]
        return [_sum(own, row) for row in self.slopes]

    def positions(self, q: Sequence[Any], half_turn: Any) -> list[Any]:
        """All positions, from those of the independent coordinates among q."""
        moved = self.rates(q)
        return [x + half_turn * t if t else x for x, t in zip(moved, self.turns, strict=True)]

    def projected(self, rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """Forces (a row for each coordinate) along the independent coordinates."""
        return [
            [_sum(column, [row[k] for row in self.slopes]) for column in zip(*rows, strict=True)]
            for k in range(len(self.independent))
        ]

    def written(self, names: Sequence[str]) -> tuple[str, ...]:
        """The relations to read: "theta3 = theta7 - theta2 + pi/2"."""
        result = []
        for name, row, turn in zip(names, self.slopes, self.turns, strict=True):
            k = names.index(name)
            if k in self.independent:
                continue
            total = sum(
                (Formula.symbol(names[i]) * x for i, x in zip(self.independent, row, strict=True)), ZERO
            )
            result.append(f"{name} = {total + PI * turn}")
        return tuple(result)


def _sum(xs: Sequence[Any], factors: Sequence[Fraction]) -> Any:
    total: Any = 0
    for x, n in zip(xs, factors, strict=True):
        if n:
            total = total + (x if n == 1 else -x if n == -1 else x * n)
    return total
