"""Random signs of joint rates for Coulomb friction of closed robots; rates in a constant ratio share one.

Coulomb friction holds sign(v), which is not analytic: near one configuration of a mechanism with one freedom
the signs are related, and farther along some of them change. A relation found with the signs of one interval
would be false on the next. Therefore each sign is drawn independently; only rates whose ratio is the same at
all configurations (gears, parallelograms) share one. A relation that holds for all signs holds everywhere.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.numbers.arbitrary_precision import precision
from rikigaku.symbolic.loops.precise_closure import ConsistentState, admissible_motions

# For each rate: a number common to all that share its sign, and its own sign then; None: it never moves.
SignGroups = Sequence[tuple[int, int] | None]

CONFIGURATIONS = 4  # at which a ratio must be the same
_SAME = 1e-30  # in 256 bits or more


def sign_groups(states: Sequence[ConsistentState]) -> SignGroups:
    """Which rates keep a constant ratio, from some closed configurations of one component."""
    result: list[tuple[int, int] | None] = []
    first: list[int] = []  # the first rate of each group
    with precision(states[0].bits):
        N = [admissible_motions(state)[0] for state in states]
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


def drawn_signs(sign_groups: SignGroups, rng: np.random.Generator) -> list[int]:
    """A sign for each rate, at random; 0 for what never moves."""
    count = 1 + max((group[0] for group in sign_groups if group is not None), default=-1)
    drawn = [2 * int(x) - 1 for x in rng.integers(0, 2, count)]
    return [0 if group is None else group[1] * drawn[group[0]] for group in sign_groups]


def _constant_ratio(pairs: Sequence[tuple[Sequence[Any], Sequence[Any]]]) -> int:
    """The sign of c where x = c y at all configurations, 0 where there is no such c."""
    a, b = max(zip(*pairs[0], strict=True), key=lambda ab: abs(float(ab[1])))
    for x, y in pairs:
        if not all(_small(p * b - q * a) for p, q in zip(x, y, strict=True)):
            return 0
    return 0 if _small(a) else 1 if float(a) * float(b) > 0 else -1


def _small(x: Any) -> bool:
    return abs(float(x)) < _SAME
