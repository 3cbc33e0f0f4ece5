"""Numbers that judge a posture of a space robot: how near a dynamic singularity, what turns no base."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.laws.energy import center_of_mass
from rikigaku.laws.kinematics import world_poses
from rikigaku.laws.motion import motion
from rikigaku.laws.space import ROWS, task_rows
from rikigaku.laws.space_base import arm_coordinates
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS
from rikigaku.space.places import split
from rikigaku.spatial import vector
from rikigaku.states import as_position

Array = NDArray[np.float64]

# Singular values below this part of the largest are rounding.
_RANK = 1e-10


@dataclass(frozen=True, eq=False)
class Singularity:
    """How well the arm moves a frame while the base floats.

    manipulability: product of the singular values of J*; smallest: the least of them, zero at a dynamic
    singularity; condition: largest over smallest; direction: the motion of the frame (in the rows asked for)
    that is hardest; rates: the joint rates that cause it.
    """

    manipulability: float
    smallest: float
    condition: float
    direction: Array
    rates: Array


def dynamic_singularity(robot: Robot, q: Any, frame: str, rows: str = "all") -> Singularity:
    """The singular values of J* at a posture, and the motion that is hardest there.

    rows: which motions of the frame are asked for: "all", "linear", "angular", "planar" (x, y, turn), "xy".
        Metres and radians are weighed alike.
    """
    J = np.asarray(cast(Any, robot).generalized_jacobian(as_position(robot, q), frame))
    task_rows(J.tolist(), rows, robot.name)  # says what is wrong with the rows
    U, s, Vt = np.linalg.svd(J[list(ROWS[rows])], full_matrices=False)
    condition = float(s[0] / s[-1]) if s[-1] > 0 else np.inf
    return Singularity(float(np.prod(s)), float(s[-1]), condition, U[:, -1], Vt[-1])


def reaction_null_space(robot: Robot, q: Any, translation: bool = False) -> Array:
    """Rates of the arm that do not turn the base at zero momentum: an orthonormal basis, one in a column.

    translation: and do not move the base's origin either.

    For any arm at any posture: where there are no such rates the basis has no columns; where the arm turns
    the base about fewer axes than it might, it has more. `robot.reaction_projector`, a law that compiles,
    is basis basis^T where the turning has full rank, and refuses arms that have no coordinates to spare.
    """
    q = as_position(robot, q)
    laws = cast(Any, robot)
    arm = split(robot).arm
    zero = np.zeros(6)
    n = len(arm)
    V = np.asarray(laws.base_motion(q, np.eye(n), zero)).T  # base motion per unit rate, column by column
    turns = V if translation else V[-3:] if len(V) == 6 else V[-1:]
    _, s, Vt = np.linalg.svd(turns)
    # against all the base does: where nothing turns it, its turns are rounding
    rank = int(np.sum(s > _RANK * max(float(np.linalg.norm(V)), 1e-300)))
    return np.ascontiguousarray(Vt[rank:].T)


def link_momenta(robot: Robot, q: Any, v: Any) -> Array:
    """Sums over links of the sizes of linear and of angular momentum (about the centre of mass): (..., 2).

    What the momentum of the whole is to be small against: its links' may cancel. Links joined by fixed joints
    are one.
    """
    q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
    batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    arm_coordinates(robot)  # a robot without a free base is told so
    mechanism = instantiate(robot, FLOATS, robot.declared_values)
    places = [q[..., k] for k in range(robot.nq)]
    center = center_of_mass(mechanism, places)
    poses = world_poses(mechanism, places)
    moving = motion(mechanism, places, [v[..., k] for k in range(robot.nv)], [0] * robot.nv, vector.ZERO)
    total = np.zeros((*batch, 2))
    for body, X, m in zip(mechanism.bodies, poses, moving, strict=True):
        force, moment = body.inertia.times(m.velocity)
        P = vector.transform(X.R, force)
        arm = vector.sub(X.p, (center[0], center[1], center[2]))
        L = vector.add(vector.transform(X.R, moment), vector.cross(arm, P))
        total[..., 0] += np.sqrt(vector.dot(P, P))
        total[..., 1] += np.sqrt(vector.dot(L, L))
    return total
