"""Equations without what is common to all their coefficients."""

from typing import Any

from rikigaku.numbers.exact import Exact
from rikigaku.numbers.functions import is_zero


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
