"""Proof of relations of a closed robot: zero modulo the ideal of its component, velocities eliminated."""

from collections.abc import Mapping, Sequence

from rikigaku.core.errors import RikigakuError
from rikigaku.laws.tree.regressor import regressor
from rikigaku.numbers.exact_number import Exact, ExactConstants
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.base_parameters.regressor_samples import BaseParameterProblem
from rikigaku.symbolic.loops.component_ideal import component_ideal
from rikigaku.symbolic.loops.loop_constraints import loop_constraints
from rikigaku.symbolic.loops.precise_closure import ConsistentState

# Larger mechanisms need too much memory before the polynomials cancel.
_COORDINATES = 5


def proved(
    problem: BaseParameterProblem,
    coefficients: Mapping[str, Mapping[str, Formula]],
    states: Sequence[ConsistentState],
) -> bool:
    """Whether column = sum of coefficient * column, as polynomials, on the component of some states.

    False says only that there is no proof: the mechanism is too large, no basis of the ideal was quick, or
    there is no relation to prove (that there is none is a matter of rank).
    """
    robot = problem.robot
    if not coefficients:
        return False
    if len(robot.loops) != 1 or robot.couplings or robot.nv > _COORDINATES or problem.joint_parameters:
        return False
    try:
        shared = set(robot.free_symbols) == set(problem.geometry.free_symbols)
        constraints = loop_constraints(problem.geometry if shared else robot, linear=False)
        ring = constraints.state.ring
        if constraints.ideal.basis is None:
            return False
        ideal = component_ideal(constraints, states)
        symbols = {name: ring.variable(name) for name in robot.free_symbols}
        kind = ExactConstants(ring)
        places = {name: j for j, name in enumerate(problem.columns)}
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
