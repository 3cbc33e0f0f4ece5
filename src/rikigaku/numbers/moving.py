"""An exact number taken to another ring: laws of a robot that need other square roots have other rings.

Generators go by what they mean: variables by name, constant angles by their formula, square roots by what
stands under them.
"""

from collections.abc import Iterator
from typing import Any

from rikigaku.errors import NotExact
from rikigaku.numbers.exact import Exact, ExactNumber
from rikigaku.numbers.quotient import Quotient
from rikigaku.numbers.ring import Ring


def moved(x: ExactNumber, ring: Ring) -> Any:
    """The same number in another ring.

    Raises:
        NotExact: if the number holds a variable, an angle or a root the ring has no generator for.
    """
    if isinstance(x, Quotient) and x.ring is not ring:
        result = moved(x.numerator, ring)
        for factor, power in x.factors.values():
            result = result / moved(factor, ring) ** power
        return result
    if not isinstance(x, Exact) or x.ring is ring:
        return x
    meaning = {k: _generator(x.ring, name, ring) for k, name in _used(x)}
    return ring.number(_renamed(x, ring, meaning))


def equal(x: ExactNumber, y: ExactNumber) -> bool:
    """Whether two numbers are the same, of one ring or of two.

    What one ring has no generator for cannot stand in any number of that ring; so if neither number can be
    taken to the ring of the other, they differ.
    """
    for here, there in ((x, y), (y, x)):
        if isinstance(there, (Exact, Quotient)):
            try:
                return bool(moved(here, there.ring) == there)
            except NotExact:
                continue
    return not isinstance(x, (Exact, Quotient)) and not isinstance(y, (Exact, Quotient)) and x == y


def _used(x: Exact) -> Iterator[tuple[int, str]]:
    """Place and name of the generators that occur."""
    return ((k, x.ring.names[k]) for k, degree in enumerate(x.polynomial.degrees()) if degree)


def _renamed(x: Exact, ring: Ring, meaning: dict[int, Exact]) -> Any:
    places = {k: next(j for j, _ in _used(g)) for k, g in meaning.items()}
    terms = {}
    for powers, coefficient in x.polynomial.to_dict().items():
        new = [0] * len(ring.names)
        for k, j in places.items():
            new[j] = int(powers[k])
        terms[tuple(new)] = coefficient
    return ring.context.from_dict(terms)


def _generator(source: Ring, name: str, ring: Ring) -> Exact:
    """The generator of another ring that means the same."""
    if name.startswith("root["):
        radicand = source.radicands[int(name[5:-1])]
        root: Exact = ring.root(radicand if isinstance(radicand, int) else moved(radicand, ring))
        return root
    word, _, inside = name.partition("(")
    if inside.startswith("angle["):
        angle = source.constant_angles[int(inside[6:-2])]
        if angle in ring.constant_angles:
            return ring.variable(f"{word}(angle[{ring.constant_angles.index(angle)}])")
    elif name in ring.generators:
        return ring.variable(name)
    raise NotExact(f"{name} is not among the variables of the other ring.")
