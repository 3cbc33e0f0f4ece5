"""Robots with closed loops: how all joints move along with some of them, and what moves them.

With r(q) = 0 the loops, J v = 0 and J a + b = 0 (b = dJ/dt v), the motion obeys

    M a + h + g + friction = S^T tau + J^T f

tau: forces of the driven joints (S picks them), f: forces in the cut joints. A `Plan` says which rows of J
count (the others follow from them), and which coordinates decide the rest. Where loops are over-constrained,
rows that count at most postures may depend on each other at some (a Bennett linkage): then all rows are kept,
combined into as many as count by `Equations`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rikigaku.laws.loops import loop_bias, loop_jacobian, row_names
from rikigaku.laws.newton_euler import inverse_dynamics
from rikigaku.laws.orthogonal import orthogonal
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial.vector import Vector

Numbers = Sequence[Number]


@dataclass(frozen=True)
class Plan:
    """Places: `rows` of the residual that count, coordinates of v that are independent, dependent, driven.

    following: rows that follow from those that count, yet say something where those depend on each other.
    """

    rows: tuple[int, ...]
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    driven: tuple[int, ...]
    following: tuple[int, ...] = ()

    @property
    def kept(self) -> tuple[int, ...]:
        """All rows that say something somewhere."""
        return (*self.rows, *self.following)

    @property
    def passive(self) -> tuple[int, ...]:
        """Coordinates without a drive."""
        return tuple(k for k in sorted((*self.independent, *self.dependent)) if k not in self.driven)


class Equations:
    """The loops of one posture as equations J v = 0, as many as count.

    Over-constrained loops: all rows A, combined with their own dependent columns, J = A_d^T A. That has full
    rank wherever the independent coordinates decide the others; no choice of rows does.
    """

    def __init__(self, mechanism: Mechanism, q: Numbers, plan: Plan) -> None:
        self.places = plan.kept
        self.all = rows(loop_jacobian(mechanism, q), self.places)
        self.weights = columns(self.all, plan.dependent) if plan.following else None
        size = range(mechanism.nv)
        self.J: list[list[Number]] = (
            [list(row) for row in self.all]
            if self.weights is None
            else _transposed([self._combined([row[k] for row in self.all]) for k in size])
        )

    def of(self, residual: Numbers) -> list[Number]:
        """What the equations make of numbers given for each row of the residual: gaps, or b = dJ/dt v."""
        return self._combined(rows(residual, self.places))

    def forces(self, f: Numbers, size: int) -> list[Number]:
        """Forces on every row of the residual, from those on the equations."""
        result: list[Number] = [0] * size
        shared = f if self.weights is None else [dot(row, f) for row in self.weights]
        for place, x in zip(self.places, shared, strict=True):
            result[place] = x
        return result

    def _combined(self, numbers: Numbers) -> list[Number]:
        if self.weights is None:
            return list(numbers)
        return [dot([row[k] for row in self.weights], numbers) for k in range(len(self.weights[0]))]


# -- how the others move along ------------------------------------------------------------------------------
def complete(
    mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, plan: Plan
) -> tuple[list[Number], list[Number]]:
    """Velocities and accelerations of all joints, from those of the independent ones."""
    followers = Followers(mechanism, q, plan)
    velocity = followers.velocity(v)
    return velocity, followers.acceleration(velocity, a)


def following(mechanism: Mechanism, q: Numbers, plan: Plan) -> list[list[Number]]:
    """P with v = P v_independent, nv x mobility."""
    return Followers(mechanism, q, plan).matrix()


class Followers:
    """J over the dependent coordinates in factors, for one posture."""

    def __init__(self, mechanism: Mechanism, q: Numbers, plan: Plan) -> None:
        self.mechanism, self.q, self.plan = mechanism, q, plan
        self.equations = Equations(mechanism, q, plan)
        self.J = self.equations.J
        self.factors = orthogonal(columns(self.J, plan.dependent), len(plan.dependent))

    def velocity(self, v: Numbers) -> list[Number]:
        return self._all(v, [0] * len(self.J))

    def acceleration(self, velocity: Numbers, a: Numbers) -> list[Number]:
        return self._all(a, self.equations.of(loop_bias(self.mechanism, self.q, velocity)))

    def matrix(self) -> list[list[Number]]:
        """P, row by row."""
        size = len(self.plan.independent)
        moves = [self.velocity([int(i == k) for i in range(size)]) for k in range(size)]
        return [[move[i] for move in moves] for i in range(self.mechanism.nv)]

    def _all(self, own: Numbers, extra: Numbers) -> list[Number]:
        J = columns(self.J, self.plan.independent)
        moved = [-dot(row, own) - x for row, x in zip(J, extra, strict=True)]
        result: list[Number] = [0] * self.mechanism.nv
        for k, x in zip(self.plan.independent, own, strict=True):
            result[k] = x
        for k, x in zip(self.plan.dependent, self.factors.solve(moved), strict=True):
            result[k] = x
        return result


# -- forces that a motion takes -----------------------------------------------------------------------------
def closed_inverse_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    plan: Plan,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Forces of the driven joints that produce a motion of the closed robot (v, a of all joints).

    The passive joints carry nothing but friction: with f the forces in the cut joints,
    J_passive^T f = tree_passive and tau = tree_driven - J_driven^T f, tree being the forces the open tree
    would need. More drives than the robot's mobility leave f open in part: then of all tau the one of least
    |tau|.
    """
    tree = inverse_dynamics(mechanism, q, v, a, gravity, wrenches, friction)
    J = Equations(mechanism, q, plan).J
    factors = orthogonal(columns(J, plan.passive), len(plan.passive))
    f = factors.solve_transposed([tree[k] for k in plan.passive])
    driven = [[row[k] for row in J] for k in plan.driven]  # J_driven^T
    tau = [tree[k] - dot(row, f) for k, row in zip(plan.driven, driven, strict=True)]
    free = factors.complement()
    if not free:
        return tau
    inner = [[dot(row, y) for y in free] for row in driven]  # what the drives may do against each other
    least = orthogonal(inner, len(free)).solve(tau)
    return [t - dot(row, least) for t, row in zip(tau, inner, strict=True)]


def loop_forces(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    tau: Numbers,
    plan: Plan,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Forces f in the cut joints, one for each row of the residual, in a motion under the forces tau.

    M a + h + g + friction = S^T tau + J^T f. What rows share with others that follow from them cannot be told
    from the motion: rows that always follow carry zero, the others the least forces there are.
    """
    left = list(inverse_dynamics(mechanism, q, v, a, gravity, wrenches, friction))
    for k, t in zip(plan.driven, tau, strict=True):
        left[k] = left[k] - t
    equations = Equations(mechanism, q, plan)
    factors = orthogonal(columns(equations.J, plan.dependent), len(plan.dependent))
    found = factors.solve_transposed([left[k] for k in plan.dependent])
    return equations.forces(found, len(row_names(mechanism)))


# -- small things -------------------------------------------------------------------------------------------
def rows(matrix: Any, places: Sequence[int]) -> list[Any]:
    """Those rows of a matrix, or elements of a vector."""
    return [matrix[i] for i in places]


def columns(matrix: Sequence[Numbers], places: Sequence[int]) -> list[list[Number]]:
    """Those columns of a matrix."""
    return [[row[k] for k in places] for row in matrix]


def _transposed(matrix: Sequence[Numbers]) -> list[list[Number]]:
    return [list(row) for row in zip(*matrix, strict=True)]


def dot(xs: Numbers, ys: Numbers) -> Number:
    """Sum of products."""
    total: Number = 0
    for x, y in zip(xs, ys, strict=True):
        total = total + x * y
    return total
