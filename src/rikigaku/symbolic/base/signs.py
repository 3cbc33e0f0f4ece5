"""Signs of a closed robot's rates, for Coulomb friction: drawn freely, but one for rates in a constant ratio.

Forces of Coulomb friction hold sign(v), which is not analytic: near one posture of a mechanism with one
freedom the signs follow from one another, further along some of them turn over. A relation found with the
signs of one stretch would be false on the next. So signs are drawn, each alone; only rates whose ratio is
the same at all postures (gears, parallelograms) share one. What holds for all signs holds everywhere.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.numbers.balls import precision
from rikigaku.symbolic.base.motions import motions
from rikigaku.symbolic.loops.closing import ConsistentState

# For each rate: a number common to all that share its sign, and its own sign then; None: it never moves.
Rays = Sequence[tuple[int, int] | None]

POSTURES = 4  # at which a ratio must be the same: two would do, but for bad luck
_SAME = 1e-30  # in 256 bits or more


def rays(states: Sequence[ConsistentState]) -> Rays:
    """Which rates keep a constant ratio, from some closed postures of one component."""
    result: list[tuple[int, int] | None] = []
    first: list[int] = []  # the first rate of each ray
    with precision(states[0].bits):
        N = [motions(state)[0] for state in states]
        for k in range(len(N[0])):
            if all(_small(x) for here in N for x in here[k]):
                result.append(None)
                continue
            for number, i in enumerate(first):
                if sign := _constant_ratio([(here[k], here[i]) for here in N]):
                    result.append((number, sign))
                    break
            else:
                result.append((len(first), 1))
                first.append(k)
    return result


def drawn_signs(rays: Rays, rng: np.random.Generator) -> list[int]:
    """A sign for each rate, at random; 0 for what never moves."""
    count = 1 + max((ray[0] for ray in rays if ray is not None), default=-1)
    drawn = [2 * int(x) - 1 for x in rng.integers(0, 2, count)]
    return [0 if ray is None else ray[1] * drawn[ray[0]] for ray in rays]


def _constant_ratio(pairs: Sequence[tuple[Sequence[Any], Sequence[Any]]]) -> int:
    """The sign of c where x = c y at all postures, 0 where there is no such c."""
    a, b = max(zip(*pairs[0], strict=True), key=lambda ab: abs(float(ab[1])))
    for x, y in pairs:
        if not all(_small(p * b - q * a) for p, q in zip(x, y, strict=True)):
            return 0
    return 0 if _small(a) else 1 if float(a) * float(b) > 0 else -1


def _small(x: Any) -> bool:
    return abs(float(x)) < _SAME
