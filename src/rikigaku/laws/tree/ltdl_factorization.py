"""Factorisation M = L^T D L of a mass matrix without fill-in [Featherstone2005].

Row i of L has entries for the ancestors of coordinate i only: the coordinates between it and the ground.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.numbers.repeated_function import repeated

Entries = dict[tuple[int, int], Number]  # of a sparse matrix, by (row, column)


@dataclass(frozen=True)
class Factors:
    """L (without its unit diagonal), the reciprocals of D, and the parent of each coordinate (or -1)."""

    L: Entries
    inverse_D: list[Number]
    parents: list[int]

    def solve(self, b: Numbers) -> list[Number]:
        """x with M x = b."""
        x = list(b)
        for i in outermost_first(self.parents):
            for j in ancestors(self.parents, i):
                x[j] = x[j] - self.L[i, j] * x[i]
        x = [d * y for d, y in zip(self.inverse_D, x, strict=True)]
        for i in reversed(outermost_first(self.parents)):
            for j in reversed(ancestors(self.parents, i)):  # the value computed last is used last
                x[i] = x[i] - self.L[i, j] * x[j]
        return x

    @cached_property
    def inverted(self) -> "InverseFactors":
        """Factors of M^-1, for more than a few right-hand sides."""
        return InverseFactors(_inverse_minus_one(self.L, self.parents), self.inverse_D, self.parents)


@dataclass(frozen=True)
class InverseFactors:
    """M^-1 = W D^-1 W^T with W = L^-1 = 1 - V, V as sparse as L.

    The elements of a product with W are independent sums. Structural zeros of a right-hand side (limbs that a
    joint does not move) remove terms; substitution would fill them in.
    """

    V: Entries
    inverse_D: list[Number]
    parents: list[int]

    def solve_many(self, columns: Sequence[Numbers], negative: bool = False) -> list[Sequence[Number]]:
        """M^-1 b (or -M^-1 b) for every column b. In a traced program they may only be used as results."""
        inverse_D = [-d for d in self.inverse_D] if negative else self.inverse_D
        return repeated(self._solution, [*inverse_D, *self.V.values()], columns)

    def dense(self) -> list[list[Number]]:
        """M^-1 as a full symmetric matrix. In a traced program its elements may only be used as results."""
        n, V = len(self.parents), self.V
        opposite = [[-1 if k == i else V.get((i, k), 0) for k in range(n)] for i in range(n)]  # rows of -W
        columns = repeated(self._first_elements, [*self.inverse_D, *V.values()], opposite)
        order = limb_after_limb(self.parents)
        result: list[list[Number]] = [[0] * n for _ in range(n)]
        for position, j in enumerate(order):
            for i, x in zip(order[: position + 1], columns[j], strict=False):
                result[i][j] = result[j][i] = x
        return result

    def _solution(self, shared: Numbers, b: Numbers) -> list[Number]:
        """W D^-1 W^T b."""
        n = len(self.parents)
        inverse_D, entries = shared[:n], shared[n:]
        y = list(b)
        for (i, k), x in zip(self.V, entries, strict=True):
            y[k] = y[k] - x * b[i]
        return self._product(entries, [d * x for d, x in zip(inverse_D, y, strict=True)])

    def _product(self, entries: Numbers, y: Numbers) -> list[Number]:
        """W y, with the entries of V in their order."""
        V = dict(zip(self.V, entries, strict=True))
        return [self._element(V, y, i) for i in range(len(y))]

    def _first_elements(self, shared: Numbers, b: Numbers) -> list[Number]:
        """-W D^-1 b in the order of `limb_after_limb`, up to the last structural nonzero of b."""
        n = len(self.parents)
        V = dict(zip(self.V, shared[n:], strict=True))
        y = [-(d * x) for d, x in zip(shared[:n], b, strict=True)]
        order = limb_after_limb(self.parents)
        last = max(position for position, i in enumerate(order) if not is_zero(b[i]))
        return [self._element(V, y, i) for i in order[: last + 1]]

    def _element(self, V: Entries, y: Numbers, i: int) -> Number:
        total = y[i]
        for k in ancestors(self.parents, i):
            total = total - V[i, k] * y[k]
        return total


def factorize(entries: Entries, parents: list[int]) -> Factors:
    """Factors of the matrix with entries (i, j), j = i or an ancestor of i."""
    L: Entries = {}
    DL: Entries = {}
    inverse_D: list[Number] = [0] * len(parents)
    beyond: list[list[int]] = [[] for _ in parents]
    for i in outermost_first(parents):  # row by row: few live values
        above = ancestors(parents, i)
        row = {j: entries[i, j] for j in (i, *above)}
        for k in beyond[i]:
            for j in row:
                row[j] = row[j] - L[k, i] * DL[k, j]
        inverse_D[i] = 1 / row[i]
        for j in above:
            DL[i, j], L[i, j] = row[j], row[j] * inverse_D[i]
            beyond[j].append(i)
    return Factors(L, inverse_D, parents)


def _inverse_minus_one(L: Entries, parents: list[int]) -> Entries:
    """V with L^-1 = 1 - V, as sparse as L."""
    V: Entries = {}
    for i in reversed(outermost_first(parents)):
        above = list(ancestors(parents, i))
        for position, j in enumerate(above):  # row i of L (1 - V) = 1
            total = L[i, j]
            for k in above[:position]:
                total = total - L[i, k] * V[k, j]
            V[i, j] = total
    return V


def ancestors(parents: Sequence[int], i: int) -> Sequence[int]:
    """Ancestors of coordinate i, nearest first."""
    result = []
    while (i := parents[i]) >= 0:
        result.append(i)
    return result


def outermost_first(parents: Sequence[int]) -> list[int]:
    """All coordinates, limb after limb, each before its ancestors."""
    return limb_after_limb(parents)[::-1]


def limb_after_limb(parents: Sequence[int]) -> list[int]:
    """All coordinates in depth-first order: each after its ancestors, one limb after the other."""
    paths = {i: (*reversed(ancestors(parents, i)), i) for i in range(len(parents))}
    return sorted(paths, key=paths.__getitem__)
