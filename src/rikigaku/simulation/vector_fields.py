"""A traced mode of a robot under its actuation as native programs: vector field, guards, projection, results.

The state is y = (q, v, work, heat): the work of actuators and moving surfaces and the dissipated energy [J]
are integrated with the motion, so that the energy audit is as accurate as the motion. Quaternions are
integrated as four numbers and normalized by the projection after each step.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.errors import RikigakuError, WrongValue
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES, Flow, Guard, Mode, Now, Numbers, ZeroCrossing
from rikigaku.integrators.constrained_motion import each_state
from rikigaku.laws.tree.configuration_integration import position_rates
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.numbers.elementary_functions import sqrt
from rikigaku.numbers.expression_graph import Node
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import trace
from rikigaku.numbers.program_derivative import forward
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Actuation, joint_forces
from rikigaku.simulation.actuation_program import (
    ActuationProgram,
    actuation_parameters,
    actuation_program,
    kernel_of,
)

_MANY = 20_000  # states from which on compiling the batch program pays
_LONGEST = 30_000  # estimated operations of the largest Jacobian that is compiled


@dataclass(frozen=True, eq=False)
class ModeField(ABC):
    """The vector field, guards and results of modes under an actuation, and the user's guards.

    Native functions take t (1), y, u (inputs of the actuation) and p (parameters).
    """

    robot: Robot
    mode: Mode  # one of those that share the programs
    actuation: Actuation  # one of those that share the programs
    user_guards: tuple[Guard, ...]  # besides those of the mode

    @property
    def size(self) -> int:
        return self.robot.nq + self.robot.nv + EXTRA_STATES

    def guards(self, mode: Mode) -> tuple[ZeroCrossing, ...]:
        """The guards of a mode, then those of the user."""
        return (*mode.guards, *self.user_guards)

    @cached_property
    def actuation_program(self) -> ActuationProgram:
        return actuation_program(self.robot, self.actuation)

    @abstractmethod
    def functions(self, mode: Mode, implicit: bool) -> list[int]:
        """Addresses of field, guards, projection and Jacobian; 0 for those that do not exist."""

    @abstractmethod
    def projected_states(self, mode: Mode, actuation: Actuation, t: Array, y: Array) -> Array | None:
        """States at times t projected as the integrator does; None if there is no projection."""

    @abstractmethod
    def results_at(self, mode: Mode, actuation: Actuation, t: Array, y: Array, u: Array) -> dict[str, Array]:
        """Accelerations, joint forces and outputs of the mode at states, by name."""

    @abstractmethod
    def residual(self, mode: Mode, actuation: Actuation, t: Array, y: Array) -> Array | None:
        """The largest residual of the constraints at each state; None if there are none."""

    def forces(self, actuation: Actuation, t: Array, y: Array, u: Array) -> Array:
        """Forces of the actuation in all joints at times t (m,), (m, nv)."""
        return self.actuation_program.at(actuation, t, y, u)

    def parameters(self, mode: Mode, actuation: Actuation) -> Array:
        """p: parameters of the mode and of the actuation, and the robot's symbols."""
        return np.array([*mode.parameters, *actuation_parameters(self.robot, actuation)], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Field(ModeField):
    """The programs of one traced mode."""

    def functions(self, mode: Mode, implicit: bool) -> list[int]:
        """Addresses of field, guards, projection and Jacobian; 0 for those that do not exist."""
        jacobian = self.jacobian if implicit else None
        return [
            self.rates.function.address,
            self.guard_values.function.address if self.guards(mode) else 0,
            0 if self.projected is None else self.projected.function.address,
            0 if jacobian is None else jacobian.function.address,
        ]

    def projected_states(self, mode: Mode, actuation: Actuation, t: Array, y: Array) -> Array | None:
        """States at times t projected as the integrator does; None if there is no projection."""
        kernel = self.projected
        if kernel is None:
            return None
        answer, parameters = np.empty_like(y), self.parameters(mode, actuation)
        if len(t) > _MANY:
            with np.errstate(invalid="ignore"):
                kernel([t[:, None], y, np.zeros((len(t), self.actuation.size)), parameters], [answer])
            return answer
        each_state(kernel.function.address, (t, y, np.zeros((len(t), 0))), parameters, answer)
        return answer

    def results_at(self, mode: Mode, actuation: Actuation, t: Array, y: Array, u: Array) -> dict[str, Array]:
        """Accelerations, joint forces and outputs of the mode at states, by name."""
        kernel = self.results
        outputs = [np.empty((len(t), *port.shape)) for port in kernel.ports[1]]
        kernel([t[:, None], y, u, self.parameters(mode, actuation)], outputs)
        return {port.name: x for port, x in zip(kernel.ports[1], outputs, strict=True)}

    def residual(self, mode: Mode, actuation: Actuation, t: Array, y: Array) -> Array | None:
        """The largest residual of the constraints at each state; None if there are none."""
        kernel = self.gaps
        if kernel is None:
            return None
        gaps = np.empty((len(t), *kernel.ports[1][0].shape))
        no_inputs = np.zeros((len(t), self.actuation.size))
        kernel([t[:, None], y, no_inputs, self.parameters(mode, actuation)], [gaps])
        return np.asarray(np.abs(gaps).max(axis=1, initial=0.0))

    # -- programs -------------------------------------------------------------------------------------------
    @cached_property
    def rates(self) -> Kernel:
        """dy/dt."""
        return self._kernel("field", lambda *moment: {"rates": _rates(*moment)})

    @cached_property
    def jacobian(self) -> Kernel | None:
        """d(dy/dt)/dy, exact, for implicit methods; None if the program would be too long, or a Python
        function feeds back the state: then the method takes finite differences."""
        if self.actuation.function is not None and self.actuation.period is None:
            return None
        nq, nv, n = self.robot.nq, self.robot.nv, self.size
        if self.rates.program.operations.total * (nq + nv) > _LONGEST:
            return None

        def slopes(mechanism: Mechanism, now: Now, flow: Flow) -> Mapping[str, Any]:
            rates = _rates(mechanism, now, flow)
            rows = forward(rates, [{cast(Node, x): 1.0} for x in (*now.q, *now.v)])
            return {"J": [[*row, *[0] * (n - nq - nv)] for row in rows]}

        return self._kernel("jacobian", slopes)

    @cached_property
    def guard_values(self) -> Kernel:
        """One value for each guard."""

        def values(mechanism: Mechanism, now: Now, flow: Flow) -> Mapping[str, Any]:
            guards = self.guards(self.mode)
            return {"g": [guard_value(guard, mechanism, now, flow) for guard in guards]}

        return self._kernel("guards", values)

    @cached_property
    def projected(self) -> Kernel | None:
        """y projected onto the constraints of the mode; None if there are none."""
        project, quaternions = self.mode.project, self.robot.nq != self.robot.nv
        if project is None and not quaternions:
            return None

        def projected(mechanism: Mechanism, now: Now, extra: Numbers) -> Mapping[str, Any]:
            now = now._replace(q=unit_quaternions(mechanism, now.q))
            q, v = (now.q, now.v) if project is None else project(mechanism, now)
            return {"y": [*q, *v, *extra]}

        return self._traced("project", projected, dynamics=False)

    @cached_property
    def results(self) -> Kernel:
        """Accelerations, joint forces and the outputs of the mode, for the solution."""
        return self._kernel(
            "results", lambda mechanism, now, flow: {"a": list(flow.a), "tau": list(now.tau), **flow.outputs}
        )

    @cached_property
    def gaps(self) -> Kernel | None:
        """Residual of the constraints of the mode; None if there are none."""
        gaps = self.mode.gaps
        if gaps is None:
            return None
        return self._traced("gaps", lambda mechanism, now, extra: {"gaps": list(gaps(mechanism, now))}, False)

    def _kernel(self, name: str, outputs: Callable[[Mechanism, Now, Flow], Mapping[str, Any]]) -> Kernel:
        return self._traced(name, outputs, dynamics=True)

    def _traced(self, name: str, outputs: Callable[..., Mapping[str, Any]], dynamics: bool) -> Kernel:
        robot, mode, actuation = self.robot, self.mode, self.actuation
        nq, nv, own, others = robot.nq, robot.nv, len(mode.parameters), len(actuation.parameters)
        count = own + others + len(robot.free_symbols)

        def function(t: list[Number], y: list[Number], u: list[Number], p: list[Number]) -> Mapping[str, Any]:
            symbols = dict(zip(robot.free_symbols, p[own + others :], strict=True))
            mechanism = instantiate(robot, FLOATS, symbols)
            q, v = y[:nq], y[nq : nq + nv]
            tau = joint_forces(actuation, mechanism, t[0], q, v, u, p[own : own + others])
            now = Now(t[0], q, v, tau, p[:own], u, p[own : own + others])
            if not dynamics:
                return outputs(mechanism, now, y[nq + nv :])
            assert mode.dynamics is not None  # native modes are not traced
            return outputs(mechanism, now, mode.dynamics(mechanism, now))

        shapes = [("t", (1,)), ("y", (self.size,)), ("u", (actuation.size,)), ("p", (count,))]
        return kernel_of(trace(f"{name} of {robot.name}, {mode.name}", shapes, function))


def _rates(mechanism: Mechanism, now: Now, flow: Flow) -> list[Number]:
    power = sum((t * v for t, v in zip(now.tau, now.v, strict=True)), start=flow.surface_power)
    return [*position_rates(mechanism, now.q, now.v), *flow.a, power, flow.dissipated]


def unit_quaternions(mechanism: Mechanism, q: Numbers) -> list[Number]:
    """q with normalized quaternions; they are the last four coordinates of joints that have one."""
    result = list(q)
    for body in mechanism.bodies:
        if len(body.q) != len(body.v):
            indices = list(body.q)[-4:]
            length = sqrt(sum((q[k] * q[k] for k in indices), start=0))
            for k in indices:
                result[k] = q[k] / length
    return result


def guard_value(guard: ZeroCrossing, mechanism: Mechanism, now: Now, flow: Flow) -> Number:
    """A guard's function, traced.

    Raises:
        WrongValue: for a function that cannot be traced.
    """
    assert isinstance(guard, Guard)
    try:
        value = guard.function(mechanism, now, flow)
        if not isinstance(value, (Node, int, float, np.floating, np.integer)):
            raise TypeError(f"it gives {value!r}, not a number")
        return value
    except (TypeError, LookupError, ValueError, RikigakuError) as error:
        raise WrongValue(
            f"The event {guard.name!r} cannot be compiled ({error}). Its function may add, multiply, divide, "
            "compare by rikigaku.numbers.elementary_functions.where and take sin, cos, sqrt from there; it "
            "may not convert its arguments to plain numbers."
        ) from error
