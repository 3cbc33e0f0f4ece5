"""Sparse factors of the mass matrix: M = L^T D L with the tree's own sparsity, no fill-in.

Reference: [Featherstone2005]. Row i of L holds entries only for coordinates on i's way to the ground.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rikigaku.numbers.kind import Number
from rikigaku.numbers.repeat import repeated

Numbers = Sequence[Number]
Entries = dict[tuple[int, int], Number]


@dataclass(frozen=True)
class Factors:
    """L (unit diagonal left out), the reciprocals of D, and for each coordinate the one it rides on."""

    L: Entries
    inverse_D: list[Number]
    parents: list[int]

    def solve(self, b: Numbers) -> list[Number]:
        """x with M x = b."""
        return list(self._outward(self._entries, self._inward(b)))

    def solve_many(self, columns: Sequence[Numbers]) -> list[Sequence[Number]]:
        """The solution for every column; what may be a loop in a program comes out as results only."""
        return repeated(self._outward, self._entries, [self._inward(b) for b in columns])

    def _inward(self, b: Numbers) -> list[Number]:
        """D^-1 L^-T b; zeros of b save work."""
        x = list(b)
        for i in outermost_first(self.parents):
            for j in ancestors(self.parents, i):
                x[j] = x[j] - self.L[i, j] * x[i]
        return [d * y for d, y in zip(self.inverse_D, x, strict=True)]

    def _outward(self, entries: Numbers, y: Numbers) -> list[Number]:
        """L^-1 y, with the entries of L in the order of `_entries`."""
        x, L = list(y), dict(zip(self.L, entries, strict=True))
        for i in reversed(outermost_first(self.parents)):
            for j in reversed(ancestors(self.parents, i)):  # what is known longest comes first
                x[i] = x[i] - L[i, j] * x[j]
        return x

    @property
    def _entries(self) -> list[Number]:
        return list(self.L.values())


def factorize(entries: Entries, parents: list[int]) -> Factors:
    """L and D of the matrix with those entries (i, j), j on i's way to the ground."""
    H = dict(entries)
    inverse_D: list[Number] = [0] * len(parents)
    for k in outermost_first(parents):
        inverse_D[k] = 1 / H[k, k]
        above = list(ancestors(parents, k))
        scaled = {i: H[k, i] * inverse_D[k] for i in above}
        for position, i in enumerate(above):
            for j in above[position:]:
                H[i, j] = H[i, j] - scaled[i] * H[k, j]
        for i in above:
            H[k, i] = scaled[i]
    return Factors({(i, j): x for (i, j), x in H.items() if i != j}, inverse_D, parents)


def inverse(factors: Factors) -> list[list[Number]]:
    """The full symmetric inverse, M^-1 = L^-1 D^-1 L^-T."""
    parents, n = factors.parents, len(factors.parents)
    W = _inverse_of_L(factors)
    reach = [{i, *ancestors(parents, i)} for i in range(n)]
    result: list[list[Number]] = [[0] * n for _ in range(n)]
    for i in range(n):
        scaled = {k: W[i, k] * factors.inverse_D[k] for k in reach[i]}
        for j in range(i + 1):
            total: Number = 0
            for k in sorted(reach[i] & reach[j]):
                total = total + scaled[k] * W[j, k]
            result[i][j] = result[j][i] = total
    return result


def _inverse_of_L(factors: Factors) -> Entries:
    """W = L^-1, as sparse as L, with its unit diagonal."""
    parents, L = factors.parents, factors.L
    W: Entries = {}
    for i in reversed(outermost_first(parents)):
        above = list(ancestors(parents, i))
        W[i, i] = 1
        for j in above:  # L W = 1, row i: sum over k from i down to j
            total = L[i, j] * W[j, j]
            for k in above[: above.index(j)]:
                total = total + L[i, k] * W[k, j]
            W[i, j] = -total
    return W


def ancestors(parents: Sequence[int], i: int) -> Sequence[int]:
    """The coordinates that carry coordinate i, nearest first."""
    result = []
    while (i := parents[i]) >= 0:
        result.append(i)
    return result


def outermost_first(parents: Sequence[int]) -> list[int]:
    """All coordinates, each before those that carry it (coordinates may stand in any order in q)."""
    depth = [len(ancestors(parents, i)) for i in range(len(parents))]
    return sorted(range(len(parents)), key=lambda i: -depth[i])
