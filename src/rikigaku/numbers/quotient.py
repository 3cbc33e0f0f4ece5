"""Quotients of exact numbers: a numerator over a product of factors, common ones cancelled.

Zero and equality are decided by the numerator, which has one form (see `ring`). The quotient itself may have
several, because (1 - sin)(1 + sin) = cos^2: sines and cosines do not factor in one way only.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from flint.utils.flint_exceptions import DomainError

from rikigaku.errors import NotExact, WrongValue
from rikigaku.numbers.exact import Exact, ExactNumber, Generic, power
from rikigaku.numbers.flint_rationals import plain
from rikigaku.numbers.ring import Ring

Factors = dict[str, tuple[Exact, int]]  # by spelling: the factor and its power

# Terms up to which a denominator is factored, and a division tried that has to clear cosines.
_FACTORED = 2_000
_TRIED = 500_000


class Quotient:
    """numerator / product of factor^power; never zero, never a polynomial."""

    __slots__ = ("factors", "numerator", "ring")
    __array_ufunc__ = None

    def __init__(self, ring: Ring, numerator: Exact | Fraction | int, factors: Factors) -> None:
        self.ring, self.numerator, self.factors = ring, numerator, factors

    @property
    def denominator(self) -> ExactNumber:
        """The product of the factors."""
        return _product(self.factors)

    def __add__(self, other: object) -> Any:
        theirs = _as_quotient(self.ring, other)
        both = {
            key: max(self.factors.get(key, (None, 0))[1], theirs.factors.get(key, (None, 0))[1])
            for key in {**self.factors, **theirs.factors}
        }
        all_factors = {**self.factors, **theirs.factors}
        total: Any = 0
        for x in (self, theirs):
            lacking = {k: (all_factors[k][0], n - x.factors.get(k, (None, 0))[1]) for k, n in both.items()}
            total = total + x.numerator * _product(lacking)
        # what only one of the two was divided by cannot cancel
        shared = [k for k, (_, n) in self.factors.items() if theirs.factors.get(k, (None, 0))[1] == n]
        return _cancelled(self.ring, total, {k: (all_factors[k][0], n) for k, n in both.items()}, shared)

    __radd__ = __add__

    def __neg__(self) -> "Quotient":
        return Quotient(self.ring, -self.numerator, self.factors)

    def __sub__(self, other: object) -> Any:
        return self + (-_as_quotient(self.ring, other))

    def __rsub__(self, other: object) -> Any:
        return -self + other

    def __mul__(self, other: object) -> Any:
        theirs = _as_quotient(self.ring, other)
        left = _cancelled(self.ring, self.numerator, theirs.factors, theirs.factors)
        right = _cancelled(self.ring, theirs.numerator, self.factors, self.factors)
        left, right = _as_quotient(self.ring, left), _as_quotient(self.ring, right)
        numerator = left.numerator * right.numerator
        factors = dict(left.factors)
        for key, (factor, n) in right.factors.items():
            factors[key] = (factor, n + factors.get(key, (factor, 0))[1])
        return _cancelled(self.ring, numerator, factors, ())

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        return self * _reciprocal(self.ring, other)

    def __rtruediv__(self, other: object) -> Any:
        return _reciprocal(self.ring, self) * other

    def __pow__(self, exponent: int) -> Any:
        return power(self, exponent)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Quotient, Exact)) and other.ring is not self.ring:
            from rikigaku.numbers.moving import equal

            return equal(self, other)
        if isinstance(other, (Quotient, Exact, Fraction, int)):
            difference = self - other
            return isinstance(difference, (int, Fraction)) and difference == 0
        return NotImplemented

    def __hash__(self) -> int:  # equal quotients may be spelled differently
        return hash(Quotient)

    def __lt__(self, other: object) -> Generic:
        return Generic()

    __gt__ = __lt__

    def sqrt(self) -> ExactNumber:
        return self.ring.root(self)

    def sin(self) -> ExactNumber:
        raise NotExact(f"Exact numbers take sine and cosine of sums of angles and constants, not of {self}.")

    cos = sin

    def sign(self) -> ExactNumber:
        raise NotExact(f"The sign of {self} is not known as an exact number.")

    def value(self, at: Mapping[str, Any]) -> Any:
        """The value where every generator has the given value; as that of Exact."""
        result: Any = _value(self.numerator, at)
        for factor, n in self.factors.values():
            result = result / factor.value(at) ** n
        return result

    def __repr__(self) -> str:
        below = [f"({x})" + (f"^{n}" if n > 1 else "") for x, n in self.factors.values()]
        return f"({self.numerator})/{'*'.join(below) if len(below) == 1 else '(' + '*'.join(below) + ')'}"


def divided(above: ExactNumber, below: ExactNumber) -> Any:
    """above / below, of one ring."""
    ring: Ring = below.ring if isinstance(below, (Exact, Quotient)) else above.ring  # type: ignore[union-attr]
    return _as_quotient(ring, above) * _reciprocal(ring, below)


def _as_quotient(ring: Ring, x: object) -> Quotient:
    if isinstance(x, (Quotient, Exact)):
        if x.ring is not ring:
            raise WrongValue("Two exact numbers of different rings cannot be combined.")
        return x if isinstance(x, Quotient) else Quotient(ring, x, {})
    if isinstance(x, (int, Fraction)):
        return Quotient(ring, x, {})
    if isinstance(x, float) and Fraction(x).denominator <= 1024:
        return Quotient(ring, Fraction(x), {})
    raise NotExact(f"{x!r} is not an exact number.")


def _reciprocal(ring: Ring, x: object) -> Any:
    x = _as_quotient(ring, x)
    above = x.denominator
    if not isinstance(x.numerator, Exact):
        return above / Fraction(x.numerator)
    below, cofactor = _without_roots(x.numerator)
    if isinstance(below, (int, Fraction)):
        return above * cofactor / Fraction(below)
    scale, factors = _factors(below)
    return _cancelled(ring, above * cofactor / scale, factors, factors)


def _without_roots(x: Any) -> tuple[Any, Any]:
    """n, k with x k = n, n free of square roots."""
    cofactor: Any = 1
    for number in reversed(range(len(x.ring.radicands))):
        name = f"root[{number}]"
        if isinstance(x, Exact) and x.mask & x.ring.bits[name]:
            other = _conjugate(x, name)
            x, cofactor = x * other, cofactor * other
    if isinstance(x, (int, Fraction)) and x == 0:
        raise NotExact("A square root is divided by what is zero on one of its branches.")
    return x, cofactor


def _conjugate(x: Exact, name: str) -> Exact:
    """x with the sign of a generator changed."""
    k = x.ring.names.index(name)
    terms = {powers: -c if powers[k] % 2 else c for powers, c in x.polynomial.to_dict().items()}
    return Exact(x.ring, x.ring.context.from_dict(terms), x.mask)


def _factors(x: Exact) -> tuple[Fraction | int, Factors]:
    """x as a rational times a product of factors."""
    ring = x.ring
    if len(x.polynomial) > _FACTORED:
        scale = x.polynomial.leading_coefficient()
        whole = Exact(ring, x.polynomial / scale, x.mask)
        return plain(scale), {str(whole.polynomial): (whole, 1)}
    scale, found = x.polynomial.factor()
    powers: dict[str, list[Any]] = {str(p): [p, int(n)] for p, n in found}
    rational = plain(scale)
    for name in ring.names:  # (s - 1)(s + 1) = -c^2
        if name.startswith("sin("):
            s = ring.generators[name]
            less, more = powers.get(str(s - 1)), powers.get(str(s + 1))
            if less and more and (n := min(less[1], more[1])):
                less[1], more[1] = less[1] - n, more[1] - n
                c = ring.generators[f"cos{name[3:]}"]
                powers[str(c)] = [c, 2 * n + powers.get(str(c), [c, 0])[1]]
                rational = rational * (-1) ** n
    return rational, {key: (Exact(ring, p), n) for key, (p, n) in powers.items() if n}


def _cancelled(ring: Ring, numerator: Any, factors: Factors, tried: Iterable[str]) -> Any:
    """The quotient, after trying to divide the numerator by some of the factors."""
    if isinstance(numerator, (int, Fraction)):
        if numerator == 0:
            return 0
    else:
        factors = dict(factors)
        for key in list(tried):
            factor, n = factors[key]
            while (
                n and isinstance(numerator, Exact) and (q := _exact_quotient(numerator, factor)) is not None
            ):
                numerator, n = q, n - 1
            factors[key] = (factor, n)
    left = {key: (factor, n) for key, (factor, n) in factors.items() if n}
    return Quotient(ring, numerator, left) if left else numerator


def _exact_quotient(x: Exact, y: Exact) -> Any:
    """x / y if that is a polynomial (as far as can be found with reasonable work), else None."""
    ring = x.ring
    try:
        return ring.number(x.polynomial / y.polynomial)
    except DomainError:
        pass
    if not y.mask or len(x.polynomial) * len(y.polynomial) > _TRIED:
        return None
    norm, conjugates = _cleared(y)
    if norm is None:
        return None
    product: Any = x
    for other in conjugates:
        if _length(product) * _length(other) > _TRIED:
            return None
        product = product * other
    if isinstance(norm, (int, Fraction)):
        return product / norm if norm else None
    if not isinstance(product, Exact):
        return None
    try:
        return ring.number(product.polynomial / norm.polynomial)
    except DomainError:
        return None


def _cleared(y: Exact) -> tuple[Any, list[Any]]:
    """n and factors k with y k1 k2 ... = n, n free of cosines; None where that would take long."""
    ring, key = y.ring, str(y.polynomial)
    if key not in ring.cleared:
        norm: Any = y
        conjugates: list[Any] = []
        for name, bit in ring.bits.items():
            if isinstance(norm, Exact) and norm.mask & bit:
                if _length(norm) ** 2 > _TRIED:
                    norm = None
                    break
                conjugates.append(_conjugate(norm, name))
                norm = norm * conjugates[-1]
        ring.cleared[key] = norm, conjugates
    return ring.cleared[key]


def _length(x: Any) -> int:
    return len(x.polynomial) if isinstance(x, Exact) else 1


def _product(factors: Factors) -> Any:
    result: Any = Fraction(1)
    for factor, n in factors.values():
        result = result * factor**n
    return result


def _value(x: Any, at: Mapping[str, Any]) -> Any:
    return x.value(at) if isinstance(x, Exact) else x
