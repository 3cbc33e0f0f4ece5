"""A formula as one fraction of factored polynomials: L3**2 - L3**2*(b**2 + e**2)/b**2 is -L3**2*e**2/b**2.

Symbols, sines and roots are generators of the polynomials; relations between them are not used.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx

from rikigaku.numbers.algebra_budget import OutOfWork, work_limit
from rikigaku.numbers.flint_conversion import plain, rational
from rikigaku.numbers.formula import Formula, product, total
from rikigaku.numbers.formula_terms import Factor
from rikigaku.symbolic.formulas.formula_grouping import grouped, shortest

_LARGEST = 200  # terms of a polynomial that is factored
_WORK = 5_000.0


@lru_cache(maxsize=4096)
def factored_fraction(formula: Formula) -> Formula:
    """The formula as one fraction, factored, or with common factors taken out, whichever is shortest."""
    if len(formula.terms) < 2:
        return formula
    forms = [formula]
    try:
        with work_limit(_WORK):
            forms.append(grouped(formula))
            forms.extend(_fractions(formula))
    except OutOfWork:
        pass
    return shortest(forms)


def _fractions(formula: Formula) -> list[Formula]:
    generators: dict[Factor, int] = {}
    _collect(formula, generators)
    if not generators:
        return []
    context = fmpq_mpoly_ctx.get(tuple(f"x{k}" for k in range(len(generators))), Ordering.lex)
    above, below = _quotient(formula, generators, context)
    if len(above) > _LARGEST or len(below) > _LARGEST:
        return []
    common = above.gcd(below)
    above, below = above / common, below / common
    atoms = [Formula((((((kind, inside), 1),), Fraction(1)),)) for kind, inside in generators]
    if not above:
        return [Formula(())]
    return [product([*_factors(above, atoms, 1), *_factors(below, atoms, -1)])]


def _collect(formula: Formula, generators: dict[Factor, int]) -> None:
    for monomial, _ in formula.terms:
        for factor, _ in monomial:
            if factor[0] == "sum":
                _collect(factor[1], generators)
            else:
                generators.setdefault(factor, len(generators))


def _quotient(formula: Formula, generators: dict[Factor, int], context: Any) -> tuple[fmpq_mpoly, fmpq_mpoly]:
    above, below = context.constant(0), context.constant(1)
    for monomial, coefficient in formula.terms:
        n, d = context.constant(rational(coefficient)), context.constant(1)
        for (kind, inside), power in monomial:
            if kind == "sum":
                up, down = _quotient(inside, generators, context)
            else:
                up, down = context.gen(generators[kind, inside]), context.constant(1)
            if power < 0:
                up, down = down, up
            n, d = n * up ** abs(power), d * down ** abs(power)
        above, below = above * d + n * below, below * d
    return above, below


def _factors(p: fmpq_mpoly, atoms: list[Formula], sign: int) -> list[tuple[Formula, int]]:
    scale, found = p.factor()
    numbers = [(Formula.of(plain(scale)), sign)]
    return [*numbers, *((grouped(_written(f, atoms)), sign * int(n)) for f, n in found)]


def _written(p: fmpq_mpoly, atoms: list[Formula]) -> Formula:
    return total(
        product([(atoms[k], int(n)) for k, n in enumerate(powers) if n], plain(c))
        for powers, c in p.to_dict().items()
    )
