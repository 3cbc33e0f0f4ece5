"""The position ideal of a closed robot: all polynomials that vanish where the loops are closed.

Numerators are shortest in their normal form modulo this ideal. Derivatives of the constraints are never part
of it: speeds and accelerations are solved for linearly instead.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from flint import fmpz_mpoly_ctx, fmpz_mpoly_vec

from rikigaku.numbers.exact import Exact
from rikigaku.numbers.ring import Ring, rational
from rikigaku.symbolic.groebner import ORDERS, System, Terms, quick_basis
from rikigaku.symbolic.loop_rows import generators
from rikigaku.symbolic.over import Over


class PositionIdeal:
    """The ideal of some equations, with the relations of sines, cosines, quaternions and roots in them.

    first: generators that are largest in the order: what normal forms avoid.
    """

    def __init__(self, ring: Ring, equations: Sequence[Exact], first: Sequence[str] = ()) -> None:
        self.ring = ring
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
        found = quick_basis(self.system)
        return found or quick_basis(System.of(self.names, self.system.polynomials, "degrevlex"))

    def reduced(self, x: Any) -> Any:
        """The normal form of a polynomial, or of every part of a number over determinants.

        As it is, if no basis is known.
        """
        if not hasattr(x, "ring") or self.basis is None:
            return x
        if isinstance(x, Over):
            return x.mapped(self.reduced)
        assert isinstance(x, Exact)
        names = (*self.names, *(name for name in generators(x) if name not in self.names))
        context, basis = _among(self.basis, len(names))
        scale = lcm(*(int(c.q) for c in x.polynomial.coeffs()))
        # FLINT's remainder is a multiple of the true one; a variable of no other use tells which.
        marked = {(*m, 0): int(c * scale) for m, c in terms(x, names).items()}
        marked[(0,) * len(names) + (1,)] = 1
        remainder = context.from_dict(marked).reduction_primitive_part(basis)
        found = {tuple(map(int, m)): int(c) for m, c in remainder.to_dict().items()}
        multiple = found.pop((0,) * len(names) + (1,))
        places = [self.ring.names.index(name) for name in names]
        result = {}
        for powers, c in found.items():
            full = [0] * len(self.ring.names)
            for place, n in zip(places, powers, strict=False):
                full[place] = n
            result[tuple(full)] = rational(Fraction(c, multiple * scale))
        return self.ring.number(self.ring.context.from_dict(result))


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
