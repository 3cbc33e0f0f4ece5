"""Motion of closed robots with a fixed step or without projection, for tests of the method itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.core.errors import CannotClose, WrongValue
from rikigaku.core.types import Array
from rikigaku.hybrid.smooth_motion import FreeMotion
from rikigaku.model.states import as_position
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import JointForces
from rikigaku.simulation.mode_fields import field_of
from rikigaku.simulation.native_run import Settings, Status, run

Torque = Callable[[float, Array, Array], Any]


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
        laws = self.robot
        return np.asarray(laws.kinetic_energy(self.q, self.v) + laws.potential_energy(self.q))


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
        CannotClose: if the robot comes to a singular configuration that it cannot pass.
    """
    if not duration > 0:
        raise WrongValue(f"A motion takes a duration above 0 s; {duration} was given.")
    laws, nq = robot, robot.nq
    change = FreeMotion(robot, project).start(0.0, as_position(robot, q), np.asarray(v, dtype=np.float64))
    actuation = JointForces(robot.nv, tuple(range(robot.nv)), function=torque)
    settings = Settings(rtol=tolerance, atol=1e-2 * tolerance)
    if step is not None:  # an error estimate that never objects
        settings = Settings(rtol=1e3, atol=1e3, step=step, largest=step)
    y = np.concatenate([change.q, change.v, np.zeros(2)])
    done = run(
        field_of(robot, change.mode, actuation, ()), change.mode, actuation, 0.0, y, duration, settings
    )
    if done.status != Status.DONE:
        why = laws.loop_dynamics.status(done.y[:nq], done.y[nq:-2], np.zeros(robot.nv))
        raise CannotClose(
            f"Robot {robot.name!r}: the motion cannot go on at t = {done.t:.6g} s ({why}).", reason="singular"
        )
    t = np.append(done.records[:, 0], done.t)
    states = np.concatenate([done.records[:, 3 : 3 + done.field.size], done.y[None]])
    residual = np.abs(laws.loop_residual(states[:, :nq])).max(axis=-1, initial=0.0)
    return Motion(robot, t, states[:, :nq], states[:, nq:-2], residual)
