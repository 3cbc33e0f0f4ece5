"""Motion of all joints of a closed robot from that of its independent coordinates.

With r(q) = 0 the loop-closure constraints, velocities and accelerations satisfy J v = 0 and J a + b = 0,
b = dJ/dt v. `ClosureStructure` names the independent equations and coordinates. Over-constrained loops (a
Bennett linkage) have equations that are redundant at most configurations but not at all: all of these are
kept and combined into as many equations as are independent (`IndependentLoopEquations`).
"""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from rikigaku.laws.closed.loop_equations import loop_bias, loop_jacobian
from rikigaku.laws.constrained_dynamics import dot
from rikigaku.laws.householder import orthogonal
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number, Numbers

# P with v = P v_independent where it is constant and known (parallelograms, gears): nothing is solved then.
CONSTANT_MAP: ContextVar[Sequence[Numbers] | None] = ContextVar("CONSTANT_MAP", default=None)


@dataclass(frozen=True)
class ClosureStructure:
    """Which loop equations and coordinates of v are independent, as indices.

    Attributes:
        equations: independent equations of the loop residual.
        independent, dependent, actuated: coordinates of v.
        extra_equations: equations that are redundant at most configurations, but needed where the
            independent ones lose rank.
    """

    equations: tuple[int, ...]
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    actuated: tuple[int, ...]
    extra_equations: tuple[int, ...] = ()

    @property
    def used_equations(self) -> tuple[int, ...]:
        """The independent equations and the extra ones."""
        return (*self.equations, *self.extra_equations)

    @property
    def passive(self) -> tuple[int, ...]:
        """Coordinates that are not actuated."""
        return tuple(k for k in sorted((*self.independent, *self.dependent)) if k not in self.actuated)


class IndependentLoopEquations:
    """The loop-closure constraints at one configuration as independent equations J v = 0.

    Over-constrained loops: the Jacobian A of all used equations is combined with its own dependent columns,
    J = A_d^T A. J has full rank wherever the independent coordinates determine the others; no selection of
    single equations does.
    """

    def __init__(self, mechanism: Mechanism, q: Numbers, plan: ClosureStructure) -> None:
        self.indices = plan.used_equations
        self.used = select(loop_jacobian(mechanism, q), self.indices)
        self.weights = columns(self.used, plan.dependent) if plan.extra_equations else None
        size = range(mechanism.nv)
        self.J: list[list[Number]] = (
            [list(row) for row in self.used]
            if self.weights is None
            else _transposed([self._combined([row[k] for row in self.used]) for k in size])
        )

    def combine(self, residual: Numbers) -> list[Number]:
        """Values of the independent equations from those of the whole residual: gaps, or b = dJ/dt v."""
        return self._combined(select(residual, self.indices))

    def forces(self, f: Numbers, size: int) -> list[Number]:
        """Forces along every equation of the residual from the multipliers of the independent ones."""
        result: list[Number] = [0] * size
        spread = f if self.weights is None else [dot(row, f) for row in self.weights]
        for i, x in zip(self.indices, spread, strict=True):
            result[i] = x
        return result

    def _combined(self, values: Numbers) -> list[Number]:
        if self.weights is None:
            return list(values)
        return [dot([row[k] for row in self.weights], values) for k in range(len(self.weights[0]))]


def complete(
    mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, plan: ClosureStructure
) -> tuple[list[Number], list[Number]]:
    """Velocities and accelerations of all joints from those of the independent coordinates.

    v = P v_independent, a = P a_independent + dP/dt v_independent (both nv).
    """
    coordinates = DependentCoordinates(mechanism, q, plan)
    velocity = coordinates.velocity(v)
    return velocity, coordinates.acceleration(velocity, a)


def velocity_map(mechanism: Mechanism, q: Numbers, plan: ClosureStructure) -> list[list[Number]]:
    """P with v = P v_independent, nv x mobility."""
    return DependentCoordinates(mechanism, q, plan).velocity_map()


class DependentCoordinates:
    """The loop Jacobian over the dependent coordinates at one configuration, factored.

    Where `CONSTANT_MAP` is set it takes the place of the Jacobian.
    """

    def __init__(self, mechanism: Mechanism, q: Numbers, plan: ClosureStructure) -> None:
        self.mechanism, self.q, self.plan = mechanism, q, plan
        self.constant = CONSTANT_MAP.get()
        if self.constant is None:
            self.equations = IndependentLoopEquations(mechanism, q, plan)
            self.J = self.equations.J
            self.factors = orthogonal(columns(self.J, plan.dependent), len(plan.dependent))

    def velocity(self, v: Numbers) -> list[Number]:
        """Velocities of all joints from the independent ones."""
        if self.constant is not None:
            return [_sum_of(row, v) for row in self.constant]
        return self._all(v, [0] * len(self.J))

    def map_rate(self, jacobian_rate: Sequence[Numbers], P: Sequence[Numbers]) -> list[list[Number]]:
        """dP/dt from J dP/dt = -dJ/dt P."""
        result: list[list[Number]] = [[0] * len(self.plan.independent) for _ in P]
        if self.constant is not None:
            return result
        for j in range(len(self.plan.independent)):
            move = [row[j] for row in P]
            right = self.equations.combine([-dot(row, move) for row in jacobian_rate])
            for k, x in zip(self.plan.dependent, self.factors.solve(right), strict=True):
                result[k][j] = x
        return result

    def along_independent(self, tree: Numbers) -> list[Number]:
        """P^T tree: forces of all joints along the independent coordinates."""
        if self.constant is not None:
            columns_of_map = zip(*self.constant, strict=True)
            return [_sum_of(column, tree) for column in columns_of_map]
        f = self.factors.solve_transposed([tree[k] for k in self.plan.dependent])
        return [tree[k] - dot([row[k] for row in self.J], f) for k in self.plan.independent]

    def acceleration(self, velocity: Numbers, a: Numbers) -> list[Number]:
        """Accelerations of all joints from all velocities and the independent accelerations."""
        if self.constant is not None:
            return self.velocity(a)
        return self._all(a, self.equations.combine(loop_bias(self.mechanism, self.q, velocity)))

    def with_bias(self, bias: Numbers) -> list[Number]:
        """Accelerations of all joints for zero independent ones: J a + bias = 0; zero for a constant map."""
        if self.constant is not None:
            return [0] * self.mechanism.nv
        return self._all([0] * len(self.plan.independent), bias)

    def velocity_map(self) -> list[list[Number]]:
        """P with v = P v_independent, row by row."""
        size = len(self.plan.independent)
        moves = [self.velocity([int(i == k) for i in range(size)]) for k in range(size)]
        return [[move[i] for move in moves] for i in range(self.mechanism.nv)]

    def _all(self, own: Numbers, bias: Numbers) -> list[Number]:
        J = columns(self.J, self.plan.independent)
        right = [-dot(row, own) - x for row, x in zip(J, bias, strict=True)]
        result: list[Number] = [0] * self.mechanism.nv
        for k, x in zip(self.plan.independent, own, strict=True):
            result[k] = x
        for k, x in zip(self.plan.dependent, self.factors.solve(right), strict=True):
            result[k] = x
        return result


def _sum_of(factors: Numbers, xs: Numbers) -> Number:
    """The scalar product; factors are constants, mostly 0, 1 and -1."""
    total: Number = 0
    for n, x in zip(factors, xs, strict=True):
        if n:
            total = total + (x if n == 1 else -x if n == -1 else x * n)
    return total


def select(matrix: Any, indices: Sequence[int]) -> list[Any]:
    """Those rows of a matrix, or elements of a vector."""
    return [matrix[i] for i in indices]


def columns(matrix: Sequence[Numbers], indices: Sequence[int]) -> list[list[Number]]:
    """Those columns of a matrix."""
    return [[row[k] for k in indices] for row in matrix]


def _transposed(matrix: Sequence[Numbers]) -> list[list[Number]]:
    return [list(row) for row in zip(*matrix, strict=True)]
