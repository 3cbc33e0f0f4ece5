"""Joint forces of an actuation for fixed steps: with the damping and stiffness that act implicitly.

The damping -d tau_i / d v_i and stiffness -d tau_i / d q_i of each coordinate come from the traced formula of
the controller; they are taken implicitly, so that stiff PD control is stable at any step. A force that
depends on velocities of other coordinates (computed torque) is explicit: its diagonal alone would change the
motion. So are forces from functions, data and samples, which are held through a step. Of a sum of controllers
each is taken by itself.
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
from rikigaku.simulation.actuation import Actuation
from rikigaku.simulation.actuation_program import kernel_of
from rikigaku.simulation.actuation_sum import force_terms, total_force
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
            terms = force_terms(actuation, mechanism, t[0], q, v, u, p[:own])
            return {"control": [*total_force(mechanism, terms), *resistance(mechanism, terms, q, v)]}

        sizes = {"t": 1, "y": nq + nv + EXTRA_STATES, "u": actuation.size, "p": own + len(robot.free_symbols)}
        shapes = [(name, (size,)) for name, size in sizes.items()]
        return kernel_of(trace(f"control of {robot.name}", shapes, function))


def control_program(robot: Robot, actuation: Actuation) -> ControlProgram:
    """The program of that actuation, made once for a robot."""
    key = (ControlProgram, actuation.identity)
    return kept(robot, key, lambda: ControlProgram(robot, actuation))


def resistance(
    mechanism: Mechanism, terms: list[list[Number]], q: list[Number], v: list[Number]
) -> list[Number]:
    """Damping -d tau_i/d v_i (nv), then stiffness -d tau_i/d q_i (nv), of each coordinate alone; not
    negative.

    terms: forces tau of each summand of the actuation.
    """
    places = {k: body.q[i] for body in mechanism.bodies if len(body.q) == len(body.v)
              for i, k in enumerate(body.v)}  # fmt: skip
    velocities = {x: k for k, x in enumerate(v)}
    result: list[Number] = []
    for inputs in (dict(enumerate(v)), {k: q[i] for k, i in places.items()}):
        for k in range(mechanism.nv):
            forces = [tau[k] for tau in terms if type(tau[k]) is Node]
            own = [x for x in forces if _depends_on(x, velocities) <= {k}] if k in inputs else []
            slope = sum((_slope(x, inputs[k]) for x in own), 0.0)
            result.append(where(-slope < 0, 0.0, -slope) if type(slope) is Node else max(-slope, 0.0))
    return result


def _slope(force: Number, x: Number) -> Number:
    try:
        return forward([force], [{x: 1.0}])[0][0]
    except WrongValue:  # an operation without derivative
        return 0.0


def _depends_on(x: Number, inputs: dict[Any, int]) -> set[int]:
    """Which of the inputs a traced number depends on."""
    return {inputs[node] for node in reachable([x]) if node in inputs} if type(x) is Node else set()
