"""Dynamics of closed robots over their independent coordinates: v = P v_independent, forces P^T tau."""

from collections.abc import Mapping

from rikigaku.laws.closed.dependent_coordinates import ClosureStructure, DependentCoordinates, velocity_map
from rikigaku.laws.closed.loop_equations import loop_jacobian
from rikigaku.laws.closed.projected_dynamics import mass_times, projected_mass_matrix
from rikigaku.laws.constrained_dynamics import dot
from rikigaku.laws.tree.composite_body import mass_entries
from rikigaku.laws.tree.coriolis_matrix import coriolis_matrix
from rikigaku.laws.tree.newton_euler import inverse_dynamics
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.dual_numbers import dual, parts
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial.vector import ZERO, Vector


def reduced_mass_matrix(mechanism: Mechanism, q: Numbers, plan: ClosureStructure) -> list[list[Number]]:
    """P^T M P, mobility x mobility: kinetic energy is v^T M v / 2 with v of the independent coordinates."""
    return projected_mass_matrix(mass_entries(mechanism, q), velocity_map(mechanism, q, plan))


def reduced_inverse_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    plan: ClosureStructure,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Forces along the independent coordinates for their accelerations: P^T (M a + h + g + friction)."""
    coordinates = DependentCoordinates(mechanism, q, plan)
    velocity = coordinates.velocity(v)
    acceleration = coordinates.acceleration(velocity, a)
    tree = inverse_dynamics(mechanism, q, velocity, acceleration, gravity, wrenches, friction)
    return coordinates.along_independent(tree)


def reduced_velocity_forces(
    mechanism: Mechanism, q: Numbers, v: Numbers, plan: ClosureStructure
) -> list[Number]:
    """h(q, v) over the independent coordinates: P^T (h + M dP/dt v)."""
    zeros = [0] * len(plan.independent)
    return reduced_inverse_dynamics(mechanism, q, v, zeros, plan, ZERO, friction=False)


def reduced_coriolis_matrix(
    mechanism: Mechanism, q: Numbers, v: Numbers, plan: ClosureStructure
) -> list[list[Number]]:
    """C(q, v) over the independent coordinates: C v = h, dM/dt - 2 C skew.

    C = P^T (C_tree P + M dP/dt); dP/dt follows from J P = 0 by J dP/dt = -dJ/dt P.
    """
    coordinates = DependentCoordinates(mechanism, q, plan)
    P = coordinates.velocity_map()
    velocity = coordinates.velocity(v)
    J_dot = _rate_of_jacobian(mechanism, q, velocity)
    size = len(plan.independent)
    P_dot = coordinates.map_rate(J_dot, P)
    C = coriolis_matrix(mechanism, q, velocity)
    entries = mass_entries(mechanism, q)
    M_P_dot = [mass_times(entries, [row[j] for row in P_dot]) for j in range(size)]
    inner = [[dot(C[i], [row[j] for row in P]) + M_P_dot[j][i] for j in range(size)] for i in range(len(P))]
    return [[dot([row[i] for row in P], [row[j] for row in inner]) for j in range(size)] for i in range(size)]


def _rate_of_jacobian(mechanism: Mechanism, q: Numbers, v: Numbers) -> list[list[Number]]:
    """dJ/dt along v, by dual numbers."""
    moving = list(q)
    for body in mechanism.bodies:
        own = [q[k] for k in body.q]
        for k, x, rate in zip(body.q, own, body.joint.rate(own, [v[k] for k in body.v]), strict=True):
            moving[k] = dual(x, rate)
    return [[parts(x)[1] for x in row] for row in loop_jacobian(mechanism, moving)]


def reduced_gravity_forces(
    mechanism: Mechanism, q: Numbers, plan: ClosureStructure, gravity: Vector | None = None
) -> list[Number]:
    """g(q) over the independent coordinates."""
    zeros = [0] * mechanism.nv
    tree = inverse_dynamics(mechanism, q, zeros, zeros, gravity, friction=False)
    return DependentCoordinates(mechanism, q, plan).along_independent(tree)


def actuation(mechanism: Mechanism, q: Numbers, plan: ClosureStructure) -> list[list[Number]]:
    """A with A tau the actuator forces along the independent coordinates, mobility x actuators."""
    P = velocity_map(mechanism, q, plan)
    return [[P[k][i] for k in plan.actuated] for i in range(len(plan.independent))]
