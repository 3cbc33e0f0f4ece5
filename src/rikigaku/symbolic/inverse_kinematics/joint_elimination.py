"""Equations in one joint by elimination: resultants, Cramer's rule, and lexicographic Groebner bases.

A prismatic joint is eliminated by a resultant. An angle that enters two equations linearly,
A s + B c + C = 0 and D s + E c + F = 0, is eliminated by Cramer's rule and s^2 + c^2 = 1. The result lies in
the ideal of the two equations: a Groebner basis would give the same, but takes far longer.

A lexicographic basis with the joint as the smallest unknown holds the equations in that joint alone, the
method of [Kawasaki1999]. Known quantities (target, lengths, solved joints) are symbols of the elimination.
FLINT's basis is used for up to three joints, where it is found within milliseconds.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from rikigaku.numbers.algebra_budget import spend
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.exact_number import Exact, Ring
from rikigaku.numbers.number_kind import Number
from rikigaku.numbers.polynomial_algebra import coefficients
from rikigaku.symbolic.algebra.groebner import quick_basis
from rikigaku.symbolic.algebra.polynomial_system import System
from rikigaku.symbolic.inverse_kinematics.joint_equations import Line
from rikigaku.symbolic.inverse_kinematics.pose_equations import Witness
from rikigaku.symbolic.inverse_kinematics.serial_chain import Axis, quotient, unknowns
from rikigaku.symbolic.loops.elimination_symbols import EliminationSymbols

_MOST = 4  # equations of a pair of joints that are combined


def derived(
    ring: Ring, pool: Sequence[Exact], unknown: Sequence[Axis], witness: Witness
) -> Iterator[tuple[Axis, Exact]]:
    """Equations in one joint, eliminated from equations in two: (joint, equation)."""
    pairs: dict[tuple[Axis, Axis], list[Exact]] = {}
    for x in pool:
        moving = unknowns(x, unknown)
        if len(moving) == 2:
            pairs.setdefault((moving[0], moving[1]), []).append(x)
    for both, equations in pairs.items():
        equations.sort(key=lambda x: len(x.polynomial))
        for first, second in combinations(equations[:_MOST], 2):
            spend((len(first.polynomial) * len(second.polynomial)) ** 2)
            for keep, drop in (both, both[::-1]):
                free = without(first, second, drop)
                # It must vanish at the witness as all equations do, without being trivial.
                if isinstance(free, Exact) and unknowns(free, [keep]) and witness.vanishes(free):
                    yield keep, free


def without(first: Exact, second: Exact, drop: Axis) -> Number:
    """The consequence of two equations without a joint; 0 if no method applies."""
    return (
        _without_angle(first, second, drop) if drop.revolute else _without_displacement(first, second, drop)
    )


def _without_displacement(first: Exact, second: Exact, drop: Axis) -> Number:
    ring = first.ring
    variable = f"x{ring.names.index(drop.variable)}"
    return ring.number(first.polynomial.resultant(second.polynomial, variable))


def _without_angle(first: Exact, second: Exact, drop: Axis) -> Number:
    """Both equations linear in sine and cosine of the angle; else 0."""
    one, two = _line(first, drop), _line(second, drop)
    if one is None or two is None:
        return 0
    (A, B, C), (D, E, F) = one, two
    if is_zero(A * D + B * E):  # perpendicular: C^2 / (A^2 + B^2) + F^2 / (D^2 + E^2) = 1
        n, m = A * A + B * B, D * D + E * E
        if (ratio := quotient(m, n)) is not None:
            return C * C * ratio + F * F - m
        return C * C * m + F * F * n - n * m
    s, c, det = B * F - C * E, C * D - A * F, A * E - B * D
    return s * s + c * c - det * det


def _line(x: Exact, axis: Axis) -> Line | None:
    parts = coefficients(x, axis.generators)
    if not set(parts) <= {(1, 0), (0, 1), (0, 0)}:
        return None
    return (parts.get((1, 0), 0), parts.get((0, 1), 0), parts.get((0, 0), 0))


_MOST_JOINTS = 3
_LONGEST = 20_000  # terms of an equation


def from_basis(
    ring: Ring, pool: Sequence[Exact], unknown: Sequence[Axis], witness: Witness
) -> Iterator[tuple[Axis, Exact]]:
    """Equations in one joint that a basis of the equations holds: (joint, equation)."""
    if len(unknown) > _MOST_JOINTS:
        return
    equations = sorted((x for x in pool if unknowns(x, unknown)), key=lambda x: len(x.polynomial))
    # The shortest, as many as unknowns: each further one adds symbols that make the basis much slower.
    own = {name for axis in unknown for name in axis.generators}
    symbols = EliminationSymbols(ring, equations[: len(unknown)], own)
    for axis in unknown:
        spend()
        others = [name for other in unknown if other != axis for name in other.generators]
        names = [*others, *axis.generators, *symbols.names]
        basis = quick_basis(System.of(names, symbols.polynomials(names)))
        for terms in basis.polynomials if basis is not None else ():
            if any(any(powers[: len(others)]) for powers in terms):
                continue
            found = {
                tuple((names[k], n) for k, n in enumerate(powers) if n): c for powers, c in terms.items()
            }
            if symbols.size(found) > _LONGEST:
                continue
            x = symbols.substituted(found)
            # It must vanish at the witness as all equations do, without being trivial.
            if isinstance(x, Exact) and unknowns(x, [axis]) and witness.vanishes(x):
                yield axis, x
