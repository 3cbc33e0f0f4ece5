"""What a closed loop passes through its cut joint: unknown forces, and the joint forces they ask for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.kinematics import Moving
from rikigaku.fem.torques import wrench_forces
from rikigaku.model.mechanism import WORLD, Closure

Array = NDArray[np.float64]

# Directions a cut joint passes forces and moments in, by the axes of its start frame.
_FORCES = {"prismatic": (0, 1), "cylindrical": (0, 1), "planar": (2,)}
_MOMENTS = {
    "revolute": (0, 1),
    "cylindrical": (0, 1),
    "planar": (0, 1),
    "prismatic": (0, 1, 2),
    "fixed": (0, 1, 2),
}


@dataclass(frozen=True, eq=False)
class Cut:
    """One cut joint over a motion.

    wrenches: what unit unknowns pass from the start link to the end link at `place`, (samples, unknowns, 6).
    forces: joint forces they ask for, (samples, nv, unknowns).
    """

    name: str
    start: int
    end: int
    place: Array
    wrenches: Array
    forces: Array

    @property
    def count(self) -> int:
        """Number of unknowns."""
        return int(self.wrenches.shape[1])


def cut(state: Moving, loop: Closure) -> Cut:
    """The unknown forces of a cut joint and what they ask of the joints below both of its ends."""
    (a, start), (b, end) = loop.start, loop.end
    place = state.place(b, end.p)
    S = _axes(state, a) @ np.array(start.R, dtype=np.float64)
    E = _axes(state, b) @ np.array(end.R, dtype=np.float64)
    nothing = np.zeros_like(place)
    wrenches = [np.concatenate([S[:, :, k], nothing], axis=1) for k in _FORCES.get(loop.joint, (0, 1, 2))]
    wrenches += [np.concatenate([nothing, S[:, :, k]], axis=1) for k in _MOMENTS.get(loop.joint, ())]
    if loop.joint == "universal":  # square to both of its axes
        wrenches.append(np.concatenate([nothing, np.cross(S[:, :, 2], E[:, :, 0])], axis=1))
    columns = []
    for w in wrenches:
        force, moment = w[:, :3], w[:, 3:]
        given = np.zeros((len(place), state.mechanism.nv))
        if a != WORLD:
            given += wrench_forces(state, a, place, force, moment)
        if b != WORLD:
            given -= wrench_forces(state, b, place, force, moment)
        columns.append(given)
    return Cut(loop.name, a, b, place, np.stack(wrenches, axis=1), np.stack(columns, axis=-1))


def gear_columns(state: Moving) -> Array:
    """Joint forces a unit of force in the mesh of each gear asks for, (nv, gears)."""
    result = np.zeros((state.mechanism.nv, len(state.mechanism.gears)))
    for k, gear in enumerate(state.mechanism.gears):
        result[gear.joint[1], k] += 1.0
        result[gear.reference[1], k] -= float(gear.ratio)
    return result


def _axes(state: Moving, body: int) -> Array:
    return np.broadcast_to(np.eye(3), (state.p.shape[1], 3, 3)) if body == WORLD else state.R[body]
