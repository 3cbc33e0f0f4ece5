"""Constants of a model in a prime field, and the order of roots of unity the field needs for them."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpz

from rikigaku.core.errors import NotExact
from rikigaku.numbers.modular_number import AngleMultiples, Field, Modular
from rikigaku.numbers.number_kind import right_angle_sin_cos

if TYPE_CHECKING:
    from rikigaku.numbers.formula import Formula

_LARGEST_ORDER = 10**6  # of roots of unity: a hundred primes are left, at least


class ModularConstants:
    """Constants of a model in a field."""

    def __init__(self, field: Field) -> None:
        self.field = field

    def rational(self, value: Fraction) -> "Modular | int":
        if value in (-1, 0, 1):  # kept as integers: they fold away, and mark axes along x, y, z
            return int(value)
        return Modular(self.field, np.array([[self.field.constant(value)]]), fraction=value)

    def pi(self) -> Modular:
        return self.field.pi

    def sin_cos(self, angle: "Formula") -> tuple[Any, Any]:
        if (exact := right_angle_sin_cos(float(angle))) is not None:
            return exact
        return self.field.circle(angle_multiples(angle))

    def sqrt(self, value: "Formula") -> Any:
        number = value.rational
        if number is None:
            return value.evaluate(self, {}).sqrt()
        result: Any = self.rational(Fraction(1, number.denominator))
        for n, power in fmpz(number.numerator * number.denominator).factor():
            result = result * int(n) ** (int(power) // 2)
            if int(power) % 2:
                result = result * self.field.prime_root(int(n))
        return result


def angle_multiples(angle: "Formula") -> AngleMultiples:
    """A constant angle as multiples of pi and of one radian."""
    multiples: dict[str, Fraction] = {}
    for monomial, coefficient in angle.terms:
        if monomial and monomial != ((("pi", ""), 1),):
            multiples[f"the constant {angle}"] = Fraction(1)  # some number like sqrt(2) or pi^2: independent
            return multiples
        multiples["pi" if monomial else "rad"] = coefficient
    return multiples


def order_for(angles: "list[Formula]") -> int:
    """The order of roots of unity that hold all these constant angles: a multiple of 24.

    Raises:
        NotExact: if a multiple of pi is too fine for a prime of 31 bits.
    """
    order = 24
    for angle in angles:
        if not angle.is_number:
            continue
        multiple = angle_multiples(angle).get("pi")
        if multiple is not None:
            order = math.lcm(order, 2 * multiple.denominator)
        if order > _LARGEST_ORDER:
            raise NotExact(
                f"The angle {angle} is too small a fraction of a revolution for exact ranks. Give it "
                "with fewer digits, in radians as a decimal number, or as a symbol."
            )
    return order


def common_denominator(formulas: "list[Formula]") -> int:
    """A common multiple of the denominators in multiples of angles (and in lengths, which is harmless).

    Multiples of pi are powers of roots of unity and are not counted.
    """
    result = 1
    for formula in formulas:
        result = math.lcm(result, *_denominators(formula))
    return result


def _denominators(formula: "Formula") -> set[int]:
    found: set[int] = set()
    for monomial, coefficient in formula.terms:
        if monomial != ((("pi", ""), 1),):
            found.add(coefficient.denominator)
        for (_, inside), _ in monomial:
            if not isinstance(inside, str):
                found |= _denominators(inside)
    return found
