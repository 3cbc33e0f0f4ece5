"""Coefficients, factors and exact quotients of polynomials modulo the relations of sines, cosines and roots.

A divisor with cosines or roots is cleared of them by its conjugates: y k1 k2 ... = n with n free of cosines.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint.utils.flint_exceptions import DomainError

from rikigaku.core.errors import NotExact
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.flint_conversion import plain
from rikigaku.numbers.number_kind import Number

Factors = dict[Exact, int]  # factor -> exponent

# Terms up to which a polynomial is factored.
_LONGEST_FACTORED = 2_000
# Products of terms up to which a division is tried that has to clear cosines.
_LONGEST_DIVISION = 500_000


def without_roots(x: Any) -> tuple[Any, Any]:
    """n, k with x k = n, n free of square roots."""
    cofactor: Any = 1
    for number in reversed(range(len(x.ring.radicands))):
        name = f"root[{number}]"
        if isinstance(x, Exact) and x.mask & x.ring.bits[name]:
            other = _conjugate(x, name)
            x, cofactor = x * other, cofactor * other
    if isinstance(x, (int, Fraction)) and x == 0:
        raise NotExact("The divisor is zero for one sign of a square root in it.")
    return x, cofactor


def _conjugate(x: Exact, name: str) -> Exact:
    """x with the sign of a generator changed."""
    k = x.ring.names.index(name)
    terms = {powers: -c if powers[k] % 2 else c for powers, c in x.polynomial.to_dict().items()}
    return Exact(x.ring, x.ring.context.from_dict(terms), x.mask)


def factored(x: Exact) -> tuple[Fraction | int, Factors]:
    """x as a rational number times a product of factors."""
    ring = x.ring
    if len(x.polynomial) > _LONGEST_FACTORED:
        scale = x.polynomial.leading_coefficient()
        return plain(scale), {Exact(ring, x.polynomial / scale, x.mask): 1}
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
    return rational, {Exact(ring, p): n for p, n in powers.values() if n}


def exact_quotient(x: Exact, y: Exact) -> Any:
    """x / y if that is a polynomial (as far as can be found with reasonable work), else None."""
    ring = x.ring
    try:
        return ring.number(x.polynomial / y.polynomial)
    except DomainError:
        pass
    if not y.mask or len(x.polynomial) * len(y.polynomial) > _LONGEST_DIVISION:
        return None
    norm, conjugates = _norm(y)
    if norm is None:
        return None
    product: Any = x
    for other in conjugates:
        if term_count(product) * term_count(other) > _LONGEST_DIVISION:
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


def _norm(y: Exact) -> tuple[Any, list[Any]]:
    """n and conjugates k with y k1 k2 ... = n, n free of cosines; None where that would take long."""
    ring, key = y.ring, str(y.polynomial)
    if key not in ring.norms:
        norm: Any = y
        conjugates: list[Any] = []
        for name, bit in ring.bits.items():
            if isinstance(norm, Exact) and norm.mask & bit:
                if term_count(norm) ** 2 > _LONGEST_DIVISION:
                    norm = None
                    break
                conjugates.append(_conjugate(norm, name))
                norm = norm * conjugates[-1]
        ring.norms[key] = norm, conjugates
    return ring.norms[key]


def term_count(x: Any) -> int:
    return len(x.polynomial) if isinstance(x, Exact) else 1


def coefficients(x: Exact, generators: Sequence[str]) -> dict[tuple[int, ...], Number]:
    """Coefficients of x as a polynomial in these generators, by their exponents."""
    ring = x.ring
    places = [ring.names.index(name) for name in generators]
    parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
    for powers, c in x.polynomial.to_dict().items():
        rest = list(powers)
        for k in places:
            rest[k] = 0
        parts.setdefault(tuple(int(powers[k]) for k in places), {})[tuple(rest)] = c
    return {key: ring.number(ring.context.from_dict(part)) for key, part in parts.items()}


def without_common_factor(*numbers: Any) -> list[Any]:
    """Coefficients of one equation, divided by their common factor; rational ones are left alone."""
    polynomials = [x.polynomial for x in numbers if isinstance(x, Exact)]
    if not polynomials or len(polynomials) < sum(not is_zero(x) for x in numbers):
        return list(numbers)
    common = polynomials[0]
    for p in polynomials[1:]:
        common = common.gcd(p)
    if common.total_degree() <= 0:
        return list(numbers)
    return [x.ring.number(x.polynomial / common) if isinstance(x, Exact) else x for x in numbers]
