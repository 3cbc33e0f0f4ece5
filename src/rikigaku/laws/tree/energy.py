"""Kinetic energy, potential energy and centre of mass of a tree."""

from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.laws.tree.simplified_mechanism import body_motions
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Wrench
from rikigaku.spatial.vector import Vector, dot, transform


def kinetic_energy(mechanism: Mechanism, q: Numbers, v: Numbers) -> Number:
    """Kinetic energy: T = v^T M(q) v / 2, reflected rotor inertia included.

    Returns: energy [J].
    """
    twice: Number = 0
    rest = [0] * mechanism.nv
    for body, m in zip(mechanism.bodies, body_motions(mechanism, q, v, rest, vector.ZERO), strict=True):
        momentum = body.inertia.times(m.velocity)
        twice = twice + Wrench(*momentum).power(m.velocity)
        for k in body.v:
            twice = twice + body.rotor * v[k] * v[k]
    return twice / 2


def potential_energy(mechanism: Mechanism, q: Numbers, gravity: Vector | None = None) -> Number:
    """Potential energy of gravity and of joint springs: U = -m g . c + k (q - q_rest)^2 / 2.

    Zero where the centre of mass is at the world's origin and the springs are relaxed.

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
    Returns: energy [J].
    """
    g = mechanism.gravity if gravity is None else gravity
    energy = -dot(g, first_moment(mechanism, q))
    for body in mechanism.bodies:
        if not is_zero(body.stiffness):
            energy = energy + body.spring(q) * (q[body.q.start] - body.rest) / 2
    return energy


def center_of_mass(mechanism: Mechanism, q: Numbers) -> list[Number]:
    """Centre of mass of the moving bodies in the world frame: c = sum(m_i c_i) / sum(m_i).

    Returns: position [m], (3).
    """
    total = total_mass(mechanism)
    return [x / total for x in first_moment(mechanism, q)]


def first_moment(mechanism: Mechanism, q: Numbers) -> Vector:
    """First moment of mass of all moving bodies, sum(m_i c_i), in the world frame [kg m]."""
    total = vector.ZERO
    for body, X in zip(mechanism.bodies, world_poses(mechanism, q), strict=True):
        moment = vector.add(vector.scale(body.inertia.m, X.p), transform(X.R, body.inertia.h))
        total = vector.add(total, moment)
    return total


def total_mass(mechanism: Mechanism) -> Number:
    """Total mass of the moving bodies [kg]."""
    total: Number = 0
    for body in mechanism.bodies:
        total = total + body.inertia.m
    return total
