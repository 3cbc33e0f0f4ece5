"""Linear relations of the coordinates of a closed robot (parallelograms, gears).

q_dependent = n . q_independent + constant on the whole component, with n rational; constants of angles are
rational multiples of pi.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from rikigaku.numbers.formula import PI, ZERO, Formula


@dataclass(frozen=True)
class LinearClosure:
    """All coordinates from the independent ones: q = slopes q_independent + pi offsets.

    independent: indices in v. slopes: a row for each coordinate. offsets: the constants, in units of pi.
    """

    independent: tuple[int, ...]
    slopes: tuple[tuple[Fraction, ...], ...]
    offsets: tuple[Fraction, ...]

    @property
    def denominator(self) -> int:
        """Common denominator of the slopes."""
        return lcm(*(x.denominator for row in self.slopes for x in row))

    @property
    def order(self) -> int:
        """Order of the roots of unity that represent the constants."""
        return lcm(*(2 * x.denominator for x in self.offsets))

    def rates(self, v: Sequence[Any]) -> list[Any]:
        """All rates, from those of the independent coordinates among v."""
        own = [v[k] for k in self.independent]
        return [_sum(own, row) for row in self.slopes]

    def positions(self, q: Sequence[Any], pi: Any) -> list[Any]:
        """All positions, from those of the independent coordinates among q; pi: in this kind of number."""
        linear = self.rates(q)
        return [x + pi * offset if offset else x for x, offset in zip(linear, self.offsets, strict=True)]

    def projected(self, rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """Forces (a row for each coordinate) along the independent coordinates."""
        return [
            [_sum(column, [row[k] for row in self.slopes]) for column in zip(*rows, strict=True)]
            for k in range(len(self.independent))
        ]

    def written(self, names: Sequence[str]) -> tuple[str, ...]:
        """The relations as text: "theta3 = theta7 - theta2 + pi/2"."""
        result = []
        for name, row, offset in zip(names, self.slopes, self.offsets, strict=True):
            k = names.index(name)
            if k in self.independent:
                continue
            total = sum(
                (Formula.symbol(names[i]) * x for i, x in zip(self.independent, row, strict=True)), ZERO
            )
            result.append(f"{name} = {total + PI * offset}")
        return tuple(result)


def _sum(xs: Sequence[Any], factors: Sequence[Fraction]) -> Any:
    total: Any = 0
    for x, n in zip(xs, factors, strict=True):
        if n:
            total = total + (x if n == 1 else -x if n == -1 else x * n)
    return total
