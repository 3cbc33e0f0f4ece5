"""Kinematics of free-floating robots: base motion, generalized Jacobian, reaction null space.

J* gives the velocity of a frame from the velocities of the arm alone: conservation of momentum determines the
motion of the base. The arm's coordinates are all but the base's, in the order of v; n is their number.
Equation numbers are those of Part X of Umetani, Yoshida and Kurazume.
"""

from collections.abc import Mapping, Sequence
from math import comb

from rikigaku.core.errors import WrongValue
from rikigaku.laws.householder import orthogonal
from rikigaku.laws.space.bias_acceleration import bias
from rikigaku.laws.space.floating_state import FloatingState, floating_state
from rikigaku.laws.tree.kinematics import known_frame
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.elementary_functions import sqrt, where
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import NO_TWIST, Twist
from rikigaku.spatial.vector import Matrix, cross, transform

AXES = ("world", "local", "base")
# Manipulability is computed from all minors of J* up to this number of them.
_MOST_MINORS = 100
# Rows of J* by name, for tasks that prescribe fewer than six motions.
ROWS: dict[str, tuple[int, ...]] = {
    "all": (0, 1, 2, 3, 4, 5),
    "linear": (0, 1, 2),
    "angular": (3, 4, 5),
    "planar": (0, 1, 5),
    "xy": (0, 1),
}


def generalized_jacobian(
    mechanism: Mechanism, q: Numbers, frame: str, axes: str = "world"
) -> list[list[Number]]:
    """J* with twist = J* v at zero momentum, v of the arm; 6 x n, linear rows first (eq 7).

    axes: "world"; "base" or "local" (the frame's own): there J* depends on the arm's configuration alone.
    """
    known_space_axes(axes)
    return jacobian_of(floating_state(mechanism, q, in_base_axes=axes != "world"), frame, axes)


def generalized_jacobian_rate(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    frame: str,
    wrenches: Mapping[str, Numbers] | None = None,
) -> list[Number]:
    """Acceleration of a frame at zero accelerations of the arm, world axes: (dJ*/dt) v of the arm.

    v is that of all coordinates, (nv,). The terms of its momentum and of external wrenches (thrusters) are
    included. Uniform gravity is not: all bodies fall alike.
    """
    state = floating_state(mechanism, q)
    return bias(state, q, v, wrenches).frame_acceleration(state, frame)


def base_motion(mechanism: Mechanism, q: Numbers, v: Numbers, momentum: Numbers) -> list[Number]:
    """The base's part of v, from the velocities v of the arm and the momentum of the whole (eq 4).

    momentum: linear, then angular about the centre of mass, world axes, as `momentum` returns it. A planar
        base uses its components in the plane only.
    """
    state = floating_state(mechanism, q)
    return state.base.velocities(state.base_twist(v, momentum))


def floating_velocity(mechanism: Mechanism, q: Numbers, v: Numbers, momentum: Numbers) -> list[Number]:
    """Velocities of all coordinates, (nv,), from those of the arm and the momentum; see `base_motion`."""
    state = floating_state(mechanism, q)
    return state.base.all_coordinates(state.base.velocities(state.base_twist(v, momentum)), v)


def locked_inertia(mechanism: Mechanism, q: Numbers, axes: str = "world") -> list[list[Number]]:
    """I_s: inertia of the whole, all joints locked, about its centre of mass, 3 x 3 (eq 5)."""
    state, K = _state_in(mechanism, q, axes)
    first = vector.multiply(K, state.inertia)
    return [list(row) for row in vector.multiply(first, vector.transpose(K))]


def coupling_inertia(mechanism: Mechanism, q: Numbers, axes: str = "world") -> list[list[Number]]:
    """I_m: angular momentum about the centre of mass per unit velocity of the arm, 3 x n (eq 5).

    The base is at rest.
    """
    state, K = _state_in(mechanism, q, axes)
    columns = [transform(K, momentum.moment) for momentum in state.momenta.values()]
    return [[column[i] for column in columns] for i in range(3)]


def reaction_projector(mechanism: Mechanism, q: Numbers) -> list[list[Number]]:
    """Orthogonal projector P onto the reaction null space, n x n: P v does not rotate the base.

    It needs more coordinates of the arm than the base has rotations, and I_m of full rank.
    `space.reaction_null_space` determines the rank and holds for all arms and configurations.

    Reference: D. N. Nenchev, K. Yoshida, P. Vichitkulsawat, M. Uchiyama, Reaction null-space control of
    flexible structure mounted manipulator systems (1999).
    """
    state = floating_state(mechanism, q, in_base_axes=True)
    n, axes = len(state.momenta), state.base.angular
    columns = [[momentum.moment[k] for k in axes] for momentum in state.momenta.values()]
    if n <= len(axes):
        raise WrongValue(
            f"Robot {mechanism.name!r} has {n} coordinates on its base and {len(axes)} rotations to hold "
            "still: no velocities are left over that do not rotate the base."
        )
    rest = orthogonal(columns, len(axes)).complement()
    return [[vector.dot([x[i] for x in rest], [x[j] for x in rest]) for j in range(n)] for i in range(n)]


def generalized_manipulability(mechanism: Mechanism, q: Numbers, frame: str, rows: str = "all") -> Number:
    """sqrt(det(J* J*^T)) over the selected rows; zero at a dynamic singularity.

    Reference: T. Yoshikawa, Manipulability of robotic mechanisms (1985), with J* for J.
    """
    J = task_rows(generalized_jacobian(mechanism, q, frame), rows, mechanism.name)
    if len(J) == len(J[0]):
        det = determinant(J)
        return sqrt(det * det)
    if comb(len(J[0]), len(J)) <= _MOST_MINORS:  # Cauchy-Binet: a sum of squares is accurate near zero
        found = list(minors(J).values())
        return sqrt(vector.dot(found, found))
    return volume(J)


def volume(A: Sequence[Numbers]) -> Number:
    """Volume of the parallelepiped of the rows, sqrt(det(A A^T)), by modified Gram-Schmidt.

    The determinant itself is not formed, so that no digits are lost near zero.
    """
    rows: list[list[Number]] = [list(row) for row in A]
    result: Number = 1
    for i, row in enumerate(rows):
        square = vector.dot(row, row)
        result = result * sqrt(square)
        safe = where(square > 0, square, 1)
        for j in range(i + 1, len(rows)):
            part = vector.dot(rows[j], row) / safe
            rows[j] = [x - part * y for x, y in zip(rows[j], row, strict=True)]
    return result


def determinant(A: Sequence[Numbers]) -> Number:
    """Determinant by Laplace expansion over minors of growing order, without division."""
    return minors(A)[tuple(range(len(A)))]


def minors(A: Sequence[Numbers]) -> dict[tuple[int, ...], Number]:
    """Minors of A of the order of its number of rows, by their columns."""
    n = len(A[0])
    found: dict[tuple[int, ...], Number] = {(): 1}
    for row in A:
        grown: dict[tuple[int, ...], Number] = {}
        for columns, minor in found.items():
            for j in range(n):
                if j not in columns:
                    place = sum(k > j for k in columns)  # transpositions that sort the columns
                    key = tuple(sorted((*columns, j)))
                    term = row[j] * minor
                    grown[key] = grown.get(key, 0) + (-term if place % 2 else term)
        found = grown
    return found


def known_rows(rows: str) -> tuple[int, ...]:
    """The indices of the rows of that name.

    Raises:
        WrongValue: if the name is not known.
    """
    if rows not in ROWS:
        raise WrongValue(f"Rows {rows!r} are not known. Known: {', '.join(ROWS)}.")
    return ROWS[rows]


def task_rows(J: Sequence[Numbers], rows: str, robot: str) -> list[Numbers]:
    """The selected rows of a Jacobian (or of a twist).

    Raises:
        WrongValue: if the name is not known, or the arm has fewer coordinates than rows.
    """
    chosen = [J[k] for k in known_rows(rows)]
    if isinstance(chosen[0], list) and len(chosen[0]) < len(chosen):
        fitting = [name for name, places in ROWS.items() if len(places) <= len(chosen[0])]
        raise WrongValue(
            f"Robot {robot!r} moves {len(chosen[0])} coordinates on its base; rows={rows!r} prescribes "
            f"{len(chosen)} motions of the frame. Rows it can serve: {', '.join(fitting) or 'none'}."
        )
    return chosen


def jacobian_of(state: FloatingState, frame: str, axes: str = "world") -> list[list[Number]]:
    """J* of a frame, 6 x n, from a state in joint axes (for world axes) or in base axes (for others)."""
    R = output_axes(state, frame, axes)
    columns = [
        (*transform(R, c.linear), *transform(R, c.angular)) for c in jacobian_columns(state, frame).values()
    ]
    return [[column[i] for column in columns] for i in range(6)]


def jacobian_columns(state: FloatingState, frame: str) -> dict[int, Twist]:
    """Columns of J* by index in v, in the axes of the state."""
    i, X = frame_pose(state, frame)
    moving = {k for j in state.mechanism.support(i) for k in state.mechanism.bodies[j].v}
    result = {}
    for k, twist in state.base_responses.items():
        if i == WORLD:
            result[k] = NO_TWIST
            continue
        moved = twist.plus(state.directions[k]) if k in moving else twist
        result[k] = at_point(moved, X)
    return result


def frame_pose(state: FloatingState, frame: str) -> tuple[int, Pose]:
    """The index of a frame's body, and the frame's pose relative to G in the axes of the state."""
    i, on_body = known_frame(state.mechanism, frame)
    return i, on_body if i not in state.poses else state.poses[i].compose(on_body)


def at_point(twist: Twist, X: Pose) -> Twist:
    """The twist at the origin of a frame, from that at G."""
    return Twist(vector.add(twist.linear, cross(twist.angular, X.p)), twist.angular)


def output_axes(state: FloatingState, frame: str, axes: str) -> Matrix:
    """The rotation from the axes of the state to those of the result."""
    if axes == "local":
        return vector.transpose(frame_pose(state, frame)[1].R)
    return state.base.placement if axes == "world" else vector.IDENTITY


def known_space_axes(axes: str, known: Sequence[str] = AXES) -> None:
    """Check the name of the axes.

    Raises:
        WrongValue: if it is not known.
    """
    if axes not in known:
        own = " The frame's own are 'local'." if "local" in known else ""
        raise WrongValue(f"Axes {axes!r} are not known. Known: {', '.join(known)}.{own}")


def _state_in(mechanism: Mechanism, q: Numbers, axes: str) -> tuple[FloatingState, Matrix]:
    """The state for results in world or base axes, and the rotation from its axes to these."""
    known_space_axes(axes, ("world", "base"))
    state = floating_state(mechanism, q, in_base_axes=axes == "base")
    return state, state.base.placement if axes == "world" else vector.IDENTITY
