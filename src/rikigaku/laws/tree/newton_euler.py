"""Inverse dynamics of a tree by the recursive Newton-Euler algorithm [Luh1980], for every kind of number."""

from collections.abc import Mapping, Sequence

from rikigaku.laws.tree.inertia_regrouping import regrouped
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.laws.tree.parallel_axes import SubtreeWrench
from rikigaku.laws.tree.simplified_mechanism import SimplifiedBody, outward_motion, simplified
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.elementary_functions import is_zero, sign
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Wrench
from rikigaku.spatial.vector import Vector, cross, transform


def inverse_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Joint forces that produce the accelerations: tau = M(q) a + h(q, v) + g(q) + friction - J^T wrenches.

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
        wrenches: force and moment on the robot at the origin of each named frame [N, N m], world axes.
        friction: include viscous and Coulomb friction and springs of the joints.
    Returns: joint forces [N m, N], (nv); reflected rotor inertia is included.
    Reference: [Luh1980], in body axes with first moments about body origins as in [Khalil1987].
    """
    g = mechanism.gravity if gravity is None else gravity
    bodies = simplified(regrouped(mechanism), q, v, a)
    motions = outward_motion(bodies, v, a, g)
    F = [body.wrench(motion) for body, motion in zip(bodies, motions, strict=True)]
    for i, applied in applied_wrenches(mechanism, q, wrenches or {}):
        F[i] = F[i].minus(applied)
    tau = joint_forces(bodies, F)
    for body in mechanism.bodies:
        for k in body.v:
            tau[k] = tau[k] + body.rotor * a[k]
            if friction:
                tau[k] = tau[k] + body.viscous * v[k] + body.spring(q)
                if not is_zero(body.coulomb):  # not every kind of number has a sign
                    tau[k] = tau[k] + body.coulomb * sign(v[k])
    return tau


def joint_forces(bodies: Sequence[SimplifiedBody], wrenches: Sequence[Wrench]) -> list[Number]:
    """Joint forces tau = S^T F by the inward recursion F_parent += X^T F, F the subtree wrenches.

    wrenches: required by the motion of each body alone, about its origin, in its axes.
    """
    tau: list[Number] = [0] * sum(len(body.directions) for body in bodies)
    F = [SubtreeWrench(*wrench) for wrench in wrenches]
    for i, body in reversed(list(enumerate(bodies))):
        for k, S in body.directions:
            tau[k] = F[i].power(S)
        if body.parent != WORLD:
            F[body.parent] = F[body.parent].plus(body.to_parent(F[i]))
    return tau


def velocity_forces(mechanism: Mechanism, q: Numbers, v: Numbers) -> list[Number]:
    """Centrifugal, Coriolis and gyroscopic joint forces: h(q, v) of tau = M(q) a + h(q, v) + g(q).

    Returns: joint forces [N m, N], (nv), without gravity and friction.
    Reference: [Luh1980], at zero acceleration.
    """
    return inverse_dynamics(mechanism, q, v, [0] * mechanism.nv, vector.ZERO, friction=False)


def gravity_forces(mechanism: Mechanism, q: Numbers, gravity: Vector | None = None) -> list[Number]:
    """Joint forces that hold the robot at rest against gravity: g(q) of tau = M(q) a + h(q, v) + g(q).

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
    Returns: joint forces [N m, N], (nv), without springs.
    Reference: [Luh1980], at rest.
    """
    rest = [0] * mechanism.nv
    return inverse_dynamics(mechanism, q, rest, rest, gravity, friction=False)


def smooth_resistance(mechanism: Mechanism, q: Numbers, v: Numbers) -> list[Number]:
    """Joint forces of viscous friction and springs, (nv), without Coulomb friction, which is not smooth."""
    result: list[Number] = [0] * mechanism.nv
    for body in mechanism.bodies:
        for k in body.v:
            result[k] = body.viscous * v[k] + body.spring(q)
    return result


def viscous_power(mechanism: Mechanism, v: Numbers) -> Number:
    """Power dissipated by the joints' viscous friction [W]."""
    return sum((body.viscous * v[k] * v[k] for body in mechanism.bodies for k in body.v), start=0)


def applied_wrenches(
    mechanism: Mechanism, q: Numbers, wrenches: Mapping[str, Numbers]
) -> list[tuple[int, Wrench]]:
    """External wrenches as pairs (body, wrench about its origin in its axes).

    wrenches: force and moment at the origin of each named frame, world axes.
    """
    if not wrenches:
        return []
    poses = world_poses(mechanism, q)
    result = []
    for name, w in wrenches.items():
        i, on_body = mechanism.frames[name]
        if i == WORLD:  # a wrench on the ground loads no joint
            continue
        to_body = vector.transpose(poses[i].R)
        force, moment = transform(to_body, tuple(w[:3])), transform(to_body, tuple(w[3:]))
        result.append((i, Wrench(force, vector.add(moment, cross(on_body.p, force)))))
    return result
