"""Sparse polynomials as data (exponents -> coefficient), from formulas and from printed text."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.numbers.formula import Formula

Terms = Mapping[tuple[int, ...], Fraction | int]


def polynomial(names: Sequence[str], formula: Formula) -> Terms:
    """A formula expanded to a polynomial in the named symbols.

    Raises:
        UnknownName: for another symbol. WrongValue: for what is no polynomial.
    """
    total: dict[tuple[int, ...], Fraction] = {}
    for monomial, coefficient in formula.terms:
        term: dict[tuple[int, ...], Fraction] = {(0,) * len(names): coefficient}
        for (kind, inside), power in monomial:
            if power < 0 or kind not in ("symbol", "sum"):
                raise WrongValue(f"{formula} is no polynomial in {', '.join(names)}.")
            if kind == "symbol" and inside not in names:
                raise UnknownName("variable", inside, names, "the system")
            base = _variable(names, inside) if kind == "symbol" else polynomial(names, inside)
            for _ in range(power):
                term = _product(term, base)
        for powers, c in term.items():
            total[powers] = total.get(powers, Fraction(0)) + c
    return {powers: c for powers, c in total.items() if c}


def printed(names: Sequence[str], text: str) -> Terms:
    """A polynomial multiplied out, as algebra programs print it: 3*x0^2*x1-x2."""
    place = {name: k for k, name in enumerate(names)}
    result: dict[tuple[int, ...], Fraction] = {}
    for part in text.replace(" ", "").replace("-", "+-").split("+"):
        if not part:
            continue
        coefficient, powers = Fraction(1), [0] * len(names)
        if part.startswith("-"):
            coefficient, part = Fraction(-1), part[1:]
        for factor in part.split("*"):
            base, _, exponent = factor.partition("^")
            if base in place:
                powers[place[base]] += int(exponent or 1)
            else:
                coefficient *= Fraction(base) ** int(exponent or 1)
        result[tuple(powers)] = result.get(tuple(powers), Fraction(0)) + coefficient
    return result


def _variable(names: Sequence[str], name: str) -> Terms:
    return {tuple(int(other == name) for other in names): 1}


def _product(a: Terms, b: Terms) -> dict[tuple[int, ...], Fraction]:
    result: dict[tuple[int, ...], Fraction] = {}
    for m, c in a.items():
        for n, d in b.items():
            powers = tuple(x + y for x, y in zip(m, n, strict=True))
            result[powers] = result.get(powers, Fraction(0)) + Fraction(c) * d
    return result
