"""Dual numbers x + x' e, e^2 = 0: a recursion run on them gives its value and its derivative."""

from typing import Any

from rikigaku.numbers.elementary_functions import atan2, cos, is_zero, sin, sqrt
from rikigaku.numbers.number_kind import Number


class Dual:
    """A number with its derivative `rate`; a number whose derivative is a structural zero stays plain."""

    __slots__ = ("rate", "value")
    __array_ufunc__ = None  # NumPy arrays leave operators with dual numbers to this class

    def __init__(self, value: Number, rate: Number) -> None:
        self.value, self.rate = value, rate

    def __add__(self, other: Any) -> Any:
        x, dx = parts(other)
        return dual(self.value + x, self.rate + dx)

    __radd__ = __add__

    def __neg__(self) -> Any:
        return dual(-self.value, -self.rate)

    def __sub__(self, other: Any) -> Any:
        x, dx = parts(other)
        return dual(self.value - x, self.rate - dx)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        x, dx = parts(other)
        return dual(self.value * x, self.rate * x + self.value * dx)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        x, dx = parts(other)
        ratio = self.value / x
        return dual(ratio, (self.rate - ratio * dx) / x)

    def __rtruediv__(self, other: Any) -> Any:
        ratio = other / self.value
        return dual(ratio, -ratio * self.rate / self.value)

    def sin(self) -> Any:
        return dual(sin(self.value), cos(self.value) * self.rate)

    def cos(self) -> Any:
        return dual(cos(self.value), -sin(self.value) * self.rate)

    def lifted(self, x: Any) -> "Dual":
        """A number without derivative."""
        return Dual(x, 0)

    def atan2(self, other: Any) -> Any:
        x, dx = parts(other)
        return dual(
            atan2(self.value, x), (self.rate * x - self.value * dx) / (self.value * self.value + x * x)
        )

    def sqrt(self) -> Any:
        root = sqrt(self.value)
        return dual(root, self.rate / (2 * root))


def dual(value: Number, rate: Number) -> Number:
    """The dual number, or the value alone if the derivative is a structural zero."""
    return value if is_zero(rate) else Dual(value, rate)


def parts(x: Number) -> tuple[Number, Number]:
    """Value and derivative of any number."""
    return (x.value, x.rate) if isinstance(x, Dual) else (x, 0)
