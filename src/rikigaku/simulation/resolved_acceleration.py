"""Resolved-acceleration control: the origin of a frame tracks a path in space; compiled.

Reference: J. Luh, M. Walker, R. Paul, Resolved-acceleration control of mechanical manipulators, IEEE
Transactions on Automatic Control 25 (1980).
"""

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.laws.constrained_dynamics import cholesky, cholesky_solve, dot
from rikigaku.laws.tree.kinematics import jacobian, jacobian_rate, pose
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Function, Numbers, TorqueSource
from rikigaku.simulation.controller_model import controller_mechanism
from rikigaku.simulation.controllers import Target, gains, required_forces, target_pieces


class ResolvedAcceleration(TorqueSource):
    """tau = inverse dynamics of a = J+ (x_d'' + damping e' + stiffness e - J' v), null-space motion damped.

    Args:
        robot: whose model the controller computes with. frame: whose origin tracks the target.
        target: a point (k,) or a trajectory of points [m], in world axes.
        stiffness [1/s^2], damping [1/s]: numbers or (k,).
        axes: controlled coordinates: "xyz", or "xy", "xz", ... for planar arms.
        null_space_damping: decay rate of joint motions that do not move the point [1/s].
    J+ = J^T (J J^T)^-1: at a singular configuration rates are not finite, and the motion ends there.
    """

    function: Function | None = None
    period: float | None = None
    gravity = True  # compensated

    @checked
    def __init__(
        self,
        robot: Robot,
        frame: str,
        target: Target,
        stiffness: ArrayLike,
        damping: ArrayLike,
        axes: str = "xyz",
        null_space_damping: float = 5.0,
    ) -> None:
        if is_closed(robot):
            raise WrongValue(f"ResolvedAcceleration controls trees; robot {robot.name!r} has loops.")
        if frame not in robot.frame_names:
            raise UnknownName("frame", frame, robot.frame_names, f"robot {robot.name!r}")
        if not axes or set(axes) - set("xyz") or len(set(axes)) != len(axes):
            raise WrongValue(f"axes are some of 'xyz'; {axes!r} was given.")
        self.model, self.frame, self.axes = robot, frame, tuple("xyz".index(axis) for axis in axes)
        count = len(axes)
        both = [gains(name, x, count) for name, x in (("stiffness", stiffness), ("damping", damping))]
        self.parameters = (
            *(float(x) for x in np.concatenate(both)),
            float(gains("null_space_damping", null_space_damping, 1)[0]),
        )
        self.pieces, self.size = target_pieces(target, count), 3 * count

    @property
    def identity(self) -> str:
        return f"ResolvedAcceleration {self.frame!r} {self.axes} {self.model.mechanics_digest}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        mechanism = controller_mechanism(self.model, mechanism)
        n, null_space_damping = len(self.axes), p[-1]
        X, full = pose(mechanism, q, self.frame), jacobian(mechanism, q, self.frame)
        J = [full[k] for k in self.axes]
        bias = jacobian_rate(mechanism, q, v, self.frame)
        desired = []
        for i, k in enumerate(self.axes):
            speed = dot(J[i], v)
            feedback = p[i] * (u[i] - X[k][3]) + p[n + i] * (u[n + i] - speed)
            desired.append(
                u[2 * n + i] + feedback - bias[k] + null_space_damping * speed
            )  # a = -damping v + J+ (...)
        C, inverse = cholesky([[dot(J[i], J[j]) for j in range(i + 1)] for i in range(n)])
        f = cholesky_solve(C, inverse, desired)
        a = [dot([row[k] for row in J], f) - null_space_damping * v[k] for k in range(mechanism.nv)]
        return required_forces(mechanism, q, v, a)
