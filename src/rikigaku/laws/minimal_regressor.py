"""The columns of the regressor kept for base parameters; of a closed robot along the motions of its loops."""

from collections.abc import Sequence
from dataclasses import dataclass

from rikigaku.laws.closed import Plan, dot, following
from rikigaku.laws.regressor import regressor
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial.vector import Vector

Numbers = Sequence[Number]


@dataclass(frozen=True)
class Kept:
    """Which columns of the regressor (with those of drives, or without), and what is known of the loops."""

    columns: tuple[int, ...]
    drives: bool
    loops: Plan | None


def minimal_regressor(
    mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, plan: Kept, gravity: Vector | None = None
) -> list[list[Number]]:
    """W with forces = W base: of all joints, or, loops closed, along the independent coordinates.

    v, a are those of all joints of the tree, as the loops ask for.
    """
    Y = regressor(mechanism, q, v, a, gravity, plan.drives)
    W = [[row[j] for j in plan.columns] for row in Y]
    if plan.loops is None:
        return W
    P = following(mechanism, q, plan.loops)
    columns = list(zip(*W, strict=True))
    return [[dot([row[k] for row in P], column) for column in columns] for k in range(len(P[0]))]
