"""Ideal of one irreducible component of the closed configurations, by factoring a Groebner basis.

If a product f g vanishes at all closed configurations and g does not vanish at some configuration of the
component, f vanishes on the whole component. So the basis is factored, and the factors are added that vanish
at configurations of the component, until no more are found.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from flint import fmpz_mpoly_ctx

from rikigaku.core.errors import NotExact
from rikigaku.numbers.arbitrary_precision import arbitrary, precision
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.algebra.polynomial_system import ORDERS, System
from rikigaku.symbolic.loops.independent_equations import sample_point
from rikigaku.symbolic.loops.loop_constraints import LoopConstraints
from rikigaku.symbolic.loops.position_ideal import PositionIdeal
from rikigaku.symbolic.loops.precise_closure import ConsistentState

_ZERO = 2.0**-120  # at configurations of 256 bits and more
_ROUNDS = 4


def component_ideal(constraints: LoopConstraints, states: Sequence[ConsistentState]) -> PositionIdeal:
    """The ideal of the component these configurations lie on; at generic values of symbols, if any.

    Raises NotExact where the equations that are solved for the dependent coordinates leave the component out.
    """
    ideal = constraints.ideal
    found: list[Exact] = []
    for terms in ideal.basis.polynomials if ideal.basis else ():
        number = _number(ideal.ring, ideal.names, terms)
        if isinstance(number, Exact) and not _is_zero(number, states):
            raise NotExact("The configurations are singular for the independent coordinates.")
    for _ in range(_ROUNDS):
        if ideal.basis is None:
            return ideal
        new = [x for x in _vanishing(ideal.ring, ideal.basis, states) if x not in found]
        if not new:
            return ideal
        found += new
        ideal = PositionIdeal(ideal.ring, (*ideal.equations, *new), ideal.names, ideal.nonzero)
    return ideal


def _vanishing(ring: Ring, basis: System, states: Sequence[ConsistentState]) -> list[Exact]:
    """Proper factors of the basis's polynomials that vanish at the configurations."""
    names = tuple(f"x{k}" for k in range(len(basis.names)))
    context = fmpz_mpoly_ctx.get(names, ORDERS[basis.order])
    result = []
    for terms in basis.polynomials:
        factors = context.from_dict({m: int(c) for m, c in terms.items()}).factor()[1]
        if sum(power for _, power in factors) < 2:
            continue
        numbers = [_number(ring, basis.names, factor.to_dict()) for factor, _ in factors]
        zero = [x for x in numbers if isinstance(x, Exact) and _is_zero(x, states)]
        if zero:
            total: Any = 1
            for x in zero:
                total = total * x
            result.append(total)
    return result


def _number(ring: Ring, names: Sequence[str], terms: Mapping[Any, Any]) -> Any:
    """Terms with whole coefficients, by powers of the names, as an exact number."""
    places = [ring.names.index(name) for name in names]
    result = {}
    for m, c in terms.items():
        full = [0] * len(ring.names)
        for place, n in zip(places, m, strict=True):
            full[place] = n
        result[tuple(full)] = int(c)
    return ring.number(ring.context.from_dict(result))


def _is_zero(x: Exact, states: Sequence[ConsistentState]) -> bool:
    for state in states:
        with precision(state.bits):
            if abs(float(arbitrary(sample_point(x.ring, state).value(x)).mid())) > _ZERO:
                return False
    return True
