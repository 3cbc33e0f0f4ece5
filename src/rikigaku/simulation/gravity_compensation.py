"""Gravity compensation as a controller of its own, to be added to others; compiled."""

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.laws.tree.newton_euler import gravity_forces
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Function, Numbers, TorqueSource
from rikigaku.simulation.controller_model import controller_mechanism
from rikigaku.simulation.pd_control import actuated_indices


class GravityCompensation(TorqueSource):
    """tau = g(q) in the actuated joints: `rk.PD(..., gravity=False) + rk.GravityCompensation(robot)`.

    g is that of the robot given here, which may differ from the one that is controlled.
    Passive joints and joints of type "free" get no force. With a free base this does not balance gravity.
    """

    function: Function | None = None
    period: float | None = None
    pieces = None
    size = 0
    parameters: tuple[float, ...] = ()
    gravity = True

    @checked
    def __init__(self, robot: Robot) -> None:
        if is_closed(robot):
            raise WrongValue(
                f"Gravity of robots with loops, as {robot.name!r} has, is not compensated by a formula: "
                "rk.ContactSystem(robot).balanced(q).tau holds one configuration."
            )
        self.model, self.v, self.nv = robot, actuated_indices(robot), robot.nv
        if not self.v:
            raise WrongValue(f"No joint of robot {robot.name!r} is actuated: there is nothing to control.")

    @property
    def identity(self) -> str:
        return f"GravityCompensation {self.v} {self.model.mechanics_digest}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        g, tau = gravity_forces(controller_mechanism(self.model, mechanism), q), [0] * mechanism.nv
        for k in self.v:
            tau[k] = g[k]
        return tau
