"""Motion with rows that hold: accelerations and the forces along them, shared where rows depend."""

from collections.abc import Sequence
from typing import Any

from rikigaku.laws.closed import dot
from rikigaku.laws.closed_forward import half_solved, second_half
from rikigaku.laws.forward import mass_factors
from rikigaku.laws.orthogonal import orthogonal
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number

Numbers = Sequence[Number]


def rows_solved(
    mechanism: Mechanism,
    q: Numbers,
    force: Numbers,
    R: list[Any],
    G: list[Any],
    drift: Sequence[Number],
    more: Sequence[Any] = (),
    idle: Sequence[Any] = (),
    near: Numbers = (),
) -> tuple[list[Number], list[Number], list[Number]]:
    """a and f with M a = force + (G, more)^T f and R a + drift = 0, over the factors of M.

    more: further columns; of all f the one nearest to `near` is taken. Also the forces along `idle` that
    would make the least f less still (positive: they would carry).
    """
    mass = mass_factors(mechanism, q)
    half = half_solved(mass, force)
    Z = [half_solved(mass, row) for row in G]
    Y = [
        [d * x for d, x in zip(mass.inverse_D, z if row is g else half_solved(mass, row), strict=True)]
        for row, g, z in zip(R, G, Z, strict=True)
    ]
    Z += [half_solved(mass, row) for row in more]
    f: list[Number] = []
    would: list[Number] = []
    if R:
        right = [-(x + dot(row, half)) for x, row in zip(drift, Y, strict=True)]
        if not more and not idle:
            f = orthogonal([[dot(y, z) for z in Z] for y in Y], len(R)).solve(right)
        else:
            A = [[dot(y, z) for y in Y] for z in Z]  # transposed: a row a force
            factors = orthogonal(A, len(R))
            near = near or [0] * len(Z)
            left = [x - dot(column, near) for x, column in zip(right, zip(*A, strict=True), strict=True)]
            step = factors.solve_transposed(left)
            f = [n + x for n, x in zip(near, step, strict=True)]
            if idle:
                weights = factors.solve(step)
                would = [dot([dot(y, half_solved(mass, row)) for y in Y], weights) for row in idle]
    for row, x in zip(Z, f, strict=True):
        half = [y + x * z for y, z in zip(half, row, strict=True)]
    return second_half(mass, [d * y for d, y in zip(mass.inverse_D, half, strict=True)]), f, would
