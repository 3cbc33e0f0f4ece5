"""Why a hand cannot go on: an arm stretched out after a target that leaves, or a singularity inside."""

from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.laws.kinematics import known_frame
from rikigaku.model.elementary import Revolute, Spherical
from rikigaku.model.mechanism import WORLD, instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS
from rikigaku.space.places import split
from rikigaku.space.targets import Wanted

Array = NDArray[np.float64]

# An arm is straight when its hand is this part of its length away.
_STRAIGHT = 0.98


def why_singular(
    robot: Robot, q: Array, frame: str, smallest: float, now: Wanted, end: Array, center: Array
) -> str:
    """Which of the two it is: a target that leaves the reach of the arm, or something inside.

    now: what is asked at this time; end: where the target will be at last; center: where the centre of mass
    will be then: where nothing pushes it goes straight on.
    """
    words = (
        f"dynamic singularity of robot {robot.name!r}: the smallest singular value of J* of {frame!r} is "
        f"{smallest:.2g}"
    )
    shoulder, hand, length = _stretch(robot, q, frame)
    stretched = float(np.linalg.norm(hand - shoulder))
    furthest = reach_from_center(robot, frame)
    away = float(np.linalg.norm(end - center))
    if away > furthest:
        words += (
            f"; the target ends {away:.4g} m from the centre of mass of the whole, and the arm reaches "
            f"{furthest:.4g} m from there at most: the line leaves its reach"
        )
    elif np.dot(now.twist[:3], hand - shoulder) > 0 and stretched > _STRAIGHT * length:
        words += (
            f"; the arm is stretched out, {stretched:.3g} m of {length:.3g} m, and the target goes on "
            "outward: the line leaves its reach"
        )
    return words + ". Choose another line, another start, or fewer rows"


def reach_from_center(robot: Robot, frame: str) -> float:
    """A bound on how far a frame can be from the centre of mass of the whole [m]; inf where joints slide.

    The way from there to the frame is a sum of vectors, each fixed to one body: the body's own step toward
    the frame, less its share in the centre of mass. Turned all one way they are as long as the sum of their
    lengths; an arm whose joints allow that reaches the bound.
    """
    mechanism = instantiate(robot, FLOATS, robot.declared_values)
    bodies, arm = mechanism.bodies, set(split(robot).arm.tolist())
    if any(k in arm and not isinstance(body.joint, Revolute | Spherical) for body in bodies for k in body.v):
        return float(np.inf)
    moments = np.array([body.inertia.h for body in bodies], dtype=np.float64)  # about the body's joint
    masses = np.array([body.inertia.m for body in bodies], dtype=np.float64)
    steps = np.array([body.placement.p for body in bodies], dtype=np.float64)  # in axes of the parent
    for i in reversed(range(len(bodies))):
        if (parent := bodies[i].parent) != WORLD:
            masses[parent] += masses[i]
            moments[parent] += masses[i] * steps[i]
    whole = max(masses[i] for i, body in enumerate(bodies) if body.parent == WORLD)
    ways = -moments / whole
    i, on_body = known_frame(mechanism, frame)
    step = np.array(on_body.p, dtype=np.float64)
    while i != WORLD:
        ways[i] += step
        i, step = bodies[i].parent, steps[i]
    return float(sum(np.linalg.norm(way) for way in ways))


def _stretch(robot: Robot, q: Array, frame: str) -> tuple[Array, Array, float]:
    """First joint of the arm that carries the frame, the frame, and the way between them along the links."""
    laws = cast(Any, robot)
    links = {link.name: link for link in robot.links}
    names, link = [frame], robot.frame(frame).link
    while links[link].parent != robot.base:
        names.append(link)
        link = links[link].parent
    points = [laws.pose(q, name)[:3, 3] for name in names]
    length = sum(float(np.linalg.norm(a - b)) for a, b in pairwise(points))
    return points[-1], points[0], length
