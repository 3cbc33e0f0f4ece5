"""The rational number that was meant by a number or by the text of one: decimals are exact."""

import math
import numbers
import re
from decimal import Decimal
from fractions import Fraction

from rikigaku.errors import WrongValue

# Decimal exponents beyond those of a float are mistakes or attacks.
LARGEST_EXPONENT = 400

_DECIMAL = re.compile(r"\s*([-+]?)([0-9]*)\.?([0-9]*)(?:[eE]([-+]?[0-9]{1,4}))?\s*", re.ASCII)


def rational_of(x: object) -> Fraction | None:
    """What a number means, exactly: a float means the decimal it prints as. None for what is no real number.

    Raises:
        WrongValue: for nan, infinity, exponents beyond those of a float, True and False.
    """
    if isinstance(x, bool):
        raise WrongValue(f"{x} is not a number. Give a number or a formula.")
    if isinstance(x, Fraction):
        return x
    if isinstance(x, numbers.Integral):
        return Fraction(int(x))
    if isinstance(x, Decimal):
        if not x.is_finite() or abs(x.adjusted()) > LARGEST_EXPONENT:
            raise WrongValue(f"{x} is not a number a model can hold. Give a number a float can hold.")
        return Fraction(x)
    if isinstance(x, float):
        text = float.__repr__(x)
    elif isinstance(x, numbers.Real):  # NumPy's other floats print their own shortest decimal
        text = str(x)
    else:
        return None
    if not math.isfinite(x):
        raise WrongValue(f"{float(x)} is not a number a model can hold. Give a finite number or a formula.")
    return decimal(text)


def decimal(text: str) -> Fraction | None:
    """The value of a plain decimal, like "-1.5e-3"; None for any other text."""
    match = _DECIMAL.fullmatch(text) if len(text) < 100 else None
    if match is None or not (match[2] or match[3]) or abs(int(match[4] or 0)) > LARGEST_EXPONENT:
        return None
    sign, whole, decimals, exponent = match.groups()
    digits = int(whole + decimals)
    shift = int(exponent or 0) - len(decimals)
    if sign == "-":
        digits = -digits
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)
