"""Joint forces of an actuation as a native program, shared by all modes of a robot."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.errors import MissingValue, WrongValue
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES
from rikigaku.integrators.constrained_motion import each_state
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import Program, trace
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import (
    Actuation,
    JointForces,
    Sampled,
    TorqueSum,
    due,
    evaluate_function,
    joint_forces,
)
from rikigaku.simulation.kept_programs import kept


@dataclass(frozen=True, eq=False)
class ActuationProgram:
    """Forces in all joints as a function of t, y, u and p (parameters of the actuation, symbols)."""

    robot: Robot
    actuation: Actuation  # one of those that share the program

    @cached_property
    def kernel(self) -> Kernel:
        robot, actuation = self.robot, self.actuation
        nq, nv, own = robot.nq, robot.nv, len(actuation.parameters)

        def function(t: list[Number], y: list[Number], u: list[Number], p: list[Number]) -> dict[str, Any]:
            symbols = dict(zip(robot.free_symbols, p[own:], strict=True))
            mechanism = instantiate(robot, FLOATS, symbols)
            q, v = y[:nq], y[nq : nq + nv]
            return {"tau": list(joint_forces(actuation, mechanism, t[0], q, v, u, p[:own]))}

        sizes = {"t": 1, "y": nq + nv + EXTRA_STATES, "u": actuation.size, "p": own + len(robot.free_symbols)}
        shapes = [(name, (size,)) for name, size in sizes.items()]
        return kernel_of(trace(f"actuation of {robot.name}", shapes, function))

    def at(self, actuation: Actuation, t: Array, y: Array, u: Array) -> Array:
        """Forces in all joints of an actuation that shares the program, at times t (m,): (m, nv)."""
        tau = np.zeros((len(t), self.robot.nv))
        if isinstance(actuation, JointForces):
            tau[:, list(actuation.coordinates)[: u.shape[1]]] = u
            return tau
        p = np.array(actuation_parameters(self.robot, actuation), dtype=np.float64)
        each_state(self.kernel.function.address, (t, y, u), p, tau)
        return tau


def actuation_program(robot: Robot, actuation: Actuation) -> ActuationProgram:
    """The program of that actuation, made once for a robot."""
    key = (ActuationProgram, actuation.identity)
    return kept(robot, key, lambda: ActuationProgram(robot, actuation))


def actuation_parameters(robot: Robot, actuation: Actuation) -> list[float]:
    """Parameters of the actuation, and the robot's symbols.

    Raises:
        MissingValue: for symbols without a value.
    """
    values = robot.declared_values
    if missing := [name for name in robot.free_symbols if name not in values]:
        raise MissingValue(
            f"A simulation of robot {robot.name!r} needs numbers for {', '.join(missing)}. "
            f"Give them: robot.bind({missing[0]}=...)."
        )
    return [*actuation.parameters, *(values[name] for name in robot.free_symbols)]


def kernel_of(program: Program) -> Kernel:
    """Native code of a traced program; equal programs share it."""
    return Kernel(program.name, lambda: program, by_program=True)


class ActuationForces:
    """`forces(t, q, v)`: actuation forces in all joints, for systems that select a mode by them.

    Where inputs jump, the forces after the jump.
    """

    def __init__(self, robot: Robot, actuation: Actuation) -> None:
        self.robot, self.actuation = robot, actuation
        self.held: tuple[float, Array] | None = None  # by a sampled actuation, and since when

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        u, y = self._inputs(t, q, v), np.concatenate([q, v, np.zeros(EXTRA_STATES)])
        return self._program.at(self.actuation, np.array([t]), y[None], u[None])[0]

    @cached_property
    def _program(self) -> ActuationProgram:
        return actuation_program(self.robot, self.actuation)

    def ahead(self, t: float, q: Array, v: Array) -> Array:
        """The forces at a time that the motion has not reached: a sampled actuation holds its last sample."""
        held = self.held
        if self.actuation.period is not None and held is not None:
            t = held[0]
        return self(t, q, v)

    def _inputs(self, t: float, q: Array, v: Array) -> Array:
        actuation = self.actuation
        given = np.zeros(0) if actuation.pieces is None else actuation.pieces(np.array([t]))[0]
        return given if actuation.function is None else np.concatenate([given, self._computed(t, q, v)])

    def _computed(self, t: float, q: Array, v: Array) -> Array:
        """Inputs from the function."""
        if self.actuation.period is None:
            return evaluate_function(self.actuation, t, q.copy(), v.copy())
        if self.held is None or due(self.held[0], t, self.actuation.period):
            self.held = (t, evaluate_function(self.actuation, t, q.copy(), v.copy()))
        return self.held[1]


def sampled_controller(robot: Robot, torque: Any, native: bool) -> tuple[Any, float | None]:
    """The argument `torque` with a sampled controller replaced, and the period if native code samples it.

    native: whether the integrator samples compiled controllers itself. Elsewhere Python calls the
    controller's program at every sample.

    Raises:
        WrongValue: for a controller that has a function or a period of its own, or a period not above 0.
    """
    if isinstance(torque, TorqueSum):
        return TorqueSum([sampled_controller(robot, part, False)[0] for part in torque.parts]), None
    if not isinstance(torque, Sampled):
        return torque, None
    controller: Any = torque.function
    if not hasattr(controller, "forces"):
        return torque, torque.period if native else None
    if controller.function is not None or controller.period is not None:
        raise WrongValue(
            f"Sampled takes a controller without samples of its own; {type(controller).__name__} has them."
        )
    if not torque.period > 0:
        raise WrongValue(f"A sampling period is positive [s]; {torque.period} was given.")
    if native:
        return controller, float(torque.period)
    nv = robot.nv
    forces = ActuationForces(robot, controller)
    return JointForces(nv, tuple(range(nv)), function=forces, period=float(torque.period)), None
