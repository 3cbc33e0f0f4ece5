"""Loop-closure constraints of cut joints and gears: residual r(q) = 0, its Jacobian J and bias dJ/dt v.

The two ends of a cut joint are compared in the frame of their nearest common ancestor: only coordinates on
the loop enter. A cut joint has as many equations as it removes degrees of freedom; they are polynomial in
sines, cosines and prismatic coordinates. With S the start frame, E the end frame, x, y, z their axes, d = p_S
- p_E:

    revolute     d (3 equations), x_S.z_E, y_S.z_E         fixed      d (3), rotation (3)
    prismatic    x_S.d, y_S.d, rotation (3)                spherical  d (3)
    cylindrical  x_S.d, y_S.d, x_S.z_E, y_S.z_E            universal  d (3), z_S.x_E
    planar       z_S.d, x_S.z_E, y_S.z_E

"Rotation" is y_S.z_E - z_S.y_E and so on cyclically: twice the sine of the angle between the frames, along
its axis. A universal joint rotates about z_S and about x_E. These equations also hold with axes antiparallel
(rotated by pi): `loop_alignment` distinguishes the two assembly modes. A gear adds the equation q[joint] -
ratio q[reference] - offset.
"""

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rikigaku.laws.shaped import shaped
from rikigaku.laws.tree.kinematics import frame_pose, jacobian, jacobian_rate, world_poses
from rikigaku.model.joints.joint_type import NO_ROTATION, PARALLEL_Z, CutJoint, DotProducts
from rikigaku.model.joints.joint_types import CUT_JOINTS
from rikigaku.model.mechanism import WORLD, Closure, Mechanism
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import ZERO, Vector, cross, dot

_AXES = "xyz"

# The rotations a guide leaves free: none, about one axis, or all.
_GUIDE_ROTATIONS: dict[str, tuple[DotProducts, ...]] = {
    "fixed": NO_ROTATION,
    "x": (((1, "y", "x"),), ((1, "z", "x"),)),
    "y": (((1, "z", "y"),), ((1, "x", "y"),)),
    "z": PARALLEL_Z,
    "free": (),
}


def guide_joint(keep: str, rotation: str) -> str:
    """The name in `JOINT_EQUATIONS` of a joint to the ground that constrains part of a frame's pose."""
    return f"guide {keep} {rotation}"


_GUIDES = {
    guide_joint(keep, rotation): CutJoint(tuple(f"{axis}S" for axis in keep), rotations)
    for keep in ("", "x", "y", "z", "xy", "xz", "yz", "xyz")
    for rotation, rotations in _GUIDE_ROTATIONS.items()
}
# Equations by joint type: those of cut joints, types added later included, and those of guides.
JOINT_EQUATIONS: Mapping[str, CutJoint] = ChainMap(CUT_JOINTS, _GUIDES)


class EndMotion(NamedTuple):
    """One end of a cut joint in the common ancestor's frame: pose, twist, acceleration."""

    pose: Pose
    velocity: Twist = Twist(ZERO, ZERO)
    acceleration: Twist = Twist(ZERO, ZERO)

    def axis(self, name: str) -> Vector:
        """x, y or z of the frame."""
        R, k = self.pose.R, _AXES.index(name)
        return (R[0][k], R[1][k], R[2][k])


def loop_residual(mechanism: Mechanism, q: Numbers) -> Any:
    """Closure residual r(q) [m, or sines of angles; gears: rad or m]; zero where the loops are closed."""
    residual: list[Number] = []
    for loop in mechanism.loops:
        small = loop_mechanism(mechanism, loop)
        S, E = (EndMotion(X) for X in _end_poses(small, q))
        equations = JOINT_EQUATIONS[loop.joint]
        residual += [_gap(axis, S, E) for axis in equations.translations]
        residual += [
            _sum(sign * dot(S.axis(i), E.axis(j)) for sign, i, j in terms) for terms in equations.rotations
        ]
    for gear in mechanism.gears:
        residual.append(q[gear.joint[0]] - gear.ratio * q[gear.reference[0]] - gear.offset)
    return shaped(residual, ())


def loop_jacobian(mechanism: Mechanism, q: Numbers) -> Any:
    """Loop Jacobian J, d(residual)/dt = J v: one row for each equation of `loop_residual`, nv columns."""
    rows: list[list[Number]] = []
    for loop in mechanism.loops:
        small = loop_mechanism(mechanism, loop)
        poses = _end_poses(small, q)
        columns = [list(zip(*jacobian(small, q, end), strict=True)) for end in ("start", "end")]
        block: list[list[Number]] = [[0] * mechanism.nv for _ in equation_labels(loop.joint)]
        for k in sorted({k for body in small.bodies for k in body.v}):
            S, E = (EndMotion(X, _twist(column[k])) for X, column in zip(poses, columns, strict=True))
            for row, rate in zip(block, _rates(loop, S, E), strict=True):
                row[k] = rate
        rows += block
    for gear in mechanism.gears:
        gear_row: list[Number] = [0] * mechanism.nv
        gear_row[gear.joint[1]], gear_row[gear.reference[1]] = 1, -gear.ratio
        rows.append(gear_row)
    return shaped(rows, (mechanism.nv,))


def loop_bias(mechanism: Mechanism, q: Numbers, v: Numbers) -> Any:
    """Bias acceleration (dJ/dt) v: the second derivative of the residual at zero joint acceleration."""
    bias: list[Number] = []
    for loop in mechanism.loops:
        small = loop_mechanism(mechanism, loop)
        ends = []
        for X, end in zip(_end_poses(small, q), ("start", "end"), strict=True):
            velocity = [dot(row, v) for row in jacobian(small, q, end)]
            ends.append(EndMotion(X, _twist(velocity), _twist(jacobian_rate(small, q, v, end))))
        bias += _second_rates(loop, *ends)
    return shaped(bias + [0] * len(mechanism.gears), ())


def loop_alignment(mechanism: Mechanism, q: Numbers) -> Any:
    """Cosines between axes of the two ends that must be parallel, one for each of the joints' aligned axes.

    Where all residuals vanish each is 1 or -1; -1 means that the joint is closed in the wrong assembly mode,
    with the axes antiparallel.
    """
    cosines: list[Number] = []
    for loop in mechanism.loops:
        S, E = (EndMotion(X) for X in _end_poses(loop_mechanism(mechanism, loop), q))
        cosines += [dot(S.axis(axis), E.axis(axis)) for axis in JOINT_EQUATIONS[loop.joint].aligned_axes]
    return shaped(cosines, ())


def equation_names(mechanism: Mechanism) -> list[str]:
    """A name for each equation of the residual: "cut: gap x", "cut: x.z", "gear of elbow"."""
    names = [f"{loop.name}: {label}" for loop in mechanism.loops for label in equation_labels(loop.joint)]
    return names + [f"gear of {gear.name}" for gear in mechanism.gears]


def equation_labels(joint: str) -> list[str]:
    """A short label for each equation of a cut joint."""
    equations = JOINT_EQUATIONS[joint]
    dots = [" ".join(f"{'-' * (sign < 0)}{i}.{j}" for sign, i, j in terms) for terms in equations.rotations]
    return [f"gap {axis}" for axis in equations.translations] + dots


def loop_mechanism(mechanism: Mechanism, loop: Closure) -> Mechanism:
    """The bodies of one loop, based on the nearest common ancestor of its ends; frames "start" and "end".

    Its coordinates keep their indices in q and v, so that every law of kinematics applies to it.
    """
    sides = [list(mechanism.support(i)) for i, _ in (loop.start, loop.end)]
    shared = set(sides[0]) & set(sides[1])
    on_loop = sorted(set(sides[0]) ^ set(sides[1]))
    ancestor = max(shared, default=WORLD)
    index = {old: new for new, old in enumerate(on_loop)} | {ancestor: WORLD}
    bodies = [replace(mechanism.bodies[i], parent=index[mechanism.bodies[i].parent]) for i in on_loop]
    frames = {name: (index[i], pose) for name, (i, pose) in (("start", loop.start), ("end", loop.end))}
    return Mechanism(loop.name, mechanism.nq, mechanism.nv, bodies, frames, ZERO)


def _end_poses(small: Mechanism, q: Numbers) -> list[Pose]:
    poses = world_poses(small, q)
    return [frame_pose(small, poses, end) for end in ("start", "end")]


def _gap(axis: str, S: EndMotion, E: EndMotion) -> Number:
    d = vector.sub(S.pose.p, E.pose.p)
    return dot(S.axis(axis[0]), d) if axis.endswith("S") else d[_AXES.index(axis)]


def _rates(loop: Closure, S: EndMotion, E: EndMotion) -> Iterator[Number]:
    """The rate of each equation, linear in the velocities of the ends."""
    d, ddot = vector.sub(S.pose.p, E.pose.p), vector.sub(S.velocity.linear, E.velocity.linear)
    w_S, w_E = S.velocity.angular, E.velocity.angular
    for axis in JOINT_EQUATIONS[loop.joint].translations:
        if axis.endswith("S"):
            u = S.axis(axis[0])
            yield dot(cross(w_S, u), d) + dot(u, ddot)
        else:
            yield ddot[_AXES.index(axis)]
    for terms in JOINT_EQUATIONS[loop.joint].rotations:
        w = vector.sub(w_S, w_E)
        yield _sum(sign * dot(w, cross(S.axis(i), E.axis(j))) for sign, i, j in terms)


def _second_rates(loop: Closure, S: EndMotion, E: EndMotion) -> Iterator[Number]:
    """The second derivative of each equation."""
    d, ddot = vector.sub(S.pose.p, E.pose.p), vector.sub(S.velocity.linear, E.velocity.linear)
    dddot = vector.sub(S.acceleration.linear, E.acceleration.linear)
    w_S, w_E = S.velocity.angular, E.velocity.angular
    for axis in JOINT_EQUATIONS[loop.joint].translations:
        if axis.endswith("S"):
            u = S.axis(axis[0])
            udot = cross(w_S, u)
            uddot = vector.add(cross(S.acceleration.angular, u), cross(w_S, udot))
            yield dot(uddot, d) + 2 * dot(udot, ddot) + dot(u, dddot)
        else:
            yield dddot[_AXES.index(axis)]
    w, alpha = vector.sub(w_S, w_E), vector.sub(S.acceleration.angular, E.acceleration.angular)
    for terms in JOINT_EQUATIONS[loop.joint].rotations:
        total: list[Number] = []
        for sign, i, j in terms:
            a, b = S.axis(i), E.axis(j)
            change = vector.add(cross(cross(w_S, a), b), cross(a, cross(w_E, b)))
            total.append(sign * (dot(alpha, cross(a, b)) + dot(w, change)))
        yield _sum(total)


def _sum(terms: Any) -> Number:
    total: Number = 0
    for term in terms:
        total = total + term
    return total


def _twist(six: Sequence[Number]) -> Twist:
    a, b, c, x, y, z = six
    return Twist((a, b, c), (x, y, z))
