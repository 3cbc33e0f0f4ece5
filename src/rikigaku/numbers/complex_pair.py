"""Complex numbers as pairs of numbers of any kind: real and imaginary part, traced or not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union

from rikigaku.numbers.number_kind import Number

Operand = Union["ComplexPair", Number]


@dataclass(frozen=True, slots=True)
class ComplexPair:
    """re + i im. The second operand of a sum or product may be real."""

    re: Number
    im: Number = 0

    def __add__(self, other: Operand) -> "ComplexPair":
        if isinstance(other, ComplexPair):
            return ComplexPair(self.re + other.re, self.im + other.im)
        return ComplexPair(self.re + other, self.im)

    __radd__ = __add__

    def __neg__(self) -> "ComplexPair":
        return ComplexPair(-self.re, -self.im)

    def __sub__(self, other: Operand) -> "ComplexPair":
        return self + (-other)

    def __rsub__(self, other: Number) -> "ComplexPair":
        return -self + other

    def __mul__(self, other: Operand) -> "ComplexPair":
        if isinstance(other, ComplexPair):
            return ComplexPair(
                self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
            )
        return ComplexPair(self.re * other, self.im * other)

    __rmul__ = __mul__

    def conjugate(self) -> "ComplexPair":
        """re - i im."""
        return ComplexPair(self.re, -self.im)

    def squared_size(self) -> Number:
        """re^2 + im^2."""
        return self.re * self.re + self.im * self.im


def complex_pairs(x: Sequence[Number]) -> list[ComplexPair]:
    """Complex numbers from real and imaginary parts in turn."""
    return [ComplexPair(x[k], x[k + 1]) for k in range(0, len(x), 2)]


def parts(z: Sequence[ComplexPair]) -> list[Number]:
    """Real and imaginary parts in turn."""
    return [x for pair in z for x in (pair.re, pair.im)]
