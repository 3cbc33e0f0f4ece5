"""A posture to show a robot in: within its limits, and with its loops closed where that is possible."""

import numpy as np
from numpy.typing import NDArray

from rikigaku.laws.kinematics import frame_pose, world_poses
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot import Robot
from rikigaku.plotting.skeleton import loop_frames, mechanism_of
from rikigaku.states import coupled, is_length, neutral, position_bounds

Array = NDArray[np.float64]

_ATTEMPTS = 12
_CLOSED = 1e-9  # [m], [rad]: beyond what a picture, or a person, can see


def default_posture(robot: Robot) -> Array:
    """q at zero where the limits allow it, in their middle elsewhere; loops closed if a posture is found.

    Closing is a search from a few postures around that one, always the same; of those that close, the one that
    spreads the robot furthest is shown. If none closes, the loops stay open and the picture shows the gaps.
    """
    lower, upper = position_bounds(robot)
    q = neutral(robot)
    outside = (q < lower) | (q > upper)
    both = np.isfinite(lower) & np.isfinite(upper)
    middle = np.where(both, (np.where(both, lower, 0) + np.where(both, upper, 0)) / 2, np.clip(0, lower, upper))
    q = coupled(robot, np.where(outside, middle, q))
    return _closed(robot, q) if robot.loops else q


def _closed(robot: Robot, q0: Array) -> Array:
    from scipy.optimize import least_squares

    extended, pairs = loop_frames(robot)
    mechanism = mechanism_of(extended)
    kinds = [loop.joint for loop in robot.loops]
    lower, upper = position_bounds(robot)
    rng = np.random.default_rng(0)
    spread = np.where(is_length(robot), 0.3, 1.0)

    def gaps(q: Array) -> Array:
        return _gaps(mechanism, pairs, kinds, _unit(robot, q)[:, None])[:, 0]

    def slopes(q: Array) -> Array:
        h = 1e-7
        states = q[:, None] + h * np.hstack([np.eye(len(q)), -np.eye(len(q))])
        values = _gaps(mechanism, pairs, kinds, _unit(robot, states))
        return (values[:, : len(q)] - values[:, len(q) :]) / (2 * h)

    best, best_size = q0, -1.0
    if np.linalg.norm(gaps(q0)) < _CLOSED:
        return q0
    for attempt in range(_ATTEMPTS):
        start = q0 + spread * rng.uniform(-1, 1, robot.nq) * (attempt > 0)
        start = _raised(robot, np.clip(start, np.nextafter(lower, np.inf), np.nextafter(upper, -np.inf)))
        found = least_squares(gaps, start, slopes, bounds=(lower, upper), xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=60)
        q = _unit(robot, found.x)
        if np.linalg.norm(gaps(q)) < _CLOSED and (size := _spread(mechanism, q)) > best_size:
            best, best_size = q, size
    return np.asarray(best, dtype=np.float64)


def _gaps(mechanism: Mechanism, pairs: list[tuple[str, str]], kinds: list[str], q: Array) -> Array:
    """How far each cut joint is from being closed, one column for each state."""
    poses = world_poses(mechanism, list(q))
    rows = []
    for (first, second), kind in zip(pairs, kinds, strict=True):
        A, B = frame_pose(mechanism, poses, first), frame_pose(mechanism, poses, second)
        apart = [b - a for a, b in zip(A.p, B.p, strict=True)]
        # how B's axes stand on A's: zero where parallel
        across = [sum(A.R[k][i] * B.R[k][2] for k in range(3)) for i in (0, 1)]
        twist = sum(A.R[k][0] * B.R[k][1] for k in range(3))
        if kind in ("revolute", "spherical", "universal", "fixed"):
            rows += apart
        if kind == "prismatic":  # along z of A it may slide
            rows += [sum(A.R[k][i] * apart[k] for k in range(3)) for i in (0, 1)]
        if kind == "planar":
            rows.append(sum(A.R[k][2] * apart[k] for k in range(3)))
        if kind in ("revolute", "prismatic", "fixed", "planar"):
            rows += across
        if kind in ("prismatic", "fixed"):
            rows.append(twist)
    return np.array([np.broadcast_to(row, q.shape[1:]) for row in rows], dtype=np.float64).reshape(-1, q.shape[1])


def _spread(mechanism: Mechanism, q: Array) -> float:
    """How far the bodies are apart, with a liking for what is up."""
    places = np.array([[float(x) for x in pose.p] for pose in world_poses(mechanism, list(q))])
    return float(np.linalg.norm(places.std(axis=0)) + places[:, 2].mean())


def _raised(robot: Robot, q: Array) -> Array:
    """Free bodies start a little above the ground, where mechanisms have them."""
    for joint in robot.joints:
        if joint.type == "free":
            q[robot.q_slices[joint.name].start + 2] = 0.5
    return q


def _unit(robot: Robot, q: Array) -> Array:
    """q with its quaternions of length one; states along the first axis."""
    q = np.array(q)
    for joint in robot.joints:
        if joint.type in ("free", "spherical"):
            s = robot.q_slices[joint.name]
            four = slice(s.stop - 4, s.stop)
            q[four] = q[four] / np.linalg.norm(q[four], axis=0)
    return q
