"""The rank of a closed robot's regressor, exactly, at points of its loops over a prime field.

Where the Jacobian of the loops has full rank, a point modulo p lifts to a point over the p-adic numbers
(Hensel's lemma), and a minor that is not zero modulo p is not zero there: the rank is a lower bound, proved,
for the component of the (complex) variety of the loops on which the point lies. That it is no larger there is
as likely as that random points satisfy no equation they need not: the degree of the minors over p for each.
Reference: J. Schwartz, Fast probabilistic algorithms for verification of polynomial identities, J. ACM 27
(1980).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from rikigaku.errors import NotExact
from rikigaku.model.edit import bind
from rikigaku.numbers.modular_constants import ModularConstants
from rikigaku.numbers.prime_field import Residues
from rikigaku.symbolic.base.elimination import pivot_columns, product, solved
from rikigaku.symbolic.base.samples import Question, stacked
from rikigaku.symbolic.loops.constraints import LoopConstraints
from rikigaku.symbolic.loops.recorded import recorded
from rikigaku.symbolic.loops.residues import Points, coordinates, loop_points, parametrised

_FIELDS = 20  # to look through for one that has all square roots
_SEED = 1980


@dataclass(frozen=True)
class PrimeRank:
    """rank: of all columns over `points` points modulo `prime`; drawn: the joints they were drawn by."""

    rank: int
    points: int
    prime: int
    drawn: tuple[str, ...]


def prime_rank(question: Question) -> PrimeRank:
    """The rank of the regressor along the motions the loops allow, modulo a prime.

    Raises:
        NoFormula: if no joints are found from which all others follow by square roots. NotExact: if the
            geometry has no image in a prime field, or symbols without a value.
    """
    own = {symbol.name: symbol.value for symbol in question.robot.symbols if symbol.value is not None}
    question = replace(question, robot=bind(question.robot, **own))
    robot = question.geometry
    if robot.free_symbols:
        raise NotExact(f"Give values to the symbols of the geometry: {', '.join(robot.free_symbols)}.")
    if question.drives:
        raise NotExact("Friction holds signs, which no prime field has: drives=False.")
    constraints = parametrised(robot)
    rng = np.random.default_rng(_SEED)
    count = 2 + 2 * len(question.columns) // constraints.mobility
    failed: Exception | None = None
    for _ in range(_FIELDS):
        field = question.field(rng)
        try:
            rows = [_rows(question, constraints, points) for points in loop_points(constraints, field, count)]
            stack = np.concatenate(rows)
            rank = len(pivot_columns(stack, field.prime)[0])
            drawn = tuple(constraints.coordinates[k] for k in constraints.independent)
            return PrimeRank(rank, len(stack) // constraints.mobility, field.prime, drawn)
        except (NotExact, ZeroDivisionError) as error:
            failed = error
    raise NotExact(f"No prime field was found that holds the loops of robot {robot.name!r}: {failed}")


def _rows(question: Question, constraints: LoopConstraints, points: Points) -> Residues:
    """The regressor at each point along the motions there, (points * mobility, columns)."""
    robot, field = question.geometry, points.field
    p, kind, laws = field.prime, ModularConstants(field), recorded(question.geometry)
    q = coordinates(points, [f"q[{k}]" for k in range(robot.nq)])
    constants = laws.numbers(kind, {})
    residual, facing, jacobian = laws.closing([*constants, *q])
    size = points.count
    if _array(residual, points, size).any() or (_array(facing, points, size) != 1).any():
        raise NotExact("The points that were found close a loop the wrong way round.")
    rows = [row.place for row in constraints.rows]
    own, others = list(constraints.independent), list(constraints.dependent)
    J = _array(jacobian, points, size).reshape(size, -1, robot.nv)[:, rows]
    S = solved(J[:, :, others], -J[:, :, own] % p, p)  # how the others follow
    v, a = (np.zeros((size, robot.nv), np.int64) for _ in range(2))
    v[:, own], a[:, own] = field.random(size, len(own)), field.random(size, len(own))
    v[:, others] = product(S, v[:, own, None], p)[:, :, 0]
    rates = [field.number(v[None, :, k]) for k in range(robot.nv)]
    bias = _array(laws.bias([*constants, *q, *rates])[0], points, size)[:, rows]
    pushed = solved(J[:, :, others], -bias[:, :, None] % p, p)[:, :, 0]
    a[:, others] = (product(S, a[:, own, None], p)[:, :, 0] + pushed) % p
    pulled = any(g.terms for g in question.robot.gravity)
    law = laws.regressor(pulled, False)
    gravity = [g.evaluate(kind, {}) for g in question.robot.gravity] if pulled else []
    changes = [field.number(a[None, :, k]) for k in range(robot.nv)]
    Y = _array(law([*constants, *q, *rates, *changes, *gravity])[0], points, size)
    Y = Y.reshape(size, robot.nv, -1)[:, :, question.picked]
    along = (Y[:, own] + product(S.transpose(0, 2, 1), Y[:, others], p)) % p
    return along.reshape(-1, along.shape[-1])


def _array(elements: Sequence[object], points: Points, size: int) -> Residues:
    """Numbers at every point, (points, elements)."""
    exact = [Fraction(x) if isinstance(x, float) else x for x in elements]
    return stacked([exact], points.field, size)[0]
