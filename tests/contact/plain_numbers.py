"""The laws of contact on plain numbers, without a compiler."""

import numpy as np

from rikigaku.contact.system import ContactForces
from rikigaku.laws.contact import contact_dynamics
from rikigaku.laws.contact_inner import contact_joint_wrenches
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.kind import FLOATS


def plain_forces(system, plan, q, v, tau, t=0.0) -> ContactForces:
    """`system.forces`, on plain numbers."""
    a, forces, power, driven = contact_dynamics(*_state(system, plan, q, v, tau, t))
    split, rest = 4 * len(system.contacts), 4 * len(system.contacts) + len(system.joints)
    each = np.array(forces[:split], float).reshape(-1, 4)
    guides = np.array(forces[rest:], float).reshape(-1, 6)
    joints = np.array(forces[split:rest], float)
    powers = float(power), guides, float(driven)
    return ContactForces(np.array(a, float), each[:, :3], each[:, 3], joints, *powers)


def plain_wrenches(system, plan, q, v, tau, t=0.0) -> np.ndarray:
    """`system.joint_wrenches`, on plain numbers."""
    return np.array(contact_joint_wrenches(*_state(system, plan, q, v, tau, t)), float)


def _state(system, plan, q, v, tau, t):
    mechanism = instantiate(system.robot, FLOATS, system.robot.declared_values)
    return mechanism, list(q), list(v), list(tau), list(system.given(t)), plan
