"""Exact numbers: polynomials with rational coefficients in sines, cosines and plain variables.

Each value has one normal form, except for the relations between constants that `polynomial_ring` lists.
Equality and zero are therefore decidable. Constants stay Python integers and fractions until an operation
combines them with a polynomial. A
quotient of polynomials is a `rational_function`.
"""

from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING, Any, Protocol, Union

from flint import fmpq, fmpq_mpoly

from rikigaku.core.errors import NotExact, TooLarge, WrongValue
from rikigaku.numbers.algebra_budget import spend
from rikigaku.numbers.flint_conversion import plain, polynomial_text, rational
from rikigaku.numbers.polynomial_ring import NoRootLeft as NoRootLeft
from rikigaku.numbers.polynomial_ring import Ring as Ring

if TYPE_CHECKING:
    from rikigaku.numbers.formula import Formula
    from rikigaku.numbers.rational_function import RationalFunction

# Largest number of terms of a product, before like terms are collected: larger products exhaust memory.
LARGEST = 3_000_000

ExactNumber = Union["Exact", "RationalFunction", Fraction, int]


class GeneratorValues(Protocol):
    """Values of generators by name: a dictionary, or what computes them."""

    def __getitem__(self, name: str, /) -> Any: ...


class Exact:
    """A polynomial in normal form that is not a constant; mask: bits of the relations that occur."""

    __slots__ = ("mask", "polynomial", "ring")
    __array_ufunc__ = None

    def __init__(self, ring: Ring, polynomial: fmpq_mpoly, mask: int | None = None) -> None:
        self.ring, self.polynomial = ring, polynomial
        self.mask = ring.mask(polynomial) if mask is None else mask

    @property
    def numerator(self) -> "Exact":
        return self

    @property
    def denominator(self) -> ExactNumber:
        return 1

    def __add__(self, other: object) -> Any:
        if type(other) is Exact:
            self._same_ring(other)
            return self.ring.reduced(self.polynomial + other.polynomial, 0, self.mask | other.mask)
        value = _constant(other)
        if value is None:
            return NotImplemented
        return Exact(self.ring, self.polynomial + value, self.mask) if value else self

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        if type(other) is Exact:
            self._same_ring(other)
            return self.ring.reduced(self.polynomial - other.polynomial, 0, self.mask | other.mask)
        value = _constant(other)
        if value is None:
            return NotImplemented
        return Exact(self.ring, self.polynomial - value, self.mask) if value else self

    def __rsub__(self, other: object) -> Any:
        return (-self).__add__(other)

    def __mul__(self, other: object) -> Any:
        if type(other) is Exact:
            self._same_ring(other)
            terms = len(self.polynomial) * len(other.polynomial)
            if terms > LARGEST:
                raise TooLarge(
                    f"A formula grows beyond {LARGEST:,} terms (a product of {len(self.polynomial):,} and "
                    f"{len(other.polynomial):,}). Give numbers to some symbols, or read the law as a list of "
                    "intermediate variables (`law.intermediates()`)."
                )
            spend(terms)
            product = self.polynomial * other.polynomial
            occurring = self.mask | other.mask
            doubtful = self.mask & other.mask | occurring & self.ring.mixed
            return self.ring.reduced(product, doubtful, occurring)
        value = _constant(other)
        if value is None:
            return NotImplemented
        if not value:
            return 0
        return self if value == 1 else Exact(self.ring, self.polynomial * value, self.mask)

    __rmul__ = __mul__

    def __neg__(self) -> "Exact":
        return Exact(self.ring, -self.polynomial, self.mask)

    def __pos__(self) -> "Exact":
        return self

    def __truediv__(self, other: object) -> Any:
        if type(other) is Exact:
            from rikigaku.numbers.rational_function import divided

            return divided(self, other)
        value = _constant(other)
        if value is None:
            return NotImplemented
        return Exact(self.ring, self.polynomial / value, self.mask)

    def __rtruediv__(self, other: object) -> Any:
        from rikigaku.numbers.rational_function import divided

        value = _constant(other)
        return NotImplemented if value is None else divided(plain(value), self)

    def __pow__(self, exponent: int) -> Any:
        return power(self, exponent)

    def __eq__(self, other: object) -> bool:
        if type(other) is not Exact:
            return NotImplemented  # never a constant; a rational function compares itself
        if other.ring is self.ring:
            return bool(other.polynomial == self.polynomial)
        from rikigaku.numbers.ring_transfer import equal

        return equal(self, other)

    def __hash__(self) -> int:  # the same for the same number in another ring
        return hash((len(self.polynomial), *sorted(n for n in self.polynomial.degrees() if n)))

    def __lt__(self, other: object) -> "UndecidedComparison":
        return UndecidedComparison()

    __gt__ = __lt__

    def sin(self) -> ExactNumber:
        return self.ring.sin_cos(self)[0]

    def cos(self) -> ExactNumber:
        return self.ring.sin_cos(self)[1]

    def sqrt(self) -> ExactNumber:
        return self.ring.root(self)

    def sign(self) -> ExactNumber:
        """The sign of a variable that has a sign generator in the ring, or of a multiple of it."""
        if len(self.polynomial) == 1:
            factor = plain(self.polynomial.leading_coefficient())
            for name in self.ring.signs:
                if self.polynomial == self.ring.generators[name] * rational(factor):
                    return self.ring.variable(f"sign({name})") * (1 if factor > 0 else -1)
        raise NotExact(
            f"The sign of {self} is not known as an exact number; it is known of single variables "
            f"({', '.join(self.ring.signs[:12])})."
        )

    def _same_ring(self, other: "Exact") -> None:
        if other.ring is not self.ring:
            raise WrongValue("Two exact numbers of different rings cannot be combined.")

    def value(self, at: GeneratorValues) -> Any:
        """The value where every generator ("sin(q1)", "v2", ...) has the given value.

        A fraction where all values are rational, else the float next to the exact result: floats are taken
        as the dyadic fractions they are.
        """
        used = set(self.ring.names).difference(
            self.ring.names[int(x[1:])] for x in self.polynomial.unused_gens()
        )
        inexact = any(not isinstance(at[name], Rational) for name in used)
        point = [rational(Fraction(at[x]) if x in used else 0) for x in self.ring.names]
        result = plain(self.polynomial(*point))
        return float(result) if inexact else Fraction(result)

    def __repr__(self) -> str:
        return polynomial_text(self.ring.names, self.polynomial.to_dict())


def power(x: "Exact | RationalFunction", exponent: int) -> Any:
    """x to an integer power; a negative exponent gives the reciprocal."""
    if exponent < 0:
        return 1 / power(x, -exponent)
    result: Any = 1
    for _ in range(exponent):
        result = x * result
    return result


class UndecidedComparison:
    """An inequality between exact numbers: false at a generic state (`where` takes its last argument)."""

    def choose(self, yes: Any, no: Any) -> Any:
        return no


class ExactConstants:
    """Constants of a model as exact numbers of a ring."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring

    def rational(self, value: Fraction) -> Fraction:
        return value

    def pi(self) -> ExactNumber:
        if "pi" not in self.ring.generators:
            raise NotExact("pi outside of an angle is not rational; give a decimal, or make it a symbol.")
        return self.ring.variable("pi")

    def sin_cos(self, angle: "Formula") -> tuple[ExactNumber, ExactNumber]:
        return self.ring.constant_sin_cos(angle)

    def sqrt(self, value: "Formula") -> ExactNumber:
        return self.ring.root(value.evaluate(self, {}))


def _constant(x: object) -> fmpq | None:
    """A rational number of FLINT; None for other kinds of exact number, whose own operators apply."""
    if isinstance(x, int):
        return fmpq(x)
    if isinstance(x, Fraction):
        return fmpq(x.numerator, x.denominator)
    if isinstance(x, (Rational, float)):
        value = Fraction(x)
        if isinstance(x, float) and value.denominator > 1024:
            raise NotExact(f"The float {x!r} is not exact; use a fraction or a decimal text.")
        return rational(value)
    # Not by its numerator: partial fractions would be brought over their common denominator.
    if hasattr(x, "ring") or hasattr(x, "rate"):
        return None
    raise NotExact(f"{x!r} is not an exact number.")
