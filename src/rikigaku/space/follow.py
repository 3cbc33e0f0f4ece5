"""A hand that follows a target: the motion, its torques by both methods, and where it had to end."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.laws.space import ROWS
from rikigaku.model.robot import Robot
from rikigaku.space.measures import dynamic_singularity
from rikigaku.space.motion import FloatingMotion, floating_motion
from rikigaku.space.places import as_array, split
from rikigaku.space.targets import Target, rotation_of

Array = NDArray[np.float64]

# An arm is straight when its hand is this part of its length away.
_STRAIGHT = 0.98
CONTROLLERS = ("acceleration", "transposed")


class _Singular(ArithmeticError):
    """The arm cannot do what the target asks for here."""


@dataclass(frozen=True, eq=False)
class Followed:
    """A forward simulation under the controller's torques.

    accelerations, torques (n, arm): at each time; inertial_torques: H* accelerations, without the products of
    velocities (method B of the paper; `torques` is method A); hand (n, 4, 4): the frame's pose;
    error: its distance from the target [m]; turn_error: sine of the angle between the two [-];
    manipulability: of J* in the rows asked for.
    """

    motion: FloatingMotion
    accelerations: Array
    torques: Array
    inertial_torques: Array
    hand: Array
    error: Array
    turn_error: Array
    manipulability: Array

    @property
    def status(self) -> str:
        """ "ok", or why it ended before its time."""
        return self.motion.status


def follow(
    robot: Robot,
    q: Any,
    target: Target,
    frame: str,
    duration: float,
    *,
    v: Any = None,
    rows: str = "all",
    gains: tuple[float, float] = (20.0, 100.0),
    controller: str = "acceleration",
    times: Any = None,
    tolerance: float = 1e-10,
    least: float = 1e-3,
    breaks: Any = (),
) -> Followed:
    """Follow a target with a frame of a free-floating robot: controller and forward dynamics together.

    Args:
        target: pose, twist and acceleration as functions of time (`space.line`, `space.Approach`).
        v: velocities at the start; at rest if left out.
        rows: what of the target counts: "all", "linear", "planar" (x, y, turn), "xy".
        gains: on velocity [1/s] and position [1/s^2] errors; of the transposed Jacobian: [N s/m] and [N/m].
        controller: "acceleration": resolved acceleration (eq 27); "transposed": transposed generalized
            Jacobian.
        least: singular value of J* below which the arm is said to be singular; the motion ends there.
    Returns: what was found; `status` says why it ended early, if it did (a dynamic singularity on the way, a
        line that leaves the reach of the arm).
    """
    if controller not in CONTROLLERS:
        raise WrongValue(f"The controller {controller!r} is not known. Known: {', '.join(CONTROLLERS)}.")
    laws = cast(Any, robot)
    q = as_array(q)
    dynamic_singularity(robot, q, frame, rows)  # rows and frame are right
    gain = as_array(gains)
    resolved = laws.resolved_acceleration.fix(frame=frame, rows=rows)
    transposed = laws.transposed_jacobian.fix(frame=frame, rows=rows)
    jacobian = laws.generalized_jacobian.fix(frame=frame)
    chosen = list(ROWS[rows])

    def torque(t: float, q: Array, v: Array) -> Array:
        wanted = target(t)
        if controller == "transposed":
            return np.asarray(transposed(q, v, wanted.pose, wanted.twist, gain))
        smallest = np.linalg.svd(jacobian(q)[chosen], compute_uv=False)[-1]
        if not smallest > least:
            raise _Singular(_why(robot, q, frame, t, float(smallest), target))
        with np.errstate(all="ignore"):
            return np.asarray(resolved(q, v, *wanted, gain)[1])

    start = np.zeros(robot.nv) if v is None else as_array(v)
    breaks = (*breaks, *getattr(target, "breaks", ()))
    motion = floating_motion(
        robot, q, start, duration, torque, times=times, tolerance=tolerance, breaks=breaks
    )
    return _followed(robot, motion, target, frame, rows, gain, controller)


def _followed(
    robot: Robot, motion: FloatingMotion, target: Target, frame: str, rows: str, gain: Array, controller: str
) -> Followed:
    laws = cast(Any, robot)
    q, v = motion.q, motion.v
    wanted = [target(float(t)) for t in motion.t]
    poses, twists, pushes = (np.array([x[k] for x in wanted]) for k in range(3))
    arm = split(robot).arm
    with np.errstate(all="ignore"):
        if controller == "transposed":
            torques = laws.transposed_jacobian(q, v, poses, twists, gain, frame=frame, rows=rows)
            accelerations = laws.floating_forward_dynamics(q, v, torques)[..., arm]
        else:
            accelerations, torques = laws.resolved_acceleration(
                q, v, poses, twists, pushes, gain, frame=frame, rows=rows
            )
    hand = laws.pose(q, frame)
    counted = [k for k in ROWS[rows] if k < 3]
    error = np.linalg.norm((hand[:, :3, 3] - poses[:, :3])[:, counted], axis=-1)
    asked = np.array([rotation_of(pose[3:]) for pose in poses])
    skew = np.einsum("nij,nkj->nik", asked, hand[:, :3, :3])
    turn = np.array(
        [skew[:, 2, 1] - skew[:, 1, 2], skew[:, 0, 2] - skew[:, 2, 0], skew[:, 1, 0] - skew[:, 0, 1]]
    )
    kept = [k - 3 for k in ROWS[rows] if k >= 3]
    turn_error = np.linalg.norm(turn[kept] / 2, axis=0)
    measure = laws.generalized_manipulability(q, frame=frame, rows=rows)
    B = laws.inertial_torques(q, accelerations)
    return Followed(motion, accelerations, torques, B, hand, error, turn_error, measure)


def _why(robot: Robot, q: Array, frame: str, t: float, smallest: float, target: Target) -> str:
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
