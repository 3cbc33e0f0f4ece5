"""Elements of the measurement model: motors of several joints, springs, Stribeck friction.

Each gives columns over all coordinates of v: the torque that the joints must produce for a unit of its
parameter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rikigaku.core.checked_calls import check_fields, checked_data
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import number
from rikigaku.laws.tree.regressor import JOINT_PARAMETER_NAMES
from rikigaku.robot import Robot


class Element(Protocol):
    """Names of parameters and their columns."""

    @property
    def parameters(self) -> tuple[str, ...]: ...

    @property
    def not_negative(self) -> tuple[bool, ...]: ...

    def columns(self, robot: Robot, q: Array, v: Array, a: Array) -> Array: ...

    def check(self, robot: Robot) -> None: ...


@checked_data
@dataclass(frozen=True)
class Motor:
    """A motor that moves with several joints: its angle is the sum of ratio * q, as in a coupled wrist.

    joints: {joint: ratio}. Its rotor inertia and friction are three parameters, referred to that sum.
    """

    name: str
    joints: Mapping[str, float]

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.joints:
            raise WrongValue(f"Motor {self.name!r} moves with no joint: give joints={{'q5': 1, 'q6': 1}}.")
        for joint, ratio in self.joints.items():
            number(f"The ratio of motor {self.name!r} at joint {joint!r}", ratio)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Rotor inertia, viscous and Coulomb friction."""
        return tuple(f"{what} of {self.name}" for what in JOINT_PARAMETER_NAMES)

    @property
    def not_negative(self) -> tuple[bool, ...]:
        """Friction and inertia are not negative."""
        return (True, True, True)

    def columns(self, robot: Robot, q: Array, v: Array, a: Array) -> Array:
        """(states, nv, 3)."""
        ratios = np.zeros(robot.nv)
        for joint, ratio in self.joints.items():
            ratios[robot.v_slices[joint].start] = ratio
        speed = v @ ratios
        return np.stack([x[:, None] * ratios for x in (a @ ratios, speed, np.sign(speed))], axis=2)

    def check(self, robot: Robot) -> None:
        """Raises UnknownName for a joint that is not there."""
        _check_joints(robot, self.joints)


@checked_data
@dataclass(frozen=True)
class Spring:
    """A line spring, gas spring or gravity compensator between two frames of the robot.

    Its tension is force + stiffness * distance of the frames' origins: two parameters, linear for known
    places of its ends. A gas spring that pushes has a negative force.
    """

    name: str
    start: str
    end: str

    def __post_init__(self) -> None:
        check_fields(self)
        if self.start == self.end:
            raise WrongValue(f"Spring {self.name!r} begins and ends at {self.start!r}.")

    @property
    def parameters(self) -> tuple[str, ...]:
        """Tension at length zero [N], stiffness [N/m]."""
        return (f"force of {self.name}", f"stiffness of {self.name}")

    @property
    def not_negative(self) -> tuple[bool, ...]:
        """A stiffness is not negative; the force at length zero may be."""
        return (False, True)

    def columns(self, robot: Robot, q: Array, v: Array, a: Array) -> Array:
        """(states, nv, 2): tension times the derivative of the length."""
        ends = []
        for frame in (self.start, self.end):
            if frame == robot.base:
                ends.append((np.zeros((len(q), 3)), np.zeros((len(q), 3, robot.nv))))
            else:
                p = np.asarray(robot.pose(q, frame))[:, :3, 3]
                ends.append((p, np.asarray(robot.jacobian(q, frame))[:, :3]))
        line = ends[1][0] - ends[0][0]
        length = np.linalg.norm(line, axis=1)
        slope = np.einsum("ni,nij->nj", line / np.maximum(length, 1e-12)[:, None], ends[1][1] - ends[0][1])
        return np.stack([slope, slope * length[:, None]], axis=2)

    def check(self, robot: Robot) -> None:
        """Raises UnknownName for a frame that is not there."""
        for frame in (self.start, self.end):
            if frame not in robot.frame_names and frame != robot.base:
                raise UnknownName("frame", frame, robot.frame_names, f"robot {robot.name!r}")


@dataclass(frozen=True)
class JointSpring:
    """A spring in a joint: stiffness * q; its rest position is in the joint's offset."""

    joint: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The stiffness [N m/rad, N/m]."""
        return (f"stiffness of {self.joint}",)

    @property
    def not_negative(self) -> tuple[bool, ...]:
        """Stable springs only."""
        return (True,)

    def columns(self, robot: Robot, q: Array, v: Array, a: Array) -> Array:
        """(states, nv, 1)."""
        result = np.zeros((len(q), robot.nv, 1))
        result[:, robot.v_slices[self.joint].start, 0] = q[:, robot.q_slices[self.joint].start]
        return result

    def check(self, robot: Robot) -> None:
        """Raises UnknownName for a joint that is not there."""
        _check_joints(robot, (self.joint,))


@dataclass(frozen=True)
class Stribeck:
    """Friction of a joint that falls with speed: amplitude * sign(v) exp(-(v/speed)^2).

    speed: of Stribeck [rad/s, m/s], where the columns are linearised. amplitude: there; its sign column has
    a second one for changes of the speed, d/d speed = amplitude * sign(v) exp(...) 2 v^2/speed^3.
    """

    joint: str
    speed: float
    amplitude: float = 0.0

    @property
    def parameters(self) -> tuple[str, ...]:
        """Breakaway minus Coulomb friction; the change of the Stribeck speed, zero when fitted."""
        return (f"stribeck of {self.joint}", f"stribeck speed of {self.joint}")

    @property
    def not_negative(self) -> tuple[bool, ...]:
        """The amplitude may have either sign: friction may also rise."""
        return (False, False)

    def columns(self, robot: Robot, q: Array, v: Array, a: Array) -> Array:
        """(states, nv, 2)."""
        k = robot.v_slices[self.joint].start
        x = v[:, k] / self.speed
        shape = np.sign(x) * np.exp(-(x**2))
        result = np.zeros((len(q), robot.nv, 2))
        result[:, k, 0] = shape
        result[:, k, 1] = self.amplitude * shape * 2 * x**2 / self.speed
        return result

    def check(self, robot: Robot) -> None:
        """Raises UnknownName for a joint that is not there."""
        _check_joints(robot, (self.joint,))


def _check_joints(robot: Robot, joints: Sequence[str] | Mapping[str, float]) -> None:
    names = [joint.name for joint in robot.joints if joint.nv == 1]
    for joint in joints:
        if joint not in names:
            raise UnknownName("joint", joint, names, f"robot {robot.name!r}")
