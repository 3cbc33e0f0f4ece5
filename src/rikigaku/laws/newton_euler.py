"""Inverse dynamics of a tree by the recursive Newton-Euler method, for every kind of number."""

from collections.abc import Mapping, Sequence

from rikigaku.laws.felt_inertias import felt_inertias
from rikigaku.laws.kinematics import world_poses
from rikigaku.laws.motion import BodyMotion, Passage, motion
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.functions import is_zero, sign
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.inertia import SpatialInertia
from rikigaku.spatial.twist import Wrench
from rikigaku.spatial.vector import Vector, cross, transform

Numbers = Sequence[Number]


def inverse_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Joint forces that produce the accelerations: tau = M(q) a + h(q, v) + g(q) + joints - J^T wrenches.

    Args:
        q: joint positions [rad, m], (nq); v, a: velocities and accelerations, (nv).
        gravity: acceleration of free fall in the world frame [m/s^2]; the mechanism's own if None.
        wrenches: force and moment on the robot at the origin of each named frame, world axes.
        friction: add what the joints resist with: viscous and Coulomb friction, springs.
    Reference: [Luh1980]; in body axes with first moments about link origins, as in [Khalil1987].
    """
    ways, asked = [], []
    for inertia, m in zip(felt_inertias(mechanism), motion(mechanism, q, v, a, gravity), strict=True):
        ways.append(m.passage)
        asked.append(body_wrench(inertia, m))
    for i, wrench in applied_wrenches(mechanism, q, wrenches or {}):
        asked[i] = asked[i].minus(wrench)
    tau = joint_forces(mechanism, ways, asked)
    for body in mechanism.bodies:
        for k in body.v:
            tau[k] = tau[k] + body.rotor * a[k]
            if friction:
                tau[k] = tau[k] + body.viscous * v[k] + body.spring(q)
                if not is_zero(body.coulomb):  # not every kind of number has a sign
                    tau[k] = tau[k] + body.coulomb * sign(v[k])
    return tau


def joint_forces(mechanism: Mechanism, ways: Sequence[Passage], asked: Sequence[Wrench]) -> list[Number]:
    """What each joint must carry for its body and all beyond it, along its free directions."""
    carried = list(asked)
    aside = [vector.ZERO] * len(asked)  # moments of parallel axes beyond, on their way to the carrier of all
    tau: list[Number] = [0] * mechanism.nv
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        wrench = carried[i]
        for direction, k in zip(body.joint.directions(), body.v, strict=True):
            tau[k] = wrench.power(direction)
        if body.parent != WORLD:
            way = ways[i]
            force, moment = way.inward(wrench.force), wrench.moment
            K = body.placement.R
            if way.run is not None and way.run.saves:
                past = transform(K, vector.add(way.run.inward(moment), aside[i]))
                aside[body.parent] = vector.add(aside[body.parent], past)
                moment = transform(K, (0, 0, moment[2]))
            else:
                moment = vector.add(way.inward(moment), transform(K, aside[i]))
            moment = vector.add(moment, cross(way.p, force))
            carried[body.parent] = carried[body.parent].plus(Wrench(force, moment))
    return tau


def body_wrench(inertia: SpatialInertia, m: BodyMotion) -> Wrench:
    """Force and moment about the origin that give a body its acceleration, in body axes.

    Sum over mass points of (r x) (acceleration + U r) dm, arranged so that the inertia tensor meets only
    elements of U: 15 multiplications where I alpha + omega x I omega takes 24.
    """
    U, alpha, w = m.spin, m.alpha, m.velocity.angular
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.I
    force = vector.add(vector.scale(inertia.m, m.acceleration), transform(U, inertia.h))
    squares = (w[0] * w[0], w[1] * w[1], w[2] * w[2])
    if is_zero(xx + yy - zz):  # all mass in the plane z = 0, as reduced links have it
        tilting = (xx * U[2][1], -yy * U[2][0])
    else:
        tilting = (xx * alpha[0] + (zz - yy) * (w[1] * w[2]), yy * alpha[1] + (xx - zz) * (w[0] * w[2]))
    turning = (
        tilting[0] + xz * U[1][0] - xy * U[2][0] + yz * (squares[1] - squares[2]),
        tilting[1] + xy * U[2][1] - yz * U[0][1] + xz * (squares[2] - squares[0]),
        zz * alpha[2]
        + (yy - xx) * (w[0] * w[1])
        + yz * U[0][2]
        - xz * U[1][2]
        + xy * (squares[0] - squares[1]),
    )
    return Wrench(force, vector.add(turning, cross(inertia.h, m.acceleration)))


def smooth_resistance(mechanism: Mechanism, q: Numbers, v: Numbers) -> list[Number]:
    """What viscous friction and springs of the joints resist with; Coulomb friction is no smooth function."""
    result: list[Number] = [0] * mechanism.nv
    for body in mechanism.bodies:
        for k in body.v:
            result[k] = body.viscous * v[k] + body.spring(q)
    return result


def velocity_forces(mechanism: Mechanism, q: Numbers, v: Numbers) -> list[Number]:
    """h(q, v): centrifugal, Coriolis and gyroscopic forces."""
    return inverse_dynamics(mechanism, q, v, [0] * mechanism.nv, vector.ZERO, friction=False)


def gravity_forces(mechanism: Mechanism, q: Numbers, gravity: Vector | None = None) -> list[Number]:
    """g(q): joint forces that hold the robot still against gravity."""
    rest = [0] * mechanism.nv
    return inverse_dynamics(mechanism, q, rest, rest, gravity, friction=False)


def applied_wrenches(
    mechanism: Mechanism, q: Numbers, wrenches: Mapping[str, Numbers]
) -> list[tuple[int, Wrench]]:
    """External wrenches as (body, wrench about its origin in its axes)."""
    if not wrenches:
        return []
    poses = world_poses(mechanism, q)
    result = []
    for name, w in wrenches.items():
        i, on_body = mechanism.frames[name]
        if i == WORLD:  # the ground carries it
            continue
        to_body = vector.transpose(poses[i].R)
        force, moment = transform(to_body, tuple(w[:3])), transform(to_body, tuple(w[3:]))
        result.append((i, Wrench(force, vector.add(moment, cross(on_body.p, force)))))
    return result
