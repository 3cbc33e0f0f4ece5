"""Fractions modulo the ideal of the loops: the shortest form of y = N / D where the loops are closed.

y D - N joins the ideal, saturated by D (Rabinowitsch), with y above all other variables. Elements of the
Groebner basis that are linear in y, a y + b, give y = -b / a: a constant where the fraction is constant on
the loops, a polynomial where it is one. The shortest is taken.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.polynomial_algebra import coefficients
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.algebra.groebner import quick_basis
from rikigaku.symbolic.algebra.polynomial_system import System
from rikigaku.symbolic.algebra.sparse_polynomials import Terms
from rikigaku.symbolic.loops.independent_equations import generators

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.position_ideal import PositionIdeal

_LONGEST = 60  # terms of numerator and denominator: longer fractions take seconds
_MOST = 40  # fractions of one number


def shortest_fraction(ideal: "PositionIdeal", x: RationalFunction) -> Any:
    """The number with the coefficients of all generators outside the ideal in their shortest form."""
    numerator, denominator = x.numerator, x.denominator
    own = set(ideal.names)
    if not isinstance(denominator, Exact) or not set(generators(denominator)) <= own:
        return x
    others = [name for name in generators(numerator) if name not in own]
    parts = coefficients(numerator, others) if others else {(): numerator}
    if len(parts) > _MOST or len(denominator.polynomial) > _LONGEST:
        return x
    total: Any = 0
    for powers, part in parts.items():
        y = _shortest(ideal, part, denominator)
        for name, n in zip(others, powers, strict=True):
            y = y * ideal.ring.variable(name) ** n
        total = total + y
    return total


def _shortest(ideal: "PositionIdeal", numerator: Any, denominator: Exact) -> Any:
    """The shortest form of one fraction; itself where no basis is quick."""
    key = f"{numerator} / {denominator}"
    if key not in ideal.fractions:
        ideal.fractions[key] = _found(ideal, numerator, denominator)
    return ideal.fractions[key]


def _found(ideal: "PositionIdeal", numerator: Any, denominator: Exact) -> Any:
    given = numerator / denominator
    if ideal.basis is None or _terms(numerator) > _LONGEST:
        return given
    from rikigaku.symbolic.loops.position_ideal import terms

    best, shortest = given, _size(given)
    for names in (ideal.names, ideal.names[::-1]):  # forms without dependent coordinates, or with them
        constant = {(0,) * len(names): numerator}
        N = terms(numerator, names) if isinstance(numerator, Exact) else constant
        for p in _basis(ideal, names, N, terms(denominator, names)):
            if any(m[0] or m[1] > 1 for m in p) or not any(m[1] for m in p):
                continue
            a = _number(ideal, names, {m[2:]: c for m, c in p.items() if m[1]})
            b = _number(ideal, names, {m[2:]: c for m, c in p.items() if not m[1]})
            if _vanishes(a):
                continue
            y = -b / a
            if _size(y) < shortest and _equal(ideal, y, numerator, denominator):
                best, shortest = y, _size(y)
    return best


def _basis(ideal: "PositionIdeal", names: Sequence[str], N: Terms, D: Terms) -> Sequence[Terms]:
    """Groebner basis of the ideal with y D = N and (1/D) D = 1; empty where it is not quick."""
    assert ideal.basis is not None
    definition = {(0, 1, *m): c for m, c in D.items()}
    for m, c in N.items():
        definition[(0, 0, *m)] = -c
    inverse = {(1, 0, *m): c for m, c in D.items()}
    inverse[(0,) * (len(names) + 2)] = Fraction(-1)
    places = [ideal.basis.names.index(name) for name in names]
    lifted = [{(0, 0, *(m[k] for k in places)): c for m, c in p.items()} for p in ideal.basis.polynomials]
    basis = quick_basis(System.of(("1/D", "y", *names), [definition, inverse, *lifted]))
    return () if basis is None else basis.polynomials


def _equal(ideal: "PositionIdeal", y: Any, numerator: Any, denominator: Exact) -> bool:
    """Whether y = numerator / denominator on every component of the loops, without new zeros below.

    a may vanish on one of several components (a parallelogram and its crossed form), where a y + b = 0 says
    nothing. So the difference itself must be in the ideal.
    """
    above, below = (y.numerator, y.denominator) if hasattr(y, "ring") else (y, 1)
    if not _vanishes(ideal.reduced(numerator * below - above * denominator)):
        return False
    return not isinstance(below, Exact) or _only_zeros_of(ideal, below, denominator)


def _only_zeros_of(ideal: "PositionIdeal", x: Exact, denominator: Exact) -> bool:
    """Whether x is zero on the loops only where the denominator is: x = 0 and (1/D) D = 1 contradict."""
    from rikigaku.symbolic.loops.position_ideal import terms

    key = f"zeros of {x} among those of {denominator}"
    if key not in ideal.fractions:
        assert ideal.basis is not None
        names = ideal.names
        inverse = {(1, *m): c for m, c in terms(denominator, names).items()}
        inverse[(0,) * (len(names) + 1)] = Fraction(-1)
        zero = {(0, *m): c for m, c in terms(x, names).items()}
        lifted = [{(0, *m): c for m, c in p.items()} for p in ideal.basis.polynomials]
        basis = quick_basis(System.of(("1/D", *names), [inverse, zero, *lifted]))
        ideal.fractions[key] = basis is not None and basis.inconsistent
    return bool(ideal.fractions[key])


def _vanishes(x: Any) -> bool:
    return not hasattr(x, "ring") and x == 0


def _number(ideal: "PositionIdeal", names: Sequence[str], p: Mapping[Any, Any]) -> Any:
    """A polynomial in generators of the ideal as a number of its ring."""
    ring = ideal.ring
    places = [ring.names.index(name) for name in names]
    found = {}
    for m, c in p.items():
        full = [0] * len(ring.names)
        for place, n in zip(places, m, strict=True):
            full[place] = int(n)
        found[tuple(full)] = int(c)
    return ring.number(ring.context.from_dict(found))


def _size(x: Any) -> tuple[int, int]:
    """Terms, then degrees, of numerator and denominator together."""
    parts = (x.numerator, x.denominator) if hasattr(x, "ring") else (x,)
    degrees = [sum(map(int, m)) for p in parts if isinstance(p, Exact) for m in p.polynomial.monoms()]
    return sum(map(_terms, parts)) + 2 * (len(parts) == 2 and isinstance(parts[1], Exact)), sum(degrees)


def _terms(x: Any) -> int:
    return len(x.polynomial) if isinstance(x, Exact) else 1
