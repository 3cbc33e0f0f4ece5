"""Relations of a closed robot proved: zero modulo the ideal of its component, velocities eliminated."""

from collections.abc import Mapping, Sequence

from rikigaku.errors import RikigakuError
from rikigaku.laws.regressor import regressor
from rikigaku.numbers.exact import Exact, ExactConstants
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.base.samples import Question
from rikigaku.symbolic.loops.closing import ConsistentState
from rikigaku.symbolic.loops.component_ideal import component_ideal
from rikigaku.symbolic.loops.constraints import loop_constraints

# Beyond one loop of a few joints the polynomials fill memory before they are zero.
_COORDINATES = 5


def proved(
    question: Question, coefficients: Mapping[str, Mapping[str, Formula]], states: Sequence[ConsistentState]
) -> bool:
    """Whether column = sum of coefficient * column, as polynomials, on the component of some closed postures.

    False says only that there is no proof: the mechanism is too large, no basis of the ideal was quick, or
    there is no relation to prove (that there is none is a matter of rank).
    """
    robot = question.robot
    if not coefficients:
        return False
    if len(robot.loops) != 1 or robot.couplings or robot.nv > _COORDINATES or question.drives:
        return False
    try:
        shared = set(robot.free_symbols) == set(question.geometry.free_symbols)
        constraints = loop_constraints(question.geometry if shared else robot)
        ring = constraints.state.ring
        if constraints.ideal.basis is None:
            return False
        ideal = component_ideal(constraints, states)
        symbols = {name: ring.variable(name) for name in robot.free_symbols}
        kind = ExactConstants(ring)
        places = {name: j for j, name in enumerate(question.columns)}
        state = constraints.state
        x, y, z = (g.evaluate(kind, symbols) for g in robot.gravity)
        v, a = constraints.velocities(), constraints.accelerations()
        Y = regressor(state.mechanism, state.q, v, a, (x, y, z))
        for name, combination in coefficients.items():
            rest = [row[places[name]] for row in Y]  # of the tree; its projection must vanish
            for other, x in combination.items():
                factor = x.evaluate(kind, symbols)
                rest = [y - factor * row[places[other]] for y, row in zip(rest, Y, strict=True)]
            for y in constraints.projected(rest):
                if not _vanishes(ideal.reduced(y)):
                    return False
    except RikigakuError:  # too large, or not expressible: no proof
        return False
    return True


def _vanishes(x: object) -> bool:
    return not isinstance(x, Exact) and not hasattr(x, "ring") and x == 0
