"""Motion of closed robots: the compiled field integrated, and every step brought back onto the loops.

The method is explicit Runge-Kutta of order 8 with steps by its own error estimate (SciPy's DOP853). After
each step positions are closed by Newton's method and velocities made to keep the loops closed, both by the
least change as kinetic energy measures: no constant has to be tuned, nor do springs at the loops add energy.
Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, section IV.4 (projection).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853

from rikigaku.errors import CannotClose, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.states import as_position

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], Any]

_CLOSED = 1e-13  # [m, or sines of angles]: what positions are brought to
_CORRECTIONS = 6


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion at the steps the integrator took: times (n,), positions (n, nq), velocities (n, nv).

    residual: largest of the loop equations at each step, after it was brought back.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    residual: Array

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy at each step [J]."""
        laws = cast(Any, self.robot)
        return np.asarray(laws.kinetic_energy(self.q, self.v) + laws.potential_energy(self.q))


def onto_loops(robot: Robot, q: Any, v: Any = None) -> tuple[Array, Array]:
    """Positions and velocities brought onto the loops from near by, one state.

    Raises:
        CannotClose: if a few steps of Newton's method do not close the loops.
    """
    laws = cast(Any, robot)
    q = np.array(q, dtype=np.float64)
    v = np.zeros(robot.nv) if v is None else np.asarray(v, dtype=np.float64)
    gap = _gap(laws.loop_residual(q))
    for _ in range(_CORRECTIONS):
        if gap < _CLOSED:
            break
        moved = laws.integrate(q, laws.closing_step(q))
        left = _gap(laws.loop_residual(moved))
        if not left < gap:  # rounding decides from here on
            break
        q, gap = moved, left
    if not gap < 1e-10:
        raise CannotClose(
            f"Robot {robot.name!r}: the loops are open by {gap:.3g} and are not closed by small steps. "
            f"{laws.closing_step.status(q)}.",
            reason="singular" if not np.isfinite(laws.closing_step(q)).all() else "",
        )
    return q, np.asarray(laws.closed_velocity(q, v))


def closed_motion(
    robot: Robot,
    q: Any,
    v: Any,
    duration: float,
    torque: Torque | None = None,
    *,
    tolerance: float = 1e-11,
    step: float | None = None,
    project: bool = True,
) -> Motion:
    """The motion of a closed robot from a state that closes its loops (or nearly does).

    Args:
        torque: forces in all joints of the tree as a function of t, q, v; none if left out.
        tolerance: of each step, relative to the size of the state.
        step: a fixed step [s] instead; for orders of convergence.
        project: bring each step back onto the loops.
    Raises:
        CannotClose: if the robot comes to a singular posture that it cannot pass.
    """
    if not duration > 0:
        raise WrongValue(f"A motion takes a duration above 0 s; {duration} was given.")
    laws = cast(Any, robot)
    q, v = onto_loops(robot, as_position(robot, q), v)
    nq, none = robot.nq, np.zeros(robot.nv)
    rate = laws.state_rate

    def field(t: float, y: Array) -> Array:
        force = none if torque is None else np.asarray(torque(t, y[:nq], y[nq:]), dtype=np.float64)
        return np.asarray(rate(y[:nq].copy(), y[nq:].copy(), force))

    options = {"rtol": tolerance, "atol": 1e-2 * tolerance}
    if step is not None:  # an error estimate that never objects
        options = {"rtol": 1e3, "atol": 1e3, "max_step": step, "first_step": step}
    solver = DOP853(field, 0.0, np.concatenate([q, v]), duration, **options)
    times, states = [0.0], [solver.y.copy()]
    while solver.status == "running":
        message = solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            why = laws.loop_dynamics.status(solver.y[:nq], solver.y[nq:], none)
            raise CannotClose(
                f"Robot {robot.name!r}: the motion cannot go on at t = {solver.t:.6g} s ({message or why}).",
                reason="singular",
            )
        if project:
            closed = onto_loops(robot, solver.y[:nq], solver.y[nq:])
            solver.y = np.concatenate(closed)
            solver.f = field(solver.t, solver.y)
        times.append(solver.t)
        states.append(solver.y.copy())
    y = np.array(states)
    residual = np.abs(laws.loop_residual(y[:, :nq])).max(axis=-1, initial=0.0)
    return Motion(robot, np.array(times), y[:, :nq], y[:, nq:], residual)


def _gap(residual: Array) -> float:
    return float(np.abs(residual).max(initial=0.0))
