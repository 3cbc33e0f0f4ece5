"""Control of a free-floating robot's hand, as laws: each is one compiled program, fit for export.

A target is a position [m] and a unit quaternion w x y z; `twist` and `acceleration` are what the hand should
have there, world axes, linear first. `gains` are the two numbers (K1 on velocity, K2 on position).
"""

from collections.abc import Mapping, Sequence

from rikigaku.laws.floating import Floating, floating
from rikigaku.laws.kinematics import world_poses
from rikigaku.laws.orthogonal import orthogonal
from rikigaku.laws.space import at_point, hand, jacobian_of, known_rows, task_rows
from rikigaku.laws.space_bias import Bias, bias
from rikigaku.laws.space_dynamics import torques
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose, quaternion_rotation
from rikigaku.spatial.twist import Wrench
from rikigaku.spatial.vector import Matrix, Vector, cross, transform

Numbers = Sequence[Number]


def resolved_rate(
    mechanism: Mechanism, q: Numbers, twist: Numbers, momentum: Numbers, frame: str, rows: str = "all"
) -> list[Number]:
    """Rates of the arm that move a frame with this twist: J*^-1 (twist - what momentum does), least rates.

    Where the arm has more coordinates than rows are asked for, the shortest of all such rates.
    """
    state = floating(mechanism, q)
    J = jacobian_of(state, frame)
    drift = _drift(state, momentum, frame)
    return _solved(mechanism, J, [a - b for a, b in zip(twist, drift, strict=True)], rows)


def resolved_acceleration(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    target: Numbers,
    twist: Numbers,
    acceleration: Numbers,
    gains: Numbers,
    frame: str,
    rows: str = "all",
    friction: bool = True,
    wrenches: Mapping[str, Numbers] | None = None,
) -> tuple[list[Number], list[Number]]:
    """Accelerations of the arm that bring a frame to a moving target (eq 27), and the torques they take.

    wrenches: from outside (thrusters that hold or move the satellite, contact); the hand follows still.

    One program from the state to the torques: pose, J*, its rate, the solution with J* and Newton-Euler share
    what they have in common.
    """
    state = floating(mechanism, q)
    terms = bias(state, q, v, wrenches)
    J = jacobian_of(state, frame)
    X = hand_pose(state, q, frame)
    asked = _demand(state, terms, X, target, twist, acceleration, gains, frame)
    found = _solved(mechanism, J, asked, rows)
    return found, torques(state, q, terms, v, found, friction)


def transposed_jacobian(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    target: Numbers,
    twist: Numbers,
    gains: Numbers,
    frame: str,
    rows: str = "all",
) -> list[Number]:
    """Torques J*^T (K1 (twist - velocity) + K2 (target - pose)): no inverse, so no singularity.

    An arm may have fewer coordinates than rows are asked for; it goes where the pull along them is balanced.

    Reference: Y. Masutani, F. Miyazaki, S. Arimoto, Sensory feedback control for space manipulators (1989).
    """
    state = floating(mechanism, q)
    X = hand_pose(state, q, frame)
    velocity = bias(state, q, v).hand_velocity(state, frame)
    pull = _feedback(X, velocity, target, twist, gains)
    J, places = jacobian_of(state, frame), known_rows(rows)
    chosen = [pull[i] for i in places]
    return [vector.dot([J[i][k] for i in places], chosen) for k in range(len(J[0]))]


def unified_computation(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    target: Numbers,
    twist: Numbers,
    acceleration: Numbers,
    gains: Numbers,
    accelerations: Numbers,
    frame: str,
) -> tuple[list[list[Number]], list[list[Number]], list[Number], list[Number]]:
    """Pose, J*, what J* accelerations must be (eq 27), and the torques of given accelerations: one program.

    It is `resolved_acceleration` for any number of joints, without the solution with J*: that stands between
    its third result and its last input. Operations are counted on it, as the paper counts them.
    """
    state = floating(mechanism, q)
    terms = bias(state, q, v)
    X = hand_pose(state, q, frame)
    asked = _demand(state, terms, X, target, twist, acceleration, gains, frame)
    tau = torques(state, q, terms, v, accelerations, friction=False)
    return X.matrix(), jacobian_of(state, frame), asked, tau


def hand_pose(state: Floating, q: Numbers, frame: str) -> Pose:
    """Pose of a frame in the world, from its pose seen from the centre of mass."""
    i, X = hand(state, frame)
    if i not in state.poses:
        return X
    K = state.base.placement
    origin = world_poses(state.mechanism, q)[state.base.body].p
    p = vector.add(origin, transform(K, vector.add(state.center, X.p)))
    return Pose(vector.multiply(K, X.R), p)


def _demand(
    state: Floating,
    terms: Bias,
    X: Pose,
    target: Numbers,
    twist: Numbers,
    acceleration: Numbers,
    gains: Numbers,
    frame: str,
) -> list[Number]:
    """The right-hand side of eq 27: what J* times the accelerations must be."""
    pull = _feedback(X, terms.hand_velocity(state, frame), target, twist, gains)
    rest = terms.hand(state, frame)
    return [a + p - r for a, p, r in zip(acceleration, pull, rest, strict=True)]


def _feedback(X: Pose, velocity: Numbers, target: Numbers, twist: Numbers, gains: Numbers) -> list[Number]:
    error = (*vector.sub(tuple(target[:3]), X.p), *orientation_error(X.R, quaternion_rotation(*target[3:])))
    return [
        gains[0] * (wanted - is_now) + gains[1] * e
        for wanted, is_now, e in zip(twist, velocity, error, strict=True)
    ]


def orientation_error(R: Matrix, wanted: Matrix) -> Vector:
    """sin(angle) times the axis of the turn from R to the one wanted, in world axes."""
    total = vector.ZERO
    for a, b in zip(vector.transpose(R), vector.transpose(wanted), strict=True):
        total = vector.add(total, cross(a, b))
    return vector.scale(0.5, total)


def _drift(state: Floating, momentum: Numbers, frame: str) -> list[Number]:
    """The hand's velocity when the arm's joints rest and the whole has that momentum, world axes."""
    K = state.base.placement
    to_joint = vector.transpose(K)
    P, L = transform(to_joint, tuple(momentum[:3])), transform(to_joint, tuple(momentum[3:]))
    moved = at_point(state.answer(Wrench(vector.neg(P), vector.neg(L))), hand(state, frame)[1])
    return [*transform(K, moved.linear), *transform(K, moved.angular)]


def _solved(mechanism: Mechanism, J: list[list[Number]], asked: Numbers, rows: str) -> list[Number]:
    """The least x with J x = asked, in the rows named."""
    chosen = task_rows(J, rows, mechanism.name)
    wanted = task_rows(asked, rows, mechanism.name)
    columns = [[row[k] for row in chosen] for k in range(len(chosen[0]))]
    return orthogonal(columns, len(chosen)).solve_transposed(wanted)
