"""The laws of contact on plain numbers, without a compiler."""

import numpy as np
from plain_contact_dynamics import contact_motion

from rikigaku.contact.contact_results import ContactForces
from rikigaku.laws.contact.contact_joint_wrenches import contact_joint_wrenches
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS


def plain_forces(system, plan, q, v, tau, t=0.0) -> ContactForces:
    """`system.forces`, on plain numbers."""
    a, forces, power, driven, *_ = contact_motion(*_state(system, plan, q, v, tau, t))
    split, rest = 4 * len(system.contacts), 4 * len(system.contacts) + len(system.joints)
    each = np.array(forces[:split], float).reshape(-1, 4)
    guides = np.array(forces[rest:], float).reshape(-1, 6)
    joints = np.array(forces[split:rest], float)
    powers = float(power), guides, float(driven)
    return ContactForces(np.array(a, float), each[:, :3], each[:, 3], joints, *powers)


def plain_wrenches(system, plan, q, v, tau, t=0.0) -> np.ndarray:
    """`system.joint_wrenches`, on plain numbers."""
    state = _state(system, plan, q, v, tau, t)
    motion = contact_motion(*state)
    forces = [*motion.forces, *motion.permanent[: len(plan.loop_equations)]]
    return np.array(contact_joint_wrenches(*state[:3], motion.a, forces, [t], plan), float)


def _state(system, plan, q, v, tau, t):
    mechanism = instantiate(system.robot, FLOATS, system.robot.declared_values)
    return mechanism, list(q), list(v), list(tau), list(system.contact_inputs(t)), plan
