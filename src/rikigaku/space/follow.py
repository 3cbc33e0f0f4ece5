"""A hand that follows a target: the motion, its torques by both methods, and where it had to end."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.laws.energy import total_mass
from rikigaku.laws.space import ROWS, known_rows
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS
from rikigaku.space.asking import called
from rikigaku.space.deviation import pose_error, pose_error_rate
from rikigaku.space.given import as_duration, as_gains, check_target
from rikigaku.space.measures import dynamic_singularity
from rikigaku.space.motion import FloatingMotion, floating_motion
from rikigaku.space.places import as_velocity, split
from rikigaku.space.rates import rate_motion
from rikigaku.space.reach import why_singular
from rikigaku.space.slopes import slope_along
from rikigaku.space.stepping import LIMIT
from rikigaku.space.targets import Target, Wanted
from rikigaku.states import as_position

Array = NDArray[np.float64]

CONTROLLERS = ("acceleration", "rate", "transposed")


class _Singular(ArithmeticError):
    """The arm cannot do what the target asks for here."""


@dataclass(frozen=True, eq=False)
class Followed:
    """A forward simulation under the controller.

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
    most_steps: int = 5_000,
) -> Followed:
    """Follow a target with a frame of a free-floating robot: controller and forward dynamics together.

    Args:
        target: pose, twist and acceleration as functions of time (`space.line`, `space.Approach`). Where it
            raises an error on the way the motion ends, with what was found.
        v: velocities at the start; at rest if left out.
        rows: what of the target counts: "all", "linear", "angular", "planar" (x, y, turn), "xy".
        gains: on velocity [1/s] and position [1/s^2] errors; of the transposed Jacobian: [N s/m] and [N/m];
            of rates, the first alone is the gain on position errors [1/s].
        controller: "acceleration": resolved acceleration (eq 27); "transposed": transposed generalized
            Jacobian; "rate": resolved motion rate, the drives give the joints their rates at once (of v the
            momentum counts), and `torques` are what that takes.
        least: singular value of J* below which the arm is said to be singular; the motion ends there.
        times, tolerance, breaks, most_steps: as for `floating_motion`.
    Returns: what was found; `status` says why it ended early, if it did (a dynamic singularity on the way, a
        line that leaves the reach of the arm).
    """
    if controller not in CONTROLLERS:
        raise WrongValue(f"The controller {controller!r} is not known. Known: {', '.join(CONTROLLERS)}.")
    q = as_position(robot, q)
    if controller == "transposed":  # which solves nothing: an arm may have fewer coordinates than rows
        known_rows(rows)
    else:
        dynamic_singularity(robot, q, frame, rows)  # rows and frame are right
    start = np.zeros(robot.nv) if v is None else as_velocity(robot, v)
    duration = as_duration(duration)
    check_target(target, duration)
    if not 0 <= least < np.inf:
        raise WrongValue(f"least is a singular value, 0 or above; {least!r} was given.")
    task = _Task(robot, target, frame, rows, as_gains(gains), least)
    task.ahead(q, start, duration)
    given = {"times": times, "tolerance": tolerance, "breaks": (*breaks, *getattr(target, "breaks", ()))}
    given["most_steps"] = most_steps
    if controller == "rate":
        momentum = task.laws.momentum(q, start)
        motion = rate_motion(
            robot, q, lambda t, q: task.rates(t, q, momentum), duration, momentum=momentum, **given
        )
        return task.followed(motion, *task.servo(motion, momentum))
    push = task.transposed if controller == "transposed" else task.resolved
    motion = floating_motion(robot, q, start, duration, push, **given)
    if controller == "transposed" and LIMIT in motion.status:
        motion = replace(motion, status=motion.status + task.stiffness(motion.q[-1]))
    return task.followed(motion, *(task.pulled if controller == "transposed" else task.computed)(motion))


class _Task:
    """A frame, a target for it, and what each controller makes of the two."""

    def __init__(
        self, robot: Robot, target: Target, frame: str, rows: str, gains: Array, least: float
    ) -> None:
        self.robot, self.laws, self.gains = robot, cast(Any, robot), gains
        self.target = lambda t: called("target", t, target, t)
        self.frame, self.rows, self.least = frame, rows, least
        self.arm, self.named = split(robot).arm, {"frame": frame, "rows": rows}
        self.jacobian = self.laws.generalized_jacobian.fix(frame=frame)
        # looked up once: they are called at every stage of every step
        self.acceleration_law, self.rate_law, self.transposed_law = (
            getattr(self.laws, name).fix(**self.named)
            for name in ("resolved_acceleration", "resolved_rate", "transposed_jacobian")
        )

    def check(self, t: float, q: Array) -> None:
        smallest = np.linalg.svd(self.jacobian(q)[list(ROWS[self.rows])], compute_uv=False)[-1]
        if not smallest > self.least:
            now = self.target(t)
            raise _Singular(
                why_singular(self.robot, q, self.frame, float(smallest), now, self.end, self.center)
            )

    def ahead(self, q: Array, v: Array, duration: float) -> None:
        """Where the target will be at the end, and the centre of mass, which goes straight on."""
        mass = float(total_mass(instantiate(self.robot, FLOATS, self.robot.declared_values)))
        drift = self.laws.momentum(q, v)[:3] / mass
        self.end = np.asarray(self.target(duration)[0], dtype=np.float64)[:3]
        self.center = self.laws.center_of_mass(q) + duration * drift

    def wanted(self, motion: FloatingMotion) -> Wanted:
        """At all times of a motion."""
        found = [self._at(float(t)) for t in motion.t]
        pose, twist, push = (np.array([x[k] for x in found]).reshape(-1, n) for k, n in enumerate((7, 6, 6)))
        return Wanted(pose, twist, push)

    def _at(self, t: float) -> Any:
        """The target, NaN where it has an answer no more: there the motion ends, and its status says why."""
        try:
            return self.target(t)
        except ArithmeticError:
            return tuple(np.full(n, np.nan) for n in (7, 6, 6))

    # -- one instant ----------------------------------------------------------------------------------------
    def resolved(self, t: float, q: Array, v: Array) -> Array:
        self.check(t, q)
        with np.errstate(all="ignore"):
            return np.asarray(self.acceleration_law(q, v, *self.target(t), self.gains)[1])

    def transposed(self, t: float, q: Array, v: Array) -> Array:
        pose, twist, _ = self.target(t)
        return np.asarray(self.transposed_law(q, v, pose, twist, self.gains))

    def rates(self, t: float, q: Array, momentum: Array) -> Array:
        self.check(t, q)
        pose, twist, _ = self.target(t)
        asked = twist + self.gains[0] * pose_error(self.laws.pose(q, self.frame), pose)
        with np.errstate(all="ignore"):
            return np.asarray(self.rate_law(q, asked, momentum))

    def manipulability(self, q: Array) -> Array:
        """Of J* in the rows asked for; none where these are more than the arm has coordinates."""
        if len(ROWS[self.rows]) > len(self.arm):
            return np.zeros(len(q))
        return np.asarray(self.laws.generalized_manipulability(q, **self.named))

    def stiffness(self, q: Array) -> str:
        """How quick the transposed Jacobian makes the lightest motion of the arm, in words."""
        J = self.jacobian(q)[list(ROWS[self.rows])]
        quick = self.gains[0] * np.linalg.eigvals(np.linalg.solve(self.laws.generalized_inertia(q), J.T @ J))
        return (
            f". The gains are large for the inertia of the wrist: the lightest motion of the arm changes "
            f"within {1 / np.abs(quick).max():.1g} s, and every step is as short. Choose smaller gains"
        )

    # -- accelerations and torques along a motion -----------------------------------------------------------
    def computed(self, motion: FloatingMotion) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            found = self.acceleration_law(motion.q, motion.v, *self.wanted(motion), self.gains)
        return found[0], found[1]

    def pulled(self, motion: FloatingMotion) -> tuple[Array, Array]:
        q, v = motion.q, motion.v
        pose, twist, _ = self.wanted(motion)
        torques = self.transposed_law(q, v, pose, twist, self.gains)
        return self.laws.floating_forward_dynamics(q, v, torques)[..., self.arm], torques

    def servo(self, motion: FloatingMotion, momentum: Array) -> tuple[Array, Array]:
        """The rates' own change along the motion, and the torques it takes.

        The change is a difference of the law itself, along the way robot and target go. It holds for joints
        to spare, whose rates are the least ones.
        """
        q, v = motion.q, motion.v
        pose, twist, push = self.wanted(motion)
        hand, velocity = self.laws.pose(q, self.frame), self.laws.velocity(q, v, self.frame)
        asked = twist + self.gains[0] * pose_error(hand, pose)
        change = push + self.gains[0] * pose_error_rate(hand, velocity, pose, twist)
        with np.errstate(all="ignore"):
            accelerations = slope_along(
                self.robot, lambda q, x: self.rate_law(q, x, momentum), q, v, asked, change
            )
            return accelerations, self.laws.floating_inverse_dynamics(q, v, accelerations)

    def followed(self, motion: FloatingMotion, accelerations: Array, torques: Array) -> Followed:
        hand = self.laws.pose(motion.q, self.frame)
        error = pose_error(hand, self.wanted(motion).pose)
        off, turned = ([k for k in ROWS[self.rows] if (k < 3) == linear] for linear in (True, False))
        return Followed(
            motion,
            accelerations,
            torques,
            self.laws.inertial_torques(motion.q, accelerations),
            hand,
            np.linalg.norm(error[:, off], axis=-1),
            np.linalg.norm(error[:, turned], axis=-1),
            self.manipulability(motion.q),
        )
