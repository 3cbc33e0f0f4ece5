"""Rational functions over the exact ring: numerators over products of powers of polynomial factors.

A quotient is one fraction; common factors of numerator and denominator are cancelled where division is cheap.
Solutions by Cramer's rule are partial fractions over determinants known beforehand: summands with different
denominators stay separate, so that formulas remain short.

Zero and equality are decided by the numerator, which has one form (`polynomial_ring`). The fraction
itself may have several, because (1 - sin)(1 + sin) = cos^2: polynomials in sines and cosines have no unique
factorisation.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint.utils.flint_exceptions import DomainError

from rikigaku.core.errors import NotExact, WrongValue
from rikigaku.numbers.exact_number import Exact, ExactNumber, GeneratorValues, UndecidedComparison, power
from rikigaku.numbers.polynomial_algebra import (
    Factors,
    exact_quotient,
    factored,
    term_count,
    without_roots,
)
from rikigaku.numbers.polynomial_ring import Ring

Exponents = tuple[int, ...]
# Terms of the numerator of partial fractions that are brought over one denominator for a division.
_MOST_TERMS = 100_000


class RationalFunction:
    """Sum of numerator / (d_0^n_0 d_1^n_1 ...) by exponents n; never zero, never a polynomial.

    Args:
        factors: the polynomials d of the denominators.
        parts: exponents of the factors -> numerator.
        partial: whether sums stay partial fractions over the given factors, of which only single terms are
            cancelled. Otherwise there is one part, and sums are brought over the common denominator.
    """

    __array_ufunc__ = None

    def __init__(
        self,
        ring: Ring,
        factors: tuple[Exact, ...],
        parts: Mapping[Exponents, ExactNumber],
        partial: bool = False,
    ) -> None:
        self.ring, self.factors, self.parts, self.partial = ring, factors, parts, partial

    @classmethod
    def fraction(cls, ring: Ring, numerator: ExactNumber, denominator: Factors) -> "RationalFunction":
        """One fraction with a factored denominator."""
        return cls(ring, tuple(denominator), {tuple(denominator.values()): numerator})

    # -- numerator and denominator --------------------------------------------------------------------------
    @cached_property
    def numerator(self) -> Any:
        """The numerator over the common denominator."""
        if len(self.parts) == 1:
            return next(iter(self.parts.values()))
        total: Any = 0
        for exponents, x in self.parts.items():
            missing = tuple(a - b for a, b in zip(self._highest, exponents, strict=True))
            total = total + x * _product(zip(self.factors, missing, strict=True))
        return total

    @cached_property
    def denominator(self) -> Any:
        """The common denominator, multiplied out."""
        return _product(self.denominator_factors.items())

    @property
    def denominator_factors(self) -> Factors:
        """The factors of the common denominator with their exponents."""
        return {d: n for d, n in zip(self.factors, self._highest, strict=True) if n}

    @property
    def numerator_bound(self) -> int:
        """Upper bound on the number of terms of the numerator over the common denominator."""
        total = 0
        for exponents, x in self.parts.items():
            count = term_count(x)
            for d, a, b in zip(self.factors, self._highest, exponents, strict=True):
                count *= len(d.polynomial) ** (a - b)
            total += count
        return total

    @property
    def _highest(self) -> Exponents:
        return tuple(max(exponents) for exponents in zip(*self.parts, strict=True))

    def over_common_denominator(self) -> "RationalFunction":
        """The same partial fractions as a single one."""
        return RationalFunction(self.ring, self.factors, {self._highest: self.numerator}, self.partial)

    def map_numerators(self, function: Callable[[Any], Any]) -> Any:
        """Partial fractions with every numerator replaced by an equal one; common factors are cancelled."""
        parts = {exponents: function(x) for exponents, x in self.parts.items()}
        return _partial_fractions(self.ring, self.factors, parts, cancel_all=True)

    # -- arithmetic -----------------------------------------------------------------------------------------
    def __add__(self, other: object) -> Any:
        theirs = _as_rational_function(self.ring, other)
        if self.partial or theirs.partial:
            factors, total, added = _aligned(self, theirs)
            total = dict(total)
            for exponents, x in added.items():
                total[exponents] = total[exponents] + x if exponents in total else x
            return _partial_fractions(self.ring, factors, total)
        own, its = self.denominator_factors, theirs.denominator_factors
        common = {d: max(own.get(d, 0), its.get(d, 0)) for d in {**own, **its}}
        numerator: Any = 0
        for x, below in ((self, own), (theirs, its)):
            missing = ((d, n - below.get(d, 0)) for d, n in common.items())
            numerator = numerator + x.numerator * _product(missing)
        # A factor with different exponents in the two denominators cannot cancel.
        shared = [d for d, n in own.items() if its.get(d, 0) == n]
        return _cancelled(self.ring, numerator, common, shared)

    __radd__ = __add__

    def __neg__(self) -> "RationalFunction":
        negative = {exponents: -x for exponents, x in self.parts.items()}
        return RationalFunction(self.ring, self.factors, negative, self.partial)

    def __sub__(self, other: object) -> Any:
        return self + (-_as_rational_function(self.ring, other))

    def __rsub__(self, other: object) -> Any:
        return -self + other

    def __mul__(self, other: object) -> Any:
        theirs = _as_rational_function(self.ring, other)
        if self.partial or theirs.partial:
            factors, left, right = _aligned(self, theirs)
            total: dict[Exponents, Any] = {}
            for m, x in left.items():
                for n, y in right.items():
                    exponents = tuple(a + b for a, b in zip(m, n, strict=True))
                    total[exponents] = total[exponents] + x * y if exponents in total else x * y
            return _partial_fractions(self.ring, factors, total)
        own, its = self.denominator_factors, theirs.denominator_factors
        first = _as_rational_function(self.ring, _cancelled(self.ring, self.numerator, its, its))
        second = _as_rational_function(self.ring, _cancelled(self.ring, theirs.numerator, own, own))
        below = first.denominator_factors
        for d, count in second.denominator_factors.items():
            below[d] = count + below.get(d, 0)
        return _cancelled(self.ring, first.numerator * second.numerator, below, ())

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        if isinstance(other, (int, Fraction)):
            return self * (1 / Fraction(other))
        return _single_fraction(self) * _reciprocal(self.ring, other)

    def __rtruediv__(self, other: object) -> Any:
        return _reciprocal(self.ring, self) * other

    def __pow__(self, exponent: int) -> Any:
        return power(self, exponent)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (RationalFunction, Exact)) and other.ring is not self.ring:
            from rikigaku.numbers.ring_transfer import equal

            return equal(self, other)
        if isinstance(other, (RationalFunction, Exact, Fraction, int)):
            difference = self - other
            if isinstance(difference, RationalFunction) and difference.partial:
                difference = difference.numerator
            return isinstance(difference, (int, Fraction)) and difference == 0
        return NotImplemented

    def __hash__(self) -> int:  # equal functions may be written differently
        return hash(RationalFunction)

    def __lt__(self, other: object) -> UndecidedComparison:
        return UndecidedComparison()

    __gt__ = __lt__

    def sqrt(self) -> ExactNumber:
        return self.ring.root(self)

    def sin(self) -> ExactNumber:
        raise NotExact(f"Exact numbers take sine and cosine of sums of angles and constants, not of {self}.")

    cos = sin

    def sign(self) -> ExactNumber:
        raise NotExact(f"The sign of {self} is not known as an exact number.")

    def value(self, at: GeneratorValues) -> Any:
        """The value where every generator has the given value; as that of Exact."""
        values: list[Any] = [
            x if isinstance(x, (int, Fraction)) else x.value(at) for x in self.parts.values()
        ]
        for k, exponents in enumerate(self.parts):
            for d, n in zip(self.factors, exponents, strict=True):
                if n:
                    values[k] = values[k] / d.value(at) ** n
        return sum(values[1:], start=values[0])

    def __repr__(self) -> str:
        return " + ".join(self._fraction_text(exponents, x) for exponents, x in self.parts.items())

    def _fraction_text(self, exponents: Exponents, numerator: ExactNumber) -> str:
        below = [
            f"({d})" + (f"^{n}" if n > 1 else "") for d, n in zip(self.factors, exponents, strict=True) if n
        ]
        if not below:
            return repr(numerator)
        return f"({numerator})/{'*'.join(below) if len(below) == 1 else '(' + '*'.join(below) + ')'}"


def divided(above: ExactNumber, below: ExactNumber) -> Any:
    """above / below, of one ring."""
    ring = next(x.ring for x in (below, above) if isinstance(x, (Exact, RationalFunction)))
    return _as_rational_function(ring, above) * _reciprocal(ring, below)


def reciprocal_determinant(determinants: tuple[Exact, ...], k: int) -> RationalFunction:
    """1 / determinants[k], a partial fraction: all that is computed with it stays over these determinants."""
    exponents = tuple(int(i == k) for i in range(len(determinants)))
    return RationalFunction(determinants[0].ring, determinants, {exponents: 1}, partial=True)


def _as_rational_function(ring: Ring, x: object) -> RationalFunction:
    if isinstance(x, (RationalFunction, Exact)):
        if x.ring is not ring:
            raise WrongValue("Two exact numbers of different rings cannot be combined.")
        return x if isinstance(x, RationalFunction) else RationalFunction(ring, (), {(): x})
    if isinstance(x, (int, Fraction)):
        return RationalFunction(ring, (), {(): x})
    if isinstance(x, float) and Fraction(x).denominator <= 1024:
        return RationalFunction(ring, (), {(): Fraction(x)})
    raise NotExact(f"{x!r} is not an exact number.")


# -- partial fractions over known determinants --------------------------------------------------------------
def _aligned(
    x: RationalFunction, y: RationalFunction
) -> tuple[tuple[Exact, ...], Mapping[Exponents, Any], Mapping[Exponents, Any]]:
    """The parts of both over the same factors."""
    if x.factors == y.factors:
        return x.factors, x.parts, y.parts
    factors = tuple(dict.fromkeys((*x.factors, *y.factors)))
    return factors, _over(factors, x), _over(factors, y)


def _over(factors: tuple[Exact, ...], x: RationalFunction) -> Mapping[Exponents, Any]:
    if not x.factors:
        return {(0,) * len(factors): part for part in x.parts.values()}
    places = [x.factors.index(d) if d in x.factors else -1 for d in factors]
    return {tuple(n[k] if k >= 0 else 0 for k in places): part for n, part in x.parts.items()}


def _partial_fractions(
    ring: Ring, factors: tuple[Exact, ...], parts: Mapping[Exponents, Any], cancel_all: bool = False
) -> Any:
    """The sum, after cancelling factors that are single terms (cancel_all: all that divide a numerator)."""
    result: dict[Exponents, Any] = {}
    for exponents, x in parts.items():
        for k, d in enumerate(factors):
            if exponents[k] and (cancel_all or len(d.polynomial) == 1):
                exponents, x = _divided_out(exponents, x, k, d)
        if not _is_zero(x):
            result[exponents] = result[exponents] + x if exponents in result else x
    result = {exponents: x for exponents, x in result.items() if not _is_zero(x)}
    if not any(any(exponents) for exponents in result):
        return result.popitem()[1] if result else 0
    return RationalFunction(ring, factors, result, partial=True)


def _divided_out(exponents: Exponents, x: Any, k: int, d: Exact) -> tuple[Exponents, Any]:
    while exponents[k] and isinstance(x, Exact):
        try:
            x = d.ring.number(x.polynomial / d.polynomial)
        except DomainError:
            break
        exponents = (*exponents[:k], exponents[k] - 1, *exponents[k + 1 :])
    return exponents, x


def _is_zero(x: Any) -> bool:
    return not hasattr(x, "ring") and x == 0


# -- one fraction -------------------------------------------------------------------------------------------
def _cancelled(ring: Ring, numerator: Any, denominator: Factors, candidates: Iterable[Exact]) -> Any:
    """The fraction, after trying to divide the numerator by some of the factors."""
    if isinstance(numerator, (int, Fraction)):
        if numerator == 0:
            return 0
    else:
        denominator = dict(denominator)
        for factor in list(candidates):
            n = denominator[factor]
            while n and isinstance(numerator, Exact) and (q := exact_quotient(numerator, factor)) is not None:
                numerator, n = q, n - 1
            denominator[factor] = n
    remaining = {factor: n for factor, n in denominator.items() if n}
    return RationalFunction.fraction(ring, numerator, remaining) if remaining else numerator


def _single_fraction(x: Any) -> Any:
    """Partial fractions over their common denominator; other numbers as they are.

    Raises:
        NotExact: if the numerator has too many terms for that.
    """
    if not isinstance(x, RationalFunction) or not x.partial:
        return x
    if x.numerator_bound > _MOST_TERMS:
        raise NotExact(
            f"A quotient of formulas over determinants needs one denominator, with a numerator of up to "
            f"{x.numerator_bound} terms. Divide their values, or the results of intermediates()."
        )
    below = x.denominator_factors
    return _cancelled(x.ring, x.numerator, below, below)


def _reciprocal(ring: Ring, x: object) -> Any:
    x = _as_rational_function(ring, _single_fraction(x))
    above = x.denominator
    if not isinstance(x.numerator, Exact):
        return above / Fraction(x.numerator)
    below, cofactor = without_roots(x.numerator)
    if isinstance(below, (int, Fraction)):
        return above * cofactor / Fraction(below)
    scale, factors = factored(below)
    return _cancelled(ring, above * cofactor / scale, factors, factors)


def _product(factors: Iterable[tuple[Exact, int]]) -> Any:
    result: Any = Fraction(1)
    for factor, n in factors:
        result = result * factor**n
    return result
