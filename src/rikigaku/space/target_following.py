"""Tracking of a target by a frame of a free-floating robot: controller and forward dynamics together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.integrators.munthe_kaas import STEP_LIMIT
from rikigaku.laws.space.generalized_jacobian import ROWS, known_rows
from rikigaku.laws.space.space_control import orientation_error
from rikigaku.laws.tree.energy import total_mass
from rikigaku.model.float_poses import quaternion_matrix
from rikigaku.model.mechanism import instantiate
from rikigaku.model.states import as_position
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.space.dynamic_singularity import dynamic_singularity, singularity_reason
from rikigaku.space.floating_motion import FloatingMotion, floating_motion, prescribed_motion
from rikigaku.space.frame_targets import Target, TargetState, derivative_along
from rikigaku.space.space_arguments import as_duration, as_gains, as_velocity, base_and_arm, check_target
from rikigaku.space.user_functions import call
from rikigaku.spatial.vector import Matrix

CONTROLLERS = ("acceleration", "rate", "transposed")


class _Singular(ArithmeticError):
    """The arm is at a dynamic singularity."""


@dataclass(frozen=True, eq=False)
class Followed:
    """A forward simulation under the controller, at the n times of its motion.

    a, tau: accelerations and joint torques of the arm (Newton-Euler; method A of the paper).
    inertial_tau: H* a, the torques without velocity terms (method B). pose (n, 4, 4): of the frame.
    position_error: distance of the frame from the target [m]. orientation_error: sine of the angle between
    the two. manipulability: of J* in the selected rows.
    """

    motion: FloatingMotion
    a: Array
    tau: Array
    inertial_tau: Array
    pose: Array
    position_error: Array
    orientation_error: Array
    manipulability: Array

    @property
    def status(self) -> str:
        """ "ok", or the reason why the motion ends early."""
        return self.motion.status


@checked
def follow(
    robot: Robot,
    q: ArrayLike,
    target: Target,
    frame: str,
    duration: float,
    *,
    v: ArrayLike | None = None,
    rows: str = "all",
    gains: tuple[float, float] = (20.0, 100.0),
    controller: str = "acceleration",
    times: ArrayLike | None = None,
    tolerance: float = 1e-10,
    min_singular_value: float = 1e-3,
    breaks: Sequence[float] = (),
    most_steps: int = 5_000,
) -> Followed:
    """Track a target with a frame of a free-floating robot.

    Args:
        target: desired pose, twist and acceleration as a function of time (`space.line`, `space.Approach`).
            The motion ends early where it raises an error after the start.
        v: velocities at the start; at rest if left out.
        rows: tracked motions: "all", "linear", "angular", "planar" (x, y and rotation about z), "xy".
        gains: on velocity [1/s] and position [1/s^2] errors; of the transposed Jacobian: [N s/m] and [N/m];
            of "rate", the first alone, on position errors [1/s].
        controller: "acceleration": resolved acceleration (eq 27). "transposed": transposed generalized
            Jacobian. "rate": resolved motion rate; the joints move with the velocities of `resolved_rate` at
            once, of v only the momentum is used, and `tau` are the torques of that motion.
        min_singular_value: of J*; below it the arm is singular and the motion ends.
        times, tolerance, breaks, most_steps: as for `floating_motion`.
    Returns: the simulation. Its `status` says why it ended early (a dynamic singularity, a line that leaves
        the reach of the arm).
    """
    if controller not in CONTROLLERS:
        raise WrongValue(f"The controller {controller!r} is not known. Known: {', '.join(CONTROLLERS)}.")
    q = as_position(robot, q)
    if controller == "transposed":  # it inverts nothing: an arm may have fewer coordinates than rows
        known_rows(rows)
    else:
        dynamic_singularity(robot, q, frame, rows)  # raises an error for wrong rows or frame
    start = np.zeros(robot.nv) if v is None else as_velocity(robot, v)
    duration = as_duration(duration)
    check_target(target, duration)
    if not 0 <= min_singular_value < np.inf:
        raise WrongValue(
            f"min_singular_value is a singular value, 0 or above; {min_singular_value!r} was given."
        )
    task = _Task(robot, target, frame, rows, as_gains(gains), min_singular_value)
    task.predict_end(q, start, duration)
    options: dict[str, Any] = {"times": times, "tolerance": tolerance, "most_steps": most_steps}
    options["breaks"] = (*breaks, *getattr(target, "breaks", ()))
    if controller == "rate":
        momentum = robot.momentum(q, start)
        motion = prescribed_motion(
            robot, q, lambda t, q: task.resolved_rate(t, q, momentum), duration, momentum=momentum, **options
        )
        return task.results(motion, *task.torques_of_rates(motion, momentum))
    transposed = controller == "transposed"
    torque = task.transposed_jacobian if transposed else task.resolved_acceleration
    motion = floating_motion(robot, q, start, duration, torque, **options)
    if transposed and STEP_LIMIT in motion.status:
        motion = replace(motion, status=motion.status + task.stiffness_reason(motion.q[-1]))
    along = task.transposed_along if transposed else task.resolved_along
    return task.results(motion, *along(motion))


class _Task:
    """The controllers of one frame that tracks one target."""

    def __init__(
        self, robot: Robot, target: Target, frame: str, rows: str, gains: Array, min_singular_value: float
    ) -> None:
        self.robot, self.gains = robot, gains
        self.target = lambda t: call("target", t, target, t)
        self.frame, self.rows, self.min_singular_value = frame, rows, min_singular_value
        self.arm = base_and_arm(robot).arm
        # bound once, since they are called at every stage of every step
        laws = robot.space
        self.jacobian = laws.generalized_jacobian.fix(frame=frame)
        self.acceleration_law = laws.resolved_acceleration.fix(frame=frame, rows=rows)
        self.rate_law = laws.resolved_rate.fix(frame=frame, rows=rows)
        self.transposed_law = laws.transposed_jacobian.fix(frame=frame, rows=rows)

    def predict_end(self, q: Array, v: Array, duration: float) -> None:
        """The target's position and the centre of mass at the end; no external force acts on the latter."""
        mass = float(total_mass(instantiate(self.robot, FLOATS, self.robot.declared_values)))
        drift = self.robot.momentum(q, v)[:3] / mass
        self.end = np.asarray(self.target(duration)[0], dtype=np.float64)[:3]
        self.center = self.robot.center_of_mass(q) + duration * drift

    def check_singularity(self, t: float, q: Array) -> None:
        """Raise _Singular if the smallest singular value of J* is too small."""
        smallest = np.linalg.svd(self.jacobian(q)[list(ROWS[self.rows])], compute_uv=False)[-1]
        if not smallest > self.min_singular_value:
            now = self.target(t)
            raise _Singular(
                singularity_reason(self.robot, q, self.frame, float(smallest), now, self.end, self.center)
            )

    # -- controllers at one instant ------------------------------------------------------------------------
    def resolved_acceleration(self, t: float, q: Array, v: Array) -> Array:
        self.check_singularity(t, q)
        pose, twist, acceleration = self.target(t)
        with np.errstate(all="ignore"):
            return np.asarray(self.acceleration_law(q, v, pose, twist, acceleration, self.gains).tau)

    def transposed_jacobian(self, t: float, q: Array, v: Array) -> Array:
        pose, twist, _ = self.target(t)
        return np.asarray(self.transposed_law(q, v, pose, twist, self.gains))

    def resolved_rate(self, t: float, q: Array, momentum: Array) -> Array:
        self.check_singularity(t, q)
        pose, twist, _ = self.target(t)
        commanded = twist + self.gains[0] * pose_error(self.robot.pose(q, self.frame), pose)
        with np.errstate(all="ignore"):
            return np.asarray(self.rate_law(q, commanded, momentum))

    # -- accelerations and torques along a motion ----------------------------------------------------------
    def targets(self, motion: FloatingMotion) -> TargetState:
        """The target at all times of a motion, (n, ...); NaN where it raises an error, at an early end."""
        states = [self._target_or_nan(float(t)) for t in motion.t]
        pose, twist, acceleration = (
            np.array([x[k] for x in states]).reshape(-1, n) for k, n in enumerate((7, 6, 6))
        )
        return TargetState(pose, twist, acceleration)

    def _target_or_nan(self, t: float) -> Any:
        try:
            return self.target(t)
        except ArithmeticError:
            return tuple(np.full(n, np.nan) for n in (7, 6, 6))

    def resolved_along(self, motion: FloatingMotion) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            a, tau = self.acceleration_law(motion.q, motion.v, *self.targets(motion), self.gains)
        return a, tau

    def transposed_along(self, motion: FloatingMotion) -> tuple[Array, Array]:
        q, v = motion.q, motion.v
        pose, twist, _ = self.targets(motion)
        tau = self.transposed_law(q, v, pose, twist, self.gains)
        return self.robot.space.floating_forward_dynamics(q, v, tau)[..., self.arm], tau

    def torques_of_rates(self, motion: FloatingMotion, momentum: Array) -> tuple[Array, Array]:
        """Accelerations and torques of a motion with resolved rates.

        The accelerations are the numerical derivative of the rate law along the motion of robot and target;
        so they hold for redundant arms too, whose velocities have minimum norm.
        """
        q, v = motion.q, motion.v
        pose, twist, acceleration = self.targets(motion)
        actual, velocity = self.robot.pose(q, self.frame), self.robot.velocity(q, v, self.frame)
        commanded = twist + self.gains[0] * pose_error(actual, pose)
        change = acceleration + self.gains[0] * pose_error_rate(actual, velocity, pose, twist)
        with np.errstate(all="ignore"):
            a = derivative_along(
                self.robot, lambda q, x: self.rate_law(q, x, momentum), q, v, commanded, change
            )
            return a, self.robot.space.floating_inverse_dynamics(q, v, a)

    def stiffness_reason(self, q: Array) -> str:
        """A sentence with the shortest time constant of the arm under the transposed Jacobian."""
        J = self.jacobian(q)[list(ROWS[self.rows])]
        H = self.robot.space.generalized_inertia(q)
        rates = self.gains[0] * np.linalg.eigvals(np.linalg.solve(H, J.T @ J))
        return (
            f". The gains are large for the inertia of the wrist: the lightest motion of the arm changes "
            f"within {1 / np.abs(rates).max():.1g} s, and every step is as short. Choose smaller gains"
        )

    def results(self, motion: FloatingMotion, a: Array, tau: Array) -> Followed:
        pose = self.robot.pose(motion.q, self.frame)
        error = pose_error(pose, self.targets(motion).pose)
        linear, angular = ([k for k in ROWS[self.rows] if (k < 3) == first] for first in (True, False))
        manipulability = np.zeros(len(motion.q))
        if len(ROWS[self.rows]) <= len(self.arm):
            manipulability = self.robot.space.generalized_manipulability(motion.q, self.frame, self.rows)
        return Followed(
            motion,
            a,
            tau,
            self.robot.space.inertial_torques(motion.q, a),
            pose,
            np.linalg.norm(error[:, linear], axis=-1),
            np.linalg.norm(error[:, angular], axis=-1),
            np.asarray(manipulability),
        )


def pose_error(pose: Array, target: Array) -> Array:
    """Position error, then sin(angle) times the axis of the remaining rotation, world axes: (..., 6).

    pose: of the frame, (..., 4, 4); target: position and quaternion, (..., 7).
    """
    rotation = _orientation_errors(pose[..., :3, :3], _rotations(target))
    return np.concatenate([target[..., :3] - pose[..., :3, 3], rotation], axis=-1)


def pose_error_rate(pose: Array, velocity: Array, target: Array, twist: Array) -> Array:
    """Time derivative of `pose_error`; velocity of the frame and twist of the target, (..., 6) each."""
    R, desired = pose[..., :3, :3], _rotations(target)
    dR = np.cross(velocity[..., 3:, None], R, axis=-2)
    desired_rate = np.cross(twist[..., 3:, None], desired, axis=-2)
    rotation = _orientation_errors(dR, desired) + _orientation_errors(R, desired_rate)  # it is bilinear
    return np.concatenate([twist[..., :3] - velocity[..., :3], rotation], axis=-1)


def _orientation_errors(R: Array, desired: Array) -> Array:
    """`orientation_error` of the control laws on arrays of rotations, (..., 3)."""
    return np.stack(orientation_error(_matrix(R), _matrix(desired)), axis=-1)


def _matrix(R: Array) -> Matrix:
    """Rotation matrices (..., 3, 3) as a matrix of arrays."""
    first, second, third = ((R[..., i, 0], R[..., i, 1], R[..., i, 2]) for i in range(3))
    return (first, second, third)


def _rotations(target: Array) -> Array:
    flat = target.reshape(-1, 7)
    found = np.array([quaternion_matrix(x[3:]) for x in flat]).reshape(-1, 3, 3)
    return found.reshape(*target.shape[:-1], 3, 3)
