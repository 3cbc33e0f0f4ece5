"""A system of polynomials with rational coefficients in named, ordered variables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm
from typing import Any

from flint import Ordering, fmpz_mpoly, fmpz_mpoly_ctx, fmpz_mpoly_vec

from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.numbers.flint_conversion import fraction, polynomial_text
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.algebra.flint_groebner import normal_form
from rikigaku.symbolic.algebra.sparse_polynomials import Terms, polynomial

ORDERS = {"lex": Ordering.lex, "degrevlex": Ordering.degrevlex}


@dataclass(frozen=True)
class System:
    """Polynomials in named variables; the first name is the largest in the order."""

    names: tuple[str, ...]
    polynomials: tuple[Terms, ...]
    order: str = "lex"

    @staticmethod
    def of(names: Sequence[str], polynomials: Iterable[Terms], order: str = "lex") -> "System":
        """A system whose polynomials have whole coefficients, without zeros and repetitions."""
        if order not in ORDERS:
            raise UnknownName("order", order, ORDERS, "Groebner basis")
        if len(set(names)) != len(names):
            raise WrongValue(f"The variables {', '.join(names)} are not all different.")
        context = _context(len(names), order)
        made = {str(p): p for terms in polynomials if (p := _flint(context, terms))}
        return System(tuple(names), tuple(_terms(p) for p in made.values()), order)

    @staticmethod
    def read(names: Sequence[str], texts: Iterable[str], order: str = "lex") -> "System":
        """A system from texts like "a*c1 + b*(c1*c2 - s1*s2) - x", each equal to zero."""
        return System.of(names, (polynomial(names, Formula.of(text)) for text in texts), order)

    @cached_property
    def context(self) -> fmpz_mpoly_ctx:
        """FLINT's ring of the variables."""
        return _context(len(self.names), self.order)

    @cached_property
    def flint(self) -> tuple[fmpz_mpoly, ...]:
        """The polynomials as FLINT's, primitive."""
        return tuple(_flint(self.context, terms) for terms in self.polynomials)

    def replaced(self, polynomials: Iterable[fmpz_mpoly]) -> "System":
        """Other polynomials of FLINT's in the same variables."""
        return System.of(self.names, map(_terms, polynomials), self.order)

    @cached_property
    def leading(self) -> tuple[tuple[int, ...], ...]:
        """Exponents of the leading monomials."""
        return tuple(leading_powers(p) for p in self.flint)

    def __str__(self) -> str:
        return "\n".join(polynomial_text(self.names, terms) for terms in self.polynomials)

    # -- properties of a Groebner basis ---------------------------------------------------------------------
    def contains(self, terms: Terms) -> bool:
        """Whether a polynomial lies in the ideal; this system must be a Groebner basis of it."""
        p = _flint(self.context, terms)
        return not p or not normal_form(p, fmpz_mpoly_vec(list(self.flint), self.context))

    @property
    def inconsistent(self) -> bool:
        """No common zero, not even a complex one; this system must be a Groebner basis."""
        return any(not any(powers) for powers in self.leading)

    def solutions(self) -> int | None:
        """How many complex zeros, counted with multiplicity; None where there are infinitely many."""
        bounds = []
        for k in range(len(self.names)):
            pure = [m[k] for m in self.leading if sum(m) == m[k]]
            if not pure:
                return None
            bounds.append(min(pure))
        staircase = product(*(range(bound) for bound in bounds))
        return sum(not any(_divides(m, point) for m in self.leading) for point in staircase)


def as_json(system: System) -> list[Any]:
    """The polynomials as JSON, for jobs."""
    return [[[str(c), [int(n) for n in m]] for m, c in t.items()] for t in system.polynomials]


def from_json(terms: list[Any]) -> Terms:
    """The polynomial of `as_json`."""
    return {tuple(powers): Fraction(c) for c, powers in terms}


def leading_powers(p: Any) -> tuple[int, ...]:
    """Exponents of the leading monomial of a polynomial of FLINT's."""
    return tuple(int(n) for n in next(iter(p.monoms())))


def _context(size: int, order: str) -> fmpz_mpoly_ctx:
    return fmpz_mpoly_ctx.get(tuple(f"x{k}" for k in range(size)), ORDERS[order])


def _flint(context: fmpz_mpoly_ctx, terms: Terms) -> fmpz_mpoly:
    """The primitive polynomial: integer coefficients without common factor."""
    fractions = {tuple(map(int, m)): _fraction(c) for m, c in terms.items()}
    scale = lcm(*(c.denominator for c in fractions.values()))
    p = context.from_dict({m: int(c * scale) for m, c in fractions.items() if c})
    return p.primitive()[1] if p else p


def _terms(p: fmpz_mpoly) -> Terms:
    return {tuple(map(int, m)): int(c) for m, c in p.to_dict().items()}


def _fraction(x: Any) -> Fraction:
    """A rational number of Python or FLINT as a Fraction."""
    return fraction(x) if hasattr(x, "q") else Fraction(x if isinstance(x, Fraction) else int(x))


def _divides(a: Sequence[int], b: Sequence[int]) -> bool:
    return all(x <= y for x, y in zip(a, b, strict=True))
