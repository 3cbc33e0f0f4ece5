"""Partial derivatives of exact numbers with respect to one variable, all others held."""

from fractions import Fraction
from typing import Any

from rikigaku.core.errors import NotExact
from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.polynomial_ring import Ring


def derivative(x: ExactNumber, name: str) -> Any:
    """dx/d(name), where sines, cosines and roots depend on the variable too. Signs are treated as constant.

    Raises:
        NotExact: for an element of a unit quaternion, which does not vary alone.
    """
    if isinstance(x, (int, Fraction)):
        return 0
    ring = x.ring
    if any(name in group for group in ring.quaternions):
        raise NotExact(
            f"{name} is an element of a unit quaternion and does not vary alone; derivatives by rotations "
            "are those of the numeric law, `law.derivative(...)`."
        )
    if isinstance(x, Exact):
        return _of_polynomial(ring, x, name)
    total = derivative(x.numerator, name) / x.denominator
    for factor, power in x.denominator_factors.items():
        total = total - x * derivative(factor, name) * power / factor
    return total


def _of_polynomial(ring: Ring, x: Exact, name: str) -> Any:
    total = _partial(x, name)
    if name in ring.divisors:
        d = ring.divisors[name]
        inside = name if d == 1 else f"{name}/{d}"
        s, c = ring.variable(f"sin({inside})"), ring.variable(f"cos({inside})")
        turned = _partial(x, f"sin({inside})") * c - _partial(x, f"cos({inside})") * s
        total = total + turned * Fraction(1, d)
    for k, radicand in enumerate(ring.radicands):
        if (outer := _partial(x, f"root[{k}]")) and (inner := derivative(radicand, name)):
            total = total + outer * inner * ring.variable(f"root[{k}]") / (radicand * 2)
    return total


def _partial(x: Exact, generator: str) -> Any:
    """The derivative by one generator, the others held constant."""
    return x.ring.number(x.polynomial.derivative(x.ring.names.index(generator)))
