"""Conversions between FLINT and Python: rational numbers, and polynomials as text."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq


def fraction(x: fmpq) -> Fraction:
    """A rational number of FLINT as a Fraction."""
    return Fraction(int(x.p), int(x.q))


def plain(x: fmpq) -> Fraction | int:
    """A rational number of FLINT as an int if it is an integer, else as a Fraction."""
    return int(x.p) if x.q == 1 else fraction(x)


def rational(x: Fraction | int) -> fmpq:
    """A rational number of Python as one of FLINT."""
    return fmpq(x.numerator, x.denominator)


def polynomial_text(names: Sequence[str], terms: Mapping[Any, Any]) -> str:
    """The polynomial with these exponents and coefficients in variables of these names: x^2 - 3*x*y."""
    parts = []
    for powers, coefficient in terms.items():
        factors = [names[k] + (f"^{n}" if n > 1 else "") for k, n in enumerate(powers) if n]
        if not factors or abs(coefficient) != 1:
            factors.insert(0, str(abs(coefficient)))
        parts.append((" - " if coefficient < 0 else " + ") + "*".join(factors))
    text = "".join(parts).removeprefix(" + ").strip()
    return f"-{text[2:]}" if text.startswith("- ") else text or "0"
