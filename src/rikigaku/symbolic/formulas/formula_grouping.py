"""Common factors of a sum, taken out one after the other: a*x + a*y + b becomes a*(x + y) + b.

The sum is read as a polynomial in its factors (symbols, sines, sums) and in the inverses of those below
fraction bars: a/s**2 + b/s**2 becomes (a + b)/s**2. Polynomials that factor are written as
products; of others the factor that occurs in most terms is taken out, or a square of a sum is completed
(a**2 + 2*a*b + b**2 + c becomes (a + b)**2 + c), then the same is done with both parts.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import gcd, lcm
from typing import Any

from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx

from rikigaku.numbers.algebra_budget import charged, count_work
from rikigaku.numbers.flint_conversion import plain, rational
from rikigaku.numbers.formula import ZERO, Formula, product, total
from rikigaku.numbers.formula_layout import COMMON_DENOMINATORS, UNREADABLE, digits_shown, operations
from rikigaku.numbers.formula_terms import Factor, Monomial, Terms, in_order

# Terms up to which polynomials are factored, and several factors are tried.
_FACTORED, _TRIED = 200, 16
LARGEST_INTEGER = 999  # inside brackets, where a number is taken out
_BRACKETED = 4  # operations that a fraction in brackets counts more: x*(a/b + c) is read less easily
_FRACTION = 6  # operations that a fraction like 203/4318 counts more
_NESTED = 2  # operations that x*(x*a + b) counts more than it has
_KEPT = 4096  # sums of which the result is kept
_known: dict[Any, tuple[Formula, float]] = {}
_FEW_TIMES = 4  # 9.81 and 19.62 have a number in common; 0.154 and 0.263 have none worth writing


def length(formula: Formula) -> tuple[int, int]:
    """What is compared between forms: operations and numbers that no one can read, then characters."""
    return effort(formula), len(str(formula))


def effort(formula: Formula) -> int:
    """Operations, more for numbers that no one can read, fractions in brackets, and x*(x*a + b)."""
    return (
        operations(formula)
        + _FRACTION * (digits_shown(formula) // UNREADABLE)
        + _BRACKETED * _bracketed_fractions(formula.terms, False)
        + _NESTED * _nested_factors(formula.terms)
    )


@lru_cache(maxsize=65536)
def _bracketed_fractions(terms: Terms, inside: bool) -> int:
    """Fractions in sums that are factors of products."""
    count = 0
    for monomial, _ in terms:
        count += inside and any(power < 0 for _, power in monomial)
        count += sum(_bracketed_fractions(x.terms, True) for (kind, x), _ in monomial if kind == "sum")
    return count


@lru_cache(maxsize=65536)
def _nested_factors(terms: Terms, inside: bool = False) -> int:
    """Brackets with a factor in front that is a factor inside, too: a book prints x**2*a + x*b.

    x*(x + b) counts inside brackets only. Sums of decimals are no book's: they are nested where that is
    shorter.
    """
    count = 0
    for monomial, _ in terms:
        for place, ((kind, x), power) in enumerate(monomial):
            if kind == "sum" and all(c.denominator in COMMON_DENOMINATORS for _, c in x.terms):
                beside = {factor for k, (factor, n) in enumerate(monomial) if k != place and n > 0}
                alone = inside and sum(k == "sum" for (k, _), _ in monomial) == 1
                held = (factor for m, _ in x.terms for factor, n in m if n > 0 and (alone or len(m) > 1))
                count += power > 0 and bool(beside) and any(factor in beside for factor in held)
                count += _nested_factors(x.terms, True)
    return count


def shortest(forms: Iterable[Formula]) -> Formula:
    """The form of least `length`, the first of equal ones; characters are counted only where needed."""
    efforts = [(effort(form), form) for form in forms]
    least = min(cost for cost, _ in efforts)
    first, *others = (form for cost, form in efforts if cost == least)
    return min(first, *others, key=lambda form: len(str(form))) if others else first


def grouped(formula: Formula) -> Formula:
    """The sum with common factors taken out, or as it was where that is no shorter."""
    if len(formula.terms) < 2:
        return formula
    if len(_known) >= _KEPT:
        _known.clear()
    return charged(_known, formula, lambda: _grouped(formula))


def _grouped(formula: Formula) -> Formula:
    factors: dict[tuple[Factor, int], int] = {}  # a factor below a fraction bar is another one than above
    for monomial, _ in formula.terms:
        for factor, n in monomial:
            factors.setdefault((factor, 1 if n > 0 else -1), len(factors))
    if not factors:
        return formula
    context = fmpq_mpoly_ctx.get(tuple(f"z{k}" for k in range(len(factors))), Ordering.lex)
    terms: dict[tuple[int, ...], Any] = {}
    for monomial, coefficient in formula.terms:
        powers = [0] * len(factors)
        for factor, n in monomial:
            powers[factors[factor, 1 if n > 0 else -1]] = abs(n)
        terms[tuple(powers)] = rational(coefficient)
    atoms = [Formula((((power,), Fraction(1)),)) for power in factors]
    forms = [formula, _Grouping(atoms).best(context.from_dict(terms))]
    if any(n < 0 for _, n in factors):
        forms.append(_by_denominators(formula))
    return shortest(forms)


def _by_denominators(formula: Formula) -> Formula:
    """The sum with the numerators of equal denominators added and grouped."""
    numerators: dict[Monomial, list[Any]] = {}
    for monomial, coefficient in formula.terms:
        below = tuple((factor, n) for factor, n in monomial if n < 0)
        numerators.setdefault(below, []).append((tuple(x for x in monomial if x[1] > 0), coefficient))
    parts = []
    for below, terms in numerators.items():
        parts.append(product([(grouped(Formula(in_order(terms))), 1), (Formula(((below, Fraction(1)),)), 1)]))
    return total(parts)


class _Grouping:
    def __init__(self, atoms: list[Formula]) -> None:
        self.atoms = atoms
        self.known: dict[str, Formula] = {}

    def best(self, p: fmpq_mpoly) -> Formula:
        key = str(p)
        if key not in self.known:
            count_work(len(p))
            self.known[key] = self._best(p)
        return self.known[key]

    def _best(self, p: fmpq_mpoly) -> Formula:
        if len(p) <= 1:
            return self._flat(p)
        common = [min(int(m[k]) for m in p.monoms()) for k in range(len(self.atoms))]
        if any(common):
            rest = p / p.context().from_dict({tuple(common): 1})
            whole = product([(self.best(rest), 1), *self._powers(common)])
            again = [k for k, n in enumerate(common) if n and rest.degrees()[k]]
            return shortest((whole, *(self._by_powers(p, k) for k in again)))
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
            multiple = max(abs(c / content) for c in numbers)
            if multiple <= _FEW_TIMES and content.denominator not in COMMON_DENOMINATORS:
                whole = product([(self.best(p / rational(content)), 1)], content)  # 9.81 is written once
                if digits_shown(whole) < UNREADABLE:
                    return shortest((*candidates, whole))
            candidates.append(product([(self._flat(p / rational(content)), 1)], content))
        for k in self._frequent(p)[: 2 if len(p) <= _TRIED else 1]:
            inside, rest = _split(p, k)
            candidates.append(
                product([(self.atoms[k], 1), (self.best(inside), 1)]) + (self.best(rest) if rest else ZERO)
            )
            if inside.degrees()[k]:
                candidates.append(self._by_powers(p, k))
        if 3 <= len(p) <= _TRIED:
            candidates += self._with_square(p)
        return shortest(candidates)

    def _by_powers(self, p: fmpq_mpoly, k: int) -> Formula:
        """The sum of the terms with each power of a factor: x**2*(a + b) + x*c."""
        parts: dict[int, dict[Any, Any]] = {}
        for powers, c in p.to_dict().items():
            parts.setdefault(int(powers[k]), {})[powers] = c
        return total(
            self.best(p.context().from_dict(part)) for _, part in sorted(parts.items(), reverse=True)
        )

    def _with_square(self, p: fmpq_mpoly) -> Iterator[Formula]:
        """a**2 + 2*a*b + b**2 + c as (a + b)**2 + c, times a common factor."""
        context = p.context()
        terms = {tuple(map(int, m)): Fraction(plain(c)) for m, c in p.to_dict().items()}
        for both, c in terms.items():
            for i, j in combinations([k for k, n in enumerate(both) if n], 2):
                first, second = _moved(both, i, j), _moved(both, j, i)
                a, b = terms.get(first, Fraction(0)), terms.get(second, Fraction(0))
                if not a or c * c != 4 * a * b:
                    continue
                ratio = c / (2 * a)  # a x**2 + c x y + b y**2 = a (x + ratio y)**2
                inside = self.atoms[i] + product([(self.atoms[j], 1)], ratio)
                beside = [n - (k in (i, j)) for k, n in enumerate(both)]
                square = product([(inside, 2), *self._powers(beside)], a)
                rest = {m: rational(x) for m, x in terms.items() if m not in (both, first, second)}
                yield square + (self.best(context.from_dict(rest)) if rest else ZERO)

    def _squares(self, context: Any, powers: dict[str, list[Any]]) -> None:
        """(s - 1)(s + 1) = -c^2 for a sine, and for a cosine."""
        for k, atom in enumerate(self.atoms):
            (kind, inside), power = atom.terms[0][0][0]
            less, more = powers.get(str(context.gen(k) - 1)), powers.get(str(context.gen(k) + 1))
            if power == 1 and kind in ("sin", "cos") and less and more:
                n = min(less[1], more[1])
                less[1], more[1] = less[1] - n, more[1] - n
                other = inside.cos() if kind == "sin" else inside.sin()
                powers[f"square {k}"] = [product([(other, 2)], -1), n]

    def _frequent(self, p: fmpq_mpoly) -> list[int]:
        """Places of the factors that occur in two terms or more, the most frequent first."""
        counts = [sum(bool(m[k]) for m in p.monoms()) for k in range(len(self.atoms))]
        return sorted((k for k, n in enumerate(counts) if n > 1), key=lambda k: -counts[k])

    def _flat(self, p: fmpq_mpoly) -> Formula:
        return total(product(self._powers(powers), plain(c)) for powers, c in p.to_dict().items())

    def _powers(self, powers: Any) -> list[tuple[Formula, int]]:
        return [(self.atoms[k], int(n)) for k, n in enumerate(powers) if n]


def contents(coefficients: list[Fraction | int]) -> Fraction:
    """Common divisor of the coefficients, with the sign of the first."""
    below = lcm(*(c.denominator for c in coefficients))
    above = gcd(*(int(c * below) for c in coefficients))
    return Fraction(above if coefficients[0] > 0 else -above, below)


def _moved(powers: tuple[int, ...], to: int, of: int) -> tuple[int, ...]:
    """The exponents with one power of a factor replaced by another."""
    return tuple(n + (k == to) - (k == of) for k, n in enumerate(powers))


def _split(p: fmpq_mpoly, k: int) -> tuple[fmpq_mpoly, fmpq_mpoly]:
    """q and r with p = (generator k) q + r."""
    context = p.context()
    parts: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    for powers, c in p.to_dict().items():
        lower = (*powers[:k], powers[k] - 1, *powers[k + 1 :]) if powers[k] else powers
        parts[not powers[k]][lower] = c
    return context.from_dict(parts[0]), context.from_dict(parts[1])
