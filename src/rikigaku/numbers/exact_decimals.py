"""Exact rational value of a number or of its decimal text: 0.1 is 1/10."""

import math
import numbers
import re
from decimal import Decimal
from fractions import Fraction

from rikigaku.core.errors import WrongValue
from rikigaku.core.input_limits import EXPONENT, NUMBER_BITS, NUMBER_DIGITS, shortened

_DECIMAL = re.compile(r"\s*([-+]?)([0-9]*)\.?([0-9]*)(?:[eE]([-+]?[0-9]{1,4}))?\s*", re.ASCII)


def rational_of(x: object) -> Fraction | None:
    """The exact value of a number: that of a float is the decimal it prints as. None if x is no real number.

    Raises:
        WrongValue: for nan, infinity, True and False, and numbers beyond the limits of readers.
    """
    if isinstance(x, bool):
        raise WrongValue(f"{x} is not a number. Give a number or a formula.")
    if isinstance(x, Fraction):
        return x
    if isinstance(x, numbers.Integral):
        if (bits := int(x).bit_length()) > NUMBER_BITS:
            raise WrongValue(
                f"A whole number of {bits} binary digits was given; at most {NUMBER_BITS} are read. "
                "Give a number a float can hold."
            )
        return Fraction(int(x))
    if isinstance(x, Decimal):
        return _rational_of_decimal(x)
    if isinstance(x, float):
        text = float.__repr__(x)
    elif isinstance(x, numbers.Real):  # NumPy's other floats print their own shortest decimal
        text = str(x)
    else:
        return None
    if not math.isfinite(x):
        raise WrongValue(f"{float(x)} is not a number a model can hold. Give a finite number or a formula.")
    return decimal(text)


def _rational_of_decimal(x: Decimal) -> Fraction:
    if not x.is_finite() or abs(x.adjusted()) > EXPONENT:
        shown = shortened(str(x), 80)
        raise WrongValue(f"{shown} is not a number a model can hold. Give a number a float can hold.")
    digits = len(x.as_tuple().digits)
    if digits > NUMBER_DIGITS:
        raise WrongValue(f"A number of {digits} digits was given; at most {NUMBER_DIGITS} are read.")
    return Fraction(x)


def decimal(text: str) -> Fraction | None:
    """The value of a plain decimal, like "-1.5e-3"; None for any other text."""
    match = _DECIMAL.fullmatch(text) if len(text) < 100 else None
    if match is None or not (match[2] or match[3]) or abs(int(match[4] or 0)) > EXPONENT:
        return None
    sign, whole, decimals, exponent = match.groups()
    digits = int(whole + decimals)
    shift = int(exponent or 0) - len(decimals)
    if sign == "-":
        digits = -digits
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)
