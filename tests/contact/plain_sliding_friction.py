"""Friction of a sliding contact: direction, coefficient and viscous force."""

from dataclasses import dataclass
from typing import Any

from rikigaku.laws.contact.contact_geometry import ContactGeometry, Numbers
from rikigaku.numbers.elementary_functions import sqrt, where
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector

# Squared speed [m^2/s^2] below which the sliding direction is the initial one, not that of the velocity.
_AT_REST = 1e-24
# The direction of friction rotates at the rate mu g / speed, which is stiff where sliding begins slowly.
# A speed [m/s] along the initial direction is added; it decays as (time / this time [s])^-4.
_INITIAL_SPEED, _DECAY_TIME = 1e-5, 1e-3


@dataclass(frozen=True)
class Sliding:
    """A sliding contact: unit direction, signed friction coefficient, viscous force, sliding velocity."""

    th: Vector
    mu: Number
    drag: Vector
    velocity: Vector


def sliding_friction(
    plan: Any, contact_inputs: Numbers, c: ContactGeometry, i: int, sign: int, side: int
) -> Sliding:
    """Friction of contact i, which slides in the contact mode `plan` (`ActiveConstraints`)."""
    kinetic, fall, bend, viscous = plan.friction(contact_inputs, i)
    square = vector.dot(c.sliding, c.sliding)
    if sign:
        th = vector.scale(sign, c.directions[1])
    else:
        start, _ = plan.initial_direction(contact_inputs, i)
        along = friction_velocity(plan, contact_inputs, c, i)
        length = vector.dot(along, along)
        slow = length < _AT_REST
        speed = sqrt(where(slow, 1, length))
        x, y, z = (where(slow, s, u / speed) for s, u in zip(start, along, strict=True))
        th = (x, y, z)
    mu = kinetic + fall / (1 + bend * square)
    return Sliding(th, side * mu, vector.scale(-viscous, c.sliding), c.sliding)


def friction_velocity(plan: Any, contact_inputs: Numbers, c: ContactGeometry, i: int) -> Vector:
    """The velocity that spatial friction of contact i opposes; the contact sticks where it is zero."""
    start, since = plan.initial_direction(contact_inputs, i)
    elapsed = (contact_inputs[0] - since) / _DECAY_TIME
    decay = 1 + elapsed * elapsed
    return vector.add(c.sliding, vector.scale(_INITIAL_SPEED / (decay * decay), start))
