"""Hybrid force/position control: a point presses on a surface and moves along it; compiled.

Along the normal n of the surface the contact determines the acceleration, along its tangents t it is free.
With r the point, J its position Jacobian and f the force of the surface on the robot,

    n.(J a + dJ/dt v) = acceleration of the surface,   t.(J a + dJ/dt v) = t.(x_d'' + damping e' + stiffness e),
    tau = inverse dynamics of a - J^T f,   f = f_d (n - mu(u) u_d/|u_d|) - viscous u,

so that, with an exact model, the normal force equals f_d at all times and the error e = x_d - r along the surface
decays as that of a linear oscillator.
Reference: T. Yoshikawa, Dynamic hybrid position/force control of robot manipulators, IEEE Journal of Robotics
and Automation 3 (1987).
"""  # noqa: E501

from typing import Any

import numpy as np

from rikigaku.contact.contact_point import Contact
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.validation import is_number
from rikigaku.core.value_text import short
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.laws.constrained_dynamics import cholesky, cholesky_solve, dot
from rikigaku.laws.contact.contact_geometry import contact_geometry
from rikigaku.laws.tree.kinematics import jacobian_rate, pose
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import sqrt, where
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Data, Function, Numbers, TorqueSource
from rikigaku.simulation.controller_model import controller_mechanism
from rikigaku.simulation.controllers import Target, gains, required_forces, target_pieces
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial, stacked
from rikigaku.spatial import vector

_AT_REST = 1e-18  # [m^2/s^2]: squared speed of the path below which friction is not compensated


class ForcePosition(TorqueSource):
    """`rk.ForcePosition(robot, rk.Contact("hand", rk.Plane(), 0.2), path, force=10.0, stiffness=..., damping=...)`.

    Args:
        contact: the point, its surface and the friction to compensate (pass the same one to `simulate`).
        path: a point (3,) or a trajectory of points [m] in world axes; its component off the surface is ignored.
        force: normal force of the robot on the surface [N]: a number, `rk.Data(t, f)` with f (m, 1), or a trajectory of one
            coordinate.
        stiffness [1/s^2], damping [1/s] along the surface.
        null_space_damping: decay rate of joint motions that do not move the point [1/s].
    """  # noqa: E501

    function: Function | None = None
    period: float | None = None
    gravity = True  # compensated

    @checked
    def __init__(
        self,
        robot: Robot,
        contact: Contact,
        path: Target,
        force: Any,
        stiffness: float,
        damping: float,
        null_space_damping: float = 5.0,
    ) -> None:
        if is_closed(robot) or any(joint.type == "free" for joint in robot.joints):
            raise WrongValue(
                f"ForcePosition controls trees with every joint actuated; robot {robot.name!r} has "
                "loops or a free base."
            )
        if isinstance(contact, Contact) and (contact.shape is not None or contact.surface.body is not None):
            raise WrongValue(
                f"ForcePosition controls a point on a surface of the ground; {short(contact)} was given."
            )
        self.model = robot
        (self.point,) = ContactSystem(robot, [contact]).points
        named = {"stiffness": stiffness, "damping": damping, "null_space_damping": null_space_damping}
        values = [gains(name, x, 1)[0] for name, x in named.items()]
        self.parameters = (*(float(x) for x in values), *contact.friction.coefficients)
        self.pieces = stacked(target_pieces(path, 3), _force_pieces(force))
        self.size = 10

    @property
    def identity(self) -> str:
        return f"ForcePosition {self.point} {self.model.mechanics_digest}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        mechanism = controller_mechanism(self.model, mechanism)
        stiffness, damping, null_space_damping, kinetic, fall, bend, viscous = p
        c, frame = contact_geometry(mechanism, q, v, self.point, t), self.point.frame
        normal, *tangents = c.directions
        X, bias = pose(mechanism, q, frame), jacobian_rate(mechanism, q, v, frame)
        speed = [dot(row, v) for row in c.J]
        along = [
            u[6 + k] + damping * (u[3 + k] - speed[k]) + stiffness * (u[k] - X[k][3]) - bias[k]
            for k in range(3)
        ]
        J = [c.jacobian_along(normal), *(c.jacobian_along(x) for x in tangents)]
        desired = [-c.bias[0], *(dot(x, along) for x in tangents)]
        a = _minimum_norm(J, desired, v, null_space_damping)
        force = self._contact_force(c, u, (kinetic, fall, bend, viscous))
        tau = required_forces(mechanism, q, v, a)
        return [x - y for x, y in zip(tau, c.jacobian_along(force), strict=True)]

    def _contact_force(self, c: Any, u: Numbers, friction: Numbers) -> vector.Vector:
        """The desired force of the surface on the robot; friction opposes the direction of the path."""
        kinetic, fall, bend, viscous = friction
        _, *tangents = c.directions
        path_velocity: vector.Vector = vector.ZERO
        for x in tangents:
            path_velocity = vector.add(path_velocity, vector.scale(dot(x, u[3:6]), x))
        square = vector.dot(path_velocity, path_velocity)
        at_rest = square < _AT_REST
        inverse = where(at_rest, 0, 1 / sqrt(where(at_rest, 1, square)))
        mu = kinetic + fall / (1 + bend * vector.dot(c.sliding, c.sliding))
        pressed = vector.scale(u[9], vector.sub(c.directions[0], vector.scale(mu * inverse, path_velocity)))
        return vector.sub(pressed, vector.scale(viscous, c.sliding))


def _minimum_norm(
    J: list[list[Number]], desired: Numbers, v: Numbers, null_space_damping: Number
) -> list[Number]:
    """The a nearest to -null_space_damping v with J a = desired."""
    right = [x + null_space_damping * dot(row, v) for x, row in zip(desired, J, strict=True)]
    C, inverse = cholesky([[dot(J[i], J[j]) for j in range(i + 1)] for i in range(len(J))])
    f = cholesky_solve(C, inverse, right)
    return [dot([row[k] for row in J], f) - null_space_damping * v[k] for k in range(len(v))]


def _force_pieces(force: Any) -> PiecewisePolynomial:
    """The force over time as a piecewise polynomial."""
    if isinstance(force, Data):
        pieces = force.pieces()
    elif callable(force):
        pieces = target_pieces(force, 1)
        pieces = PiecewisePolynomial(pieces.starts, pieces.coefficients[:, :, :1])
    else:
        if not is_number(force):
            raise WrongValue(
                f"force is a number [N], rk.Data(t, f) or a trajectory; {short(force)} was given."
            )
        pieces = PiecewisePolynomial(np.array([0.0]), np.full((1, 1, 1), float(force)))
    if pieces.coefficients.shape[2] != 1:
        count = pieces.coefficients.shape[2]
        raise WrongSize(f"The force over time is one number at a time; {count} were given.")
    return pieces
