"""Elementary functions on every kind of number; a method of the number is used if it has one."""

import math
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

import numpy as np

from rikigaku.core.errors import NotExact
from rikigaku.numbers.number_kind import Number

# Square roots of fractions in the ring in use: a fraction has no reference to its ring.
ROOTS: ContextVar[Callable[[Fraction], Number] | None] = ContextVar("ROOTS", default=None)


def sin(x: Number) -> Number:
    """Sine of an angle [rad]."""
    return x.sin() if hasattr(x, "sin") else np.sin(x)


def cos(x: Number) -> Number:
    """Cosine of an angle [rad]."""
    return x.cos() if hasattr(x, "cos") else np.cos(x)


def sqrt(x: Number) -> Number:
    """Square root; NaN below zero. For a fraction it must be rational or found by `ROOTS`."""
    if isinstance(x, Fraction):
        return _rational_root(x)
    if isinstance(x, int) and x >= 0 and math.isqrt(x) ** 2 == x:
        return math.isqrt(x)  # exact for every kind of number
    if isinstance(x, float) and x >= 0:
        return math.sqrt(x)  # a Python float: division by zero raises, where NumPy's scalar only warns
    return x.sqrt() if hasattr(x, "sqrt") else np.sqrt(x)


def sign(x: Number) -> Number:
    """-1, 0 or 1."""
    return x.sign() if hasattr(x, "sign") else np.sign(x)


def atan2(y: Number, x: Number) -> Number:
    """The angle of the point (x, y) from -pi to pi [rad]; zero at the origin."""
    if hasattr(y, "atan2"):
        return y.atan2(x)
    if hasattr(x, "atan2"):
        return x.lifted(y).atan2(x)
    return np.arctan2(y, x)


def where(condition: Number, yes: Number, no: Number) -> Number:
    """`yes` where the condition holds, else `no`, element by element; both are computed."""
    if isinstance(condition, np.ndarray):  # first: arrays have another method named `choose`
        return np.where(condition, yes, no)
    if hasattr(condition, "choose") and not isinstance(condition, np.generic):
        return condition.choose(yes, no)
    return yes if condition else no


def absolute(x: Number) -> Number:
    """|x|."""
    return where(x < 0.0, -x, x)


def largest(xs: Iterable[Number]) -> Number:
    """The largest of numbers that are not negative; 0 if there are none."""
    found: Any = 0.0
    for x in xs:
        found = where(found < x, x, found)
    return found


def nan_unless(valid: Number, xs: Iterable[Number]) -> list[Number]:
    """The numbers where the condition holds, else NaN: (1/0) 0, which every language has."""
    one = where(valid, 1.0, 0.0)
    factor = (1.0 / one) * one
    return [x * factor for x in xs]


def lookup(table: tuple[float, ...], x: Number) -> Number:
    """table[k], k the whole part of x within the table; NaN gives the first element."""
    if hasattr(x, "lookup"):
        return x.lookup(table)
    k = np.clip(np.nan_to_num(x), 0, len(table) - 1)
    found = np.asarray(table)[np.asarray(k).astype(np.int64)]
    return found if isinstance(x, np.ndarray) else float(found)


def is_number(x: Any) -> bool:
    """True for a constant whose value is known."""
    return isinstance(x, (int, float, Fraction))


def is_zero(x: Any) -> bool:
    """True only for a constant known to be zero: a structural zero."""
    return is_constant(x, 0)


def is_constant(x: Any, value: float) -> bool:
    """True only for a constant known to have that value."""
    return is_number(x) and bool(x == value)


def _rational_root(x: Fraction) -> Number:
    if x >= 0:
        root = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
        if root * root == x:
            return root
        if (known := ROOTS.get()) is not None:
            return known(x)
    raise NotExact(f"The square root of {x} is not rational, so there is no exact number for it.")
