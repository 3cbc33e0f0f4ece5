"""A mode of a robot under its drives as native programs: field, guards, projection, results.

The state is y = (q, v, work, heat): work that drives and moving surfaces have done and heat that friction
made [J] are integrated with the motion, so that the audit of energy is as exact as the motion. Quaternions
are integrated as plain numbers and made unit after each step (by `settle`).
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from rikigaku.bound import Kernel
from rikigaku.errors import MissingValue, RikigakuError, WrongValue
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.derivative import forward
from rikigaku.numbers.functions import sqrt
from rikigaku.numbers.graph import Node
from rikigaku.numbers.kind import FLOATS, Number
from rikigaku.numbers.program import Program, trace
from rikigaku.simulation.drives import Drive
from rikigaku.simulation.modes import Array, Flow, Guard, Mode, Now, Numbers

MORE = 2  # numbers of the state beyond q and v
_LONGEST = 30_000  # operations, about, of a matrix that is compiled


@dataclass(frozen=True, eq=False)
class Field:
    """The programs of one mode. All take t (1), y, u (inputs of the drive) and p (parameters)."""

    robot: Robot
    mode: Mode
    drive: Drive
    watched: tuple[Guard, ...]  # by the user, besides the mode's own

    @property
    def size(self) -> int:
        return self.robot.nq + self.robot.nv + MORE

    @property
    def guards(self) -> tuple[Guard, ...]:
        return (*self.mode.guards, *self.watched)

    def parameters(self, mode: Mode, drive: Drive) -> Array:
        """p: those of the mode, of the drive, and the robot's symbols."""
        values = self.robot.declared_values
        if missing := [name for name in self.robot.free_symbols if name not in values]:
            raise MissingValue(
                f"A simulation of robot {self.robot.name!r} needs numbers for {', '.join(missing)}. "
                f"Give them: robot.bind({missing[0]}=...)."
            )
        symbols = [values[name] for name in self.robot.free_symbols]
        return np.array([*mode.parameters, *drive.parameters, *symbols], dtype=np.float64)

    # -- programs -------------------------------------------------------------------------------------------
    @cached_property
    def rates(self) -> Kernel:
        """dy/dt."""
        return self._kernel("field", lambda *moment: {"rates": _rates(*moment)})

    @cached_property
    def jacobian(self) -> Kernel | None:
        """d(dy/dt)/dy, exact, for implicit methods; None where it would be too long a program, or where a
        function in Python feeds back the state: there the method takes differences."""
        if self.drive.function is not None and self.drive.period is None:
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
        """One number a guard."""

        def values(mechanism: Mechanism, now: Now, flow: Flow) -> Mapping[str, Any]:
            return {"g": [_guarded(guard, mechanism, now, flow) for guard in self.guards]}

        return self._kernel("guards", values)

    @cached_property
    def settled(self) -> Kernel | None:
        """y on the manifold; None where nothing drifts."""
        project, quaternions = self.mode.project, self.robot.nq != self.robot.nv
        if project is None and not quaternions:
            return None

        def settled(mechanism: Mechanism, now: Now, more: Numbers) -> Mapping[str, Any]:
            now = now._replace(q=unit_quaternions(mechanism, now.q))
            q, v = (now.q, now.v) if project is None else project(mechanism, now)
            return {"y": [*q, *v, *more]}

        return self._traced("settle", settled, dynamics=False)

    @cached_property
    def results(self) -> Kernel:
        """Accelerations, joint forces and what else the mode tells, for the solution."""
        return self._kernel(
            "results", lambda mechanism, now, flow: {"a": list(flow.a), "tau": list(now.tau), **flow.outputs}
        )

    @cached_property
    def gaps(self) -> Kernel | None:
        """What the mode keeps at zero; None where it keeps nothing."""
        gaps = self.mode.gaps
        if gaps is None:
            return None
        return self._traced("gaps", lambda mechanism, now, more: {"gaps": list(gaps(mechanism, now))}, False)

    @cached_property
    def forces(self) -> Kernel:
        """Forces of the drive in all joints."""
        return self._traced("forces", lambda mechanism, now, more: {"tau": list(now.tau)}, dynamics=False)

    def _kernel(self, name: str, answer: Callable[[Mechanism, Now, Flow], Mapping[str, Any]]) -> Kernel:
        return self._traced(name, answer, dynamics=True)

    def _traced(self, name: str, answer: Callable[..., Mapping[str, Any]], dynamics: bool) -> Kernel:
        robot, mode, drive = self.robot, self.mode, self.drive
        nq, nv, own, theirs = robot.nq, robot.nv, len(mode.parameters), len(drive.parameters)
        count = own + theirs + len(robot.free_symbols)

        def function(t: list[Number], y: list[Number], u: list[Number], p: list[Number]) -> Mapping[str, Any]:
            symbols = dict(zip(robot.free_symbols, p[own + theirs :], strict=True))
            mechanism = instantiate(robot, FLOATS, symbols)
            q, v = y[:nq], y[nq : nq + nv]
            tau = drive.forces(mechanism, t[0], q, v, u, p[own : own + theirs])
            now = Now(t[0], q, v, tau, p[:own])
            return answer(mechanism, now, mode.dynamics(mechanism, now) if dynamics else y[nq + nv :])

        shapes = [("t", (1,)), ("y", (self.size,)), ("u", (drive.size,)), ("p", (count,))]
        program = trace(f"{name} of {robot.name}, {mode.name}", shapes, function)
        return Kernel(f"{program.name}\n{fingerprint(program)}", lambda: program)


def _rates(mechanism: Mechanism, now: Now, flow: Flow) -> list[Number]:
    power = sum((t * v for t, v in zip(now.tau, now.v, strict=True)), start=flow.driven)
    return [*position_rates(mechanism, now.q, now.v), *flow.a, power, flow.dissipated]


def position_rates(mechanism: Mechanism, q: Numbers, v: Numbers) -> list[Number]:
    """dq/dt, quaternions too."""
    rates: list[Number] = [0] * mechanism.nq
    for body in mechanism.bodies:
        own = body.joint.rate([q[k] for k in body.q], [v[k] for k in body.v])
        for k, x in zip(body.q, own, strict=True):
            rates[k] = x
    return rates


def unit_quaternions(mechanism: Mechanism, q: Numbers) -> list[Number]:
    """q with quaternions of unit length; they are the last four numbers of joints that have one."""
    result = list(q)
    for body in mechanism.bodies:
        if len(body.q) != len(body.v):
            places = list(body.q)[-4:]
            length = sqrt(sum((q[k] * q[k] for k in places), start=0))
            for k in places:
                result[k] = q[k] / length
    return result


def fingerprint(program: Program) -> str:
    """Equal for equal programs: a mode may hold any function, so what it recorded is what counts."""
    numbers = {node: k for k, node in enumerate(program.nodes)}
    digest = hashlib.sha256(repr((program.inputs, program.outputs)).encode())
    for node in program.nodes:
        value = fingerprint(node.value) if isinstance(node.value, Program) else node.value
        digest.update(repr((node.op, [numbers[arg] for arg in node.args], value)).encode())
    for row in program.results:
        digest.update(repr([f"#{numbers[x]}" if isinstance(x, Node) else float(x) for x in row]).encode())
    return digest.hexdigest()


def _guarded(guard: Guard, mechanism: Mechanism, now: Now, flow: Flow) -> Number:
    try:
        value = guard.function(mechanism, now, flow)
        if not isinstance(value, (Node, int, float, np.floating, np.integer)):
            raise TypeError(f"it gives {value!r}, not a number")
        return value
    except (TypeError, LookupError, ValueError, RikigakuError) as error:
        raise WrongValue(
            f"The event {guard.name!r} cannot be compiled ({error}). Its function may add, multiply, divide, "
            "compare by rikigaku.numbers.functions.where and take sin, cos, sqrt from there; it may not turn "
            "its arguments into plain numbers."
        ) from error


_fields: dict[tuple[Any, ...], Field] = {}  # the one used last at the end
_KEPT = 256


def field_of(robot: Robot, mode: Mode, drive: Drive, watched: Sequence[Guard]) -> Field:
    """The programs of that mode, made once a process."""
    key = (robot, mode.identity, mode.name, drive.identity, tuple(watched))
    made = _fields.pop(key, None) or Field(robot, mode, drive, tuple(watched))
    _fields[key] = made
    if len(_fields) > _KEPT:
        del _fields[next(iter(_fields))]
    return made
