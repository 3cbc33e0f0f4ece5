"""The functions every law may call on every kind of number; the number's own method answers if it has one."""

from collections.abc import Callable
from contextvars import ContextVar
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from rikigaku.errors import NotExact
from rikigaku.numbers.kind import Number

# Where exact numbers have square roots, who knows them: a fraction alone does not tell which ring it is in.
ROOTS: ContextVar[Callable[[Fraction], Number] | None] = ContextVar("ROOTS", default=None)


def sin(x: Number) -> Number:
    """Sine of an angle [rad]."""
    return x.sin() if hasattr(x, "sin") else np.sin(x)


def cos(x: Number) -> Number:
    """Cosine of an angle [rad]."""
    return x.cos() if hasattr(x, "cos") else np.cos(x)


def sqrt(x: Number) -> Number:
    """Square root; NaN below zero. That of a fraction is rational, or one `ROOTS` knows."""
    if isinstance(x, Fraction):
        return _rational_root(x)
    if isinstance(x, int) and x >= 0 and isqrt(x) ** 2 == x:
        return isqrt(x)  # exact for every kind of number
    return x.sqrt() if hasattr(x, "sqrt") else np.sqrt(x)


def sign(x: Number) -> Number:
    """-1, 0 or 1."""
    return x.sign() if hasattr(x, "sign") else np.sign(x)


def where(condition: Number, yes: Number, no: Number) -> Number:
    """One of two numbers, element by element; both are computed."""
    if isinstance(
        condition, np.ndarray
    ):  # before the question for `choose`: arrays have another method of that name
        return np.where(condition, yes, no)
    if hasattr(condition, "choose") and not isinstance(condition, np.generic):
        return condition.choose(yes, no)
    return yes if condition else no


def is_number(x: Any) -> bool:
    """True for a constant whose value is known."""
    return isinstance(x, (int, float, Fraction))


def is_zero(x: Any) -> bool:
    """True only for a constant known to be zero: what folds away."""
    return is_constant(x, 0)


def is_constant(x: Any, value: float) -> bool:
    """True only for a constant known to have that value."""
    return is_number(x) and bool(x == value)


def _rational_root(x: Fraction) -> Number:
    if x >= 0:
        root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        if root * root == x:
            return root
        if (known := ROOTS.get()) is not None:
            return known(x)
    raise NotExact(f"The square root of {x} is not rational, so there is no exact number for it.")
