"""Accelerations and constraint forces on plain numbers, where forces act along other directions than J."""

from collections.abc import Sequence
from typing import NamedTuple

from rikigaku.laws.constrained_dynamics import (
    accelerations,
    dot,
    scale_by_inverse_D,
    solve_transposed_factor,
)
from rikigaku.laws.householder import orthogonal
from rikigaku.laws.tree import ltdl_factorization
from rikigaku.numbers.number_kind import Number

Numbers = Sequence[Number]


class ConstrainedSolution(NamedTuple):
    """Accelerations a, constraint forces f, and for each unloaded direction the force it would carry."""

    a: list[Number]
    f: list[Number]
    unloaded: list[Number]


def constrained_solution(
    mass: ltdl_factorization.Factors,
    force: Numbers,
    J: Sequence[Numbers],
    G: Sequence[Numbers],
    bias: Numbers,
    redundant: Sequence[Numbers] = (),
    unloaded: Sequence[Numbers] = (),
    reference: Numbers = (),
) -> ConstrainedSolution:
    """a and f with M a = force + [G; redundant]^T f and J a + bias = 0.

    Args:
        J, G: constraint Jacobian and the directions of its forces; rows of G that are the same object as
            those of J are factored once.
        redundant: directions of further forces. Then f is not unique: the f nearest to `reference` is
            taken (the minimum-norm f if left out).
        unloaded: directions of contacts that carry no force. For each, the force that would reduce the norm
            of f is returned; if it is positive, the contact would push.
    """
    half = solve_transposed_factor(mass, force)
    Z = [solve_transposed_factor(mass, row) for row in G]
    scaled = [
        scale_by_inverse_D(mass, z if row is g else solve_transposed_factor(mass, row))
        for row, g, z in zip(J, G, Z, strict=True)
    ]
    Z += [solve_transposed_factor(mass, row) for row in redundant]
    f: list[Number] = []
    carried: list[Number] = []
    if J:
        right = [-(b + dot(row, half)) for b, row in zip(bias, scaled, strict=True)]
        if not redundant and not unloaded:
            f = orthogonal([[dot(y, z) for z in Z] for y in scaled], len(J)).solve(right)
        else:
            W_transposed = [[dot(y, z) for y in scaled] for z in Z]
            factors = orthogonal(W_transposed, len(J))
            near = reference or [0] * len(Z)
            columns = zip(*W_transposed, strict=True)
            left = [x - dot(column, near) for x, column in zip(right, columns, strict=True)]
            step = factors.solve_transposed(left)
            f = [n + x for n, x in zip(near, step, strict=True)]
            if unloaded:
                weights = factors.solve(step)
                carried = [
                    dot([dot(y, solve_transposed_factor(mass, row)) for y in scaled], weights)
                    for row in unloaded
                ]
    return ConstrainedSolution(accelerations(mass, half, Z, f), f, carried)
