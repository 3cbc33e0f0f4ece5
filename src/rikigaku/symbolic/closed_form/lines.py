"""Equations in one unknown joint, sorted by how well they determine it.

A revolute joint: A sin + B cos + C = 0, a line that cuts the unit circle in two points; two such lines that
are perpendicular give one point without any case distinction. A prismatic joint: a d^2 + b d + c = 0.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from rikigaku.numbers.budget import spend
from rikigaku.numbers.exact import Exact, Ring
from rikigaku.numbers.flint_rationals import plain
from rikigaku.numbers.kind import Number
from rikigaku.symbolic.closed_form.chain import Axis
from rikigaku.symbolic.closed_form.equations import Witness
from rikigaku.symbolic.coefficients import coefficients
from rikigaku.symbolic.common_factor import without_common_factor

Line = tuple[Number, Number, Number]

# Ranks: lower is better.
SURE, SLIDE, TURN, QUOTIENT, TWO, DOUBTFUL = range(6)


@dataclass(frozen=True)
class Candidate:
    """A way to solve one joint: one line or two, by rank and then by length."""

    rank: int
    length: int
    axis: Axis
    first: Line
    second: Line | None = None


def unknowns(x: Exact, axes: Iterable[Axis]) -> list[Axis]:
    """The axes whose generators occur."""
    degrees = dict(zip(x.ring.names, x.polynomial.degrees(), strict=True))
    return [axis for axis in axes if any(degrees[name] for name in axis.generators)]


def candidates(ring: Ring, axis: Axis, pool: list[Exact], witness: Witness) -> Iterator[Candidate]:
    """All ways to solve one joint from equations that have no other unknown."""
    if not axis.revolute:
        yield from _slides(ring, axis, pool, witness)
        return
    s, c = (ring.variable(name) for name in axis.generators)
    lines: dict[tuple[str, str], Line] = {}
    for equation in pool:
        spend()
        parts = coefficients(equation, axis.generators)
        if set(parts) <= {(1, 0), (0, 1), (0, 0)}:
            line = _normal((parts.get((1, 0), 0), parts.get((0, 1), 0), parts.get((0, 0), 0)))
            if not witness.vanishes(line[0] * s + line[1] * c + line[2]):
                continue  # a factor that is zero on every pose within reach has been divided out
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
                rank = TURN if isinstance(square, Exact) else SURE
                across = other if _text(other[0]) == _text(-B) else _minus(other)
                yield Candidate(rank, _length(line) + _length(other), axis, line, across)
    yield from _doubtful(axis, list(lines.values()), witness)


def _doubtful(axis: Axis, lines: list[Line], witness: Witness) -> Iterator[Candidate]:
    """Two lines at an angle: one point, but 0/0 wherever they happen to be parallel."""
    lines = sorted(lines, key=_length)[:8]
    for k, first in enumerate(lines):
        for second in lines[:k]:
            if not witness.vanishes(first[0] * second[1] - first[1] * second[0]):
                yield Candidate(DOUBTFUL, _length(first) + _length(second), axis, first, second)


def _slides(ring: Ring, axis: Axis, pool: list[Exact], witness: Witness) -> Iterator[Candidate]:
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
            yield Candidate(QUOTIENT if isinstance(b, Exact) else SLIDE, _length(line), axis, line)


def _normal(line: Line) -> Line:
    """Without common factor, the first coefficients of leading coefficient 1 (or -1: signs are kept)."""
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
