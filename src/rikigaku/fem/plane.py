"""The plane a robot moves in, if there is one, and whether it hangs together."""

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.laws.kinematics import world_poses
from rikigaku.model.elementary import Free
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.model.robot import Robot
from rikigaku.states import neutral

Array = NDArray[np.float64]


def plane_normal(robot: Robot, mechanism: Mechanism) -> Array | None:
    """The common direction of all axes of turning, square to all slides; None if there is none."""
    poses = world_poses(mechanism, list(neutral(robot)))
    turning, sliding = [], []
    for body, pose in zip(mechanism.bodies, poses, strict=True):
        R = np.array(pose.R, dtype=np.float64)
        for direction in body.joint.directions():
            w, u = (R @ np.array(x, dtype=np.float64) for x in (direction.angular, direction.linear))
            turning += [w] if w.any() else []
            sliding += [u] if u.any() else []
    for loop in mechanism.loops:
        if loop.joint not in ("revolute", "fixed", "prismatic"):
            return None
        carrier, on_it = loop.start
        R = np.eye(3) if carrier == WORLD else np.array(poses[carrier].R, dtype=np.float64)
        z = (R @ np.array(on_it.R, dtype=np.float64))[:, 2]
        if loop.joint != "fixed":
            (turning if loop.joint == "revolute" else sliding).append(z)
    if not turning:
        return None
    n = turning[0]
    parallel = all(np.linalg.norm(np.cross(n, w)) < 1e-9 for w in turning)
    return np.asarray(n) if parallel and all(abs(n @ u) < 1e-9 for u in sliding) else None


def check_pieces(robot: Robot, mechanism: Mechanism, normal: Array | None) -> None:
    """Everything must hang together with the ground by joints or loops; a free joint holds nothing."""
    bodies, root = mechanism.bodies, {WORLD: WORLD}

    def top(i: int) -> int:
        while root[i] != i:
            i = root[i]
        return i

    carried = {link.name: link.joint.type for link in robot.links}
    for i, body in enumerate(bodies):
        loose = isinstance(body.joint, Free) or (carried.get(body.name) == "planar" and normal is not None)
        root[i] = i if loose else top(body.parent)
    for loop in mechanism.loops:
        a, b = top(loop.start[0]), top(loop.end[0])
        root[b if a == WORLD else a] = a if a == WORLD else b
    alone = [body.name for i, body in enumerate(bodies) if top(i) != top(WORLD)]
    if alone:
        raise WrongValue(
            f"Robot {robot.name!r} is in pieces: {', '.join(alone[:6])} hang on nothing but a free "
            "joint. Close a loop to them, or fix them to the ground (robot.lock)."
        )
