"""What closed loops and gears ask of the coordinates: residual(q) = 0, its Jacobian and its bias.

The two ends of a cut joint are compared in the frame of the nearest body that carries both: only coordinates
on the loop enter. Rows are as many as the motions the joint takes away, and polynomial in sines, cosines and
slides. Written for S (start) and E (end), d = p_S - p_E, with x, y, z their axes:

    revolute     d (3 rows), x_S.z_E, y_S.z_E              fixed      d (3), the turn (3)
    prismatic    x_S.d, y_S.d, the turn (3)                spherical  d (3)
    cylindrical  x_S.d, y_S.d, x_S.z_E, y_S.z_E            universal  d (3), z_S.x_E
    planar       z_S.d, x_S.z_E, y_S.z_E

"The turn" is y_S.z_E - z_S.y_E and so on cyclically: twice the sine of the angle between the frames, along
its axis. A universal joint turns about z_S and about x_E. Perpendicular axes say parallel *or opposite*, and
a turn of zero says none *or half a turn*: which one a posture shows is told by `loop_facing`.
A gear adds the row q[joint] - ratio q[reference] - offset.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rikigaku.laws.kinematics import frame_pose, jacobian, jacobian_rate, world_poses
from rikigaku.laws.shaped import shaped
from rikigaku.model.mechanism import WORLD, Closure, Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import ZERO, Vector, cross, dot

Numbers = Sequence[Number]

_AXES = "xyz"
_ALL = ("x", "y", "z")  # directions of the carrying body
# A row of turning: a sum of +- (axis of the start frame) . (axis of the end frame).
Dots = tuple[tuple[int, str, str], ...]
_ALONG_Z: tuple[Dots, ...] = (((1, "x", "z"),), ((1, "y", "z"),))
_NO_TURN: tuple[Dots, ...] = (
    ((1, "y", "z"), (-1, "z", "y")),
    ((1, "z", "x"), (-1, "x", "z")),
    ((1, "x", "y"), (-1, "y", "x")),
)


class Rows(NamedTuple):
    """What a joint forbids: `gaps` in the directions named (of the start frame: "xS"), and `turns`."""

    gaps: tuple[str, ...]
    turns: tuple[Dots, ...]
    facing: tuple[str, ...] = ()  # axes of S and E that point the same way in the posture that is meant


ROWS: dict[str, Rows] = {
    "revolute": Rows(_ALL, _ALONG_Z, ("z",)),
    "prismatic": Rows(("xS", "yS"), _NO_TURN, _ALL),
    "cylindrical": Rows(("xS", "yS"), _ALONG_Z, ("z",)),
    "planar": Rows(("zS",), _ALONG_Z, ("z",)),
    "spherical": Rows(_ALL, ()),
    "universal": Rows(_ALL, (((1, "z", "x"),),)),
    "fixed": Rows(_ALL, _NO_TURN, _ALL),
}

# What a guide lets a frame turn about: nothing, one axis, or any.
_TURNS: dict[str, tuple[Dots, ...]] = {
    "fixed": _NO_TURN,
    "x": (((1, "y", "x"),), ((1, "z", "x"),)),
    "y": (((1, "z", "y"),), ((1, "x", "y"),)),
    "z": _ALONG_Z,
    "free": (),
}


def guide_joint(keep: str, turn: str) -> str:
    """The name in `ROWS` of a joint to the ground that keeps some axes of a frame's pose."""
    return f"guide {keep} {turn}"


ROWS |= {
    guide_joint(keep, turn): Rows(tuple(f"{axis}S" for axis in keep), rows)
    for keep in ("", "x", "y", "z", "xy", "xz", "yz", "xyz")
    for turn, rows in _TURNS.items()
}


class EndMotion(NamedTuple):
    """One end of a cut joint, seen from the body that carries both: pose, twist, acceleration."""

    pose: Pose
    velocity: Twist = Twist(ZERO, ZERO)
    acceleration: Twist = Twist(ZERO, ZERO)

    def axis(self, name: str) -> Vector:
        """x, y or z of the frame."""
        R, k = self.pose.R, _AXES.index(name)
        return (R[0][k], R[1][k], R[2][k])


def loop_residual(mechanism: Mechanism, q: Numbers) -> Any:
    """Zero where all loops are closed and all gears mesh [m, or sines of angles; gears in rad or m]."""
    rows: list[Number] = []
    for loop in mechanism.loops:
        small = loop_mechanism(mechanism, loop)
        S, E = (EndMotion(X) for X in _end_poses(small, q))
        rows += [_gap(axis, S, E) for axis in ROWS[loop.joint].gaps]
        rows += [
            _sum(sign * dot(S.axis(i), E.axis(j)) for sign, i, j in turn) for turn in ROWS[loop.joint].turns
        ]
    for gear in mechanism.gears:
        rows.append(q[gear.joint[0]] - gear.ratio * q[gear.reference[0]] - gear.offset)
    return shaped(rows, ())


def loop_jacobian(mechanism: Mechanism, q: Numbers) -> Any:
    """J with d(residual)/dt = J v: rows of `loop_residual`, nv columns."""
    rows: list[list[Number]] = []
    for loop in mechanism.loops:
        small = loop_mechanism(mechanism, loop)
        poses = _end_poses(small, q)
        columns = [list(zip(*jacobian(small, q, end), strict=True)) for end in ("start", "end")]
        block: list[list[Number]] = [[0] * mechanism.nv for _ in row_labels(loop.joint)]
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
    """(dJ/dt) v: second rate of the residual when the joints do not accelerate."""
    rows: list[Number] = []
    for loop in mechanism.loops:
        small = loop_mechanism(mechanism, loop)
        ends = []
        for X, end in zip(_end_poses(small, q), ("start", "end"), strict=True):
            velocity = [dot(row, v) for row in jacobian(small, q, end)]
            ends.append(EndMotion(X, _twist(velocity), _twist(jacobian_rate(small, q, v, end))))
        rows += _bends(loop, *ends)
    return shaped(rows + [0] * len(mechanism.gears), ())


def loop_facing(mechanism: Mechanism, q: Numbers) -> Any:
    """Cosines between axes of the two ends that must point the same way: 1 in a posture that is meant.

    In a posture where all residuals vanish each is 1 or -1; -1 says that the joint is closed the wrong way
    round (turned over by half a turn). One number for each axis named in `ROWS`.
    """
    cosines: list[Number] = []
    for loop in mechanism.loops:
        S, E = (EndMotion(X) for X in _end_poses(loop_mechanism(mechanism, loop), q))
        cosines += [dot(S.axis(axis), E.axis(axis)) for axis in ROWS[loop.joint].facing]
    return shaped(cosines, ())


def row_names(mechanism: Mechanism) -> list[str]:
    """A name for each row of the residual: "cut: gap x", "cut: x.z", "gear of elbow"."""
    names = [f"{loop.name}: {label}" for loop in mechanism.loops for label in row_labels(loop.joint)]
    return names + [f"gear of {gear.name}" for gear in mechanism.gears]


def row_labels(joint: str) -> list[str]:
    """What each row of a cut joint says, in a few letters."""
    gaps, turns, _ = ROWS[joint]
    dots = [" ".join(f"{'-' * (sign < 0)}{i}.{j}" for sign, i, j in turn) for turn in turns]
    return [f"gap {axis}" for axis in gaps] + dots


def loop_mechanism(mechanism: Mechanism, loop: Closure) -> Mechanism:
    """The bodies of one loop standing on the nearest body that carries both ends, frames "start" and "end".

    Its coordinates keep their places in q and v, so any law of kinematics serves it.
    """
    sides = [list(mechanism.support(i)) for i, _ in (loop.start, loop.end)]
    shared = set(sides[0]) & set(sides[1])
    on_loop = sorted(set(sides[0]) ^ set(sides[1]))
    carrier = max(shared, default=WORLD)
    place = {old: new for new, old in enumerate(on_loop)} | {carrier: WORLD}
    bodies = [replace(mechanism.bodies[i], parent=place[mechanism.bodies[i].parent]) for i in on_loop]
    frames = {name: (place[i], pose) for name, (i, pose) in (("start", loop.start), ("end", loop.end))}
    return Mechanism(loop.name, mechanism.nq, mechanism.nv, bodies, frames, ZERO)


def _end_poses(small: Mechanism, q: Numbers) -> list[Pose]:
    poses = world_poses(small, q)
    return [frame_pose(small, poses, end) for end in ("start", "end")]


def _gap(axis: str, S: EndMotion, E: EndMotion) -> Number:
    d = vector.sub(S.pose.p, E.pose.p)
    return dot(S.axis(axis[0]), d) if axis.endswith("S") else d[_AXES.index(axis)]


def _rates(loop: Closure, S: EndMotion, E: EndMotion) -> Iterator[Number]:
    """The rate of each row, linear in the velocities of the ends."""
    d, ddot = vector.sub(S.pose.p, E.pose.p), vector.sub(S.velocity.linear, E.velocity.linear)
    w_S, w_E = S.velocity.angular, E.velocity.angular
    for axis in ROWS[loop.joint].gaps:
        if axis.endswith("S"):
            u = S.axis(axis[0])
            yield dot(cross(w_S, u), d) + dot(u, ddot)
        else:
            yield ddot[_AXES.index(axis)]
    for turn in ROWS[loop.joint].turns:
        w = vector.sub(w_S, w_E)
        yield _sum(sign * dot(w, cross(S.axis(i), E.axis(j))) for sign, i, j in turn)


def _bends(loop: Closure, S: EndMotion, E: EndMotion) -> Iterator[Number]:
    """The second rate of each row."""
    d, ddot = vector.sub(S.pose.p, E.pose.p), vector.sub(S.velocity.linear, E.velocity.linear)
    dddot = vector.sub(S.acceleration.linear, E.acceleration.linear)
    w_S, w_E = S.velocity.angular, E.velocity.angular
    for axis in ROWS[loop.joint].gaps:
        if axis.endswith("S"):
            u = S.axis(axis[0])
            udot = cross(w_S, u)
            uddot = vector.add(cross(S.acceleration.angular, u), cross(w_S, udot))
            yield dot(uddot, d) + 2 * dot(udot, ddot) + dot(u, dddot)
        else:
            yield dddot[_AXES.index(axis)]
    w, alpha = vector.sub(w_S, w_E), vector.sub(S.acceleration.angular, E.acceleration.angular)
    for turn in ROWS[loop.joint].turns:
        terms = []
        for sign, i, j in turn:
            a, b = S.axis(i), E.axis(j)
            turning = vector.add(cross(cross(w_S, a), b), cross(a, cross(w_E, b)))
            terms.append(sign * (dot(alpha, cross(a, b)) + dot(w, turning)))
        yield _sum(terms)


def _sum(terms: Any) -> Number:
    total: Number = 0
    for term in terms:
        total = total + term
    return total


def _twist(six: Sequence[Number]) -> Twist:
    a, b, c, x, y, z = six
    return Twist((a, b, c), (x, y, z))
