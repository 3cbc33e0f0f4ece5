"""Transfer of exact numbers between rings: laws that need different square roots have different rings.

Corresponding generators are found as follows: variables by name, constant angles by formula, square roots by
their radicands.
"""

from collections.abc import Iterator
from typing import Any

from rikigaku.core.errors import NotExact
from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.numbers.rational_function import RationalFunction


def moved(x: ExactNumber, ring: Ring) -> Any:
    """The same number in another ring.

    Raises:
        NotExact: if the number holds a variable, an angle or a root the ring has no generator for.
    """
    if isinstance(x, RationalFunction) and x.ring is not ring:
        result = moved(x.numerator, ring)
        for factor, power in x.denominator_factors.items():
            result = result / moved(factor, ring) ** power
        return result
    if not isinstance(x, Exact) or x.ring is ring:
        return x
    generators = {k: _generator(x.ring, name, ring) for k, name in _used(x)}
    return ring.number(_renamed(x, ring, generators))


def equal(x: ExactNumber, y: ExactNumber) -> bool:
    """Whether two numbers are the same, of one ring or of two.

    If neither number can be transferred to the ring of the other, each holds a generator that the other
    ring lacks, so they differ.
    """
    for moving, fixed in ((x, y), (y, x)):
        if isinstance(fixed, (Exact, RationalFunction)):
            try:
                return bool(moved(moving, fixed.ring) == fixed)
            except NotExact:
                continue
    return (
        not isinstance(x, (Exact, RationalFunction))
        and not isinstance(y, (Exact, RationalFunction))
        and x == y
    )


def _used(x: Exact) -> Iterator[tuple[int, str]]:
    """Place and name of the generators that occur."""
    return ((k, x.ring.names[k]) for k, degree in enumerate(x.polynomial.degrees()) if degree)


def _renamed(x: Exact, ring: Ring, generators: dict[int, Exact]) -> Any:
    places = {k: next(j for j, _ in _used(g)) for k, g in generators.items()}
    terms = {}
    for powers, coefficient in x.polynomial.to_dict().items():
        new = [0] * len(ring.names)
        for k, j in places.items():
            new[j] = int(powers[k])
        terms[tuple(new)] = coefficient
    return ring.context.from_dict(terms)


def _generator(source: Ring, name: str, ring: Ring) -> Exact:
    """The corresponding generator of another ring."""
    if name.startswith("root["):
        radicand = source.radicands[int(name[5:-1])]
        root: Exact = ring.root(radicand if isinstance(radicand, int) else moved(radicand, ring))
        return root
    function, _, inside = name.partition("(")
    if inside.startswith("angle["):
        angle = source.constant_angles[int(inside[6:-2])]
        if angle in ring.constant_angles:
            return ring.variable(f"{function}(angle[{ring.constant_angles.index(angle)}])")
    elif name in ring.generators:
        return ring.variable(name)
    raise NotExact(f"{name} is not among the variables of the other ring.")
