"""How a contact slides: direction, coefficient and viscous force of its friction."""

from dataclasses import dataclass
from typing import Any

from rikigaku.laws.contact_geometry import Numbers, Touch
from rikigaku.numbers.functions import sqrt, where
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector

# Square of the speed [m^2/s^2] below which sliding has the direction it starts with, not the velocity's.
_AT_REST = 1e-24
# Friction turns with the velocity at the rate mu g / speed, which explicit steps could hardly follow where
# sliding begins slowly: this speed [m/s] along the first direction is added, and fades as (this time [s])^4.
_STARTED, _STARTING = 1e-5, 1e-3


@dataclass(frozen=True)
class Slip:
    """A sliding contact: unit direction, coefficient along the normal force, viscous force."""

    th: Vector
    mu: Number
    drag: Vector
    sliding: Vector


def slip_of(plan: Any, given: Numbers, c: Touch, i: int, sign: int, side: int) -> Slip:
    """How contact i slides in a mode (`laws.contact.ModePlan`), with the numbers given."""
    kinetic, fall, bend, viscous = plan.friction(given, i)
    square = vector.dot(c.sliding, c.sliding)
    if sign:
        th = vector.scale(sign, c.directions[1])
    else:
        start, _ = plan.start(given, i)
        along = led(plan, given, c, i)
        length = vector.dot(along, along)
        slow = length < _AT_REST
        speed = sqrt(where(slow, 1, length))
        x, y, z = (where(slow, s, u / speed) for s, u in zip(start, along, strict=True))
        th = (x, y, z)
    mu = kinetic + fall / (1 + bend * square)
    return Slip(th, side * mu, vector.scale(-viscous, c.sliding), c.sliding)


def led(plan: Any, given: Numbers, c: Touch, i: int) -> Vector:
    """The velocity whose direction friction goes against in space; contact i sticks where it is zero."""
    start, since = plan.start(given, i)
    late = (given[0] - since) / _STARTING
    fading = 1 + late * late
    return vector.add(c.sliding, vector.scale(_STARTED / (fading * fading), start))
