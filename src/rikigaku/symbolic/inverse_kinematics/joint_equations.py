"""Equations in one unknown joint, ranked by how well they determine it.

A revolute joint: A sin + B cos + C = 0, a line that cuts the unit circle in two points; two such lines that
are perpendicular give one point without case distinction. A prismatic joint: a d^2 + b d + c = 0.

From cos q = m alone, sin q = +-sqrt(1 - m^2) loses half the digits where m is near 1 (a wrist almost in
line). Two more equations, sin q cos r = u and sin q sin r = v with another unknown joint r, give
sin q = +-sqrt(u^2 + v^2) at full precision.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rikigaku.numbers.algebra_budget import spend
from rikigaku.numbers.exact_number import Exact, Ring
from rikigaku.numbers.flint_conversion import plain
from rikigaku.numbers.number_kind import Number
from rikigaku.numbers.polynomial_algebra import coefficients, without_common_factor
from rikigaku.symbolic.inverse_kinematics.pose_equations import Witness
from rikigaku.symbolic.inverse_kinematics.serial_chain import Axis, unknowns

Line = tuple[Number, Number, Number]

# Ranks of the methods to solve a joint: lower is better.
UNIQUE, DISPLACEMENT, PERPENDICULAR, QUOTIENT, TWO, INTERSECTION = range(6)


@dataclass(frozen=True)
class Candidate:
    """Equations that determine one joint: one line or two; ordered by rank, then by length."""

    rank: int
    length: int
    axis: Axis
    first: Line
    second: Line | None = None


def candidates(ring: Ring, axis: Axis, pool: list[Exact], witness: Witness) -> Iterator[Candidate]:
    """All candidates for one joint from equations that have no other unknown."""
    if not axis.revolute:
        yield from _displacements(ring, axis, pool, witness)
        return
    s, c = (ring.variable(name) for name in axis.generators)
    lines: dict[tuple[str, str], Line] = {}
    for equation in pool:
        spend()
        parts = coefficients(equation, axis.generators)
        if set(parts) <= {(1, 0), (0, 1), (0, 0)}:
            line = _normal((parts.get((1, 0), 0), parts.get((0, 1), 0), parts.get((0, 0), 0)))
            if not witness.vanishes(line[0] * s + line[1] * c + line[2]):
                continue  # a factor that vanishes on all reachable poses was cancelled
            key = (_text(line[0]), _text(line[1]))
            if key not in lines or _length(line) < _length(lines[key]):
                lines[key] = line
    for line in lines.values():
        A, B, _ = line
        square = A * A + B * B
        if witness.vanishes(square):
            continue
        yield Candidate(TWO, _length(line), axis, line)
        for other in (lines.get((_text(-B), _text(A))), lines.get((_text(B), _text(-A)))):
            if other is not None:
                rank = PERPENDICULAR if isinstance(square, Exact) else UNIQUE
                across = other if _text(other[0]) == _text(-B) else _minus(other)
                yield Candidate(rank, _length(line) + _length(other), axis, line, across)
    yield from _intersections(axis, list(lines.values()), witness)


def _intersections(axis: Axis, lines: list[Line], witness: Witness) -> Iterator[Candidate]:
    """Two lines that are not perpendicular: one point, but 0/0 where they become parallel."""
    lines = sorted(lines, key=_length)[:8]
    for k, first in enumerate(lines):
        for second in lines[:k]:
            if not witness.vanishes(first[0] * second[1] - first[1] * second[0]):
                yield Candidate(INTERSECTION, _length(first) + _length(second), axis, first, second)


def _displacements(ring: Ring, axis: Axis, pool: list[Exact], witness: Witness) -> Iterator[Candidate]:
    d = ring.variable(axis.variable)
    for equation in pool:
        parts = coefficients(equation, axis.generators)
        if max(parts)[0] > 2:
            continue
        line = _normal((parts.get((2,), 0), parts.get((1,), 0), parts.get((0,), 0)))
        a, b, c = line
        if not witness.vanishes((a * d + b) * d + c):
            continue  # as above
        if isinstance(a, Exact) or a != 0:
            if not witness.vanishes(a):
                yield Candidate(TWO, _length(line), axis, line)
        elif not witness.vanishes(b):
            yield Candidate(QUOTIENT if isinstance(b, Exact) else DISPLACEMENT, _length(line), axis, line)


def _normal(line: Line) -> Line:
    """Without common factor, scaled so that leading coefficients of A and B are 1 or -1 at most."""
    shorter = without_common_factor(*line)
    # The same for (A, B) and (-B, A): perpendicular lines are found by their coefficients.
    size: Fraction = max(abs(_leading(x)) for x in shorter[:2])
    A, B, C = (x / size if isinstance(x, Exact) else Fraction(x) / size for x in shorter)
    return A, B, C


def _leading(x: Number) -> Fraction:
    return Fraction(plain(x.polynomial.leading_coefficient()) if isinstance(x, Exact) else x)


def _minus(line: Line) -> Line:
    return (-line[0], -line[1], -line[2])


def _text(x: Number) -> str:
    return str(x.polynomial) if isinstance(x, Exact) else str(x)


def _length(line: Line) -> int:
    return sum(len(x.polynomial) if isinstance(x, Exact) else int(x != 0) for x in line)


def squares(
    axis: Axis, line: Line, equations: Sequence[Exact], unknown: Sequence[Axis]
) -> tuple[Number, Number] | None:
    """u, v where the line is cos = m or sin = m and both further equations exist; else None."""
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
