"""Why a hand cannot go on: an arm stretched out after a target that leaves, or a singularity inside."""

from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.model.robot import Robot
from rikigaku.space.targets import Target

Array = NDArray[np.float64]

# An arm is straight when its hand is this part of its length away.
_STRAIGHT = 0.98


def why_singular(robot: Robot, q: Array, frame: str, t: float, smallest: float, target: Target) -> str:
    """Which of the two it is: the arm stretched out after a target that goes on, or something inside."""
    words = (
        f"dynamic singularity of robot {robot.name!r}: the smallest singular value of J* of {frame!r} is "
        f"{smallest:.2g}"
    )
    shoulder, hand, length = _stretch(robot, q, frame)
    reach = hand - shoulder
    ahead = float(np.dot(target(t).twist[:3], reach))
    if ahead > 0 and np.linalg.norm(reach) > _STRAIGHT * length:
        words += (
            f"; the arm is stretched out, {np.linalg.norm(reach):.3g} m of {length:.3g} m, and the target "
            "goes on outward: the line leaves its reach"
        )
    return words + ". Choose another line, another start, or fewer rows"


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
