"""Kinds of number: how the constants of a model enter a computation, as floats or exact numbers."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rikigaku.numbers.formula import Formula

# A number is anything with + - * (and / ** where a law divides): float, array, Node, Exact.
Number = Any
Numbers = Sequence[Number]

# A constant angle this close to a multiple of pi/2 is taken as that multiple: files round pi to 11 digits.
RIGHT_ANGLE_TOLERANCE = 1e-11


class Kind(Protocol):
    """Converts the constants of formulas into numbers."""

    def rational(self, value: Fraction) -> Number:
        """A rational constant."""

    def pi(self) -> Number:
        """The number pi, outside of an angle."""

    def sin_cos(self, angle: "Formula") -> tuple[Number, Number]:
        """Sine and cosine of a constant angle."""

    def sqrt(self, value: "Formula") -> Number:
        """Square root of a constant."""


class Floats:
    """Constants as floats, for float, array and traced computations."""

    def rational(self, value: Fraction) -> float:
        return float(value)

    def pi(self) -> float:
        return math.pi

    def sin_cos(self, angle: "Formula") -> tuple[float, float]:
        exact = right_angle_sin_cos(float(angle))  # so that zeros are folded in traced programs
        s, c = (math.sin(float(angle)), math.cos(float(angle))) if exact is None else exact
        return float(s), float(c)

    def sqrt(self, value: "Formula") -> float:
        return math.sqrt(float(value))


FLOATS = Floats()


def right_angle_sin_cos(angle: float) -> tuple[int, int] | None:
    """Sine and cosine of a multiple of pi/2, exact; None for another angle."""
    multiple = right_angle_multiple(angle)
    return None if multiple is None else ((0, 1), (1, 0), (0, -1), (-1, 0))[multiple % 4]


def right_angle_multiple(angle: float) -> int | None:
    """k where the angle is k*pi/2 within RIGHT_ANGLE_TOLERANCE, else None."""
    k = round(angle / (math.pi / 2))
    return k if abs(angle - k * (math.pi / 2)) <= RIGHT_ANGLE_TOLERANCE else None
