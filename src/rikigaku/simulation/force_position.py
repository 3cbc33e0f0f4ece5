"""Control of force and position at once: a point pressed onto a surface and moved along it, compiled.

Accelerations are split by the surface: along its normal n they follow from the contact, along its tangents t
they are free. With r the point, J its position Jacobian and f the force of the surface on the robot,

    n.(J a + dJ/dt v) = what keeps the point on the surface,   t.(J a + dJ/dt v) = t.(x_d'' + damping e' + stiffness e),
    tau = inverse dynamics of a - J^T f,   f = f_d (n - mu(u) u_d/|u_d|) - viscous u,

so that with the exact model the normal force is f_d at once and the error e = x_d - r along the surface dies away
as a linear oscillator's: the constraint makes the motion unique, and (a, f_d) satisfies it.
Reference: T. Yoshikawa, Dynamic hybrid position/force control of robot manipulators, IEEE Journal of Robotics
and Automation 3 (1987).
"""  # noqa: E501

from typing import Any

import numpy as np

from rikigaku.contact.contact import Contact
from rikigaku.contact.system import ContactSystem
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.laws.closed import dot
from rikigaku.laws.closed_forward import cholesky, substituted
from rikigaku.laws.contact_geometry import touch
from rikigaku.laws.kinematics import jacobian_rate, pose
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot import Robot
from rikigaku.numbers.functions import sqrt, where
from rikigaku.numbers.kind import Number
from rikigaku.simulation.controllers import drive_forces, gains, target_pieces
from rikigaku.simulation.drives import Data, Function, Numbers, Pieces, side_by_side
from rikigaku.simulation.free import is_closed
from rikigaku.spatial import vector

_STANDS = 1e-18  # [m^2/s^2]: a path this slow (squared) has no direction against which friction would act


class ForcePosition:
    """`rk.ForcePosition(robot, rk.Contact("hand", rk.Plane(), 0.2), path, force=10.0, stiffness=..., damping=...)`.

    Args:
        contact: the point, its surface and the friction to make up for (give the same one to `simulate`).
        path: a point (3,) or a trajectory of points [m] in world axes; what lies off the surface is ignored.
        force: with which the robot presses [N]: a number, `rk.Data(t, f)` with f (m, 1), or a trajectory of one
            coordinate.
        stiffness [1/s^2], damping [1/s] along the surface.
        resting: rate at which motions of the joints that do not move the point die away [1/s].
    """  # noqa: E501

    function: Function | None = None
    period: float | None = None

    def __init__(
        self,
        robot: Robot,
        contact: Contact,
        path: Any,
        force: Any,
        stiffness: float,
        damping: float,
        resting: float = 5.0,
    ) -> None:
        if is_closed(robot) or any(joint.type == "free" for joint in robot.joints):
            raise WrongValue(
                f"ForcePosition drives trees whose every joint has a drive; robot {robot.name!r} has "
                "loops or a free base."
            )
        (self.point,) = ContactSystem(robot, [contact]).points
        numbers = [gains(name, x, 1)[0] for name, x in
                   (("stiffness", stiffness), ("damping", damping), ("resting", resting))]  # fmt: skip
        self.parameters = (*(float(x) for x in numbers), *contact.friction.numbers)
        self.pieces = side_by_side(target_pieces(path, 3), _force_pieces(force))
        self.size = 10

    @property
    def identity(self) -> str:
        return f"ForcePosition {self.point}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        stiffness, damping, resting, kinetic, fall, bend, viscous = p
        c, frame = touch(mechanism, q, v, self.point, t), self.point.frame
        normal, *tangents = c.directions
        X, drift = pose(mechanism, q, frame), jacobian_rate(mechanism, q, v, frame)
        speed = [dot(row, v) for row in c.J]
        along = [
            u[6 + k] + damping * (u[3 + k] - speed[k]) + stiffness * (u[k] - X[k][3]) - drift[k]
            for k in range(3)
        ]
        rows = [c.row(normal), *(c.row(x) for x in tangents)]
        wanted = [-c.drifts[0], *(dot(x, along) for x in tangents)]
        a = _least(rows, wanted, v, resting)
        force = self._pressed(c, u, (kinetic, fall, bend, viscous))
        tau = drive_forces(mechanism, q, v, a)
        return [x - y for x, y in zip(tau, c.row(force), strict=True)]

    def _pressed(self, c: Any, u: Numbers, friction: Numbers) -> vector.Vector:
        """The force the surface shall put on the robot; friction goes against the path's own direction."""
        kinetic, fall, bend, viscous = friction
        _, *tangents = c.directions
        way: vector.Vector = vector.ZERO
        for x in tangents:
            way = vector.add(way, vector.scale(dot(x, u[3:6]), x))
        square = vector.dot(way, way)
        stands = square < _STANDS
        inverse = where(stands, 0, 1 / sqrt(where(stands, 1, square)))
        mu = kinetic + fall / (1 + bend * vector.dot(c.sliding, c.sliding))
        pressed = vector.scale(u[9], vector.sub(c.directions[0], vector.scale(mu * inverse, way)))
        return vector.sub(pressed, vector.scale(viscous, c.sliding))


def _least(rows: list[list[Number]], wanted: Numbers, v: Numbers, resting: Number) -> list[Number]:
    """a nearest to -resting v that meets the rows."""
    right = [x + resting * dot(row, v) for x, row in zip(wanted, rows, strict=True)]
    C, inverse = cholesky([[dot(rows[i], rows[j]) for j in range(i + 1)] for i in range(len(rows))])
    f = substituted(C, inverse, right)
    return [dot([row[k] for row in rows], f) - resting * v[k] for k in range(len(v))]


def _force_pieces(force: Any) -> Pieces:
    """The force over time as polynomials."""
    if isinstance(force, Data):
        pieces = force.pieces()
    elif callable(force):
        pieces = target_pieces(force, 1)
        pieces = Pieces(pieces.starts, pieces.coefficients[:, :, :1])
    else:
        value = np.asarray(force, dtype=np.float64)
        if value.shape or not np.isfinite(value):
            raise WrongValue(f"force is a number [N], rk.Data(t, f) or a trajectory; {force!r} was given.")
        pieces = Pieces(np.array([0.0]), value.reshape(1, 1, 1))
    if pieces.coefficients.shape[2] != 1:
        given = pieces.coefficients.shape[2]
        raise WrongSize(f"The force over time is one number at a time; {given} were given.")
    return pieces
