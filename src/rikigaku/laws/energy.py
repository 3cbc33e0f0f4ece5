"""Energies and the centre of mass."""

from collections.abc import Sequence

from rikigaku.laws.kinematics import world_poses
from rikigaku.laws.motion import motion
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.functions import is_zero
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Wrench
from rikigaku.spatial.vector import Vector, dot, transform

Numbers = Sequence[Number]


def kinetic_energy(mechanism: Mechanism, q: Numbers, v: Numbers) -> Number:
    """v^T M v / 2, rotors included [J]."""
    twice: Number = 0
    rest = [0] * mechanism.nv
    for body, m in zip(mechanism.bodies, motion(mechanism, q, v, rest, vector.ZERO), strict=True):
        momentum = body.inertia.times(m.velocity)
        twice = twice + Wrench(*momentum).power(m.velocity)
        for k in body.v:
            twice = twice + body.rotor * v[k] * v[k]
    return twice / 2


def potential_energy(mechanism: Mechanism, q: Numbers, gravity: Vector | None = None) -> Number:
    """Energy in the field of gravity and in the joints' springs [J].

    Zero where the centre of mass is at the world's origin and the springs are relaxed.
    """
    g = mechanism.gravity if gravity is None else gravity
    energy = -dot(g, first_moment(mechanism, q))
    for body in mechanism.bodies:
        if not is_zero(body.stiffness):
            energy = energy + body.spring(q) * (q[body.q.start] - body.rest) / 2
    return energy


def center_of_mass(mechanism: Mechanism, q: Numbers) -> list[Number]:
    """Centre of mass of all moving bodies in the world [m]."""
    total = total_mass(mechanism)
    return [x / total for x in first_moment(mechanism, q)]


def first_moment(mechanism: Mechanism, q: Numbers) -> Vector:
    """Sum of mass times position over all moving bodies, in the world [kg m]."""
    total = vector.ZERO
    for body, X in zip(mechanism.bodies, world_poses(mechanism, q), strict=True):
        moment = vector.add(vector.scale(body.inertia.m, X.p), transform(X.R, body.inertia.h))
        total = vector.add(total, moment)
    return total


def total_mass(mechanism: Mechanism) -> Number:
    """Mass of all moving bodies [kg]."""
    total: Number = 0
    for body in mechanism.bodies:
        total = total + body.inertia.m
    return total
