"""Independent columns of a matrix of long numbers, in a given order, and the relations of the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log10
from typing import Any

import numpy as np
from flint import arb

from rikigaku.errors import NotVerified


@dataclass(frozen=True)
class Echelon:
    """Columns that are independent, left to right; for each other column its coefficients.

    smallest, largest: powers of ten of the smallest pivot and of the largest remainder taken for zero.
    """

    pivots: list[int]
    relations: dict[int, dict[int, arb]]
    smallest: float
    largest: float

    def largest_error(self, rows: Sequence[Sequence[arb]]) -> float:
        """How well the relations hold in other rows: a power of ten, relative to the elements."""
        worst = -inf
        for row in rows:
            scale = _size(max((abs(x) for x in row), key=_size))
            for d, combination in self.relations.items():
                rest = row[d]
                for k, x in combination.items():
                    rest = rest - x * row[k]
                worst = max(worst, _size(rest) - scale)
        return worst


def echelon(rows: Sequence[Sequence[arb]], bits: int) -> Echelon:
    """Gauss and Jordan, the largest element of each column as pivot; zero is what lies below 2^(-bits/2)."""
    digits = bits * 0.30103
    A: Any = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        A[i] = row
    pivots: list[int] = []
    smallest, largest = inf, -inf
    for j in range(A.shape[1]):
        r = len(pivots)
        sizes = [_size(x) for x in A[r:, j]]
        best = int(np.argmax(sizes)) if sizes else 0
        if not sizes or sizes[best] < -digits / 2:
            largest = max(largest, sizes[best] if sizes else -inf)
            continue
        smallest = min(smallest, sizes[best])
        A[[r, r + best]] = A[[r + best, r]]
        A[r, j:] = A[r, j:] / A[r, j]
        for i in range(len(A)):
            if i != r and _size(A[i, j]) > -digits:
                A[i, j:] = [x.mid() for x in A[i, j:] - A[i, j] * A[r, j:]]
        pivots.append(j)
    if len(pivots) == len(rows):
        raise NotVerified("There are too few rows to tell the rank.")
    relations = {}
    for j in range(A.shape[1]):
        if j not in pivots:
            column = {pivots[i]: A[i, j] for i in range(len(pivots)) if pivots[i] < j}
            relations[j] = {k: x for k, x in column.items() if _size(x) > -digits / 3}
    return Echelon(pivots, relations, smallest, max(largest, -digits))


def _size(x: arb) -> float:
    """log10 |x|; of the middle of a ball."""
    value = abs(x.mid())
    if value == 0:
        return -inf
    number = float(value)
    return log10(number) if number > 1e-300 else float(value.log().mid()) * 0.4342944819
