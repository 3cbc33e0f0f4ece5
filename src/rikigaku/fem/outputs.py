"""What a frame of a flexible mechanism is to follow: as many directions as there are motors."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import UnknownName, WrongValue
from rikigaku.fem.beams import Beams
from rikigaku.fem.coordinates import State
from rikigaku.fem.quaternions import conjugate, logarithm, product
from rikigaku.fem.rows import Placed

Array = NDArray[np.float64]

_SINGULAR = 1e-4  # of the largest: a direction in which the rigid arm moves less cannot be asked for


@dataclass(frozen=True, eq=False)
class Outputs:
    """Directions (samples, motors, 6) of a node, and where it would be if links were rigid."""

    node: int
    directions: Array
    p: Array
    Q: Array

    def missing(self, at: Placed, samples: Any = slice(None)) -> Array:
        """How far the node is off along its directions, (samples, motors)."""
        way = at.p[:, self.node] - self.p[samples]
        turn = logarithm(product(at.Q[:, self.node], conjugate(self.Q[samples])))
        off = np.concatenate([way, turn], axis=1)
        return np.asarray((self.directions[samples] @ off[..., None])[..., 0])


def outputs(beams: Beams, frame: str, q: Array, rigid: State) -> Outputs:
    """Directions in which the rigid mechanism moves the frame along the postures q (samples, nq).

    Raises:
        WrongValue: if motors and freedoms differ, are more than six, or the frame cannot be moved so.
    """
    layout = beams.assembly.grid.layout
    robot = layout.robot
    if frame not in layout.frames:
        raise UnknownName("frame", frame, layout.frames, "the mesh")
    laws = cast(Any, robot)
    J = np.asarray(laws.jacobian(q, frame))
    if robot.loops or robot.couplings:
        J = J @ _freedoms(np.asarray(laws.loop_jacobian(q)))
    motors, free = sum(joint.nv for joint in robot.joints if joint.actuated), J.shape[2]
    if motors != free:
        raise WrongValue(
            f"The hand of a flexible arm follows with as many motors as freedoms; robot {robot.name!r} has "
            f"{motors} motors and {free} freedoms (robot.with_actuated says which joints are driven)."
        )
    most, where = (3, "in a plane") if layout.planar else (6, "in space")
    if motors > most:
        raise WrongValue(
            f"A frame {where} has {most} coordinates to follow, and robot {robot.name!r} has {motors} "
            f"motors: which of them do it how is not decided. Hold {motors - most} of them (robot.lock), or "
            "give joint paths to the rigid arm (mesh.inverse_dynamics)."
        )
    size = float(np.ptp(beams.assembly.grid.places, axis=0).max())
    at = beams.joined.placed(rigid)
    node = layout.frames[frame]
    place = np.where(np.arange(6) < 3, 1.0, 0.0)
    for weights in (place, np.where(np.arange(6) < 3, 1.0, size)):
        U, s, _ = np.linalg.svd(weights[:, None] * J, full_matrices=False)
        reach = s[:, motors - 1] > _SINGULAR * s.max()
        if reach.all():
            return Outputs(node, np.swapaxes(U, 1, 2) * weights, at.p[:, node], at.Q[:, node])
        if reach.any():  # its place would do, but for some samples
            break
    moved = int((s > _SINGULAR * s.max()).sum(axis=1).max())
    if moved < motors:
        raise WrongValue(
            f"Frame {frame!r} of robot {robot.name!r} moves in {moved} directions, and there are {motors} "
            "motors: what some of them do is not seen there (they turn about the frame itself, or do the "
            "same). Take a frame farther out, or hold joints (robot.lock)."
        )
    k = int(np.argmin(s[:, -1]))
    raise WrongValue(
        f"The motors of robot {robot.name!r} cannot move frame {frame!r} in {motors} directions at sample "
        f"{k} of the path (q = {np.array2string(q[k], precision=3)}): the arm is singular there, or the "
        "frame sits on a joint's axis. Take another path or frame."
    )


def _freedoms(G: Array) -> Array:
    """Motions that keep the loops closed, (samples, nv, freedoms)."""
    _, s, Vt = np.linalg.svd(G)
    rank = int((s > 1e-9 * s[:, :1]).sum(axis=1).max())
    return np.swapaxes(Vt[:, rank:], 1, 2)
