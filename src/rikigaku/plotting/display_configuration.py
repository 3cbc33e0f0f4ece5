"""A configuration for pictures: within the limits, arms bent, and loops closed where that is possible."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from rikigaku.closure.loop_closure_newton import newton
from rikigaku.core.checked_calls import checked
from rikigaku.core.types import Array, Mask
from rikigaku.laws.closed.loop_equations import loop_alignment, loop_jacobian, loop_residual
from rikigaku.laws.tree.configuration_integration import integrate
from rikigaku.laws.tree.kinematics import frame_pose, jacobian, world_poses
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import coupled, is_length, neutral, position_bounds
from rikigaku.numbers.number_kind import Numbers
from rikigaku.plotting.body_layout import mechanism_of

_ATTEMPTS = 24  # random configurations that Newton's method starts from
_CLOSED = 1e-9  # [m], [rad]: smaller gaps are invisible in a picture
_VISIBLE = 0.3  # score of a configuration that is well visible
_BEND = 0.8  # [rad]
_SINGULAR = 0.02  # smallest over largest singular value of the Jacobian, nearer to singular below
_LONGEST_BENT = 7  # three choices for each joint: beyond this many joints there are too many


@checked
def default_configuration(robot: RobotModel) -> Array:
    """q at zero where the limits allow it, in their middle elsewhere; then arms bent, or loops closed.

    An arm (one chain on a fixed base) is bent at some joints, so that it is neither a straight line nor
    singular.
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
    """The best visible arm with some joints bent by 0.8 rad: wide, above ground, few bends, not singular."""
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
    score[_isotropy(mechanism, q, size) < _SINGULAR] -= 10 * size
    return np.asarray(q[int(np.argmax(score))], dtype=np.float64)


def _isotropy(mechanism: Mechanism, q: Array, size: float) -> Array:
    """Smallest over largest singular value of the last frame's Jacobian (states, nq), lengths over `size`.

    Only as many singular values count as some state has.
    """
    rows = _broadcast(jacobian(mechanism, list(q.T), list(mechanism.frames)[-1]), len(q))
    J = np.moveaxis(rows, -1, 0).copy()
    J[:, :3] /= size or 1.0
    found = np.linalg.svd(J, compute_uv=False)
    relative = found / np.maximum(found[:, :1], 1e-300)
    rank = int((relative > _SINGULAR).sum(axis=1).max())
    return np.asarray(relative[:, rank - 1])


def _closed(robot: RobotModel, q0: Array) -> Array:
    """The closed configuration found from q0 if it is well visible, else the best visible one found."""
    equations = _LoopEquations(mechanism_of(robot), *position_bounds(robot))
    reach = np.where(is_length(robot), 0.3, 1.2)
    first, score = _best_visible(equations, q0[None])
    if first is not None and score > _VISIBLE:
        return first
    starts = q0 + reach * np.random.default_rng(0).uniform(-1, 1, (_ATTEMPTS, robot.nq))
    best, best_score = _best_visible(
        equations, np.array([equations.start(_raised(robot, q)) for q in starts])
    )
    if best_score > score and best is not None:
        return best
    return q0 if first is None else first


def _best_visible(equations: "_LoopEquations", starts: Array) -> tuple[Array | None, float]:
    """The best visible closed configuration that Newton's method finds, or None, and its score."""
    q, residual = newton(equations, starts)
    q = q[(np.abs(residual).max(axis=-1, initial=0) < _CLOSED) & equations.aligned(q)]
    scores = [_visibility(equations.mechanism, x) for x in q]
    return (q[int(np.argmax(scores))], max(scores)) if scores else (None, -np.inf)


@dataclass(frozen=True, eq=False)
class _LoopEquations:
    """Loop-closure constraints within the limits of the joints, on arrays: a picture compiles nothing."""

    mechanism: Mechanism
    lower: Array
    upper: Array

    def residual(self, q: Array) -> Array:
        """Closure residual of the cut joints, (states, equations)."""
        return self._evaluated(loop_residual, q)

    def jacobian(self, q: Array) -> Array:
        """Loop Jacobian, (states, equations, nv)."""
        return self._evaluated(loop_jacobian, q)

    def aligned(self, q: Array) -> Mask:
        """Whether no cut joint is closed with its axes reversed."""
        return np.asarray((self._evaluated(loop_alignment, q) > 0).all(axis=-1))

    def moved(self, q: Array, step: Array) -> Array:
        """q after a tangent step, within the limits."""
        moved = integrate(self.mechanism, list(q.T), list(step.T))
        return np.clip(np.array(moved, dtype=np.float64).T, self.lower, self.upper)

    def start(self, q: Array) -> Array:
        """q within the limits, with quaternions of unit length."""
        return self.moved(q[None], np.zeros((1, self.mechanism.nv)))[0]

    def _evaluated(self, law: Callable[[Mechanism, Numbers], Any], q: Array) -> Array:
        values = law(self.mechanism, list(q.T))
        if not len(values):
            return np.zeros((len(q), *np.shape(values)))
        return np.moveaxis(_broadcast(values, len(q)), -1, 0)


def _broadcast(values: Any, states: int) -> Array:
    """Nested lists of numbers and of arrays over the states, as one array whose last axis is the states."""
    if isinstance(values, list | tuple):
        return np.array([_broadcast(x, states) for x in values], dtype=np.float64)
    return np.broadcast_to(np.asarray(values, dtype=np.float64), states)


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
