"""Sines and cosines of constant angles: exact at multiples of 15 degrees, else rational approximations."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from rikigaku.numbers.arbitrary_precision import ARBITRARY_PRECISION, arbitrary, precision
from rikigaku.numbers.flint_conversion import fraction
from rikigaku.numbers.formula import PI, Formula
from rikigaku.numbers.number_kind import right_angle_multiple

# A constant angle up to this multiple of another one is expressed by it.
_MULTIPLES = 4
# Tolerance of a rational tangent of half an angle: the angle then differs by less than 2^-56 = 1.4e-17, a
# multiple of it by less than 2^-54.
_TANGENT = Fraction(1, 2**57)
# sin(k pi/12) for k = 0 .. 6, as a, b with sin = (a sqrt(2) + b sqrt(6))/4; the others are plain.
_TWELFTHS = {1: (-1, 1), 3: (2, 0), 5: (1, 1)}


def multiple(s: Any, c: Any, times: int) -> tuple[Any, Any]:
    """Sine and cosine of a whole multiple of the angle with sine s and cosine c."""
    if times < 0:
        s, c = multiple(s, c, -times)
        return -s, c
    if times == 0:
        return 0, 1
    if times == 1:
        return s, c
    t, d = multiple(s, c, times - 1)
    return s * d + c * t, c * d - s * t


@lru_cache(maxsize=1024)
def rational_sin_cos(angle: Formula) -> tuple[Fraction, Fraction]:
    """Rational sine and cosine of an angle within 1.5e-17, from a tangent of half of it with few digits."""
    with precision(256):
        exact = fraction((arbitrary(angle.evaluate(ARBITRARY_PRECISION, {})) / 2).tan().mid().fmpq())
    t = _simplest(exact - _TANGENT, exact + _TANGENT)
    return 2 * t / (1 + t * t), (1 - t * t) / (1 + t * t)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the smallest denominator between two others, by their continued fractions."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -_simplest(-high, -low)
    whole = low.numerator // low.denominator
    if low == whole:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / _simplest(1 / (high - whole), 1 / (low - whole))


def split(angle: Formula) -> tuple[Formula, int]:
    """The angle as a remainder and an integer multiple of pi/12."""
    for monomial, coefficient in angle.terms:
        if monomial == PI.terms[0][0] and (12 * coefficient).denominator == 1:
            return angle - Formula.of(coefficient) * PI, int(12 * coefficient)
    return angle, 0


def twelfth_sin(k: int, root: Callable[[int], Any]) -> Any:
    """sin(k pi/12), with square roots of whole numbers as `root` gives them."""
    k %= 24
    if k > 12:
        return -twelfth_sin(k - 12, root)
    if k > 6:
        return twelfth_sin(12 - k, root)
    if k in (0, 2, 6):
        return {0: 0, 2: Fraction(1, 2), 6: 1}[k]
    if k == 4:
        return root(3) / 2
    a, b = _TWELFTHS[k]
    return (root(2) * a + (root(6) * b if b else 0)) / 4


def times_of(angle: Formula, unit: Formula) -> int:
    """n where the angle is n times the unit, n small; else 0."""
    for n in range(1, _MULTIPLES + 1):
        for signed in (n, -n):
            if angle == unit * signed:
                return signed
    return 0


def independent_angles(angles: Iterable[Formula]) -> tuple[Formula, ...]:
    """Angles that need a sine and cosine generator of their own, positive, smallest first."""
    found: list[Formula] = []
    rests = {split(angle)[0] for angle in angles if right_angle_multiple(float(angle)) is None}
    for rest in sorted(rests, key=lambda x: (abs(float(x)), float(x))):
        if rest and not any(times_of(rest, known) for known in found):
            found.append(rest if float(rest) > 0 else -rest)
    return tuple(found)
