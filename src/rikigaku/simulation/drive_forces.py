"""The forces of a drive at a state, for systems that choose a mode by them."""

import numpy as np

from rikigaku.model.robot import Robot
from rikigaku.simulation.drives import Drive, Forces, asked, due
from rikigaku.simulation.fields import MORE, field_of
from rikigaku.simulation.free import Free
from rikigaku.simulation.modes import Array


class DriveForces:
    """`forces(t, q, v)`: in all joints; where inputs jump, those after it."""

    def __init__(self, robot: Robot, drive: Drive) -> None:
        self.robot, self.drive = robot, drive
        self.held: tuple[float, Array] | None = None  # by a sampled drive, and since when

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        u, nv = self._inputs(t, q, v), self.robot.nv
        tau = np.zeros(nv)
        if isinstance(self.drive, Forces):
            tau[list(self.drive.places)[: len(u)]] = u
            return tau
        mode = Free(self.robot).mode
        made = field_of(self.robot, mode, self.drive, ())
        y = np.concatenate([q, v, np.zeros(MORE)])
        made.forces([np.array([t]), y, u, made.parameters(mode, self.drive)], [tau])
        return tau

    def _inputs(self, t: float, q: Array, v: Array) -> Array:
        drive = self.drive
        if drive.pieces is not None:
            return drive.pieces(np.array([t]))[0]
        if drive.function is None:
            return np.zeros(0)
        if drive.period is None:
            return asked(drive, t, q.copy(), v.copy())
        if self.held is None or due(self.held[0], t, drive.period):
            self.held = (t, asked(drive, t, q.copy(), v.copy()))
        return self.held[1]
