"""Kinematics of a tree: poses, Jacobians, velocities and accelerations of frames."""

from collections.abc import Sequence

from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.laws.tree.simplified_mechanism import BodyMotion, body_motions
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.elementary_functions import is_number, sqrt, where
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import Matrix, Vector, cross, transform

AXES = ("world", "local", "spatial")
EULER_ANGLES = ("zyx", "zyz")

# The elements of a rotation over many joints carry some units of rounding (2.2e-16 each). Where the sine or
# cosine of the middle Euler angle is below 256 of them, rounding alone determines the other two angles.
_ROUNDING = 2.0**-44


def world_poses(mechanism: Mechanism, q: Numbers) -> list[Pose]:
    """Pose of every body in the world frame."""
    result: list[Pose] = []
    for body in mechanism.bodies:
        parent = Pose() if body.parent == WORLD else result[body.parent]
        result.append(parent.compose(body.placement).compose(body.moved(q)))
    return result


def frame_pose(mechanism: Mechanism, poses: Sequence[Pose], frame: str) -> Pose:
    """Pose of a named frame in the world frame, from the poses of the bodies."""
    body, on_body = known_frame(mechanism, frame)
    return on_body if body == WORLD else poses[body].compose(on_body)


def pose(mechanism: Mechanism, q: Numbers, frame: str) -> list[list[Number]]:
    """Pose of a frame in the world frame: the homogeneous matrix [R p; 0 1].

    Args:
        frame: name of a frame or link.
    Returns: 4 x 4 matrix; R has the frame's axes as columns, p is its origin [m].
    """
    return frame_pose(mechanism, world_poses(mechanism, q), frame).matrix()


def poses(mechanism: Mechanism, q: Numbers) -> list[list[list[Number]]]:
    """Poses of all frames in the world frame: homogeneous matrices [R p; 0 1].

    Returns: (frames, 4, 4), in the order of `robot.frame_names`; positions in m.
    """
    bodies = world_poses(mechanism, q)
    return [frame_pose(mechanism, bodies, name).matrix() for name in mechanism.frames]


def jacobian(mechanism: Mechanism, q: Numbers, frame: str, axes: str = "world") -> list[list[Number]]:
    """Jacobian of a frame: [velocity; angular velocity] = J(q) v.

    Args:
        frame: name of a frame or link.
        axes: "world": velocity of the frame's origin, world axes; "local": the same in the frame's own axes;
            "spatial": velocity of the body's point that coincides with the world's origin, world axes.
    Returns: 6 x nv matrix, linear rows [m] first.
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
    """Jacobian of a frame's position and Euler angles: [velocity; d(angles)/dt] = J(q) v.

    Args:
        frame: name of a frame or link.
        angles: "zyx": R = Rz Ry Rx; "zyz": R = Rz Ry Rz.
    Returns: 6 x nv matrix: velocity of the frame's origin in world axes, then the time derivatives of the
        angles in the order of their names. NaN where the angles are singular to rounding: the cosine (for
        "zyz" the sine) of the middle angle is below 6e-14.
    """
    if angles not in EULER_ANGLES:
        raise WrongValue(f"Euler angles {angles!r} are not known. Known: {', '.join(EULER_ANGLES)}.")
    columns, X = _columns(mechanism, q, frame)
    rates = euler_rates(X.R, angles)
    return _rows(mechanism, {k: Twist(c.linear, transform(rates, c.angular)) for k, c in columns.items()})


def euler_rates(R: Matrix, angles: str) -> Matrix:
    """The matrix E with d(angles)/dt = E omega for the Euler angles of R; omega in world axes."""
    if angles == "zyx":
        radius, ratio = _radius(R[0][0], R[1][0]), -R[2][0]
        c, s = R[0][0] / radius, R[1][0] / radius
        last: Vector = (c / radius, s / radius, 0)
    else:
        radius, ratio = _radius(R[0][2], R[1][2]), -R[2][2]
        c, s = R[0][2] / radius, R[1][2] / radius
        last = (c / radius, s / radius, 0)
    first = (ratio * last[0], ratio * last[1], 1)
    return (first, (-s, c, 0), last)


def _radius(x: Number, y: Number) -> Number:
    """Length of (x, y); NaN (zero for a constant) where it is below rounding."""
    square = x * x + y * y
    tiny = square < _ROUNDING * _ROUNDING
    if is_number(square):
        return 0 if tiny else sqrt(square)
    return sqrt(where(tiny, -1, square))


def velocity(mechanism: Mechanism, q: Numbers, v: Numbers, frame: str, axes: str = "world") -> list[Number]:
    """Velocity of a frame: [velocity of its origin; angular velocity] = J(q) v.

    Args:
        frame: name of a frame or link.
        axes: "world", "local" or "spatial", as in `jacobian`.
    Returns: (6), linear [m/s] first, then angular [rad/s].
    """
    _known_axes(axes)
    i, on_body = known_frame(mechanism, frame)
    if i == WORLD:
        return [0] * 6
    m = list(body_motions(mechanism, q, v, [0] * mechanism.nv, vector.ZERO))[i]
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
    """Acceleration of a frame, the time derivative of `velocity`: J(q) a + (dJ/dt) v.

    Args:
        frame: name of a frame or link.
        axes: "world", "local" or "spatial", as in `jacobian`.
    Returns: (6), linear [m/s^2] first, then angular [rad/s^2]; gravity is not included.
    """
    _known_axes(axes)
    i, on_body = known_frame(mechanism, frame)
    if i == WORLD:
        return [0] * 6
    m = list(body_motions(mechanism, q, v, a, vector.ZERO))[i]
    R = world_poses(mechanism, q)[i].R
    linear = vector.add(m.acceleration, transform(m.U, on_body.p))
    velocity, w = _at_frame(m, on_body)
    if axes == "local":  # time derivative of components in rotating axes
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
    """Bias acceleration of a frame, its acceleration at zero joint acceleration: (dJ/dt) v.

    Args:
        frame: name of a frame or link.
        axes: "world", "local" or "spatial", as in `jacobian`.
    Returns: (6), linear [m/s^2] first, then angular [rad/s^2].
    """
    return acceleration(mechanism, q, v, [0] * mechanism.nv, frame, axes)


def _at_frame(m: BodyMotion, on_body: Pose) -> Twist:
    """Velocity of a frame's origin and angular velocity, in body axes."""
    w = m.velocity.angular
    return Twist(vector.add(m.velocity.linear, cross(w, on_body.p)), w)


def _columns(mechanism: Mechanism, q: Numbers, frame: str) -> tuple[dict[int, Twist], Pose]:
    """Columns of the Jacobian by coordinate, twists of the frame's origin in world axes; and its pose."""
    return jacobian_columns(mechanism, world_poses(mechanism, q), frame)


def jacobian_columns(
    mechanism: Mechanism, bodies: Sequence[Pose], frame: str
) -> tuple[dict[int, Twist], Pose]:
    """Columns of a frame's Jacobian by coordinate, and its pose, from the poses of the bodies; world axes."""
    i, _ = known_frame(mechanism, frame)
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
    """The body a frame is fixed to (or WORLD), and its pose on that body."""
    if frame not in mechanism.frames:
        raise UnknownName("frame", frame, mechanism.frames, f"robot {mechanism.name!r}")
    return mechanism.frames[frame]


def _known_axes(axes: str) -> None:
    if axes not in AXES:
        raise WrongValue(
            f"Axes {axes!r} are not known. Known: {', '.join(AXES)}. The frame's own are 'local'."
        )
