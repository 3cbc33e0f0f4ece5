"""Dynamics of closed robots by projection onto the independent coordinates: P^T M P x = P^T (force - M a0).

a = a0 + P x with J P = 0 and J a0 + bias = 0. Only P^T M P must be regular: the mass matrix of the tree may
be singular, as it is where rods are massless.
"""

from collections.abc import Sequence

from rikigaku.laws.closed.dependent_coordinates import ClosureStructure, DependentCoordinates
from rikigaku.laws.constrained_dynamics import cholesky, cholesky_solve, dot
from rikigaku.laws.householder import FACTORS
from rikigaku.laws.tree.composite_body import mass_entries
from rikigaku.laws.tree.ltdl_factorization import Entries
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.number_kind import Number, Numbers


class ProjectedDynamics:
    """M, P and the factors of P^T M P at one configuration; entries: of the tree's mass matrix."""

    def __init__(
        self, mechanism: Mechanism, q: Numbers, plan: ClosureStructure, entries: Entries | None = None
    ) -> None:
        self.entries = mass_entries(mechanism, q) if entries is None else entries
        self.coordinates = DependentCoordinates(mechanism, q, plan)
        self.P = self.coordinates.velocity_map()
        self.independent, self.dependent = plan.independent, plan.dependent
        W = projected_mass_matrix(self.entries, self.P)
        if (other := FACTORS.get()) is not None:
            self._solve = other(W, len(W)).solve
        else:
            C, inverse = cholesky([row[: i + 1] for i, row in enumerate(W)])
            self._solve = lambda b: cholesky_solve(C, inverse, b)

    def independent_motion(self, force: Numbers) -> list[Number]:
        """x with P^T M P x = force, forces along the independent coordinates."""
        return self._solve(force)

    def solve(self, force: Numbers, bias: Numbers) -> list[Number]:
        """a with M a = force + J^T f and J a + bias = 0."""
        a0 = self.coordinates.with_bias(bias)
        left = [x - y for x, y in zip(force, mass_times(self.entries, a0), strict=True)]
        x = self._solve([dot([row[k] for row in self.P], left) for k in range(len(self.independent))])
        return [y + dot(row, x) for y, row in zip(a0, self.P, strict=True)]

    def motion(self, force: Numbers, bias: Numbers) -> tuple[list[Number], list[Number]]:
        """a and f with M a = force + J^T f and J a + bias = 0."""
        a = self.solve(force, bias)
        left = [x - y for x, y in zip(mass_times(self.entries, a), force, strict=True)]
        return a, self.coordinates.factors.solve_transposed([left[k] for k in self.dependent])

    def motions(self, columns: Sequence[Numbers]) -> list[Numbers]:
        """a for every column (force, bias)."""
        n = len(self.P)
        return [self.solve(column[:n], column[n:]) for column in columns]


def has_singular_mass(entries: Entries, size: int) -> bool:
    """Whether a link moves no mass: what it carries is massless, or has its mass on the axis."""
    return any(is_zero(entries.get((k, k), 0)) for k in range(size))


def projected_mass_matrix(entries: Entries, P: Sequence[Numbers]) -> list[list[Number]]:
    """P^T M P; structural zeros of M are omitted."""
    size = range(len(P[0]) if P else 0)
    MP = [mass_times(entries, [row[j] for row in P]) for j in size]
    W: list[list[Number]] = [[0 for _ in size] for _ in size]
    for i in size:
        for j in range(i + 1):
            W[i][j] = W[j][i] = dot([row[i] for row in P], MP[j])
    return W


def mass_times(entries: Entries, x: Numbers) -> list[Number]:
    """M x; structural zeros of M are omitted."""
    result: list[Number] = [0] * len(x)
    for (i, j), m in entries.items():
        result[i] = result[i] + m * x[j]
        if i != j:
            result[j] = result[j] + m * x[i]
    return result
