"""Numbers of hundreds of bits, each with a bound of its error: FLINT's balls, for any law.

The precision is the one FLINT works with at the time: `with precision(300): ...`.
"""

from contextlib import AbstractContextManager
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb, ctx, fmpq

from rikigaku.numbers.kind import Number, quarter_turns

if TYPE_CHECKING:
    from rikigaku.numbers.formula import Formula


def precision(bits: int) -> AbstractContextManager[Any]:
    """The precision [bits] of balls made within."""
    return ctx.workprec(bits)


def ball(x: Number) -> arb:
    """A number as a ball: rationals to the working precision, floats as the exact dyadic numbers they are."""
    if isinstance(x, arb):
        return x
    value = Fraction(x)
    return arb(fmpq(value.numerator, value.denominator))


class Balls:
    """Constants of a model as balls."""

    def rational(self, value: Fraction) -> Number:
        # These fold away, and tell axes along x, y, z.
        return int(value) if value in (-1, 0, 1) else ball(value)

    def pi(self) -> arb:
        return arb.pi()

    def sin_cos(self, angle: "Formula") -> tuple[Number, Number]:
        turns = quarter_turns(float(angle))
        if turns is not None:
            return ((0, 1), (1, 0), (0, -1), (-1, 0))[turns % 4]
        value = ball(angle.evaluate(self, {}))
        return value.sin(), value.cos()

    def sqrt(self, value: "Formula") -> arb:
        return ball(value.evaluate(self, {})).sqrt()


BALLS = Balls()
