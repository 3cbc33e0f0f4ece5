"""Why a hand cannot go on: an arm stretched out after a target that leaves, or a singularity inside."""

from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.model.robot import Robot
from rikigaku.space.targets import Wanted

Array = NDArray[np.float64]

# An arm is straight when its hand is this part of its length away.
_STRAIGHT = 0.98


def why_singular(
    robot: Robot, q: Array, frame: str, smallest: float, now: Wanted, end: Array, center: Array
) -> str:
    """Which of the two it is: a target that leaves the reach of the arm, or something inside.

    now: what is asked at this time; end: where the target will be at last; center: where the centre of mass
    will be then.
    """
    words = (
        f"dynamic singularity of robot {robot.name!r}: the smallest singular value of J* of {frame!r} is "
        f"{smallest:.2g}"
    )
    shoulder, hand, length = _stretch(robot, q, frame)
    reach = float(np.linalg.norm(hand - shoulder))
    # where nothing pushes the centre of mass goes straight on, and the hand stays about this near to it
    radius = float(np.linalg.norm(shoulder - cast(Any, robot).center_of_mass(q))) + length
    away = float(np.linalg.norm(end - center))
    if away > radius:
        words += (
            f"; the target ends {away:.3g} m from the centre of mass of the whole, and the arm reaches "
            f"about {radius:.3g} m from there: the line leaves its reach"
        )
    elif np.dot(now.twist[:3], hand - shoulder) > 0 and reach > _STRAIGHT * length:
        words += (
            f"; the arm is stretched out, {reach:.3g} m of {length:.3g} m, and the target goes on outward: "
            "the line leaves its reach"
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
