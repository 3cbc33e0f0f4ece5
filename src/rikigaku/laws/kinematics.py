"""Where bodies and frames are, and how frames move with the joints."""

from collections.abc import Sequence

from rikigaku.errors import UnknownName, WrongValue
from rikigaku.laws.motion import BodyMotion, motion
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.functions import is_number, sqrt, where
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import Matrix, Vector, cross, transform

Numbers = Sequence[Number]

AXES = ("world", "local", "spatial")
EULER_ANGLES = ("zyx", "zyz")

# The elements of a rotation of many joints carry some units of rounding (2.2e-16 each). Where sine or cosine
# of the middle Euler angle is less than 256 of them, the direction the other two stand for is rounding alone.
_ROUNDING = 2.0**-44


def world_poses(mechanism: Mechanism, q: Numbers) -> list[Pose]:
    """Pose of every body in the world."""
    result: list[Pose] = []
    for body in mechanism.bodies:
        parent = Pose() if body.parent == WORLD else result[body.parent]
        result.append(parent.compose(body.placement).compose(body.moved(q)))
    return result


def frame_pose(mechanism: Mechanism, poses: Sequence[Pose], frame: str) -> Pose:
    """Pose of a named frame in the world, given those of the bodies."""
    body, on_body = known_frame(mechanism, frame)
    return on_body if body == WORLD else poses[body].compose(on_body)


def pose(mechanism: Mechanism, q: Numbers, frame: str) -> list[list[Number]]:
    """Pose of a frame in the world, 4x4."""
    return frame_pose(mechanism, world_poses(mechanism, q), frame).matrix()


def poses(mechanism: Mechanism, q: Numbers) -> list[list[list[Number]]]:
    """Poses of all frames in the world, in the order of `robot.frame_names`."""
    bodies = world_poses(mechanism, q)
    return [frame_pose(mechanism, bodies, name).matrix() for name in mechanism.frames]


def jacobian(mechanism: Mechanism, q: Numbers, frame: str, axes: str = "world") -> list[list[Number]]:
    """J with [v; omega] = J v of a frame: 6 rows, linear first.

    axes: "world": velocity of the frame's origin, world axes; "local": the same in the frame's own axes;
        "spatial": velocity of the point of the body now at the world's origin, world axes.
    """
    _known_axes(axes)
    columns, X = _columns(mechanism, q, frame)
    if axes == "spatial":
        columns = {
            k: Twist(vector.add(c.linear, cross(X.p, c.angular)), c.angular) for k, c in columns.items()
        }
    if axes == "local":
        Rt = vector.transpose(X.R)
        columns = {k: Twist(transform(Rt, c.linear), transform(Rt, c.angular)) for k, c in columns.items()}
    return _rows(mechanism, columns)


def euler_jacobian(mechanism: Mechanism, q: Numbers, frame: str, angles: str = "zyx") -> list[list[Number]]:
    """J with [v; rates of the Euler angles] = J v, world axes; rates in the order the angles are named.

    "zyx": R = Rz Ry Rx; "zyz": R = Rz Ry Rz. NaN where the angles are singular to rounding: the cosine (of
    "zyz" the sine) of the middle one below 6e-14.
    """
    if angles not in EULER_ANGLES:
        raise WrongValue(f"Euler angles {angles!r} are not known. Known: {', '.join(EULER_ANGLES)}.")
    columns, X = _columns(mechanism, q, frame)
    rates = euler_rates(X.R, angles)
    return _rows(mechanism, {k: Twist(c.linear, transform(rates, c.angular)) for k, c in columns.items()})


def euler_rates(R: Matrix, angles: str) -> Matrix:
    """The matrix from angular velocity in world axes to the rates of the Euler angles of R."""
    if angles == "zyx":
        radius, ratio = _radius(R[0][0], R[1][0]), -R[2][0]
        c, s = R[0][0] / radius, R[1][0] / radius
        last: Vector = (c / radius, s / radius, 0)  # roll rate
    else:
        radius, ratio = _radius(R[0][2], R[1][2]), -R[2][2]
        c, s = R[0][2] / radius, R[1][2] / radius
        last = (c / radius, s / radius, 0)
    first = (ratio * last[0], ratio * last[1], 1)
    return (first, (-s, c, 0), last)


def _radius(x: Number, y: Number) -> Number:
    """Length of (x, y); NaN (a constant: zero) where it is nothing but rounding."""
    square = x * x + y * y
    tiny = square < _ROUNDING * _ROUNDING
    if is_number(square):
        return 0 if tiny else sqrt(square)
    return sqrt(where(tiny, -1, square))


def velocity(mechanism: Mechanism, q: Numbers, v: Numbers, frame: str, axes: str = "world") -> list[Number]:
    """Velocity of a frame's origin and its angular velocity, [v; omega] = J v. Axes as in `jacobian`."""
    _known_axes(axes)
    i, on_body = known_frame(mechanism, frame)
    if i == WORLD:
        return [0] * 6
    m = list(motion(mechanism, q, v, [0] * mechanism.nv, vector.ZERO))[i]
    linear, angular = _at_frame(m, on_body)
    if axes == "local":
        to_frame = vector.transpose(on_body.R)
        return [*transform(to_frame, linear), *transform(to_frame, angular)]
    bodies = world_poses(mechanism, q)
    linear, angular = transform(bodies[i].R, linear), transform(bodies[i].R, angular)
    if axes == "spatial":
        linear = vector.add(linear, cross(frame_pose(mechanism, bodies, frame).p, angular))
    return [*linear, *angular]


def acceleration(
    mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, frame: str, axes: str = "world"
) -> list[Number]:
    """Rate of change of `velocity`: J a + (dJ/dt) v, linear first; gravity has no part in it."""
    _known_axes(axes)
    i, on_body = known_frame(mechanism, frame)
    if i == WORLD:
        return [0] * 6
    m = list(motion(mechanism, q, v, a, vector.ZERO))[i]
    R = world_poses(mechanism, q)[i].R
    linear = vector.add(m.acceleration, transform(m.spin, on_body.p))
    velocity, w = _at_frame(m, on_body)
    if axes == "local":  # components in turning axes change by the turning as well
        to_frame = vector.transpose(on_body.R)
        linear = transform(to_frame, vector.sub(linear, cross(w, velocity)))
        return [*linear, *transform(to_frame, m.alpha)]
    linear, alpha = transform(R, linear), transform(R, m.alpha)
    if axes == "spatial":
        X = frame_pose(mechanism, world_poses(mechanism, q), frame)
        twist = Twist(transform(R, velocity), transform(R, w))
        # d/dt of v + p x w
        linear = vector.add(linear, vector.add(cross(X.p, alpha), cross(twist.linear, twist.angular)))
    return [*linear, *alpha]


def jacobian_rate(
    mechanism: Mechanism, q: Numbers, v: Numbers, frame: str, axes: str = "world"
) -> list[Number]:
    """(dJ/dt) v: acceleration of a frame when the joints do not accelerate. Axes as in `jacobian`."""
    return acceleration(mechanism, q, v, [0] * mechanism.nv, frame, axes)


def _at_frame(m: BodyMotion, on_body: Pose) -> Twist:
    """Velocity of a frame's origin and angular velocity, in body axes."""
    w = m.velocity.angular
    return Twist(vector.add(m.velocity.linear, cross(w, on_body.p)), w)


def _columns(mechanism: Mechanism, q: Numbers, frame: str) -> tuple[dict[int, Twist], Pose]:
    """Twist of the frame's origin, world axes, per unit rate of each coordinate on its way to the ground."""
    i, _ = known_frame(mechanism, frame)
    bodies = world_poses(mechanism, q)
    X = frame_pose(mechanism, bodies, frame)
    columns: dict[int, Twist] = {}
    while i != WORLD:
        body, Y = mechanism.bodies[i], bodies[i]
        arm = vector.sub(X.p, Y.p)
        for direction, k in zip(body.joint.directions(), body.v, strict=True):
            angular = transform(Y.R, direction.angular)
            linear = vector.add(transform(Y.R, direction.linear), cross(angular, arm))
            columns[k] = Twist(linear, angular)
        i = body.parent
    return columns, X


def _rows(mechanism: Mechanism, columns: dict[int, Twist]) -> list[list[Number]]:
    rows: list[list[Number]] = [[0] * mechanism.nv for _ in range(6)]
    for k, column in columns.items():
        for row, x in zip(rows, (*column.linear, *column.angular), strict=True):
            row[k] = x
    return rows


def known_frame(mechanism: Mechanism, frame: str) -> tuple[int, Pose]:
    """The body a frame is on (or WORLD), and its pose there."""
    if frame not in mechanism.frames:
        raise UnknownName("frame", frame, mechanism.frames, f"robot {mechanism.name!r}")
    return mechanism.frames[frame]


def _known_axes(axes: str) -> None:
    if axes not in AXES:
        raise WrongValue(
            f"Axes {axes!r} are not known. Known: {', '.join(AXES)}. The frame's own are 'local'."
        )
