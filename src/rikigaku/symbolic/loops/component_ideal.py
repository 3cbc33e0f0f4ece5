"""The ideal of one component of a closed robot's postures: that of the loops, with products taken apart.

Where a product f g vanishes in all closed postures and g does not at some posture of a component, f vanishes
on all of that component, which is irreducible. So the polynomials of a Groebner basis are factored, and of
each the factors kept that vanish at postures of the component, until no more are found.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from flint import fmpz_mpoly_ctx

from rikigaku.errors import NotExact
from rikigaku.numbers.balls import ball, precision
from rikigaku.numbers.exact import Exact
from rikigaku.numbers.ring import Ring
from rikigaku.symbolic.algebra.system import ORDERS, System
from rikigaku.symbolic.loops.closing import ConsistentState
from rikigaku.symbolic.loops.constraints import LoopConstraints
from rikigaku.symbolic.loops.ideal import PositionIdeal
from rikigaku.symbolic.loops.rows import sample_point

_ZERO = 2.0**-120  # at postures of 256 bits and more
_ROUNDS = 4


def component_ideal(constraints: LoopConstraints, states: Sequence[ConsistentState]) -> PositionIdeal:
    """The ideal of the component these postures lie in; at generic values of symbols, if there are any.

    Raises NotExact where the equations that are solved for the dependent coordinates leave the component out.
    """
    ideal = constraints.ideal
    found: list[Exact] = []
    for terms in ideal.basis.polynomials if ideal.basis else ():
        number = _number(ideal.ring, ideal.names, terms)
        if isinstance(number, Exact) and not _is_zero(number, states):
            raise NotExact("The postures are singular for the independent coordinates.")
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
    """Proper factors of the basis's polynomials that vanish at the postures."""
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
            if abs(float(ball(sample_point(x.ring, state).value(x)).mid())) > _ZERO:
                return False
    return True
