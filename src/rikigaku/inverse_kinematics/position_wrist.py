"""All configurations at a position: a spherical wrist at the frame's origin takes any orientation.

Three revolute joints whose axes meet at the origin of the frame are added to the chain. It then solves for
poses at the position with one general orientation; each configuration of the chain comes with two of the
wrist, which are one.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.found_configurations import wrapped
from rikigaku.inverse_kinematics.ik_solution import IkSolution, Indices
from rikigaku.inverse_kinematics.solution_messages import messages
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link, RobotModel

WRIST = tuple(f"wrist_at_position_{k}" for k in (1, 2, 3))
_TWISTS = ("pi/2", "-pi/2")
_EQUAL = 1e-6  # [rad, m]: configurations of the chain closer than this are one
_MOST_KNOWN = 16
_known: dict[tuple[RobotModel, str], RobotModel] = {}


def with_wrist(robot: RobotModel, frame: str) -> RobotModel:
    """The robot with a spherical wrist at a frame; its last link is WRIST[-1]. The latest ones are kept."""
    key = robot, frame
    if key not in _known:
        if len(_known) >= _MOST_KNOWN:
            del _known[next(iter(_known))]
        at = robot.frame(frame)
        links = [Link(WRIST[0], at.link, Joint(WRIST[0]), at.geometry)]
        for before, own, twist in zip(WRIST, WRIST[1:], _TWISTS, strict=False):
            links.append(Link(own, before, Joint(own), ModifiedDH(alpha=twist)))
        _known[key] = replace(robot, links=(*robot.links, *links))
    return _known[key]


def posed(positions: Array) -> Array:
    """Poses (n, 4, 4) at positions (n, 3), with an orientation at which no wrist is singular by design."""
    Q, _ = np.linalg.qr(np.random.default_rng(8).normal(size=(3, 3)))
    T = np.tile(np.eye(4), (len(positions), 1, 1))
    T[:, :3, :3], T[:, :3, 3] = Q * np.linalg.det(Q), positions
    return T


def without_wrist(found: IkSolution, robot: RobotModel, tolerance: float) -> IkSolution:
    """Configurations (n, k, nq) of the robot from those of its chain with the wrist, each once."""
    q, angles = found.q[..., : robot.nq], np.zeros(robot.nq, dtype=bool)
    for joint in robot.joints:
        angles[robot.q_slices[joint.name]] = joint.type == "revolute"
    kept = [_different(own, count, angles) for own, count in zip(q, found.multiplicity, strict=True)]
    width = max([1, *map(len, kept)])
    places, absent = np.zeros((len(q), width), dtype=np.int64), np.ones((len(q), width), dtype=bool)
    for k, own in enumerate(kept):
        places[k, : len(own)], absent[k, : len(own)] = own, False

    def chosen(x: Any, nothing: float) -> Any:
        own = np.take_along_axis(x, places.reshape(*places.shape, *(1,) * (x.ndim - 2)), axis=1)
        own[absent] = nothing
        return own

    position = chosen(found.position_error, np.nan)
    success, multiplicity, family = (chosen(x, 0) for x in (found.success, found.multiplicity, found.family))
    accurate = position <= tolerance
    text = partial(_texts, multiplicity, accurate, success, family, found.complete, found.dimension)
    return replace(
        found,
        q=chosen(q, np.nan),
        success=success,
        position_error=position,
        rotation_error=0.0 * position,
        texts=text,
        multiplicity=multiplicity,
        family=family,
    )


def _texts(*arguments: Any) -> NDArray[np.object_]:
    return np.array([str(x).replace("pose", "position") for x in messages(*arguments)], dtype=object)


def _different(q: Array, multiplicity: Indices, angles: Mask) -> list[int]:
    """Places of the configurations (k, nq) that exist, without repetitions."""
    present = np.nonzero(multiplicity)[0]
    if not len(present):
        return []
    gap = np.abs(wrapped(q[present, None] - q[None, present], angles)).max(axis=-1, initial=0.0)
    first = (gap < _EQUAL).argmax(axis=1)
    return [int(present[k]) for k, own in enumerate(first) if own == k]
