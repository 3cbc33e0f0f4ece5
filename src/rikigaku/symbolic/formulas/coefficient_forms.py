"""The shortest form of a number that is known in several equal forms, coefficient by coefficient.

A formula of a closed robot has many equal forms where its loops are closed. A textbook prints the coefficient
of each inertial parameter, m1 + zz1*c2**2/(l1**2*s12**2), not one fraction over a common denominator. So each
coefficient is taken from the form in which it has the fewest operations; equal ones are then collected.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rikigaku.numbers.algebra_budget import count_work
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.flint_conversion import fraction
from rikigaku.numbers.formula import ONE, ZERO, Formula, product, total
from rikigaku.numbers.polynomial_algebra import coefficients
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.formulas.formula_grouping import effort, grouped, shortest
from rikigaku.symbolic.formulas.textbook_form import TextbookForms

_Powers = tuple[int, ...]


def by_coefficients(forms: TextbookForms, equal: Sequence[Any], names: Sequence[str]) -> Formula:
    """The number that all of `equal` are, as a sum over products of these generators.

    Of equally short coefficients those of the first are taken.
    """
    found = [_collected(x, names) for x in equal]
    first: dict[str, tuple[Formula, Fraction]] = {}  # of coefficients that are multiples of each other
    beside: dict[Formula, Formula] = {}  # a coefficient -> the sum of all products that it is multiplied by
    for powers in dict.fromkeys(powers for parts in found for powers in parts):
        count_work(1)
        known = [parts[powers] for parts in found if powers in parts]
        if not (lead := _lead(known[0])):
            continue
        key = str(known[0] * (1 / lead))
        if key not in first:
            if len(known) < len(found):
                continue  # the coefficient vanishes in another form: it is zero
            coefficient = min((_form(forms, x) for x in known), key=_effort)
            scale = coefficient.terms[0][1] if len(coefficient.terms) == 1 else Fraction(1)
            first[key] = product([(coefficient, 1)], 1 / scale), scale / lead
        unit, scale = first[key]
        factors = [(forms.writer.formulas[name], n) for name, n in zip(names, powers, strict=True) if n]
        beside[unit] = beside.get(unit, ZERO) + product([*factors, (ONE, 1)], scale * lead)
    return grouped(total(product([(grouped(x), 1), (unit, 1)]) for unit, x in beside.items()))


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
    return shortest((grouped(total(apart)), forms(x)))
