"""Position ideal of a closed robot: all polynomials that vanish at closed configurations.

Formulas are shortened by their normal forms modulo this ideal. It holds positions only: velocities and
accelerations are solved for linearly instead.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from flint import fmpq, fmpq_mpoly_ctx, fmpz_mpoly_ctx, fmpz_mpoly_vec

from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.flint_conversion import fraction
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.algebra.groebner import quick_basis
from rikigaku.symbolic.algebra.polynomial_system import ORDERS, System
from rikigaku.symbolic.algebra.sparse_polynomials import Terms
from rikigaku.symbolic.loops.ideal_fractions import shortest_fraction
from rikigaku.symbolic.loops.independent_equations import generators

# Terms of a numerator up to which parts are put together to see what cancels.
_LONGEST = 20_000


class PositionIdeal:
    """The ideal of some equations, with the relations of sines, cosines, quaternions and roots in them.

    first: generators that are largest in the order; normal forms avoid them.
    nonzero: polynomials that vanish at singular configurations only. The ideal is saturated by them, so that
        polynomials that vanish at all other closed configurations reduce to zero, too.
    """

    def __init__(
        self, ring: Ring, equations: Sequence[Exact], first: Sequence[str] = (), nonzero: Sequence[Exact] = ()
    ) -> None:
        self.ring, self.nonzero = ring, tuple(nonzero)
        self._contexts: dict[tuple[str, ...], tuple[Any, Any, Any]] = {}
        self.fractions: dict[str, Any] = {}  # shortest forms found so far
        self.equations = (*equations, *relations(ring, equations))
        used = {name for equation in self.equations for name in generators(equation)}
        self.names = (
            *(x for x in first if x in used),
            *(x for x in ring.names if x in used and x not in first),
        )

    @cached_property
    def system(self) -> System:
        """The equations."""
        return System.of(self.names, (terms(x, self.names) for x in self.equations))

    @cached_property
    def basis(self) -> System | None:
        """A Groebner basis for normal forms, lexicographic or else by degree; None if neither is quick.

        Only the length of formulas depends on it, so only quick bases are tried.
        """
        if not self.names:
            return None
        found = self._saturated() or quick_basis(self.system)
        return found or quick_basis(System.of(self.names, self.system.polynomials, "degrevlex"))

    def _saturated(self) -> System | None:
        """Basis of the saturated ideal: 1/product as one more variable, eliminated again (Rabinowitsch)."""
        product: Any = 1
        for x in self.nonzero:
            product = product * x
        if not isinstance(product, Exact) or not set(generators(product)) <= set(self.names):
            return None
        inverse = {(1, *m): c for m, c in terms(product, self.names).items()}
        inverse[(0,) * (len(self.names) + 1)] = Fraction(-1)
        lifted = [{(0, *m): c for m, c in p.items()} for p in self.system.polynomials]
        basis = quick_basis(System.of(("1/nonzero", *self.names), [*lifted, inverse]))
        if basis is None:
            return None
        left = [p for p in basis.polynomials if not any(m[0] for m in p)]
        return System.of(self.names, ({m[1:]: c for m, c in p.items()} for p in left))

    def reduced(self, x: Any) -> Any:
        """The normal form of a polynomial; as it is, if no basis is known.

        Of a number over determinants: part by part, or all parts over the common denominator, whichever is
        shorter; zero where it vanishes at all regular closed configurations.
        """
        if not hasattr(x, "ring") or self.basis is None:
            return x
        if isinstance(x, RationalFunction):
            apart = x.map_numerators(self.reduced)
            if not isinstance(apart, RationalFunction) or apart.numerator_bound > _LONGEST:
                return apart
            whole = apart.over_common_denominator().map_numerators(self.reduced)
            if isinstance(whole, RationalFunction):
                whole = min(whole, shortest_fraction(self, whole), key=length)
            return min(apart, whole, key=length)
        assert isinstance(x, Exact)
        if not self._reducible(x):
            return x
        context, whole, basis = self._context(tuple(k for k in generators(x) if k not in self.names))
        ring = self.ring.context
        terms = x.polynomial.project_to_context(context).to_dict()
        scale = lcm(*(int(c.q) for c in terms.values()))
        # FLINT's remainder is a multiple of the true one; the factor is read off an extra variable.
        marker = (*[0] * context.nvars(), 1)
        marked: dict[Any, Any] = {(*m, 0): (c * scale).p for m, c in terms.items()}
        marked[marker] = 1
        found = whole.from_dict(marked).reduction_primitive_part(basis).to_dict()
        below = found.pop(marker) * scale
        result = context.from_dict({m[:-1]: fmpq(c, below) for m, c in found.items()})
        polynomial = result.project_to_context(ring)
        return self.ring.reduced(polynomial, self.ring.mask(polynomial))

    def _context(self, others: tuple[str, ...]) -> tuple[Any, Any, Any]:
        """The ideal's own generators and some others, in its order; with a marker; and the basis there."""
        if others not in self._contexts:
            assert self.basis is not None
            own = self.ring.context.names()
            names = tuple(own[self.ring.names.index(name)] for name in (*self.names, *others))
            whole, basis = _among(self.basis, len(names))
            self._contexts[others] = fmpq_mpoly_ctx.get(names, ORDERS[self.basis.order]), whole, basis
        return self._contexts[others]

    def _reducible(self, x: Exact) -> bool:
        """Whether some leading monomial of the basis is within the degrees of a polynomial."""
        degrees = x.polynomial.degrees()
        return any(all(degrees[k] >= n for k, n in lead) for lead in self._leads)

    @cached_property
    def _leads(self) -> list[list[tuple[int, int]]]:
        """Leading monomials of the basis: places in the ring, and powers."""
        assert self.basis is not None
        basis = _among(self.basis, len(self.names))[1]
        places = [self.ring.names.index(name) for name in self.names]
        leading = [basis[k].monoms()[0] for k in range(len(basis))]
        return [[(place, int(n)) for place, n in zip(places, m, strict=False) if n] for m in leading]


def length(x: Any) -> int:
    """How many terms a number has."""
    if isinstance(x, RationalFunction):
        return sum(map(length, x.parts.values()))
    return len(x.polynomial) if isinstance(x, Exact) else int(x != 0)


def _among(basis: System, size: int) -> tuple[Any, Any]:
    """The basis among `size` variables and a marker, all of them beyond its own."""
    context = fmpz_mpoly_ctx.get(tuple(f"x{k}" for k in range(size + 1)), ORDERS[basis.order])
    rest = (0,) * (size + 1 - len(basis.names))
    polynomials = [context.from_dict({(*m, *rest): int(c) for m, c in p.items()}) for p in basis.polynomials]
    return context, fmpz_mpoly_vec(polynomials, context)


def terms(x: Exact, names: Sequence[str]) -> Terms:
    """A polynomial as exponents of the named generators -> coefficient."""
    places = [x.ring.names.index(name) for name in names]
    return {tuple(int(m[k]) for k in places): fraction(c) for m, c in x.polynomial.to_dict().items()}


def relations(ring: Ring, equations: Sequence[Exact]) -> list[Exact]:
    """Relations of the sines and cosines, quaternions and roots that occur in the equations."""
    used = {name for equation in equations for name in generators(equation)}
    found: dict[str, Exact] = {}
    while True:
        new = {}
        for relation in ring.relations:
            polynomial = Exact(ring, relation.polynomial)
            inside = generators(polynomial)
            if str(polynomial) not in found and used.intersection(inside):
                new[str(polynomial)] = polynomial
        if not new:
            return list(found.values())
        found |= new
        used.update(name for polynomial in new.values() for name in generators(polynomial))
