"""Actuator forces and cut-joint forces of a closed robot in a known motion.

    M a + h + g + friction = S^T tau + J^T f,   J v = 0

tau: forces of the actuated joints, selected by S; f: forces in the cut joints, multipliers of the
loop-closure constraints. The left side is the inverse dynamics of the spanning tree.
"""

from collections.abc import Mapping

from rikigaku.laws.closed.dependent_coordinates import (
    CONSTANT_MAP,
    ClosureStructure,
    DependentCoordinates,
    IndependentLoopEquations,
    Numbers,
    columns,
)
from rikigaku.laws.closed.loop_equations import equation_names
from rikigaku.laws.constrained_dynamics import dot
from rikigaku.laws.householder import orthogonal
from rikigaku.laws.tree.newton_euler import inverse_dynamics
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.vector import Vector


def closed_inverse_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    plan: ClosureStructure,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Forces tau of the actuated joints in a motion of the closed robot (v, a of all joints).

    The passive joints transmit friction only, so that J_passive^T f = tree_passive and
    tau = tree_actuated - J_actuated^T f, tree being the inverse dynamics of the spanning tree. A robot with
    more actuators than its mobility leaves part of f undetermined: then tau has the minimum norm.
    """
    tree = inverse_dynamics(mechanism, q, v, a, gravity, wrenches, friction)
    P = CONSTANT_MAP.get()
    if P is not None and len(plan.actuated) == len(plan.independent):  # A tau = P^T tree, A constant
        A = [[P[k][i] for k in plan.actuated] for i in range(len(plan.independent))]
        return orthogonal(A, len(A)).solve(DependentCoordinates(mechanism, q, plan).along_independent(tree))
    J = IndependentLoopEquations(mechanism, q, plan).J
    factors = orthogonal(columns(J, plan.passive), len(plan.passive))
    f = factors.solve_transposed([tree[k] for k in plan.passive])
    actuated = [[row[k] for row in J] for k in plan.actuated]  # J_actuated^T
    tau = [tree[k] - dot(row, f) for k, row in zip(plan.actuated, actuated, strict=True)]
    free = factors.complement()
    if not free:
        return tau
    internal = [[dot(row, y) for y in free] for row in actuated]  # actuators working against each other
    least = orthogonal(internal, len(free)).solve(tau)
    return [t - dot(row, least) for t, row in zip(tau, internal, strict=True)]


def loop_forces(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    tau: Numbers,
    plan: ClosureStructure,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Forces f in the cut joints, one for each equation of the loop residual, in a motion under tau.

    M a + h + g + friction = S^T tau + J^T f. The motion does not determine the forces along redundant
    equations: equations that are redundant everywhere get zero, the others the minimum-norm forces.
    """
    left = list(inverse_dynamics(mechanism, q, v, a, gravity, wrenches, friction))
    for k, t in zip(plan.actuated, tau, strict=True):
        left[k] = left[k] - t
    equations = IndependentLoopEquations(mechanism, q, plan)
    factors = orthogonal(columns(equations.J, plan.dependent), len(plan.dependent))
    found = factors.solve_transposed([left[k] for k in plan.dependent])
    return equations.forces(found, len(equation_names(mechanism)))
