"""Exact numbers as JSON: what comes back from a child process, and stays on disk.

Generators go by name; a square root by its radicand, for another ring may have it at another place.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rikigaku.numbers.exact import Exact, ExactNumber
from rikigaku.numbers.flint_rationals import plain, rational
from rikigaku.numbers.quotient import Factors, Quotient
from rikigaku.numbers.ring import Ring
from rikigaku.symbolic.loops.over import Over


def saved_numbers(ring: Ring, numbers: Sequence[ExactNumber | Over]) -> dict[str, Any]:
    """Numbers of one ring, with the square roots it has."""
    return {
        "roots": [_saved(x if isinstance(x, Exact) else Fraction(x)) for x in ring.radicands],
        "numbers": [_saved(x) for x in numbers],
    }


def restored_numbers(ring: Ring, data: Mapping[str, Any]) -> list[Any]:
    """The same numbers in a ring of the same variables.

    Raises:
        NoRootLeft: if the ring has no generators left for their square roots.
    """
    names: dict[str, str] = {}
    for k, radicand in enumerate(data["roots"]):
        root = ring.root(_restored(ring, radicand, names))
        names[f"root[{k}]"] = next(name for name in ring.names if root == ring.variable(name))
    return [_restored(ring, x, names) for x in data["numbers"]]


def _saved(x: Any) -> Any:
    if isinstance(x, Exact):
        used = [k for k, degree in enumerate(x.polynomial.degrees()) if degree]
        terms = [[[int(m[k]) for k in used], str(plain(c))] for m, c in x.polynomial.to_dict().items()]
        return {"names": [x.ring.names[k] for k in used], "terms": terms}
    if isinstance(x, Quotient):
        below = [[_saved(factor), n] for factor, n in x.factors.values()]
        return {"above": _saved(x.numerator), "below": below}
    if isinstance(x, Over):
        parts = [[list(powers), _saved(part)] for powers, part in x.parts.items()]
        return {"determinants": [_saved(d) for d in x.determinants], "parts": parts}
    return str(Fraction(x))


def _restored(ring: Ring, data: Any, names: dict[str, str]) -> Any:
    if isinstance(data, str):
        return Fraction(data)
    if "terms" in data:
        places = [ring.names.index(names.get(name, name)) for name in data["names"]]
        terms = {}
        for powers, coefficient in data["terms"]:
            whole = [0] * len(ring.names)
            for k, n in zip(places, powers, strict=True):
                whole[k] = n
            terms[tuple(whole)] = rational(Fraction(coefficient))
        return Exact(ring, ring.context.from_dict(terms))
    if "above" in data:
        factors: Factors = {}
        for below, n in data["below"]:
            factor = _restored(ring, below, names)
            factors[str(factor.polynomial)] = (factor, n)
        return Quotient(ring, _restored(ring, data["above"], names), factors)
    determinants = tuple(_restored(ring, d, names) for d in data["determinants"])
    return Over(determinants, {tuple(powers): _restored(ring, x, names) for powers, x in data["parts"]})
