"""Exact numbers over determinants: sums of polynomials, each over powers of a few known ones.

What the loops decide is solved for by Cramer's rule, so everything about a closed robot is of this form.
Kept apart by powers, a number grows no more than it must, and no common factors are searched for but these.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint.utils.flint_exceptions import DomainError

from rikigaku.errors import NotExact
from rikigaku.numbers.exact import Exact, ExactNumber
from rikigaku.numbers.formula import ONE, ZERO, Formula
from rikigaku.numbers.ring import Ring

Powers = tuple[int, ...]


class Over:
    """Sum of part / (d_0^n_0 d_1^n_1 ...) over `determinants` d, by powers n; never zero."""

    __array_ufunc__ = None

    def __init__(self, determinants: tuple[Exact, ...], parts: Mapping[Powers, ExactNumber]) -> None:
        self.determinants, self.parts = determinants, parts

    @property
    def ring(self) -> Ring:
        return self.determinants[0].ring

    # -- arithmetic -----------------------------------------------------------------------------------------
    def __add__(self, other: Any) -> Any:
        total = dict(self.parts)
        for powers, x in self._parts(other).items():
            total[powers] = total[powers] + x if powers in total else x
        return _made(self.determinants, total)

    __radd__ = __add__

    def __neg__(self) -> "Over":
        return Over(self.determinants, {powers: -x for powers, x in self.parts.items()})

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        total: dict[Powers, Any] = {}
        for m, x in self.parts.items():
            for n, y in self._parts(other).items():
                powers = tuple(a + b for a, b in zip(m, n, strict=True))
                total[powers] = total[powers] + x * y if powers in total else x * y
        return _made(self.determinants, total)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, (int, Fraction)):
            raise NotExact("A number over determinants is divided by rational numbers only.")
        return self * (1 / Fraction(other))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Over, Exact, Fraction, int)):
            return NotImplemented
        difference = self - other
        return not isinstance(difference, Over) and difference == 0

    def __hash__(self) -> int:  # equal numbers may be written differently
        return hash(self.determinants)

    def sign(self) -> Any:
        """Of a quotient of polynomials no exact number is known."""
        raise NotExact("The sign of a coordinate that follows others is not known as an exact number.")

    # -- one fraction ---------------------------------------------------------------------------------------
    @cached_property
    def denominator(self) -> ExactNumber:
        """The product of determinants, each as often as some part needs it."""
        return self._product(self._most)

    @cached_property
    def numerator(self) -> ExactNumber:
        """All parts over the common denominator."""
        total: Any = 0
        for powers, x in self.parts.items():
            total = total + x * self._product(tuple(a - b for a, b in zip(self._most, powers, strict=True)))
        return total

    @property
    def common_terms(self) -> int:
        """A bound of the terms of the numerator."""
        sizes = [len(d.polynomial) for d in self.determinants]
        total = 0
        for powers, x in self.parts.items():
            count = len(x.polynomial) if isinstance(x, Exact) else 1
            for size, a, b in zip(sizes, self._most, powers, strict=True):
                count *= size ** (a - b)
            total += count
        return total

    def together(self) -> "Over":
        """All parts as one."""
        return Over(self.determinants, {self._most: self.numerator})

    def mapped(self, function: Callable[[Any], Any]) -> Any:
        """Every part replaced by an equal one, and what can be cancelled then, cancelled."""
        return _made(
            self.determinants, {powers: function(x) for powers, x in self.parts.items()}, thorough=True
        )

    @property
    def _most(self) -> Powers:
        return tuple(max(powers) for powers in zip(*self.parts, strict=True))

    def _product(self, powers: Powers) -> Any:
        total: Any = 1
        for d, n in zip(self.determinants, powers, strict=True):
            total = total * d**n
        return total

    def _parts(self, other: Any) -> Mapping[Powers, Any]:
        if isinstance(other, Over):
            return other.parts
        return {(0,) * len(self.determinants): other}

    def written(self, writing: Callable[[Any], Formula]) -> Formula:
        """As a sum of quotients, each part by itself."""
        below = [writing(d) for d in self.determinants]
        total = ZERO
        for powers, part in self.parts.items():
            product = ONE
            for d, n in zip(below, powers, strict=True):
                product = product * d**n
            total = total + writing(part) / product
        return total

    def __repr__(self) -> str:
        names = [f"({d!r})" if len(d.polynomial) > 1 else f"{d!r}" for d in self.determinants]
        terms = []
        for powers, x in self.parts.items():
            below = [f"{name}^{n}" if n > 1 else name for name, n in zip(names, powers, strict=True) if n]
            terms.append(f"({x!r})/({'*'.join(below)})" if below else repr(x))
        return " + ".join(terms)


def inverse(determinants: tuple[Exact, ...], k: int) -> Over:
    """One over the k-th determinant."""
    return Over(determinants, {tuple(int(i == k) for i in range(len(determinants))): 1})


def _made(determinants: tuple[Exact, ...], parts: dict[Powers, Any], thorough: bool = False) -> Any:
    """The number, after cancelling determinants that are single terms (thorough: all that divide a part)."""
    result: dict[Powers, Any] = {}
    for powers, x in parts.items():
        for k, d in enumerate(determinants):
            if powers[k] and (thorough or len(d.polynomial) == 1):
                powers, x = _cancelled(powers, x, k, d)
        if not _is_zero(x):
            result[powers] = result[powers] + x if powers in result else x
    result = {powers: x for powers, x in result.items() if not _is_zero(x)}
    if not any(any(powers) for powers in result):
        return result.popitem()[1] if result else 0
    return Over(determinants, result)


def _cancelled(powers: Powers, x: Any, k: int, d: Exact) -> tuple[Powers, Any]:
    while powers[k] and isinstance(x, Exact):
        try:
            x = d.ring.number(x.polynomial / d.polynomial)
        except DomainError:
            break
        powers = (*powers[:k], powers[k] - 1, *powers[k + 1 :])
    return powers, x


def _is_zero(x: Any) -> bool:
    return not hasattr(x, "ring") and x == 0
