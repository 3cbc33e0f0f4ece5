"""A polynomial in sines and cosines, written in other angles or with other powers of them.

Every function returns an equal polynomial modulo c^2 + s^2 = 1: angles replaced by sums (cos(q2 + q3)),
doubled angles (sin(2 q)), squares of cosines for squares of sines, and forms that are homogeneous in the sine
and cosine of an angle. Homogeneous forms factor where others do not: 1 - 2 s^2 is c^2 - s^2 = (c - s)(c + s).
"""

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any, NamedTuple

from flint import fmpq_mpoly

from rikigaku.numbers.algebra_budget import count_work
from rikigaku.numbers.formula import Formula

# Representations that are tried for a factorisation.
_MOST_FORMS = 16
# Terms of a polynomial in half angles up to which it is factored.
_LONGEST_HALF = 2_000


class TrigonometricPolynomial(NamedTuple):
    """A polynomial in the cosines y[k] and sines y[n + k] of `angles`, and other generators behind them."""

    polynomial: fmpq_mpoly
    angles: tuple[Formula, ...]

    @property
    def used(self) -> list[int]:
        """Places of the angles that occur."""
        n, degrees = len(self.angles), self.polynomial.degrees()
        return [k for k in range(n) if degrees[k] or degrees[n + k]]

    @property
    def size(self) -> tuple[int, int]:
        """Number of terms, and sum of their degrees."""
        return len(self.polynomial), sum(sum(map(int, powers)) for powers in self.polynomial.monoms())


def circle(context: Any, n: int, k: int) -> fmpq_mpoly:
    """c^2 + s^2 - 1 of an angle."""
    return context.gen(k) ** 2 + context.gen(n + k) ** 2 - 1


def with_sums(p: TrigonometricPolynomial) -> TrigonometricPolynomial:
    """Greedy: an angle is replaced by its sum with another one where that shortens most, until none does."""
    while True:
        shortest = min(_sums(p), key=lambda found: found.size, default=p)
        if shortest.size >= p.size:
            return p
        p = shortest


def _sums(p: TrigonometricPolynomial) -> Iterator[TrigonometricPolynomial]:
    """The polynomial with angle j replaced by the sum (or difference) of j and i, for every pair."""
    context, n = p.polynomial.context(), len(p.angles)
    y = context.gens()
    for i, j in permutations(p.used, 2):
        for sign in (1, -1):
            c, s, ci, si = y[j], y[n + j], y[i], y[n + i]
            arguments = list(y)
            arguments[j], arguments[n + j] = c * ci + s * si * sign, s * ci - c * si * sign
            new = p.polynomial.compose(*arguments, ctx=context)
            new = new % circle(context, n, i) % circle(context, n, j)
            yield TrigonometricPolynomial(new, _replaced(p.angles, j, p.angles[j] + p.angles[i] * sign))


def _replaced(angles: tuple[Formula, ...], k: int, angle: Formula) -> tuple[Formula, ...]:
    return (*angles[:k], angle, *angles[k + 1 :])


def with_cosines(p: fmpq_mpoly, n: int, k: int) -> fmpq_mpoly:
    """s^2 = 1 - c^2 used everywhere for one angle; c^2 = 1 - s^2 is the normal form."""
    context = p.context()
    exchanged = list(context.gens())
    exchanged[k], exchanged[n + k] = exchanged[n + k], exchanged[k]
    return (p.compose(*exchanged, ctx=context) % circle(context, n, k)).compose(*exchanged, ctx=context)


def shortest_squares(p: TrigonometricPolynomial) -> TrigonometricPolynomial:
    """Squares of sines or of cosines, angle by angle, whichever is shorter."""
    for k in p.used:
        other = p._replace(polynomial=with_cosines(p.polynomial, len(p.angles), k))
        p = min(p, other, key=lambda found: found.size)
    return p


def doubled(p: TrigonometricPolynomial) -> TrigonometricPolynomial:
    """Angles of which all terms have even degree, doubled: sin(2 q) for 2 s c, 1 - cos(2 q) for 2 s^2."""
    context, n = p.polynomial.context(), len(p.angles)
    for k in p.used:
        degrees = [int(m[k]) + int(m[n + k]) for m in p.polynomial.monoms()]
        if max(degrees) < 2 or any(degree % 2 for degree in degrees):
            continue
        C, S = context.gen(k), context.gen(n + k)
        total = context.constant(0)
        for powers, coefficient in p.polynomial.to_dict().items():
            c, s = int(powers[k]), int(powers[n + k])
            rest = list(powers)
            rest[k] = rest[n + k] = 0
            term = context.from_dict({tuple(rest): coefficient}) * (S / 2) ** (c % 2)
            total += term * ((1 + C) / 2) ** (c // 2) * ((1 - C) / 2) ** (s // 2)
        total = total % circle(context, n, k)
        p = TrigonometricPolynomial(total, _replaced(p.angles, k, p.angles[k] * 2))
    return p


def parity_parts(p: TrigonometricPolynomial, k: int) -> list[TrigonometricPolynomial]:
    """The terms of even degree in sine and cosine of an angle, and those of odd degree."""
    context, n = p.polynomial.context(), len(p.angles)
    parts: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    for powers, coefficient in p.polynomial.to_dict().items():
        parts[(int(powers[k]) + int(powers[n + k])) % 2][powers] = coefficient
    return [p._replace(polynomial=context.from_dict(part)) for part in parts if part]


def forms(p: TrigonometricPolynomial) -> Iterator[fmpq_mpoly]:
    """Equal polynomials, of which one may factor: homogeneous in an angle, in its sine, in its cosine."""
    n = len(p.angles)
    choices = []
    for k in p.used:
        degrees = [int(m[k]) + int(m[n + k]) for m in p.polynomial.monoms()]
        if max(degrees) < 2:
            choices.append([(k, "as it is")])
        elif len({degree % 2 for degree in degrees}) == 1:
            choices.append([(k, "homogeneous"), (k, "cosines"), (k, "as it is")])
        else:
            choices.append([(k, "as it is"), (k, "cosines")])
    for count, choice in enumerate(product(*choices)):
        if count == _MOST_FORMS:
            return
        form = p.polynomial
        for k, kind in choice:
            if kind == "homogeneous":
                form = _homogeneous(form, n, k)
            elif kind == "cosines":
                form = with_cosines(form, n, k)
        yield form


def half_angle_factors(p: TrigonometricPolynomial) -> list[tuple[fmpq_mpoly, int]]:
    """Factors found with t = tan(q/2), for angles with terms of even and of odd degree; else an empty list.

    With c = (1 - t^2)/(1 + t^2) and s = 2 t/(1 + t^2) a polynomial of degree d is one in t over (1 + t^2)^d;
    a factor of degree 2 e in t is again a polynomial in sine and cosine, over (1 + t^2)^e.
    """
    context, n = p.polynomial.context(), len(p.angles)
    mixed = [k for k in p.used if _is_mixed(p, k)]
    form, degrees = p.polynomial, {}
    for k in mixed:
        degrees[k] = max(int(m[k]) + int(m[n + k]) for m in form.monoms())
        t, total = context.gen(k), context.constant(0)
        for powers, coefficient in form.to_dict().items():
            c, s = int(powers[k]), int(powers[n + k])
            rest = list(powers)
            rest[k] = rest[n + k] = 0
            unit = (1 + t**2) ** (degrees[k] - c - s)
            total += context.from_dict({tuple(rest): coefficient}) * unit * (1 - t**2) ** c * (2 * t) ** s
        form = total
        count_work(len(form))
        if len(form) > _LONGEST_HALF:
            return []
    for k in p.used:
        if k not in mixed:
            form = _homogeneous(form, n, k)
    scale, found = form.factor()
    factors = [(f, int(count)) for f, count in found]
    for k in mixed:
        halves = [(int(f.degrees()[k]) + 1) // 2 * count for f, count in factors]
        if sum(halves) != degrees[k]:
            return []
        factors = [(_from_half_angle(f, n, k), count) for f, count in factors]
    for k in p.used:
        factors = [(f % circle(context, n, k), count) for f, count in factors]
    numbers = [(f, count) for f, count in factors if f.total_degree() <= 0]
    factors = [(f, count) for f, count in factors if f.total_degree() > 0]
    return (
        [(context.constant(scale), 1), *numbers, *factors] if sum(count for _, count in factors) > 1 else []
    )


def _is_mixed(p: TrigonometricPolynomial, k: int) -> bool:
    n = len(p.angles)
    return len({(int(m[k]) + int(m[n + k])) % 2 for m in p.polynomial.monoms()}) > 1


def _from_half_angle(f: fmpq_mpoly, n: int, k: int) -> fmpq_mpoly:
    """A polynomial of degree 2 e in t, divided by (1 + t^2)^e, in sine and cosine."""
    context = f.context()
    c, s = context.gen(k), context.gen(n + k)
    e = (int(f.degrees()[k]) + 1) // 2
    total = context.constant(0)
    for powers, coefficient in f.to_dict().items():
        i = int(powers[k])
        rest = list(powers)
        rest[k] = 0
        # t^i / (1 + t^2)^e: pairs of t^0, t^1 and t^2, each over 1 + t^2
        twice, once = i // 2, i % 2
        part = (s / 2) ** once * ((1 - c) / 2) ** twice * ((1 + c) / 2) ** (e - once - twice)
        total += context.from_dict({tuple(rest): coefficient}) * part
    return total % circle(context, n, k)


def _homogeneous(p: fmpq_mpoly, n: int, k: int) -> fmpq_mpoly:
    context = p.context()
    one = context.gen(k) ** 2 + context.gen(n + k) ** 2
    degree = max(int(m[k]) + int(m[n + k]) for m in p.monoms())
    total = context.constant(0)
    for powers, coefficient in p.to_dict().items():
        missing = (degree - int(powers[k]) - int(powers[n + k])) // 2
        total += context.from_dict({powers: coefficient}) * one**missing
    return total
