"""An exact number as a polynomial in some of its generators."""

from collections.abc import Sequence
from typing import Any

from rikigaku.numbers.exact import Exact
from rikigaku.numbers.kind import Number


def coefficients(x: Exact, generators: Sequence[str]) -> dict[tuple[int, ...], Number]:
    """What stands beside each product of powers of the generators, by their exponents."""
    ring = x.ring
    places = [ring.names.index(name) for name in generators]
    parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
    for powers, c in x.polynomial.to_dict().items():
        rest = list(powers)
        for k in places:
            rest[k] = 0
        parts.setdefault(tuple(int(powers[k]) for k in places), {})[tuple(rest)] = c
    return {key: ring.number(ring.context.from_dict(part)) for key, part in parts.items()}
