"""A configuration for pictures: within the limits, arms bent, and loops closed where that is possible."""

from collections.abc import Callable
from itertools import product

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.types import Array
from rikigaku.laws.closed.loop_equations import loop_residual
from rikigaku.laws.tree.kinematics import frame_pose, world_poses
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import coupled, is_length, neutral, position_bounds
from rikigaku.plotting.body_layout import mechanism_of

_ATTEMPTS = 24
_CLOSED = 1e-9  # [m], [rad]: smaller gaps are invisible in a picture
_BEND = 0.8  # [rad]
_LONGEST_BENT = 7  # three choices for each joint: beyond this many joints there are too many


@checked
def default_configuration(robot: RobotModel) -> Array:
    """q at zero where the limits allow it, in their middle elsewhere; then arms bent, or loops closed.

    An arm (one chain on a fixed base) is bent at some joints, so that it is not a straight line.
    Loops are closed by a search from a few fixed configurations; if none closes, the gaps are shown.
    """
    lower, upper = position_bounds(robot)
    q = neutral(robot)
    outside = (q < lower) | (q > upper)
    both = np.isfinite(lower) & np.isfinite(upper)
    middle = np.where(
        both, (np.where(both, lower, 0) + np.where(both, upper, 0)) / 2, np.clip(0, lower, upper)
    )
    q = coupled(robot, np.where(outside, middle, q))
    if robot.loops:
        return _closed(robot, q)
    return _bent(robot, q) if _is_arm(robot) else q


def _is_arm(robot: RobotModel) -> bool:
    """One chain of joints of one coordinate on a fixed base."""
    moving = [link for link in robot.links if link.joint.type != "fixed"]
    single = all(link.joint.nq == 1 for link in moving)
    mechanism = mechanism_of(robot)
    chain = [body.parent for body in mechanism.bodies] == list(range(-1, len(mechanism.bodies) - 1))
    return single and chain and 2 <= len(moving) <= _LONGEST_BENT and not robot.couplings


def _bent(robot: RobotModel, q0: Array) -> Array:
    """The best visible arm with some joints bent by 0.8 rad: wide, above ground, few bends."""
    lower, upper = position_bounds(robot)
    revolute = [joint.type == "revolute" for joint in robot.joints]
    bends = np.array(list(product(*((0.0, _BEND, -_BEND) if bent else (0.0,) for bent in revolute))))
    q = q0 + bends
    kept = ((q >= lower) & (q <= upper)).all(axis=1)
    q, bends = q[kept], bends[kept]
    mechanism = mechanism_of(robot)
    poses = world_poses(mechanism, list(q.T))
    frames = [frame_pose(mechanism, poses, name) for name in mechanism.frames]
    places = np.array(
        [[np.broadcast_to(x, len(q)) for x in pose.p] for pose in (*poses, *frames)], dtype=np.float64
    )
    places = np.moveaxis(places, -1, 0)  # states, places, xyz
    size = np.ptp(places, axis=1).max()
    low = np.minimum(places[..., 2].min(axis=1) - min(0.0, places[0, :, 2].min()), 0)
    height = places[..., 2].mean(axis=1)
    score = 2 * _widths(places)[:, 1] / np.sqrt(places.shape[1]) + 2 * low + 0.12 * height
    score -= 0.012 * size * (bends != 0).sum(axis=1)
    return np.asarray(q[int(np.argmax(score))], dtype=np.float64)


def _closed(robot: RobotModel, q0: Array) -> Array:
    mechanism = mechanism_of(robot)
    lower, upper = position_bounds(robot)
    rng = np.random.default_rng(0)
    reach = np.where(is_length(robot), 0.3, 1.2)

    def gaps(q: Array) -> Array:
        return _gaps(mechanism, _unit(robot, q))

    best, best_score = q0, 0.0
    for attempt in range(_ATTEMPTS):
        start = q0 + reach * rng.uniform(-1, 1, robot.nq) * (attempt > 0)
        q = _newton(gaps, q0 if attempt == 0 else _raised(robot, start), lower, upper)
        q = _unit(robot, q)
        if np.linalg.norm(gaps(q[:, None])) < _CLOSED:
            score = _visibility(mechanism, q)
            if attempt == 0 and score > 0.3:
                return q  # nearest to zero, and well visible
            if score > best_score:
                best, best_score = q, score
    return np.asarray(best, dtype=np.float64)


def _newton(gaps: Callable[[Array], Array], q: Array, lower: Array, upper: Array) -> Array:
    """Newton's method with minimum-norm steps, no longer than 0.5, within the limits."""
    n, h = len(q), 1e-6
    nudges = h * np.hstack([np.zeros((n, 1)), np.eye(n), -np.eye(n)])
    for _ in range(40):
        values = gaps(q[:, None] + nudges)
        gap, slopes = values[:, 0], (values[:, 1 : n + 1] - values[:, n + 1 :]) / (2 * h)
        step = np.linalg.lstsq(slopes, gap, rcond=1e-6)[0]
        q = np.clip(q - step * min(1.0, 0.5 / max(float(np.linalg.norm(step)), 1e-300)), lower, upper)
        if np.linalg.norm(gap) < 0.1 * _CLOSED:
            break
    return q


def _gaps(mechanism: Mechanism, q: Array) -> Array:
    """Closure residual of the cut joints, one column for each state."""
    states = q.shape[1]
    rows = [np.broadcast_to(row, states) for row in loop_residual(mechanism, list(q))]
    return np.array(rows, dtype=np.float64).reshape(-1, states)


def _visibility(mechanism: Mechanism, q: Array) -> float:
    """Score of a configuration in a picture: wide, above ground; 0 if all points are on a line."""
    poses = world_poses(mechanism, list(q))
    places = np.array([[float(x) for x in frame_pose(mechanism, poses, name).p] for name in mechanism.frames])
    size = float(np.ptp(places, axis=0).max())
    if size == 0:
        return 0.0
    wide = _widths(places[None])[0, 1] / np.sqrt(len(places))
    return float((2 * wide + 0.2 * places[:, 2].mean() + places[:, 2].min()) / size)


def _widths(places: Array) -> Array:
    """Singular values of clouds of points (..., n, 3) about their centres, largest first."""
    widths: Array = np.linalg.svd(places - places.mean(axis=-2, keepdims=True), compute_uv=False)
    return np.concatenate([widths, np.zeros((*widths.shape[:-1], 3 - widths.shape[-1]))], axis=-1)


def _raised(robot: RobotModel, q: Array) -> Array:
    """q with free bodies 0.5 m above the ground, as starting values."""
    for joint in robot.joints:
        if joint.type == "free":
            q[robot.q_slices[joint.name].start + 2] = 0.5
    return q


def _unit(robot: RobotModel, q: Array) -> Array:
    """q with its quaternions of length one; states along the first axis."""
    q = np.array(q)
    for joint in robot.joints:
        if joint.type in ("free", "spherical"):
            s = robot.q_slices[joint.name]
            four = slice(s.stop - 4, s.stop)
            q[four] = q[four] / np.linalg.norm(q[four], axis=0)
    return q
