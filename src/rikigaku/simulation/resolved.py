"""Resolved acceleration: a frame's point follows a path in space, compiled into the field.

Reference: J. Luh, M. Walker, R. Paul, Resolved-acceleration control of mechanical manipulators, IEEE
Transactions on Automatic Control 25 (1980).
"""

from typing import Any

import numpy as np

from rikigaku.errors import UnknownName, WrongValue
from rikigaku.laws.closed import dot
from rikigaku.laws.closed_forward import cholesky, substituted
from rikigaku.laws.kinematics import jacobian, jacobian_rate, pose
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import Number
from rikigaku.simulation.controllers import drive_forces, gains, target_pieces
from rikigaku.simulation.drives import Function, Numbers
from rikigaku.simulation.free import is_closed


class ResolvedAcceleration:
    """tau = inverse dynamics of a = J+ (x_d'' + damping e' + stiffness e - J' v), other motions damped.

    Args:
        frame: whose origin follows the target.
        target: a point (k,) or a trajectory of points [m], in world axes.
        stiffness [1/s^2], damping [1/s]: numbers or (k,).
        axes: which coordinates count: "xyz", or "xy", "xz", ... for arms in a plane.
        resting: rate at which motions of the joints that do not move the point die away [1/s].
    J+ = J^T (J J^T)^-1: at a singular posture rates are not finite, and the motion ends with that status.
    """

    function: Function | None = None
    period: float | None = None

    def __init__(
        self,
        robot: Robot,
        frame: str,
        target: Any,
        stiffness: Any,
        damping: Any,
        axes: str = "xyz",
        resting: float = 5.0,
    ) -> None:
        if is_closed(robot):
            raise WrongValue(f"ResolvedAcceleration drives trees; robot {robot.name!r} has loops.")
        if frame not in robot.frame_names:
            raise UnknownName("frame", frame, robot.frame_names, f"robot {robot.name!r}")
        if not axes or set(axes) - set("xyz") or len(set(axes)) != len(axes):
            raise WrongValue(f"axes are some of 'xyz'; {axes!r} was given.")
        self.frame, self.rows = frame, tuple("xyz".index(axis) for axis in axes)
        count = len(axes)
        both = [gains(name, x, count) for name, x in (("stiffness", stiffness), ("damping", damping))]
        self.parameters = (*(float(x) for x in np.concatenate(both)), float(gains("resting", resting, 1)[0]))
        self.pieces, self.size = target_pieces(target, count), 3 * count

    @property
    def identity(self) -> str:
        return f"ResolvedAcceleration {self.frame!r} {self.rows}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        n, resting = len(self.rows), p[-1]
        X, full = pose(mechanism, q, self.frame), jacobian(mechanism, q, self.frame)
        J = [full[k] for k in self.rows]
        bias = jacobian_rate(mechanism, q, v, self.frame)
        wanted = []
        for i, k in enumerate(self.rows):
            speed = dot(J[i], v)
            pull = p[i] * (u[i] - X[k][3]) + p[n + i] * (u[n + i] - speed)
            wanted.append(u[2 * n + i] + pull - bias[k] + resting * speed)  # a = -resting v + J+ (...)
        C, inverse = cholesky([[dot(J[i], J[j]) for j in range(i + 1)] for i in range(n)])
        f = substituted(C, inverse, wanted)
        a = [dot([row[k] for row in J], f) - resting * v[k] for k in range(mechanism.nv)]
        return drive_forces(mechanism, q, v, a)
