"""Kinematics of free-floating robots: base motion, generalized Jacobian, reaction null space.

J* gives the velocity of a frame from the rates of the arm alone, with the base moving as momentum makes it.
Numbers of the arm (`rates`, `accelerations`, `torques`) are those of all coordinates but the base's, in the
order of v. Equation numbers are those of Part X of Umetani, Yoshida and Kurazume.
"""

from collections.abc import Mapping, Sequence
from math import comb

from rikigaku.errors import WrongValue
from rikigaku.laws.floating import Floating, floating
from rikigaku.laws.kinematics import known_frame
from rikigaku.laws.orthogonal import orthogonal
from rikigaku.laws.space_bias import bias
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.functions import sqrt, where
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import NO_TWIST, Twist
from rikigaku.spatial.vector import Matrix, cross, transform

Numbers = Sequence[Number]

AXES = ("world", "local", "base")
# Minors of J* are all computed up to this number of them.
_MANY = 100
# Rows of J* by name: a task need not ask for all six.
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
    """J* with [v; omega] = J* rates at zero momentum, 6 x n, linear rows first (eq 7).

    axes: "world"; "base": those of the base, where J* depends on the arm's posture alone; "local": the
        frame's own, where that is so too.
    """
    known_space_axes(axes)
    return jacobian_of(floating(mechanism, q, in_base_axes=axes != "world"), frame, axes)


def generalized_jacobian_rate(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    frame: str,
    wrenches: Mapping[str, Numbers] | None = None,
) -> list[Number]:
    """Acceleration of a frame when the arm's joints do not accelerate, world axes: (dJ*/dt) rates.

    v is that of all coordinates. Where it carries momentum, the part of the acceleration that momentum has is
    included; with wrenches (thrusters), theirs too. A field of gravity is not: everything falls alike.
    """
    state = floating(mechanism, q)
    return bias(state, q, v, wrenches).hand(state, frame)


def base_motion(mechanism: Mechanism, q: Numbers, rates: Numbers, momentum: Numbers) -> list[Number]:
    """The base's own part of v, from the arm's rates and the momentum of the whole (eq 4).

    momentum: linear and angular, world axes, about the centre of mass, as `momentum` gives it. A planar base
        has no use for what its plane carries.
    """
    state = floating(mechanism, q)
    return state.base.rates(state.base_twist(rates, momentum))


def floating_velocity(mechanism: Mechanism, q: Numbers, rates: Numbers, momentum: Numbers) -> list[Number]:
    """v of all coordinates, from the arm's rates and the momentum of the whole; see `base_motion`."""
    state = floating(mechanism, q)
    return state.base.whole(state.base.rates(state.base_twist(rates, momentum)), rates)


def locked_inertia(mechanism: Mechanism, q: Numbers, axes: str = "world") -> list[list[Number]]:
    """I_s: inertia of the whole, all joints locked, about its centre of mass, 3 x 3 (eq 5)."""
    state, K = _seen(mechanism, q, axes)
    first = vector.multiply(K, state.inertia)
    return [list(row) for row in vector.multiply(first, vector.transpose(K))]


def coupling_inertia(mechanism: Mechanism, q: Numbers, axes: str = "world") -> list[list[Number]]:
    """I_m: angular momentum about the centre of mass per unit rate of the arm, base at rest, 3 x n (eq 5)."""
    state, K = _seen(mechanism, q, axes)
    columns = [transform(K, momentum.moment) for momentum in state.momenta.values()]
    return [[column[i] for column in columns] for i in range(3)]


def reaction_projector(mechanism: Mechanism, q: Numbers) -> list[list[Number]]:
    """P: the nearest rates that do not turn the base are P rates, n x n (reaction null space).

    Of arms with more coordinates than the base can turn about, at postures where their turning of it has full
    rank; `space.reaction_null_space` finds the rank, and answers for all arms and postures.

    Reference: D. N. Nenchev, K. Yoshida, P. Vichitkulsawat, M. Uchiyama, Reaction null-space control of
    flexible structure mounted manipulator systems (1999).
    """
    state = floating(mechanism, q, in_base_axes=True)
    n, places = len(state.momenta), state.base.angular
    columns = [[momentum.moment[k] for k in places] for momentum in state.momenta.values()]
    if n <= len(places):
        raise WrongValue(
            f"Robot {mechanism.name!r} has {n} coordinates on its base and {len(places)} to hold still: no "
            "rates are left over that do not turn the base."
        )
    rest = orthogonal(columns, len(places)).complement()
    return [[vector.dot([x[i] for x in rest], [x[j] for x in rest]) for j in range(n)] for i in range(n)]


def generalized_manipulability(mechanism: Mechanism, q: Numbers, frame: str, rows: str = "all") -> Number:
    """sqrt(det(J* J*^T)) over the rows named; zero at a dynamic singularity.

    Reference: T. Yoshikawa, Manipulability of robotic mechanisms (1985), with J* for J.
    """
    J = task_rows(generalized_jacobian(mechanism, q, frame), rows, mechanism.name)
    if len(J) == len(J[0]):
        det = determinant(J)
        return sqrt(det * det)
    if comb(len(J[0]), len(J)) <= _MANY:  # a sum of squares: neither negative nor blurred near zero
        found = list(minors(J).values())
        return sqrt(vector.dot(found, found))
    return volume(J)


def volume(A: Sequence[Numbers]) -> Number:
    """Of the box whose edges are the rows: sqrt(det(A A^T)), and no digit is lost near zero.

    Row by row what earlier rows leave of it (modified Gram-Schmidt); a row of nothing leaves all as it is.
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
    """By minors of growing height: no division, so nothing fails where the answer is zero."""
    return minors(A)[tuple(range(len(A)))]


def minors(A: Sequence[Numbers]) -> dict[tuple[int, ...], Number]:
    """Determinants of all square parts as high as A, by their columns."""
    n = len(A[0])
    found: dict[tuple[int, ...], Number] = {(): 1}
    for row in A:
        grown: dict[tuple[int, ...], Number] = {}
        for columns, minor in found.items():
            for j in range(n):
                if j not in columns:
                    place = sum(k > j for k in columns)  # columns it has to pass on its way to the right end
                    key = tuple(sorted((*columns, j)))
                    term = row[j] * minor
                    grown[key] = grown.get(key, 0) + (-term if place % 2 else term)
        found = grown
    return found


def known_rows(rows: str) -> tuple[int, ...]:
    """The places of the rows of that name; others are refused."""
    if rows not in ROWS:
        raise WrongValue(f"Rows {rows!r} are not known. Known: {', '.join(ROWS)}.")
    return ROWS[rows]


def task_rows(J: Sequence[Numbers], rows: str, robot: str) -> list[Numbers]:
    """The rows of a Jacobian (or of a twist) that a task asks for."""
    chosen = [J[k] for k in known_rows(rows)]
    if isinstance(chosen[0], list) and len(chosen[0]) < len(chosen):
        fitting = [name for name, places in ROWS.items() if len(places) <= len(chosen[0])]
        raise WrongValue(
            f"Robot {robot!r} moves {len(chosen[0])} coordinates on its base; rows={rows!r} asks for "
            f"{len(chosen)} motions of the frame. Rows it can serve: {', '.join(fitting) or 'none'}."
        )
    return chosen


def jacobian_of(state: Floating, frame: str, axes: str = "world") -> list[list[Number]]:
    """J* of a frame, 6 x n, from a state in the axes these start from."""
    R = output_axes(state, frame, axes)
    columns = [
        (*transform(R, c.linear), *transform(R, c.angular)) for c in hand_columns(state, frame).values()
    ]
    return [[column[i] for column in columns] for i in range(6)]


def hand_columns(state: Floating, frame: str) -> dict[int, Twist]:
    """Columns of J* by coordinate, in the axes of the state."""
    i, X = hand(state, frame)
    carried = {k for j in state.mechanism.support(i) for k in state.mechanism.bodies[j].v}
    result = {}
    for k, twist in state.answers.items():
        if i == WORLD:
            result[k] = NO_TWIST
            continue
        moved = twist.plus(state.directions[k]) if k in carried else twist
        result[k] = at_point(moved, X)
    return result


def hand(state: Floating, frame: str) -> tuple[int, Pose]:
    """The body a frame is on, and its pose in the axes of the state, seen from the centre of mass."""
    i, on_body = known_frame(state.mechanism, frame)
    return i, on_body if i not in state.poses else state.poses[i].compose(on_body)


def at_point(twist: Twist, X: Pose) -> Twist:
    """A motion seen from G, at the origin of a frame."""
    return Twist(vector.add(twist.linear, cross(twist.angular, X.p)), twist.angular)


def output_axes(state: Floating, frame: str, axes: str) -> Matrix:
    """The rotation from the axes of the state to those asked for."""
    if axes == "local":
        return vector.transpose(hand(state, frame)[1].R)
    return state.base.placement if axes == "world" else vector.IDENTITY


def known_space_axes(axes: str, known: Sequence[str] = AXES) -> None:
    """Refuse other axes."""
    if axes not in known:
        own = " The frame's own are 'local'." if "local" in known else ""
        raise WrongValue(f"Axes {axes!r} are not known. Known: {', '.join(known)}.{own}")


def _seen(mechanism: Mechanism, q: Numbers, axes: str) -> tuple[Floating, Matrix]:
    known_space_axes(axes, ("world", "base"))
    state = floating(mechanism, q, in_base_axes=axes == "base")
    return state, state.base.placement if axes == "world" else vector.IDENTITY
