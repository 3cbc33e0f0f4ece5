"""Accelerations under constraints, M a = force + J^T f and J a + bias = 0, by the Schur complement of M.

    J M^-1 J^T f = -(bias + J M^-1 force),    a = M^-1 (force + J^T f)

W = J M^-1 J^T is the Delassus matrix. With the sparse factors M = L^T D L and Y = L^-T J^T it is Y^T D^-1 Y.
Independent constraints that act along J are solved by the Cholesky factors of W. Constraints whose forces act
along other directions G (a normal force causes sliding friction), or that are redundant, are solved by
Householder reflections.
Reference: R. Featherstone, Rigid Body Dynamics Algorithms, chapter 8.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, partial

from rikigaku.laws.householder import FACTORS
from rikigaku.laws.tree import ltdl_factorization
from rikigaku.numbers.elementary_functions import is_number, is_zero, sqrt, where
from rikigaku.numbers.number_kind import Number, Numbers

# The smallest accepted pivot of W, relative to the diagonal element it comes from.
_DEPENDENT = 1e-13


class ConstrainedDynamics:
    """M and J at one configuration, factored: Y = L^-T J^T and W = Y^T D^-1 Y = C C^T."""

    def __init__(self, mass: ltdl_factorization.Factors, J: Sequence[Numbers]) -> None:
        self.mass, self.J = mass, J
        self.Y = [solve_transposed_factor(mass, row) for row in J]

    @cached_property
    def delassus(self) -> list[list[Number]]:
        """W = J M^-1 J^T, on and below the diagonal."""
        return delassus_matrix(self.mass, self.Y)

    @cached_property
    def solve_multipliers(self) -> Callable[[Numbers], list[Number]]:
        """The function b -> W^-1 b."""
        W = self.delassus
        if (other := FACTORS.get()) is not None:
            n = range(len(W))
            return other([[W[max(i, j)][min(i, j)] for j in n] for i in n], len(W)).solve
        return partial(cholesky_solve, *cholesky(W))

    def solve(self, force: Numbers, bias: Numbers) -> list[Number]:
        """a with M a = force + J^T f and J a + bias = 0."""
        return constrained_motion(self.mass, self.Y, self.solve_multipliers, force, bias)[0]


def delassus_matrix(mass: ltdl_factorization.Factors, Y: Sequence[Numbers]) -> list[list[Number]]:
    """W = Y^T D^-1 Y with Y = L^-T J^T, row by row, on and below the diagonal."""
    scaled = [scale_by_inverse_D(mass, row) for row in Y]
    return [[dot(x, y) for y in Y[: i + 1]] for i, x in enumerate(scaled)]


def constrained_motion(
    mass: ltdl_factorization.Factors,
    Y: Sequence[Numbers],
    solve_multipliers: Callable[[Numbers], list[Number]],
    force: Numbers,
    bias: Numbers,
) -> tuple[list[Number], list[Number]]:
    """a and f with M a = force + J^T f and J a + bias = 0, from the factors of `ConstrainedDynamics`."""
    half = solve_transposed_factor(mass, force)
    scaled = scale_by_inverse_D(mass, half)
    f = solve_multipliers([-(b + dot(row, scaled)) for b, row in zip(bias, Y, strict=True)])
    return accelerations(mass, half, Y, f), f


def accelerations(
    mass: ltdl_factorization.Factors, half: Numbers, columns: Sequence[Numbers], f: Numbers
) -> list[Number]:
    """L^-1 D^-1 (half + columns f): M^-1 (force + J^T f) with half = L^-T force, columns = L^-T J^T."""
    total = list(half)
    for row, x in zip(columns, f, strict=True):
        total = [y if is_zero(z) else y + x * z for y, z in zip(total, row, strict=True)]
    return solve_factor(mass, scale_by_inverse_D(mass, total))


def scale_by_inverse_D(mass: ltdl_factorization.Factors, b: Numbers) -> list[Number]:
    """D^-1 b."""
    return [d * x for d, x in zip(mass.inverse_D, b, strict=True)]


def solve_transposed_factor(mass: ltdl_factorization.Factors, b: Numbers) -> list[Number]:
    """L^-T b."""
    x = list(b)
    for i in ltdl_factorization.outermost_first(mass.parents):
        if not is_zero(x[i]):
            for j in ltdl_factorization.ancestors(mass.parents, i):
                x[j] = x[j] - mass.L[i, j] * x[i]
    return x


def solve_factor(mass: ltdl_factorization.Factors, b: Numbers) -> list[Number]:
    """L^-1 b."""
    x = list(b)
    for i in reversed(ltdl_factorization.outermost_first(mass.parents)):
        for j in reversed(ltdl_factorization.ancestors(mass.parents, i)):
            x[i] = x[i] - mass.L[i, j] * x[j]
    return x


def cholesky(W: list[list[Number]]) -> tuple[list[list[Number]], list[Number]]:
    """C below its diagonal and the reciprocals of the diagonal, W = C C^T; NaN where W is singular."""
    C: list[list[Number]] = []
    inverse: list[Number] = []
    for i, row in enumerate(W):
        new: list[Number] = []
        for j in range(i):
            new.append((row[j] - dot(new, C[j][:j])) * inverse[j])
        d = row[i] - dot(new, new)
        checked = d if is_number(d) else where(d < _DEPENDENT * row[i], -1, d)
        inverse.append(1 / sqrt(checked))
        C.append(new)
    return C, inverse


def cholesky_solve(C: list[list[Number]], inverse: list[Number], b: Numbers) -> list[Number]:
    """(C C^T)^-1 b."""
    x: list[Number] = []
    for i, row in enumerate(C):
        x.append((b[i] - dot(row, x)) * inverse[i])
    for i in reversed(range(len(C))):
        x[i] = x[i] * inverse[i]
        for j in range(i):
            x[j] = x[j] - C[i][j] * x[i]
    return x


def dot(xs: Numbers, ys: Numbers) -> Number:
    """Sum of products."""
    total: Number = 0
    for x, y in zip(xs, ys, strict=True):
        total = total + x * y
    return total
