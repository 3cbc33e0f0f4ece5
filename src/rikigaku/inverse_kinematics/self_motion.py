"""Self-motion of arms with seven joints: the curves of all configurations that hold a frame at a pose.

Samples of exact solutions start the curves; each is followed along the null vector of the Jacobian, and
Newton's method returns every step to the pose. A curve is closed, or ends where joints leave no way.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import NotSolvable, UnknownName, WrongSize
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.arm_angle import ArmAngle, arm_angle_of
from rikigaku.inverse_kinematics.exact_solver import JOINTS, exact_solver
from rikigaku.inverse_kinematics.joint_ranges import sampled_range
from rikigaku.inverse_kinematics.loop_cut import numbers
from rikigaku.inverse_kinematics.pose_newton import newton_kernel, newton_step
from rikigaku.inverse_kinematics.serial_arm import SerialArm, jacobian
from rikigaku.inverse_kinematics.target_poses import targets_of
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import position_bounds

_STEP = 0.05  # arc length between samples [rad, reach]
_MOST_STEPS = 4000
_REACHED = 1e-11
_SAMPLES = 24  # values of the middle joint at which curves are looked for


@dataclass(frozen=True, eq=False)
class Curve:
    """One curve of configurations.

    Attributes:
        q: (m, nq), in order; angles are continuous. closed: the last one is followed by the first.
        parameter: (m,) the redundancy parameter [rad, m]. inside: (m,) within the joint limits.
    """

    q: Array
    closed: bool
    parameter: Array
    inside: NDArray[np.bool_]

    @cached_property
    def intervals(self) -> list[tuple[int, int]]:
        """First and last index of each part within the joint limits; of a closed curve the last may be
        smaller than the first: the part contains the end of the array."""
        if self.inside.all():
            return [(0, len(self.inside) - 1)]
        steps = np.diff(self.inside.astype(int))
        first = [int(k) + 1 for k in np.nonzero(steps == 1)[0]]
        last = [int(k) for k in np.nonzero(steps == -1)[0]]
        if self.inside[0] and self.inside[-1] and self.closed:
            return list(zip(first, [*last[1:], last[0]], strict=True))
        first = [0, *first] if self.inside[0] else first
        last = [*last, len(self.inside) - 1] if self.inside[-1] else last
        return list(zip(first, last, strict=True))


@dataclass(frozen=True, eq=False)
class SelfMotion:
    """All curves of configurations at a pose.

    parameter_name: of the redundancy parameter: a joint, or "arm angle".
    """

    robot: RobotModel
    frame: str
    pose: Array
    parameter_name: str
    curves: tuple[Curve, ...]
    lower: Array
    upper: Array

    def __len__(self) -> int:
        return len(self.curves)

    def at(self, value: float) -> Array:
        """The configurations (k, nq) on the curves where the parameter has a value [rad, m].

        Interpolated between samples and returned to the pose to within 1e-9.
        """
        found = []
        arm = _Arm(self.robot, self.frame, self.pose, {})
        for curve in self.curves:
            x = np.append(curve.parameter, curve.parameter[0]) if curve.closed else curve.parameter
            gap = x - value
            if self.parameter_name == "arm angle":
                gap = gap - 2 * np.pi * np.round(gap / (2 * np.pi))
            for k in np.nonzero((gap[:-1] * gap[1:] <= 0) & (np.abs(gap[:-1]) < 1))[0]:
                part = gap[k] / (gap[k] - gap[k + 1]) if gap[k] != gap[k + 1] else 0.0
                start, end = curve.q[k], curve.q[(k + 1) % len(curve.q)]
                step = end - start
                step = np.where(np.abs(step) > np.pi, step - 2 * np.pi * np.round(step / 2 / np.pi), step)
                found.append(self._refined(arm, start + part * step, value))
        return np.array(found).reshape(-1, self.robot.nq)

    def _refined(self, arm: "_Arm", q: Array, value: float) -> Array:
        x = arm.own(q)
        for _ in range(8):  # secants along the curve, corrected to the pose
            x = arm.corrected(x)
            tangent = arm.tangent(x)
            h = 1e-6
            here = arm.parameter(self.parameter_name, x[None])[0]
            there = arm.parameter(self.parameter_name, arm.corrected(x + h * tangent)[None])[0]
            gap, rate = here - value, (there - here) / h
            if self.parameter_name == "arm angle":
                gap = gap - 2 * np.pi * np.round(gap / (2 * np.pi))
            if abs(gap) < 1e-12 or abs(rate) < 1e-9:
                break
            x = x - np.clip(gap / rate, -_STEP, _STEP) * tangent
        result = q.copy()
        result[list(arm.solver.arm.coordinates)] = arm.corrected(x) * arm.unit
        return result


@checked
def self_motion(
    robot: RobotModel,
    target: ArrayLike,
    frame: str,
    parameter: str | None = None,
    *,
    limits: bool = True,
    **symbols: float,
) -> SelfMotion:
    """The curves of configurations of an arm of seven joints that hold a frame at a pose (4, 4).

    Args:
        parameter: the redundancy parameter that is reported along the curves: a joint, or "arm angle" for an
            arm with spherical shoulder and wrist. By default the arm angle where there is one, else a joint
            near the middle.
        limits: report which parts of the curves the joint limits leave.
        symbols: values of the robot's symbols, instead of its own.
    Raises:
        NotSolvable: if not exactly seven joints move the frame.
    """
    poses, batch, is_pose = targets_of(target)
    if batch or not is_pose:
        raise WrongSize("self_motion takes one pose (4, 4).")
    arm = _Arm(robot, frame, poses[0], symbols)
    name = parameter or ("arm angle" if arm.angle is not None else arm.middle)
    if name != "arm angle" and name not in arm.solver.names:
        raise UnknownName("redundancy parameter", name, (*arm.solver.names, "arm angle"), f"frame {frame!r}")
    if name == "arm angle" and arm.angle is None:
        raise NotSolvable(
            f"The arm of frame {frame!r} has no arm angle: its first or last three axes do not meet. Take a "
            f"joint as parameter, for example {arm.middle!r}.",
            [],
        )
    lower, upper = position_bounds(robot)
    curves = []
    for x in arm.curves():
        q = np.broadcast_to(arm.rest, (len(x[0]), robot.nq)).copy()
        q[:, list(arm.solver.arm.coordinates)] = x[0] * arm.unit
        inside = _inside(q, lower, upper, arm) if limits else np.ones(len(q), dtype=bool)
        curves.append(Curve(q, x[1], arm.parameter(name, x[0]), inside))
    return SelfMotion(robot, frame, poses[0], name, tuple(curves), lower, upper)


def _inside(q: Array, lower: Array, upper: Array, arm: "_Arm") -> NDArray[np.bool_]:
    """Within the limits, up to full revolutions."""
    own = list(arm.solver.arm.coordinates)
    x, low, high = q[:, own], lower[own], upper[own]
    turns = arm.solver.angles
    shift = np.where(turns & np.isfinite(low), np.ceil((low - x) / (2 * np.pi)), 0.0)
    y = np.where(turns & np.isfinite(low), x + 2 * np.pi * shift, x)
    return np.asarray(((y >= low - 1e-12) & (y <= high + 1e-12)).all(axis=1), dtype=bool)


class _Arm:
    """A chain of seven joints at a pose, with the reach as unit of length."""

    def __init__(self, robot: RobotModel, frame: str, pose: Array, symbols: Mapping[str, float]) -> None:
        self.solver = exact_solver(robot, frame, symbols, ())
        chain = self.solver.arm
        if len(chain.revolute) != JOINTS + 1:
            raise NotSolvable(
                f"{len(chain.revolute)} joints move frame {frame!r}: self-motion curves are those of seven.",
                [],
            )
        self.robot, self.frame, self.symbols, self.pose = robot, frame, dict(symbols), pose
        self.reach = chain.reach
        links = chain.links.copy()
        links[:, :3, 3] /= self.reach
        self.chain = SerialArm(links, chain.revolute, chain.coordinates)
        scaled = pose.copy()
        scaled[:3, 3] /= self.reach
        self.target = numbers(scaled[None])
        self.T = [numbers(x) for x in links]
        self.kernel = newton_kernel(chain.revolute)
        self.unit = np.where(chain.revolute, 1.0, self.reach)
        self.middle = self.solver.redundant_joint
        self.rest = np.zeros(robot.nq)
        self.angle: ArmAngle | None = arm_angle_of(chain)

    def own(self, q: Array) -> Array:
        """The joints of the chain, scaled."""
        return np.asarray(q[..., list(self.solver.arm.coordinates)] / self.unit)

    def parameter(self, name: str, x: Array) -> Array:
        if name == "arm angle":
            assert self.angle is not None
            return np.unwrap(self.angle(x * self.unit))
        return np.asarray(x[:, self.solver.names.index(name)] * self.unit[self.solver.names.index(name)])

    def corrected(self, x: Array) -> Array:
        """The nearest configuration at the pose, by Newton's method."""
        with np.errstate(all="ignore"):
            for _ in range(10):
                step, errors = newton_step(self.kernel, self.T, self.target, x[None])
                if np.hypot(errors[0, 0], errors[0, 1]) < _REACHED:
                    break
                x = x + step[0]
        return x

    def tangent(self, x: Array) -> Array:
        J = jacobian(list(self.chain.links), self.chain.revolute, x[None])[0]
        return np.asarray(np.linalg.svd(J)[2][-1])

    def curves(self) -> list[tuple[Array, bool]]:
        """All curves: through samples at values of one joint, then of the joint that moves most along them.

        A joint that hardly moves along the curves would miss some.
        """
        curves = self._through(self.middle, [])
        names = self.solver.names
        moved = np.max([np.ptp(x, axis=0) for x, _ in curves], axis=0) if curves else np.ones(len(names))
        for k in np.argsort(-moved, kind="stable"):
            if names[k] == self.middle:
                break
            try:
                return self._through(names[k], curves)
            except NotSolvable:
                continue
        return curves

    def _through(self, name: str, curves: list[tuple[Array, bool]]) -> list[tuple[Array, bool]]:
        """The curves, and further ones through configurations at values of a joint."""
        at = self.robot.q_slices[name].start
        values = sampled_range(-np.inf, np.inf, _SAMPLES) + 0.0123
        solver = exact_solver(self.robot, self.frame, self.symbols, (name,))
        if not self.chain.revolute[self.solver.names.index(name)]:
            low, high = (float(x[at]) for x in self.solver.bounds)
            values = np.linspace(low, high, _SAMPLES)
        found = solver.solve(np.repeat(self.pose[None], _SAMPLES, axis=0), {name: values})
        starts = found.q[found.multiplicity > 0] / self.unit
        left = [x for x in starts if np.isfinite(x).all()]
        for curve, _ in curves:
            left = [x for x in left if self._distance(curve, x) > 1.5 * _STEP]
        curves = list(curves)
        while left:
            curve, closed = self._followed(left[0])
            curves.append((curve, closed))
            left = [x for x in left[1:] if self._distance(curve, x) > 1.5 * _STEP]
        return curves

    def _distance(self, curve: Array, x: Array) -> float:
        gap = curve - x
        gap = np.where(self.chain.revolute, gap - 2 * np.pi * np.round(gap / (2 * np.pi)), gap)
        return float(np.linalg.norm(gap, axis=1).min())

    def _followed(self, start: Array) -> tuple[Array, bool]:
        """The curve through a configuration, and whether it is closed."""
        x = self.corrected(start)
        first, direction = x, self.tangent(x)
        forward = [x]
        for k in range(_MOST_STEPS):
            following = self._step(x, direction)
            if following is None:
                backward = self._one_way(first, -self.tangent(first))
                return np.array([*backward[::-1], *forward]), False
            x, direction = following
            if k > 2 and self._distance(first[None], x) < 0.75 * _STEP:
                return np.array(forward), True
            forward.append(x)
        return np.array(forward), False

    def _one_way(self, x: Array, direction: Array) -> list[Array]:
        found = []
        for _ in range(_MOST_STEPS):
            following = self._step(x, direction)
            if following is None:
                break
            x, direction = following
            found.append(x)
        return found

    def _step(self, x: Array, direction: Array) -> tuple[Array, Array] | None:
        size = _STEP
        for _ in range(6):
            y = self.corrected(x + size * direction)
            t = self.tangent(y)
            t = t if t @ direction >= 0 else -t
            if np.linalg.norm(y - x - size * direction) < 0.3 * size and t @ direction > 0.8:
                return y, t
            size /= 2
        return None
