"""The shortest form of a number that is known in several equal forms, coefficient by coefficient.

A formula of a closed robot has many equal forms where its loops are closed. A textbook prints the coefficient
of each inertial parameter, m1 + zz1*c2**2/(l1**2*s12**2), not one fraction over a common denominator. So each
coefficient is taken from the form in which it has the fewest operations; equal ones are then collected.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from operator import itemgetter
from typing import Any

from rikigaku.numbers.algebra_budget import OutOfWork, work_left, work_limit
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.flint_conversion import fraction
from rikigaku.numbers.formula import ONE, ZERO, Formula, product, total
from rikigaku.numbers.polynomial_algebra import coefficients
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.formulas.formula_grouping import effort, grouped, shortest
from rikigaku.symbolic.formulas.textbook_form import TextbookForms

_Powers = tuple[int, ...]


def by_coefficients(
    forms: TextbookForms, equal: Sequence[Any], names: Sequence[str], work: float = inf
) -> Formula:
    """The number that all of `equal` are, as a sum over products of these generators.

    Of equally short coefficients those of the first are taken. work: that the search may take.
    """
    found = [_collected(x, names) for x in equal]
    unlike: dict[str, list[Any]] = {}  # coefficients that are no multiples of each other, in equal forms
    products: list[tuple[_Powers, str, Fraction]] = []
    for powers in dict.fromkeys(powers for parts in found for powers in parts):
        known = [parts[powers] for parts in found if powers in parts]
        if not (lead := _lead(known[0])):
            continue
        key = str(known[0] * (1 / lead))
        if key not in unlike:
            if len(known) < len(found):
                continue  # the coefficient vanishes in another form: it is zero
            unlike[key] = known
        products.append((powers, key, lead))
    units: dict[str, tuple[Formula, Fraction]] = {}
    for key, coefficient in _shortest_forms(forms, unlike, work).items():
        scale = coefficient.terms[0][1] if len(coefficient.terms) == 1 else Fraction(1)
        units[key] = product([(coefficient, 1)], 1 / scale), scale / _lead(unlike[key][0])
    beside: dict[Formula, Formula] = {}  # a coefficient -> the sum of all products that it is multiplied by
    for powers, key, lead in products:
        unit, scale = units[key]
        factors = [(forms.writer.formulas[name], n) for name, n in zip(names, powers, strict=True) if n]
        beside[unit] = beside.get(unit, ZERO) + product([*factors, (ONE, 1)], scale * lead)
    return grouped(total(product([(grouped(x), 1), (unit, 1)]) for unit, x in beside.items()))


def _shortest_forms(forms: TextbookForms, unlike: dict[str, list[Any]], work: float) -> dict[str, Formula]:
    """The shortest form of each coefficient, those of few terms first: each gets one at least."""
    quick = {key: min(known, key=_terms) for key, known in unlike.items()}
    found: dict[str, dict[int, Formula]] = {key: {} for key in unlike}
    every = [(x is not quick[key], _terms(x), key, k) for key, xs in unlike.items() for k, x in enumerate(xs)]
    with work_limit(work):
        for longer, _, key, k in sorted(every, key=itemgetter(0, 1)):
            if longer and work_left() < 0:
                break
            form = _form(forms, unlike[key][k])
            if not longer or work_left() >= 0:
                found[key][k] = form
    return {key: min((own[k] for k in sorted(own)), key=_effort) for key, own in found.items()}


def _terms(x: Any) -> int:
    """Terms of a number, those of all its fractions."""
    if isinstance(x, RationalFunction):
        return sum(map(_terms, x.parts.values()))
    return len(x.polynomial) if isinstance(x, Exact) else 1


def _lead(x: Any) -> Fraction:
    """A coefficient of a number, by which it is divided to compare it with others."""
    if isinstance(x, RationalFunction):
        return _lead(next(iter(x.parts.values())))
    return fraction(x.polynomial.leading_coefficient()) if isinstance(x, Exact) else Fraction(x)


def _effort(coefficient: Formula) -> int:
    """Operations of a coefficient, whose sign is one of the sum."""
    return min(effort(coefficient), effort(-coefficient))


def _collected(x: Any, names: Sequence[str]) -> dict[_Powers, Any]:
    """Powers of the generators -> coefficient, a polynomial or a sum of partial fractions."""
    if not isinstance(x, RationalFunction):
        return _parts(x, names)
    found: dict[_Powers, Any] = {}
    for exponents, numerator in x.parts.items():
        for powers, part in _parts(numerator, names).items():
            fraction = RationalFunction(x.ring, x.factors, {exponents: part}, x.partial)
            found[powers] = found[powers] + fraction if powers in found else fraction
    return found


def _parts(x: Any, names: Sequence[str]) -> dict[_Powers, Any]:
    return coefficients(x, names) if hasattr(x, "ring") else {(0,) * len(names): x}


def _form(forms: TextbookForms, x: Any) -> Formula:
    """The shortest form of one coefficient: as one fraction or as partial fractions."""
    if not isinstance(x, RationalFunction) or len(x.parts) == 1:
        return forms(x)
    apart = [forms(RationalFunction(x.ring, x.factors, {n: part}, x.partial)) for n, part in x.parts.items()]
    whole = forms(x)
    try:
        return shortest((grouped(total(apart)), whole))
    except OutOfWork:
        return shortest((total(apart), whole))
