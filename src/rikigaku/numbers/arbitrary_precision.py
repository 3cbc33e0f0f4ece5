"""Arbitrary-precision numbers with error bounds (FLINT's arb), as a kind of number for any law.

The working precision is set by a context manager: `with precision(300): ...`.
"""

from contextlib import AbstractContextManager
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb, ctx, fmpq

from rikigaku.numbers.number_kind import Number, right_angle_sin_cos

if TYPE_CHECKING:
    from rikigaku.numbers.formula import Formula


def precision(bits: int) -> AbstractContextManager[Any]:
    """The working precision [bits] inside the `with` block."""
    return ctx.workprec(bits)


def arbitrary(x: Number) -> arb:
    """A number in arbitrary precision: rationals rounded to the working precision, floats taken exactly."""
    if isinstance(x, arb):
        return x
    value = Fraction(x)
    return arb(fmpq(value.numerator, value.denominator))


class ArbitraryPrecision:
    """Constants of a model in arbitrary precision."""

    def rational(self, value: Fraction) -> Number:
        # Kept as integers: they fold away, and mark axes along x, y, z.
        return int(value) if value in (-1, 0, 1) else arbitrary(value)

    def pi(self) -> arb:
        return arb.pi()

    def sin_cos(self, angle: "Formula") -> tuple[Number, Number]:
        if (exact := right_angle_sin_cos(float(angle))) is not None:
            return exact
        value = arbitrary(angle.evaluate(self, {}))
        return value.sin(), value.cos()

    def sqrt(self, value: "Formula") -> arb:
        return arbitrary(value.evaluate(self, {})).sqrt()


ARBITRARY_PRECISION = ArbitraryPrecision()
