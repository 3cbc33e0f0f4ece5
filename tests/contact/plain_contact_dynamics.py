"""Constrained dynamics of a robot in one contact mode on plain numbers: the oracle of the native code.

    M a = tau - b + G^T f,   J a + bias = 0,   J M^-1 G^T f = -(bias + J M^-1 (tau - b))

Rows of J: loops, guides, normals of closed contacts, tangents of sticking contacts, sticking joints. G = J
except that the normal force of a sliding contact includes its friction: (n - side mu(u) th) . J_point.
Where constraints are redundant, f is the solution nearest to reference forces (minimum norm if these are
zero).
Reference: J. Nishiguchi, G. Lee, M. Minami, A. Yanou, extended Newton-Euler method; several contacts at once.
"""

from typing import NamedTuple

from plain_constrained_solution import constrained_solution
from plain_sliding_friction import sliding_friction

from rikigaku.laws.closed.loop_equations import loop_bias, loop_jacobian
from rikigaku.laws.constrained_dynamics import dot
from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.laws.contact.contact_geometry import Numbers, contact_geometry
from rikigaku.laws.contact.guide_equations import (
    guide_bias,
    guide_jacobian,
    guide_wrenches,
)
from rikigaku.laws.tree.forward_dynamics import mass_factors, net_forces
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector


class ContactMotion(NamedTuple):
    """Accelerations; forces and powers as in `contact_dynamics`; multipliers of loops and guides; the force
    each unloaded contact would carry in the minimum-norm solution."""

    a: list[Number]
    forces: list[Number]
    power: Number
    surface_power: Number
    permanent: list[Number]
    unloaded: list[Number]


def contact_motion(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    contact_inputs: Numbers,
    plan: ActiveConstraints,
) -> ContactMotion:
    """Accelerations, forces and powers in the contact mode `plan`.

    forces: for each contact the force on the robot in world axes (3), then the normal force (1); then the
    friction of each of plan.joints; then force and moment (6) of each guide at its frame, world axes.
    """
    nv = mechanism.nv
    geometry = [contact_geometry(mechanism, q, v, point, contact_inputs[0]) for point in plan.points]
    sliding = {
        i: sliding_friction(plan, contact_inputs, geometry[i], i, sign, side)
        for i, sign, side in plan.sliding
    }
    force = list(net_forces(mechanism, q, v, tau))
    for i, slip in sliding.items():
        force = [f + x for f, x in zip(force, geometry[i].jacobian_along(slip.drag), strict=True)]
    dry = {k: -sign * plan.coulomb(contact_inputs, k) for k, sign in plan.moving_joints}
    for k, f in dry.items():
        force[k] = force[k] + f

    def force_direction(i: int, direction: int) -> list[Number]:
        """Generalized force of a unit constraint force, with the sliding friction due to a normal force."""
        c = geometry[i]
        slip = sliding.get(i) if direction == 0 else None
        n = c.directions[direction]
        return c.jacobian_along(n if slip is None else vector.sub(n, vector.scale(slip.mu, slip.th)))

    J, bias = permanent_equations(mechanism, q, v, contact_inputs, plan)
    G = list(J)
    for i, direction in plan.contacts:
        J.append(geometry[i].jacobian_along(geometry[i].directions[direction]))
        G.append(force_direction(i, direction) if direction == 0 and i in sliding else J[-1])
        bias.append(geometry[i].bias[direction])
    for k in plan.sticking_joints:
        J.append([int(j == k) for j in range(nv)])
        G.append(J[-1])
        bias.append(0)
    redundant = [
        [int(j == k) for j in range(nv)] if i < 0 else force_direction(i, k) for i, k in plan.redundant
    ]
    unloaded = [force_direction(i, 0) for i in plan.unloaded]
    reference = plan.reference_forces(contact_inputs)
    mass = mass_factors(mechanism, q)
    a, f, would_carry = constrained_solution(mass, force, J, G, bias, redundant, unloaded, reference)

    names = (*plan.contacts, *((-1, k) for k in plan.sticking_joints), *plan.redundant)
    multipliers = dict(zip(names, f[plan.permanent :], strict=True))
    forces: list[Number] = []
    power: Number = 0
    surface_power: Number = 0
    for i, c in enumerate(geometry):
        total: Vector = vector.ZERO
        for direction, along in enumerate(c.directions):
            if (i, direction) in multipliers:
                total = vector.add(total, vector.scale(multipliers[i, direction], along))
        normal = multipliers.get((i, 0), 0)
        if i in sliding:
            friction = vector.sub(sliding[i].drag, vector.scale(sliding[i].mu * normal, sliding[i].th))
            total = vector.add(total, friction)
            power = power - vector.dot(friction, sliding[i].velocity)
        surface_power = surface_power + vector.dot(total, c.material)
        forces += [*total, normal]
    for k in plan.joints:
        forces.append(multipliers.get((-1, k), dry.get(k, 0)))
        power = power - dry.get(k, 0) * v[k]
    if plan.guides:
        by_equation = dict(
            zip(plan.guide_equations, f[len(plan.loop_equations) : plan.permanent], strict=True)
        )
        wrenches = guide_wrenches(mechanism, q, plan.guides, by_equation)
        for guide, wrench in zip(plan.guides, wrenches, strict=True):
            forces += wrench
            surface_power = surface_power + dot(wrench[:3], guide.moved(contact_inputs[0], 1))
    return ContactMotion(a, forces, power, surface_power, f[: plan.permanent], would_carry)


def permanent_equations(
    mechanism: Mechanism, q: Numbers, v: Numbers, contact_inputs: Numbers, plan: ActiveConstraints
) -> tuple[list[list[Number]], list[Number]]:
    """Jacobian and bias accelerations of the independent equations of loops and guides."""
    J: list[list[Number]] = []
    bias: list[Number] = []
    if plan.loop_equations:
        J_loops, b = loop_jacobian(mechanism, q), loop_bias(mechanism, q, v)
        J, bias = [J_loops[i] for i in plan.loop_equations], [b[i] for i in plan.loop_equations]
    if plan.guide_equations:
        J_guides = guide_jacobian(mechanism, q, contact_inputs[:1], plan)
        b = guide_bias(mechanism, q, v, contact_inputs[:1], plan)
        J = [*J, *(J_guides[i] for i in plan.guide_equations)]
        bias = [*bias, *(b[i] for i in plan.guide_equations)]
    return J, bias
