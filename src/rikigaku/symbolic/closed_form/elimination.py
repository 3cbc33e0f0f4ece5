"""Two unknown joints: one is eliminated, so that an equation in the other alone remains.

A slide is eliminated by a resultant. An angle that enters two equations linearly, A s + B c + C = 0 and
D s + E c + F = 0, is eliminated by Cramer's rule and s^2 + c^2 = 1. The result lies in the ideal of the two,
so a Groebner basis says the same, but takes far longer to say it.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from rikigaku.numbers.budget import spend
from rikigaku.numbers.exact import Exact, Ring
from rikigaku.numbers.functions import is_zero
from rikigaku.numbers.kind import Number
from rikigaku.symbolic.closed_form.chain import Axis, quotient
from rikigaku.symbolic.closed_form.equations import Witness
from rikigaku.symbolic.closed_form.lines import Line, unknowns
from rikigaku.symbolic.coefficients import coefficients

_MOST = 4  # equations of a pair that are combined: more only repeat each other


def derived(
    ring: Ring, pool: Sequence[Exact], unknown: Sequence[Axis], witness: Witness
) -> Iterator[tuple[Axis, Exact]]:
    """Equations in one joint that follow from equations in two: (joint, equation)."""
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
    """What two equations say when a joint is eliminated; 0 where this is not known."""
    return _turn_free(first, second, drop) if drop.revolute else _slide_free(first, second, drop)


def _slide_free(first: Exact, second: Exact, drop: Axis) -> Number:
    ring = first.ring
    variable = f"x{ring.names.index(drop.variable)}"
    return ring.number(first.polynomial.resultant(second.polynomial, variable))


def _turn_free(first: Exact, second: Exact, drop: Axis) -> Number:
    """Where both are lines in the angle that goes; else nothing."""
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
