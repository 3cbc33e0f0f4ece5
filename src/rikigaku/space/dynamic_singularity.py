"""Dynamic singularities of a free-floating robot, its reach, and the reaction null space of its base.

A dynamic singularity is a configuration where the generalized Jacobian J* loses rank.
Reference: E. Papadopoulos, S. Dubowsky, Dynamic singularities in free-floating space manipulators (1993).
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import sized
from rikigaku.core.checked_calls import checked
from rikigaku.core.types import Array
from rikigaku.laws.space.free_base import arm_coordinates
from rikigaku.laws.space.generalized_jacobian import ROWS, task_rows
from rikigaku.laws.tree.energy import center_of_mass
from rikigaku.laws.tree.kinematics import known_frame, world_poses
from rikigaku.laws.tree.simplified_mechanism import body_motions
from rikigaku.model.elementary_motions import Revolute, Spherical
from rikigaku.model.mechanism import WORLD, instantiate
from rikigaku.model.states import as_position
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.space.frame_targets import TargetState
from rikigaku.space.space_arguments import base_and_arm
from rikigaku.spatial import vector

# Singular values below this fraction of the norm are rounding errors.
_RANK = 1e-10
# An arm is stretched out when its frame is this fraction of its length away from the shoulder.
_STRETCHED = 0.98


@dataclass(frozen=True, eq=False)
class Singularity:
    """Singular values of J* in the selected rows.

    manipulability: their product. smallest: the smallest, zero at a dynamic singularity. condition: largest
    over smallest. direction: the motion of the frame that belongs to the smallest (left singular vector).
    v: the velocities of the arm that cause it (right singular vector).
    """

    manipulability: float
    smallest: float
    condition: float
    direction: Array
    v: Array


@checked
def dynamic_singularity(robot: Robot, q: ArrayLike, frame: str, rows: str = "all") -> Singularity:
    """The singular values of J* at a configuration, and the motion of the frame that is hardest there.

    rows: selected motions of the frame: "all", "linear", "angular", "planar" (x, y and rotation about z),
        "xy". Metres and radians have equal weight.
    """
    J = np.asarray(robot.space.generalized_jacobian(as_position(robot, q), frame))
    task_rows(J.tolist(), rows, robot.name)  # raises an error for wrong rows
    U, s, Vt = np.linalg.svd(J[list(ROWS[rows])], full_matrices=False)
    condition = float(s[0] / s[-1]) if s[-1] > 0 else np.inf
    return Singularity(float(np.prod(s)), float(s[-1]), condition, U[:, -1], Vt[-1])


@checked
def reaction_null_space(robot: Robot, q: ArrayLike, translation: bool = False) -> Array:
    """Velocities of the arm that do not rotate the base at zero momentum: orthonormal basis, (n, k) columns.

    translation: the base's origin does not move either.

    The rank is determined numerically, so that the basis holds for any arm at any configuration; it may have
    no columns. `robot.space.reaction_projector`, a compiled law, is basis basis^T where the rank is full, and
    raises an error for arms without redundant coordinates.
    """
    q = as_position(robot, q)
    n = len(base_and_arm(robot).arm)
    V = np.asarray(robot.space.base_motion(q, np.eye(n), np.zeros(6))).T
    reaction = V if translation else V[-3:] if len(V) == 6 else V[-1:]
    _, s, Vt = np.linalg.svd(reaction)
    # relative to the whole base motion, since rotations alone may be rounding errors
    rank = int(np.sum(s > _RANK * max(float(np.linalg.norm(V)), 1e-300)))
    return np.ascontiguousarray(Vt[rank:].T)


@checked
def link_momenta(robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """Sums over links of the norms of linear and of angular momentum (about the centre of mass): (..., 2).

    This is the scale for errors of the total momentum, in which the links' momenta may cancel. Links joined
    by fixed joints count as one.
    """
    q, v = sized("q", q, robot.nq), sized("v", v, robot.nv)
    batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    arm_coordinates(robot)  # raises NoFreeBase
    mechanism = instantiate(robot, FLOATS, robot.declared_values)
    positions = [q[..., k] for k in range(robot.nq)]
    velocities = [v[..., k] for k in range(robot.nv)]
    center = center_of_mass(mechanism, positions)
    poses = world_poses(mechanism, positions)
    motions = body_motions(mechanism, positions, velocities, [0] * robot.nv, vector.ZERO)
    total = np.zeros((*batch, 2))
    for body, X, m in zip(mechanism.bodies, poses, motions, strict=True):
        force, moment = body.inertia.times(m.velocity)
        P = vector.transform(X.R, force)
        lever = vector.sub(X.p, (center[0], center[1], center[2]))
        L = vector.add(vector.transform(X.R, moment), vector.cross(lever, P))
        total[..., 0] += np.sqrt(vector.dot(P, P))
        total[..., 1] += np.sqrt(vector.dot(L, L))
    return total


def singularity_reason(
    robot: Robot, q: Array, frame: str, smallest: float, now: TargetState, end: Array, center: Array
) -> str:
    """A sentence: the target leaves the workspace of the arm, or the singularity is inside of it.

    now: the target at this time. end: the target's last position. center: the centre of mass at that time.
    """
    text = (
        f"dynamic singularity of robot {robot.name!r}: the smallest singular value of J* of {frame!r} is "
        f"{smallest:.2g}"
    )
    shoulder, tip, length = _arm_extension(robot, q, frame)
    extension = float(np.linalg.norm(tip - shoulder))
    reach = reach_from_center(robot, frame)
    distance = float(np.linalg.norm(end - center))
    if distance > reach:
        text += (
            f"; the target ends {distance:.4g} m from the centre of mass of the whole, and the arm reaches "
            f"{reach:.4g} m from there at most: the line leaves its reach"
        )
    elif np.dot(now.twist[:3], tip - shoulder) > 0 and extension > _STRETCHED * length:
        text += (
            f"; the arm is stretched out, {extension:.3g} m of {length:.3g} m, and the target goes on "
            "outward: the line leaves its reach"
        )
    return text + ". Choose another line, another start, or fewer rows"


def reach_from_center(robot: Robot, frame: str) -> float:
    """Upper bound of a frame's distance from the centre of mass of the whole [m]; inf with prismatic joints.

    The vector from the centre of mass to the frame is a sum of vectors fixed to the bodies (virtual
    manipulator). The bound is the sum of their lengths; it is reached if the joints can align them.
    """
    mechanism = instantiate(robot, FLOATS, robot.declared_values)
    bodies, arm = mechanism.bodies, set(base_and_arm(robot).arm.tolist())
    if any(k in arm and not isinstance(body.joint, Revolute | Spherical) for body in bodies for k in body.v):
        return float(np.inf)
    moments = np.array([body.inertia.h for body in bodies], dtype=np.float64)
    masses = np.array([body.inertia.m for body in bodies], dtype=np.float64)
    steps = np.array([body.placement.p for body in bodies], dtype=np.float64)  # in axes of the parent
    for i in reversed(range(len(bodies))):
        if (parent := bodies[i].parent) != WORLD:
            masses[parent] += masses[i]
            moments[parent] += masses[i] * steps[i]
    total = max(masses[i] for i, body in enumerate(bodies) if body.parent == WORLD)
    vectors = -moments / total
    i, on_body = known_frame(mechanism, frame)
    step = np.array(on_body.p, dtype=np.float64)
    while i != WORLD:
        vectors[i] += step
        i, step = bodies[i].parent, steps[i]
    return float(sum(np.linalg.norm(x) for x in vectors))


def _arm_extension(robot: Robot, q: Array, frame: str) -> tuple[Array, Array, float]:
    """Positions of the arm's first joint and of the frame, and the length along the links between them."""
    links = {link.name: link for link in robot.links}
    names, link = [frame], robot.frame(frame).link
    while links[link].parent != robot.base:
        names.append(link)
        link = links[link].parent
    points = [robot.pose(q, name)[:3, 3] for name in names]
    length = sum(float(np.linalg.norm(a - b)) for a, b in pairwise(points))
    return points[-1], points[0], length
