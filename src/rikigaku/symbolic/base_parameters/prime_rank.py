"""Exact rank of the regressor of a closed robot, at closed configurations over a prime field.

Where the Jacobian of the loops has full rank, a point modulo p lifts to a point over the p-adic numbers
(Hensel's lemma), and a minor that is not zero modulo p is not zero there: the rank is a lower bound, proved,
for the component of the (complex) variety of the loops on which the point lies. A larger rank there would be
missed at one random point with a probability of at most the degree of the minors over p.
Reference: J. Schwartz, Fast probabilistic algorithms for verification of polynomial identities, J. ACM 27
(1980).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from rikigaku.core.errors import NotExact
from rikigaku.model.editing import bind
from rikigaku.numbers.modular_constants import ModularConstants
from rikigaku.numbers.prime_field import Residues
from rikigaku.symbolic.algebra.row_elimination import pivot_columns, product, solved
from rikigaku.symbolic.base_parameters.regressor_samples import BaseParameterProblem, stacked
from rikigaku.symbolic.loops.loop_constraints import LoopConstraints
from rikigaku.symbolic.loops.modular_points import Points, coordinates, loop_points, parametrised
from rikigaku.symbolic.loops.recorded_laws import recorded

_FIELDS = 20  # prime fields tried for one that has all square roots
_SEED = 1980


@dataclass(frozen=True)
class PrimeRank:
    """rank: of all columns over `points` points modulo `prime`.

    Drawn: the joints whose positions were random.
    """

    rank: int
    points: int
    prime: int
    drawn: tuple[str, ...]


def prime_rank(problem: BaseParameterProblem) -> PrimeRank:
    """The rank modulo a prime of the regressor projected on the admissible motions.

    Raises:
        NoFormula: if no joints are found from which all others follow by square roots. NotExact: if the
            geometry has no image in a prime field, or symbols without a value.
    """
    own = {symbol.name: symbol.value for symbol in problem.robot.symbols if symbol.value is not None}
    problem = replace(problem, robot=bind(problem.robot, **own))
    robot = problem.geometry
    if robot.free_symbols:
        raise NotExact(f"Give values to the symbols of the geometry: {', '.join(robot.free_symbols)}.")
    if problem.joint_parameters:
        raise NotExact("Friction holds signs, which no prime field has: joint_parameters=False.")
    constraints = parametrised(robot)
    rng = np.random.default_rng(_SEED)
    count = 2 + 2 * len(problem.columns) // constraints.mobility
    failed: Exception | None = None
    for _ in range(_FIELDS):
        field = problem.field(rng)
        try:
            rows = [_rows(problem, constraints, points) for points in loop_points(constraints, field, count)]
            stack = np.concatenate(rows)
            rank = len(pivot_columns(stack, field.prime)[0])
            drawn = tuple(constraints.coordinates[k] for k in constraints.independent)
            return PrimeRank(rank, len(stack) // constraints.mobility, field.prime, drawn)
        except (NotExact, ZeroDivisionError) as error:
            failed = error
    raise NotExact(f"No prime field was found that holds the loops of robot {robot.name!r}: {failed}")


def _rows(problem: BaseParameterProblem, constraints: LoopConstraints, points: Points) -> Residues:
    """The regressor at each point along the motions there, (points * mobility, columns)."""
    robot, field = problem.geometry, points.field
    p, kind, laws = field.prime, ModularConstants(field), recorded(problem.geometry)
    q = coordinates(points, [f"q[{k}]" for k in range(robot.nq)])
    constants = laws.numbers(kind, {})
    residual, alignment, jacobian = laws.closing([*constants, *q])
    size = points.count
    if _array(residual, points, size).any() or (_array(alignment, points, size) != 1).any():
        raise NotExact("The points that were found close a cut joint with its axes reversed.")
    rows = [row.place for row in constraints.rows]
    own, others = list(constraints.independent), list(constraints.dependent)
    J = _array(jacobian, points, size).reshape(size, -1, robot.nv)[:, rows]
    S = solved(J[:, :, others], -J[:, :, own] % p, p)  # v_dependent = S v_independent
    v, a = (np.zeros((size, robot.nv), np.int64) for _ in range(2))
    v[:, own], a[:, own] = field.random(size, len(own)), field.random(size, len(own))
    v[:, others] = product(S, v[:, own, None], p)[:, :, 0]
    rates = [field.number(v[None, :, k]) for k in range(robot.nv)]
    bias = _array(laws.bias([*constants, *q, *rates])[0], points, size)[:, rows]
    pushed = solved(J[:, :, others], -bias[:, :, None] % p, p)[:, :, 0]
    a[:, others] = (product(S, a[:, own, None], p)[:, :, 0] + pushed) % p
    has_gravity = any(g.terms for g in problem.robot.gravity)
    law = laws.regressor(has_gravity, False)
    gravity = [g.evaluate(kind, {}) for g in problem.robot.gravity] if has_gravity else []
    changes = [field.number(a[None, :, k]) for k in range(robot.nv)]
    Y = _array(law([*constants, *q, *rates, *changes, *gravity])[0], points, size)
    Y = Y.reshape(size, robot.nv, -1)[:, :, problem.picked]
    along = (Y[:, own] + product(S.transpose(0, 2, 1), Y[:, others], p)) % p
    return along.reshape(-1, along.shape[-1])


def _array(elements: Sequence[object], points: Points, size: int) -> Residues:
    """Numbers at every point, (points, elements)."""
    exact = [Fraction(x) if isinstance(x, float) else x for x in elements]
    return stacked([exact], points.field, size)[0]
