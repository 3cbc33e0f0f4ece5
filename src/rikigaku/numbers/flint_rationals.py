"""Rational numbers of FLINT and of Python."""

from fractions import Fraction

from flint import fmpq


def fraction(x: fmpq) -> Fraction:
    """A rational of FLINT as Python's own."""
    return Fraction(int(x.p), int(x.q))


def plain(x: fmpq) -> Fraction | int:
    """The same, an integer where it is whole."""
    return int(x.p) if x.q == 1 else fraction(x)


def rational(x: Fraction | int) -> fmpq:
    """A rational of Python's as FLINT's."""
    return fmpq(x.numerator, x.denominator)
