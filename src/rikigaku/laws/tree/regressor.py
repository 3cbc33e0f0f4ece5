"""Regressor of inverse dynamics: tau = Y(q, v, a) pi, linear in the parameters pi [Khalil1987].

Columns: ten for each moving body (m, msx .. Izz about the link's origin in link axes; links fixed to a body
are part of it), then rotor inertia, viscous and Coulomb friction of each coordinate.
"""

from collections.abc import Sequence

from rikigaku.laws.tree.simplified_mechanism import BodyMotion, SimplifiedBody, outward_motion, simplified
from rikigaku.model.inertial_parameters import PARAMETER_NAMES
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.elementary_functions import sign
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import Vector, cross, dot, transform

JOINT_PARAMETER_NAMES = ("rotor", "viscous", "coulomb")


def regressor(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    gravity: Vector | None = None,
    joint_parameters: bool = False,
) -> list[list[Number]]:
    """Regressor of inverse dynamics: tau = Y(q, v, a) pi, with pi = `robot.parameters()`.

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
        joint_parameters: append columns for rotor inertia, viscous and Coulomb friction of each coordinate.
    Returns: nv x columns matrix; ten columns for each moving body: m, msx, msy, msz, Ixx, Ixy, Ixz, Iyy, Iyz,
        Izz about the link's origin in link axes.
    """
    bodies = simplified(mechanism, q, v, a)
    g = mechanism.gravity if gravity is None else gravity
    motions = list(outward_motion(bodies, v, a, g))
    owners = regressor_bodies(mechanism)
    rows: list[list[Number]] = [[0] * (10 * len(owners)) for _ in range(mechanism.nv)]
    for number, i in enumerate(owners):
        X = _link_pose(mechanism, i)
        for k, direction in _directions_at(mechanism, bodies, i):
            rows[k][10 * number : 10 * number + 10] = _columns(
                _in_link(X, motions[i]), _twist_in_link(X, direction)
            )
    if joint_parameters:
        for factor in (a, v, [sign(x) for x in v]):
            for k, row in enumerate(rows):
                row.extend(factor[k] if j == k else 0 for j in range(mechanism.nv))
    return rows


def regressor_bodies(mechanism: Mechanism) -> list[int]:
    """Indices of the bodies with parameters, in the order of v; bodies inside planar joints have none."""
    last = {body.name: i for i, body in enumerate(mechanism.bodies)}
    return sorted(last.values(), key=lambda i: mechanism.bodies[i].v.start)


def regressor_columns(
    mechanism: Mechanism, joints: Sequence[str], joint_parameters: bool = False
) -> list[str]:
    """Names of the columns: "Izz of link3", "viscous of joint2"."""
    owners = [mechanism.bodies[i].name for i in regressor_bodies(mechanism)]
    names = [f"{parameter} of {owner}" for owner in owners for parameter in PARAMETER_NAMES]
    if joint_parameters:
        names += [f"{parameter} of {joint}" for parameter in JOINT_PARAMETER_NAMES for joint in joints]
    return names


def regressor_parameters(mechanism: Mechanism, joint_parameters: bool = False) -> list[Number]:
    """Values of the parameters, in the order of the columns."""
    values: list[Number] = []
    for i in regressor_bodies(mechanism):
        X = _link_pose(mechanism, i)
        values.extend(mechanism.bodies[i].inertia.seen_from(X.inverse()).parameters())
    if joint_parameters:
        by_coordinate = {k: body for body in mechanism.bodies for k in body.v}
        order = [by_coordinate[k] for k in range(mechanism.nv)]
        values += [b.rotor for b in order] + [b.viscous for b in order] + [b.coulomb for b in order]
    return values


def _columns(m: tuple[Vector, Vector, "vector.Matrix"], s: Twist) -> list[Number]:
    """Joint force per unit of each of the body's ten parameters; s: joint direction in link axes."""
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


def _directions_at(mechanism: Mechanism, bodies: Sequence[SimplifiedBody], i: int) -> list[tuple[int, Twist]]:
    """Twist of body i at its origin, in its axes, per unit velocity of each coordinate that moves it."""
    result: list[tuple[int, Twist]] = []
    for j in reversed(list(mechanism.support(i))):
        result = [(k, bodies[j].transform.twist_to_child(S)) for k, S in result]
        result += bodies[j].directions
    return result


def _link_pose(mechanism: Mechanism, i: int) -> Pose:
    body, X = mechanism.frames[mechanism.bodies[i].name]
    assert body == i != WORLD
    return X


def _in_link(X: Pose, m: BodyMotion) -> tuple[Vector, Vector, "vector.Matrix"]:
    """Acceleration of the link's origin, angular acceleration and U, in link axes."""
    Rt = vector.transpose(X.R)
    a = transform(Rt, vector.add(m.acceleration, transform(m.U, X.p)))
    U = vector.multiply(Rt, vector.multiply(m.U, X.R))
    return a, transform(Rt, m.alpha), U


def _twist_in_link(X: Pose, s: Twist) -> Twist:
    Rt = vector.transpose(X.R)
    linear = vector.add(s.linear, cross(s.angular, X.p))
    return Twist(transform(Rt, linear), transform(Rt, s.angular))
