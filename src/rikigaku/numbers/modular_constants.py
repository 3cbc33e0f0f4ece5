"""Constants of a model modulo a prime, and what a prime field must have to hold them."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpz

from rikigaku.errors import NotExact
from rikigaku.numbers.kind import quarter_turns
from rikigaku.numbers.modular import Field, Modular, Turn

if TYPE_CHECKING:
    from rikigaku.numbers.formula import Formula

_LARGEST_ORDER = 10**6  # of roots of unity: a hundred primes are left, at least


class ModularConstants:
    """Constants of a model in a field."""

    def __init__(self, field: Field) -> None:
        self.field = field

    def rational(self, value: Fraction) -> "Modular | int":
        if value in (-1, 0, 1):  # these fold away, and tell axes along x, y, z
            return int(value)
        return Modular(self.field, np.array([[self.field.constant(value)]]), fraction=value)

    def pi(self) -> Modular:
        return self.field.pi

    def sin_cos(self, angle: "Formula") -> tuple[Any, Any]:
        turns = quarter_turns(float(angle))
        if turns is not None:
            return ((0, 1), (1, 0), (0, -1), (-1, 0))[turns % 4]
        return self.field.circle(constant_turn(angle))

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


def constant_turn(angle: "Formula") -> Turn:
    """A constant angle as multiples of pi and of one radian."""
    turn: dict[str, Fraction] = {}
    for monomial, coefficient in angle.terms:
        if monomial and monomial != ((("pi", ""), 1),):
            turn[f"the constant {angle}"] = Fraction(1)  # some number like sqrt(2) or pi^2: independent
            return turn
        turn["pi" if monomial else "rad"] = coefficient
    return turn


def order_for(angles: "list[Formula]") -> int:
    """The order of roots of unity that hold all these constant angles: a multiple of 24.

    Raises:
        NotExact: if a multiple of pi is too fine for a prime of 31 bits.
    """
    order = 24
    for angle in angles:
        if not angle.is_number:
            continue
        turns = constant_turn(angle).get("pi")
        if turns is not None:
            order = math.lcm(order, 2 * turns.denominator)
        if order > _LARGEST_ORDER:
            raise NotExact(
                f"The angle {angle} is too fine a part of a turn for exact ranks. Give it with fewer digits, "
                "in radians as a decimal number, or as a symbol."
            )
    return order


def fineness_for(formulas: "list[Formula]") -> int:
    """What all denominators of multiples of angles in the formulas divide (of lengths, too: they do no harm).

    Multiples of pi have roots of unity of their own.
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
