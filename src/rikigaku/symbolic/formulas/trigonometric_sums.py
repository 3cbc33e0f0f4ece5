"""Sums of angles combined for reading: c2 c3 - s2 s3 becomes cos(q2 + q3), 1 - s^2 becomes c^2.

A polynomial is sorted by the other factors beside its sines and cosines. Each such part is rewritten exactly
in several ways, and the shortest is used: an angle b replaced by the sum (difference) of b and another one;
pairs of products combined one by one; squares of sines for squares of cosines.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from math import gcd, lcm
from typing import Any

from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx

from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.flint_conversion import plain, rational
from rikigaku.numbers.formula import ONE, ZERO, Formula, product
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter

Powers = tuple[int, ...]  # of the cosines of all angles, then of their sines
Part = dict[Powers, Fraction | int]
# Terms of one part beyond which only single pairs are combined.
_LARGEST_PART = 400


def combined(x: ExactNumber, writer: FormulaWriter, known: dict[Any, Formula]) -> Formula:
    """The number as a formula with combined angles; known: parts of this ring seen before."""
    if isinstance(x, (int, Fraction)):
        return Formula.of(x)
    if not isinstance(x, Exact):
        factors = [combined(factor, writer, known) for factor in x.factors]
        fractions = []
        for powers, numerator in x.parts.items():
            divisors = [(d, -n) for d, n in zip(factors, powers, strict=True) if n]
            fractions.append(product([(combined(numerator, writer, known), 1), *divisors]))
        return _total(fractions)
    ring = x.ring
    angles = [f"{name}/{d}" if d > 1 else name for name, d in ring.divisors.items()]
    places = [ring.names.index(f"{word}({angle})") for word in ("cos", "sin") for angle in angles]
    inside = [writer.angle(angle) for angle in angles]
    parts: dict[Powers, Part] = {}
    for powers, coefficient in x.polynomial.to_dict().items():
        beside = [int(n) for n in powers]
        for k in places:
            beside[k] = 0
        parts.setdefault(tuple(beside), {})[tuple(int(powers[k]) for k in places)] = plain(coefficient)
    terms = []
    for beside_it, part in parts.items():
        scale = _content(list(part.values()))
        unit: Part = {powers: c / scale for powers, c in part.items()}
        key = frozenset(unit.items())
        if key not in known:  # the same part often has several parameters as factor
            known[key] = _shortest(unit, inside)
        term = Formula.of(scale)
        for name, n in zip(ring.names, beside_it, strict=True):
            if n and name.startswith("root["):
                term = term * combined(ring.radicands[int(name[5:-1])], writer, known).sqrt()
            elif n:
                term = term * writer.formulas[name] ** n
        terms.append(term * known[key])
    return _total(terms)


def _content(coefficients: list[Fraction | int]) -> Fraction:
    """Common divisor of the coefficients, with the sign of the first."""
    below = lcm(*(c.denominator for c in coefficients))
    above = gcd(*(int(c * below) for c in coefficients))
    return Fraction(above if coefficients[0] > 0 else -above, below)


def _shortest(part: Part, angles: list[Formula]) -> Formula:
    n = len(angles)
    used = [k for k in range(n) if any(powers[k] or powers[n + k] for powers in part)]
    own = {tuple(powers[k] for k in (*used, *(n + k for k in used))): c for powers, c in part.items()}
    mine = [angles[k] for k in used]
    candidates = [_written(own, mine)]
    if len(own) > 1:
        candidates.append(_paired(own, mine))
        if len(own) <= _LARGEST_PART:
            candidates.append(_substituted(own, mine))
    return min(candidates, key=_length)


def _length(formula: Formula) -> tuple[int, int]:
    return len(formula.terms), sum(power for monomial, _ in formula.terms for _, power in monomial)


def _written(part: Part, angles: list[Formula]) -> Formula:
    return _total([_product(powers, angles) * Formula.of(c) for powers, c in part.items()])


def _product(powers: Powers, angles: list[Formula]) -> Formula:
    result = ONE
    for k, angle in enumerate(angles):
        result = result * angle.cos() ** powers[k] * angle.sin() ** powers[len(angles) + k]
    return result


def _total(terms: list[Formula]) -> Formula:
    total = ZERO
    for term in terms:
        total = total + term
    return total


# -- an angle replaced by a sum, everywhere -----------------------------------------------------------------
def _substituted(part: Part, angles: list[Formula]) -> Formula:
    """Greedy: the replacement that shortens most, as long as one does."""
    angles, n = list(angles), len(angles)
    context = fmpq_mpoly_ctx.get(tuple(f"y{k}" for k in range(2 * n)), Ordering.lex)
    polynomial = context.from_dict({powers: rational(c) for powers, c in part.items()})
    while True:
        shortest = min(_replacements(polynomial, n), key=lambda found: _size(found[0]), default=None)
        if shortest is None or _size(shortest[0]) >= _size(polynomial):
            break
        polynomial, i, j, sign = shortest
        angles[j] = angles[j] + angles[i] * sign
    for k in range(n):  # s^2 = 1 - c^2 instead
        exchanged = list(context.gens())
        exchanged[k], exchanged[n + k] = exchanged[n + k], exchanged[k]
        turned = polynomial.compose(*exchanged, ctx=context) % _circle(context, n, k)
        other = turned.compose(*exchanged, ctx=context)
        polynomial = min(polynomial, other, key=_size)
    return _written({tuple(map(int, p)): plain(c) for p, c in polynomial.to_dict().items()}, angles)


def _replacements(p: fmpq_mpoly, n: int) -> Iterator[tuple[fmpq_mpoly, int, int, int]]:
    """The polynomial with angle j replaced by the sum (or difference) of j and i, for every pair."""
    context = p.context()
    y, degrees = context.gens(), p.degrees()
    for i, j in permutations([k for k in range(n) if degrees[k] or degrees[n + k]], 2):
        for sign in (1, -1):
            c, s, ci, si = y[j], y[n + j], y[i], y[n + i]
            arguments = list(y)
            arguments[j], arguments[n + j] = c * ci + s * si * sign, s * ci - c * si * sign
            new = p.compose(*arguments, ctx=context)
            yield new % _circle(context, n, i) % _circle(context, n, j), i, j, sign


def _circle(context: Any, n: int, k: int) -> fmpq_mpoly:
    return context.gen(k) ** 2 + context.gen(n + k) ** 2 - 1


def _size(p: fmpq_mpoly) -> tuple[int, int]:
    return len(p), sum(sum(map(int, powers)) for powers in p.monoms())


# -- single pairs -------------------------------------------------------------------------------------------
def _paired(part: Part, angles: list[Formula]) -> Formula:
    """cos cos -+ sin sin and sin cos +- cos sin with equal coefficients combined, pair by pair."""
    left = dict(part)
    total = []
    for powers, c in part.items():
        found = next(_partners(powers, c, left, len(angles)), None) if powers in left else None
        if found is not None:
            partner, rest, i, j, sign, word = found
            del left[powers], left[partner]
            angle = angles[i] + angles[j] * sign
            total.append(
                _product(rest, angles) * (angle.sin() if word == "sin" else angle.cos()) * Formula.of(c)
            )
    return _total([_written(left, angles), *total])


def _partners(
    powers: Powers, c: Fraction | int, left: Part, n: int
) -> Iterator[tuple[Powers, Powers, int, int, int, str]]:
    """Terms that combine with this one into a cosine or sine of a sum times the `rest`."""
    for i, j in permutations(range(n), 2):
        # cos i cos j goes with sin i sin j, sin i cos j with cos i sin j
        for word, first, its in (("cos", i, (n + i, n + j)), ("sin", n + i, (i, n + j))):
            if (word == "cos" and i > j) or not (powers[first] and powers[j]):
                continue
            rest = _changed(powers, (first, j), -1)
            partner = _changed(rest, its, 1)
            other = left.get(partner, 0)
            if other and abs(other) == abs(c):
                same = 1 if other == c else -1
                yield partner, rest, i, j, -same if word == "cos" else same, word


def _changed(powers: Powers, places: tuple[int, int], by: int) -> Powers:
    return tuple(n + by if k in places else n for k, n in enumerate(powers))
