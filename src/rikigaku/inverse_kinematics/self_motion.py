"""Self-motion of redundant arms: the curves of all configurations that hold a frame at a pose.

Samples of exact solutions start the curves; each is followed along the null vector of the Jacobian
(`self_motion_curves`). Samples are added where a joint reaches a limit, so that intervals end there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rikigaku.closure.configuration_comparison import distinct
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import NotSolvable, UnknownName, WrongSize
from rikigaku.core.types import Array
from rikigaku.core.validation import flag
from rikigaku.inverse_kinematics.arm_angle import arm_angle_of
from rikigaku.inverse_kinematics.joint_ranges import AT_LIMIT
from rikigaku.inverse_kinematics.self_motion_curves import STEP, RedundantArm
from rikigaku.inverse_kinematics.target_poses import targets_of
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import position_bounds


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
    dimension: 1, or that of a family at a singular pose, of which the curves are samples.
    complete: False where curves may be missing or a curve ends before it is closed.
    """

    robot: RobotModel
    frame: str
    pose: Array
    parameter_name: str
    curves: tuple[Curve, ...]
    lower: Array
    upper: Array
    symbols: Mapping[str, float] = field(default_factory=dict)
    dimension: int = 1
    complete: bool = True

    @property
    def message(self) -> str:
        """What was found, in words."""
        count = len(self.curves)
        if not count:
            return "The pose is out of reach." if self.complete else "No curve was found. There may be some."
        text = f"{count} curve{'s' * (count != 1)}"
        if self.dimension > 1:
            return f"{text}, samples of families of dimension {self.dimension}: the arm is singular."
        return text + (": all there are." if self.complete else ". There may be more.")

    def __len__(self) -> int:
        return len(self.curves)

    def at(self, value: float) -> Array:
        """The configurations (k, nq) on the curves where the parameter has a value [rad, m].

        Interpolated between samples and returned to the pose to within 1e-9.
        """
        arm = RedundantArm(self.robot, self.frame, self.pose, self.symbols)
        is_angle = self.parameter_name == "arm angle" or arm.is_angle(self.parameter_name)
        found = []
        for curve in self.curves:
            x = np.append(curve.parameter, curve.parameter[0]) if curve.closed else curve.parameter
            gap = x - value
            if is_angle:
                gap = gap - 2 * np.pi * np.round(gap / (2 * np.pi))
            for k in np.nonzero((gap[:-1] * gap[1:] <= 0) & (np.abs(gap[:-1] - gap[1:]) < 1))[0]:
                start, end = curve.q[k], curve.q[(k + 1) % len(curve.q)]
                part = gap[k] / (gap[k] - gap[k + 1]) if gap[k] != gap[k + 1] else 0.0
                found.append((start, start + part * arm.difference(end, start)))
        if not found:
            return np.empty((0, self.robot.nq))
        q = np.array([x for _, x in found])
        q[:, arm.coordinates] = self._refined(arm, arm.scaled(q), value, is_angle) * arm.unit
        return distinct(self.robot, q)

    def _refined(self, arm: RedundantArm, x: Array, value: float, is_angle: bool) -> Array:
        x, _ = arm.corrected(x)
        for _ in range(8):  # secants along the curve, corrected to the pose
            tangent, h = arm.tangent(x), 1e-6
            here = _parameter(arm, self.parameter_name, x)
            there = _parameter(arm, self.parameter_name, arm.corrected(x + h * tangent)[0])
            gap, rate = here - value, there - here
            if is_angle:
                gap, rate = (y - 2 * np.pi * np.round(y / (2 * np.pi)) for y in (gap, rate))
            still = np.abs(rate) > 1e-9 * h
            step = np.where(still, gap / np.where(still, rate / h, 1.0), 0.0)
            x, _ = arm.corrected(x - np.clip(step, -STEP, STEP)[:, None] * tangent)
        return x


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
    """The curves of configurations that hold a frame of an arm with one redundant joint at a pose (4, 4).

    Args:
        parameter: the redundancy parameter that is reported along the curves: a joint, or "arm angle" for an
            arm with spherical shoulder and wrist. By default the arm angle where there is one, else a joint
            that moves much along the curves.
        limits: report which parts of the curves the joint limits leave; samples are added at their ends.
        symbols: values of the robot's symbols, instead of its own.
    Raises:
        NotSolvable: if the configurations at a pose are not curves.
    """
    poses, batch, is_pose = targets_of(target)
    if batch or not is_pose:
        raise WrongSize("self_motion takes one pose (4, 4).")
    arm = RedundantArm(robot, frame, poses[0], symbols)
    names, angle = arm.solver.names, arm_angle_of(arm.solver.arm)
    name = parameter or ("arm angle" if angle is not None else arm.redundant_joint)
    if name != "arm angle" and name not in names:
        raise UnknownName("redundancy parameter", name, (*names, "arm angle"), f"frame {frame!r}")
    if name == "arm angle" and angle is None:
        raise NotSolvable(
            f"The arm of frame {frame!r} has no arm angle: its first or last three axes do not meet. Take a "
            f"joint as parameter, for example {arm.redundant_joint!r}.",
            [],
        )
    lower, upper = position_bounds(robot)
    curves = []
    found = arm.curves()
    for followed in found.curves:
        x = arm.with_limits(followed) if flag("limits", limits) else followed.x
        q = np.zeros((len(x), robot.nq))
        q[:, arm.coordinates] = x * arm.unit
        inside = arm.margins(x).min(axis=1) >= -AT_LIMIT if limits else np.ones(len(q), dtype=bool)
        parameters = _parameter(arm, name, x)
        if name == "arm angle":
            parameters = np.unwrap(parameters)
        curves.append(Curve(q, followed.closed, parameters, inside))
    # a curve without displacements at their ends ends only where it cannot be followed
    complete = (
        found.complete and found.dimension == 1 and all(c.closed or not arm.revolute.all() for c in curves)
    )
    return SelfMotion(
        robot, frame, poses[0], name, tuple(curves), lower, upper, dict(symbols), found.dimension, complete
    )


def _parameter(arm: RedundantArm, name: str, x: Array) -> Array:
    """The redundancy parameter (m,) of scaled configurations (m, n)."""
    if name == "arm angle":
        angle = arm_angle_of(arm.solver.arm)
        assert angle is not None
        return angle(x * arm.unit)
    k = arm.solver.names.index(name)
    return np.asarray(x[:, k] * arm.unit[k])
