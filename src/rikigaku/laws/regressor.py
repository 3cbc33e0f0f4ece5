"""The regressor: tau = Y(q, v, a) pi, linear in the inertial, friction and rotor parameters.

Columns: ten for each body that moves (m, msx .. Izz, about the link's own origin, link axes; links fixed to a
body count with it), then rotor inertia, viscous and Coulomb friction of each coordinate.
"""

from collections.abc import Sequence

from rikigaku.laws.motion import BodyMotion, motion
from rikigaku.model.inertia import PARAMETER_NAMES
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.functions import sign
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import Vector, cross, dot, transform

Numbers = Sequence[Number]

DRIVE_NAMES = ("rotor", "viscous", "coulomb")


def regressor(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    gravity: Vector | None = None,
    drives: bool = False,
) -> list[list[Number]]:
    """Y with inverse_dynamics = Y pi; nv x columns. `drives` adds the rotor and friction columns."""
    moving = list(motion(mechanism, q, v, a, gravity))
    owners = regressor_bodies(mechanism)
    rows: list[list[Number]] = [[0] * (10 * len(owners)) for _ in range(mechanism.nv)]
    for number, i in enumerate(owners):
        X = _link_pose(mechanism, i)
        for k, direction in _directions_at(mechanism, moving, i):
            rows[k][10 * number : 10 * number + 10] = _columns(
                _in_link(X, moving[i]), _twist_in_link(X, direction)
            )
    if drives:
        for factor in (a, v, [sign(x) for x in v]):
            for k, row in enumerate(rows):
                row.extend(factor[k] if j == k else 0 for j in range(mechanism.nv))
    return rows


def regressor_bodies(mechanism: Mechanism) -> list[int]:
    """Bodies with parameters, in the order of v; massless parts of planar and universal joints have none."""
    last = {body.name: i for i, body in enumerate(mechanism.bodies)}
    return sorted(last.values(), key=lambda i: mechanism.bodies[i].v.start)


def regressor_columns(mechanism: Mechanism, joints: Sequence[str], drives: bool = False) -> list[str]:
    """Names of the columns: "Izz of link3", "viscous of joint2"."""
    owners = [mechanism.bodies[i].name for i in regressor_bodies(mechanism)]
    names = [f"{parameter} of {owner}" for owner in owners for parameter in PARAMETER_NAMES]
    return names + [f"{drive} of {joint}" for drive in DRIVE_NAMES for joint in joints] if drives else names


def regressor_parameters(mechanism: Mechanism, drives: bool = False) -> list[Number]:
    """The robot's own values of the parameters, in the order of the columns."""
    values: list[Number] = []
    for i in regressor_bodies(mechanism):
        X = _link_pose(mechanism, i)
        values.extend(mechanism.bodies[i].inertia.seen_from(X.inverse()).parameters())
    if drives:
        by_coordinate = {k: body for body in mechanism.bodies for k in body.v}
        order = [by_coordinate[k] for k in range(mechanism.nv)]
        values += [b.rotor for b in order] + [b.viscous for b in order] + [b.coulomb for b in order]
    return values


def _columns(m: tuple[Vector, Vector, "vector.Matrix"], s: Twist) -> list[Number]:
    """Power of the body's ten unit inertias along a direction s of its frame."""
    a, (ax, ay, az), U = m
    (vx, vy, vz), (wx, wy, wz) = s
    first = tuple(dot((vx, vy, vz), (U[0][k], U[1][k], U[2][k])) for k in range(3))
    lever = cross(a, (wx, wy, wz))  # w . (h x a) = h . (a x w)
    yz, xz, xy = U[1][2] + ax, U[0][2] - ay, U[0][1] + az  # products of angular velocities
    return [
        dot(a, (vx, vy, vz)),
        *vector.add(first, lever),
        ax * wx + xz * wy - xy * wz,
        (U[0][0] - U[1][1]) * wz + U[2][1] * wy - U[2][0] * wx,
        (U[2][2] - U[0][0]) * wy + U[1][0] * wx - U[1][2] * wz,
        ay * wy + xy * wz - yz * wx,
        (U[1][1] - U[2][2]) * wx + U[0][2] * wz - U[0][1] * wy,
        az * wz + yz * wx - xz * wy,
    ]


def _directions_at(mechanism: Mechanism, moving: Sequence[BodyMotion], i: int) -> list[tuple[int, Twist]]:
    """Twist of body i, at its origin in its axes, for a unit rate of every coordinate that carries it."""
    result: list[tuple[int, Twist]] = []
    chain = list(mechanism.support(i))[::-1]
    for j in chain:
        way = moving[j].passage
        carried = []
        for k, s in result:
            linear = way.outward(vector.add(s.linear, cross(s.angular, way.p)))
            carried.append((k, Twist(linear, way.outward(s.angular))))
        body = mechanism.bodies[j]
        result = carried + list(zip(body.v, body.joint.directions(), strict=True))
    return result


def _link_pose(mechanism: Mechanism, i: int) -> Pose:
    body, X = mechanism.frames[mechanism.bodies[i].name]
    assert body == i != WORLD
    return X


def _in_link(X: Pose, m: BodyMotion) -> tuple[Vector, Vector, "vector.Matrix"]:
    """Acceleration of the link's origin, angular acceleration and U, in link axes."""
    Rt = vector.transpose(X.R)
    a = transform(Rt, vector.add(m.acceleration, transform(m.spin, X.p)))
    U = vector.multiply(Rt, vector.multiply(m.spin, X.R))
    return a, transform(Rt, m.alpha), U


def _twist_in_link(X: Pose, s: Twist) -> Twist:
    Rt = vector.transpose(X.R)
    linear = vector.add(s.linear, cross(s.angular, X.p))
    return Twist(transform(Rt, linear), transform(Rt, s.angular))
