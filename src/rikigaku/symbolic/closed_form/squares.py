"""A sine (or cosine) as the root of a sum of squares, where it would be that of 1 - m^2.

From cos q = m alone sin q = +-sqrt(1 - m^2) loses half the digits where m is near 1: a wrist almost in line.
Two more equations, sin q cos r = u and sin q sin r = v with another unknown joint r, give sin q =
+-sqrt(u^2 + v^2).
"""

from collections.abc import Sequence
from fractions import Fraction

from rikigaku.numbers.exact import Exact
from rikigaku.numbers.kind import Number
from rikigaku.symbolic.closed_form.chain import Axis
from rikigaku.symbolic.closed_form.lines import Line, unknowns
from rikigaku.symbolic.coefficients import coefficients


def squares(
    axis: Axis, line: Line, equations: Sequence[Exact], unknown: Sequence[Axis]
) -> tuple[Number, Number] | None:
    """u, v where the line is cos = m or sin = m and such equations are there."""
    A, B, _ = line
    if isinstance(A, Exact) or isinstance(B, Exact) or (A and B):
        return None
    own = axis.generators[0 if B else 1]
    sides: dict[Axis, dict[str, Number]] = {}
    for x in equations:
        moving = unknowns(x, unknown)
        if len(moving) == 2 and axis in moving and all(m.revolute for m in moving):
            (other,) = (m for m in moving if m != axis)
            sides.setdefault(other, {}).update(_side(x, axis, other, own))
    for found in sides.values():
        if len(found) == 2:
            u, v = found.values()
            return u, v
    return None


def _side(x: Exact, axis: Axis, other: Axis, own: str) -> dict[str, Number]:
    """The generator of the other joint and u, where the equation is: constant * own * generator = u."""
    generators = (*axis.generators, *other.generators)
    parts = coefficients(x, generators)
    rest = parts.pop((0, 0, 0, 0), 0)
    if len(parts) != 1:
        return {}
    ((powers, factor),) = parts.items()
    names = [name for name, n in zip(generators, powers, strict=True) if n == 1]
    if isinstance(factor, Exact) or len(names) != 2 or sum(powers) != 2 or names[0] != own:
        return {}
    return {names[1]: rest * (Fraction(-1) / factor)}
