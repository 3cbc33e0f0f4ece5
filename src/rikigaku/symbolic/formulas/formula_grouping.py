"""Common factors of a sum, taken out one after the other: a*x + a*y + b becomes a*(x + y) + b.

The sum is read as a polynomial in its factors (symbols, sines, sums). Polynomials that factor are written as
products; of others the factor that occurs in most terms is taken out, then the same is done with both parts.
"""

from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Any

from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx

from rikigaku.numbers.flint_conversion import plain, rational
from rikigaku.numbers.formula import ZERO, Formula, product
from rikigaku.numbers.formula_layout import UNREADABLE, digits_shown, operations
from rikigaku.numbers.formula_terms import Factor

# Terms up to which polynomials are factored, and several factors are tried.
_FACTORED, _TRIED = 200, 16
LARGEST_INTEGER = 999  # inside brackets, where a number is taken out


def length(formula: Formula) -> tuple[int, int]:
    """What is compared between forms: operations and numbers that no one can read, then characters."""
    return operations(formula) + 2 * (digits_shown(formula) // UNREADABLE), len(str(formula))


@lru_cache(maxsize=4096)
def grouped(formula: Formula) -> Formula:
    """The sum with common factors taken out, or as it was where that is no shorter."""
    if len(formula.terms) < 2 or any(n < 0 for monomial, _ in formula.terms for _, n in monomial):
        return formula
    factors: dict[Factor, int] = {}
    for monomial, _ in formula.terms:
        for factor, _ in monomial:
            factors.setdefault(factor, len(factors))
    if not factors:
        return formula
    context = fmpq_mpoly_ctx.get(tuple(f"z{k}" for k in range(len(factors))), Ordering.lex)
    terms: dict[tuple[int, ...], Any] = {}
    for monomial, coefficient in formula.terms:
        powers = [0] * len(factors)
        for factor, n in monomial:
            powers[factors[factor]] = n
        terms[tuple(powers)] = rational(coefficient)
    atoms = [Formula(((((factor, 1),), Fraction(1)),)) for factor in factors]
    return min(formula, _Grouping(atoms).best(context.from_dict(terms)), key=length)


class _Grouping:
    def __init__(self, atoms: list[Formula]) -> None:
        self.atoms = atoms
        self.known: dict[str, Formula] = {}

    def best(self, p: fmpq_mpoly) -> Formula:
        key = str(p)
        if key not in self.known:
            self.known[key] = self._best(p)
        return self.known[key]

    def _best(self, p: fmpq_mpoly) -> Formula:
        if len(p) <= 1:
            return self._flat(p)
        common = [min(int(m[k]) for m in p.monoms()) for k in range(len(self.atoms))]
        if any(common):
            context = p.context()
            return product([(self.best(p / context.from_dict({tuple(common): 1})), 1), *self._powers(common)])
        if len(p) <= _FACTORED:
            scale, found = p.factor()
            if len(found) > 1 or any(int(n) > 1 for _, n in found):
                powers: dict[str, list[Any]] = {str(f): [self.best(f), int(n)] for f, n in found}
                self._squares(p.context(), powers)
                return product([(f, n) for f, n in powers.values()], Fraction(plain(scale)))
        candidates = [self._flat(p)]
        numbers = [plain(c) for c in p.coeffs()]
        content = contents(numbers)
        if content != 1 and max(abs(c / content) for c in numbers) <= LARGEST_INTEGER:
            candidates.append(product([(self._flat(p / rational(content)), 1)], content))
        for k in self._frequent(p)[: 2 if len(p) <= _TRIED else 1]:
            inside, rest = _split(p, k)
            candidates.append(
                product([(self.atoms[k], 1), (self.best(inside), 1)]) + (self.best(rest) if rest else ZERO)
            )
        return min(candidates, key=length)

    def _squares(self, context: Any, powers: dict[str, list[Any]]) -> None:
        """(s - 1)(s + 1) = -c^2 for a sine, and for a cosine."""
        for k, atom in enumerate(self.atoms):
            kind, inside = atom.terms[0][0][0][0]
            less, more = powers.get(str(context.gen(k) - 1)), powers.get(str(context.gen(k) + 1))
            if kind in ("sin", "cos") and less and more:
                n = min(less[1], more[1])
                less[1], more[1] = less[1] - n, more[1] - n
                other = inside.cos() if kind == "sin" else inside.sin()
                powers[f"square {k}"] = [product([(other, 2)], -1), n]

    def _frequent(self, p: fmpq_mpoly) -> list[int]:
        """Places of the factors that occur in two terms or more, the most frequent first."""
        counts = [sum(bool(m[k]) for m in p.monoms()) for k in range(len(self.atoms))]
        return sorted((k for k, n in enumerate(counts) if n > 1), key=lambda k: -counts[k])

    def _flat(self, p: fmpq_mpoly) -> Formula:
        total = ZERO
        for powers, c in p.to_dict().items():
            total = total + product(self._powers(powers), plain(c))
        return total

    def _powers(self, powers: Any) -> list[tuple[Formula, int]]:
        return [(self.atoms[k], int(n)) for k, n in enumerate(powers) if n]


def contents(coefficients: list[Fraction | int]) -> Fraction:
    """Common divisor of the coefficients, with the sign of the first."""
    below = lcm(*(c.denominator for c in coefficients))
    above = gcd(*(int(c * below) for c in coefficients))
    return Fraction(above if coefficients[0] > 0 else -above, below)


def _split(p: fmpq_mpoly, k: int) -> tuple[fmpq_mpoly, fmpq_mpoly]:
    """q and r with p = (generator k) q + r."""
    context = p.context()
    parts: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    for powers, c in p.to_dict().items():
        lower = (*powers[:k], powers[k] - 1, *powers[k + 1 :]) if powers[k] else powers
        parts[not powers[k]][lower] = c
    return context.from_dict(parts[0]), context.from_dict(parts[1])
