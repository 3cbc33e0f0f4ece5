"""Joint forces of an actuation for fixed steps: with the damping and stiffness that act implicitly.

The damping -d tau_i / d v_i and stiffness -d tau_i / d q_i of each coordinate come from the traced formula of
the controller; they are taken implicitly, so that stiff PD control is stable at any step. A force that
depends on velocities of other coordinates (computed torque) is explicit: its diagonal alone would change the
motion. So are forces from functions, data and samples, which are held through a step.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.errors import WrongValue
from rikigaku.hybrid.hybrid_system import EXTRA_STATES
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.expression_graph import Node, reachable
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import trace
from rikigaku.numbers.program_derivative import forward
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Actuation, joint_forces
from rikigaku.simulation.actuation_program import kernel_of
from rikigaku.simulation.kept_programs import kept


@dataclass(frozen=True, eq=False)
class ControlProgram:
    """Forces, damping and stiffness (3 nv) as a function of t, y, u and p."""

    robot: Robot
    actuation: Actuation

    @cached_property
    def kernel(self) -> Kernel:
        robot, actuation = self.robot, self.actuation
        nq, nv, own = robot.nq, robot.nv, len(actuation.parameters)

        def function(t: list[Number], y: list[Number], u: list[Number], p: list[Number]) -> dict[str, Any]:
            symbols = dict(zip(robot.free_symbols, p[own:], strict=True))
            mechanism = instantiate(robot, FLOATS, symbols)
            q, v = y[:nq], y[nq : nq + nv]
            tau = list(joint_forces(actuation, mechanism, t[0], q, v, u, p[:own]))
            return {"control": [*tau, *resistance(mechanism, tau, q, v)]}

        sizes = {"t": 1, "y": nq + nv + EXTRA_STATES, "u": actuation.size, "p": own + len(robot.free_symbols)}
        shapes = [(name, (size,)) for name, size in sizes.items()]
        return kernel_of(trace(f"control of {robot.name}", shapes, function))


def control_program(robot: Robot, actuation: Actuation) -> ControlProgram:
    """The program of that actuation, made once for a robot."""
    key = (ControlProgram, actuation.identity)
    return kept(robot, key, lambda: ControlProgram(robot, actuation))


def resistance(mechanism: Mechanism, tau: list[Number], q: list[Number], v: list[Number]) -> list[Number]:
    """Damping -d tau_i/d v_i (nv), then stiffness -d tau_i/d q_i (nv), of each coordinate alone; not
    negative."""
    nv = mechanism.nv
    places = {k: body.q[i] for body in mechanism.bodies if len(body.q) == len(body.v)
              for i, k in enumerate(body.v)}  # fmt: skip
    velocities = {x: k for k, x in enumerate(v)}
    own = [_depends_on(x, velocities) <= {k} for k, x in enumerate(tau)]
    result: list[Number] = []
    for inputs in (dict(enumerate(v)), {k: q[i] for k, i in places.items()}):
        for k in range(nv):
            slope: Number = 0.0
            if type(tau[k]) is Node and own[k] and k in inputs:
                try:
                    slope = forward([tau[k]], [{inputs[k]: 1.0}])[0][0]
                except WrongValue:  # an operation without derivative
                    slope = 0.0
            result.append(where(-slope < 0, 0.0, -slope) if type(slope) is Node else max(-slope, 0.0))
    return result


def _depends_on(x: Number, inputs: dict[Any, int]) -> set[int]:
    """Which of the inputs a traced number depends on."""
    return {inputs[node] for node in reachable([x]) if node in inputs} if type(x) is Node else set()
