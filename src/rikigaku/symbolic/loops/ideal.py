"""The position ideal of a closed robot: all polynomials that vanish where the loops are closed.

Numerators are shortest in their normal form modulo this ideal. Derivatives of the constraints are never part
of it: speeds and accelerations are solved for linearly instead.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from flint import fmpq, fmpz_mpoly_ctx, fmpz_mpoly_vec

from rikigaku.numbers.exact import Exact
from rikigaku.numbers.ring import Ring
from rikigaku.symbolic.algebra.groebner import ORDERS, System, Terms, quick_basis
from rikigaku.symbolic.loops.over import Over
from rikigaku.symbolic.loops.rows import generators

# Terms of a numerator up to which parts are put together to see what cancels.
_LONGEST = 20_000


class PositionIdeal:
    """The ideal of some equations, with the relations of sines, cosines, quaternions and roots in them.

    first: generators that are largest in the order: what normal forms avoid.
    nonzero: polynomials that vanish in singular postures only: they are left out (saturation), so that
        what holds everywhere else reduces to zero, too.
    """

    def __init__(
        self, ring: Ring, equations: Sequence[Exact], first: Sequence[str] = (), nonzero: Sequence[Exact] = ()
    ) -> None:
        self.ring, self.nonzero = ring, tuple(nonzero)
        self._among: dict[int, tuple[Any, Any]] = {}
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

        Only the length of formulas depends on it, so nobody waits for it.
        """
        found = self._saturated() or quick_basis(self.system)
        return found or quick_basis(System.of(self.names, self.system.polynomials, "degrevlex"))

    def _saturated(self) -> System | None:
        """With one over the product of all that is not zero as one more variable, eliminated again."""
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
        shorter; zero where it vanishes in all closed and regular postures.
        """
        if not hasattr(x, "ring") or self.basis is None:
            return x
        if isinstance(x, Over):
            apart = x.mapped(self.reduced)
            if not isinstance(apart, Over) or apart.common_terms > _LONGEST:
                return apart
            return min(apart, apart.together().mapped(self.reduced), key=length)
        assert isinstance(x, Exact)
        names = (*self.names, *(name for name in generators(x) if name not in self.names))
        if len(names) not in self._among:
            self._among[len(names)] = _among(self.basis, len(names))
        context, basis = self._among[len(names)]
        places = [self.ring.names.index(name) for name in names]
        scale = lcm(*(int(c.q) for c in x.polynomial.coeffs()))
        # FLINT's remainder is a multiple of the true one; a variable of no other use tells which.
        marked: dict[Any, Any] = {
            (*[m[k] for k in places], 0): (c * scale).p for m, c in x.polynomial.to_dict().items()
        }
        marked[(0,) * len(names) + (1,)] = 1
        found = context.from_dict(marked).reduction_primitive_part(basis).to_dict()
        below = found.pop((0,) * len(names) + (1,)) * scale
        none, result = [0] * len(self.ring.names), {}
        for powers, c in found.items():
            full = none.copy()
            for place, n in zip(places, powers, strict=False):
                full[place] = n
            result[tuple(full)] = fmpq(c, below)
        return self.ring.number(self.ring.context.from_dict(result))


def length(x: Any) -> int:
    """How many terms a number has."""
    if isinstance(x, Over):
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
    return {
        tuple(int(m[k]) for k in places): Fraction(int(c.p), int(c.q))
        for m, c in x.polynomial.to_dict().items()
    }


def relations(ring: Ring, equations: Sequence[Exact]) -> list[Exact]:
    """What sines and cosines, quaternions and roots in the equations satisfy by themselves."""
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
