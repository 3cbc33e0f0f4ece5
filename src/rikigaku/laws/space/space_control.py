"""Control laws for a frame of a free-floating robot, each as one program that can be exported.

target: desired position [m] and unit quaternion w x y z of the frame, (7,). twist, acceleration: desired ones
of the frame, world axes, linear first, (6,). gains: K1 on velocity and K2 on position errors, (2,).
Equation numbers are those of Part X of Umetani, Yoshida and Kurazume.
"""

from collections.abc import Mapping

from rikigaku.laws.householder import orthogonal
from rikigaku.laws.space.bias_acceleration import Bias, bias
from rikigaku.laws.space.floating_dynamics import arm_forces
from rikigaku.laws.space.floating_state import FloatingState, floating_state
from rikigaku.laws.space.generalized_jacobian import at_point, frame_pose, jacobian_of, known_rows, task_rows
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose, quaternion_rotation
from rikigaku.spatial.twist import Wrench
from rikigaku.spatial.vector import Matrix, Vector, cross, transform


def resolved_rate(
    mechanism: Mechanism, q: Numbers, twist: Numbers, momentum: Numbers, frame: str, rows: str = "all"
) -> list[Number]:
    """Velocities of the arm that give a frame a twist, (n,): v = J*^+ (twist - twist due to momentum).

    Of an arm with more coordinates than selected rows, the solution of minimum norm.
    """
    state = floating_state(mechanism, q)
    J = jacobian_of(state, frame)
    due_to_momentum = _momentum_twist(state, momentum, frame)
    relative = [x - y for x, y in zip(twist, due_to_momentum, strict=True)]
    return _minimum_norm(mechanism, J, relative, rows)


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
    """Accelerations a of the arm that bring a frame to a moving target (eq 27), and their joint forces tau.

    a = J*^+ (acceleration + K1 velocity error + K2 pose error - (dJ*/dt) v), the solution of minimum norm.

    wrenches: external wrenches by frame (thrusters, contact), as feedforward.
    """
    state = floating_state(mechanism, q)
    terms = bias(state, q, v, wrenches)
    J = jacobian_of(state, frame)
    X = world_pose(state, q, frame)
    demand = _demand(state, terms, X, target, twist, acceleration, gains, frame)
    a = _minimum_norm(mechanism, J, demand, rows)
    return a, arm_forces(state, q, terms, v, a, friction)


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
    """Joint forces tau = J*^T (K1 (twist - velocity) + K2 (target - pose)) of the arm, (n,).

    J* is not inverted: there are no singularities, and the arm may have fewer coordinates than selected rows.

    Reference: Y. Masutani, F. Miyazaki, S. Arimoto, Sensory feedback control for space manipulators (1989).
    """
    state = floating_state(mechanism, q)
    X = world_pose(state, q, frame)
    velocity = bias(state, q, v).frame_velocity(state, frame)
    feedback = _feedback(X, velocity, target, twist, gains)
    J, selected = jacobian_of(state, frame), known_rows(rows)
    chosen = [feedback[i] for i in selected]
    return [vector.dot([J[i][k] for i in selected], chosen) for k in range(len(J[0]))]


def unified_computation(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    target: Numbers,
    twist: Numbers,
    acceleration: Numbers,
    gains: Numbers,
    a: Numbers,
    frame: str,
) -> tuple[list[list[Number]], list[list[Number]], list[Number], list[Number]]:
    """Pose, J*, right-hand side of J* a = demand (eq 27), and joint forces tau of accelerations a.

    It is `resolved_acceleration` without the solution of J* a = demand: the caller solves for the input a. So
    it holds for any number of joints, and its operations are counted as in the paper.
    """
    state = floating_state(mechanism, q)
    terms = bias(state, q, v)
    X = world_pose(state, q, frame)
    demand = _demand(state, terms, X, target, twist, acceleration, gains, frame)
    tau = arm_forces(state, q, terms, v, a, friction=False)
    return X.matrix(), jacobian_of(state, frame), demand, tau


def world_pose(state: FloatingState, q: Numbers, frame: str) -> Pose:
    """Pose of a frame in the world, from its pose relative to the centre of mass."""
    i, X = frame_pose(state, frame)
    if i not in state.poses:
        return X
    K = state.base.placement
    origin = world_poses(state.mechanism, q)[state.base.body].p
    p = vector.add(origin, transform(K, vector.add(state.center, X.p)))
    return Pose(vector.multiply(K, X.R), p)


def _demand(
    state: FloatingState,
    terms: Bias,
    X: Pose,
    target: Numbers,
    twist: Numbers,
    acceleration: Numbers,
    gains: Numbers,
    frame: str,
) -> list[Number]:
    """The right-hand side of eq 27, to be equal to J* a."""
    feedback = _feedback(X, terms.frame_velocity(state, frame), target, twist, gains)
    bias_acceleration = terms.frame_acceleration(state, frame)
    return [x + f - b for x, f, b in zip(acceleration, feedback, bias_acceleration, strict=True)]


def _feedback(X: Pose, velocity: Numbers, target: Numbers, twist: Numbers, gains: Numbers) -> list[Number]:
    error = (*vector.sub(tuple(target[:3]), X.p), *orientation_error(X.R, quaternion_rotation(*target[3:])))
    return [
        gains[0] * (desired - actual) + gains[1] * e
        for desired, actual, e in zip(twist, velocity, error, strict=True)
    ]


def orientation_error(R: Matrix, desired: Matrix) -> Vector:
    """sin(angle) times the axis of the rotation from R to the desired one, world axes."""
    total = vector.ZERO
    for a, b in zip(vector.transpose(R), vector.transpose(desired), strict=True):
        total = vector.add(total, cross(a, b))
    return vector.scale(0.5, total)


def _momentum_twist(state: FloatingState, momentum: Numbers, frame: str) -> list[Number]:
    """The frame's twist while the arm is at rest and the robot has that momentum, world axes."""
    K = state.base.placement
    to_joint = vector.transpose(K)
    P, L = transform(to_joint, tuple(momentum[:3])), transform(to_joint, tuple(momentum[3:]))
    at_center = state.base_response(Wrench(vector.neg(P), vector.neg(L)))
    twist = at_point(at_center, frame_pose(state, frame)[1])
    return [*transform(K, twist.linear), *transform(K, twist.angular)]


def _minimum_norm(mechanism: Mechanism, J: list[list[Number]], b: Numbers, rows: str) -> list[Number]:
    """The x of minimum norm with J x = b in the selected rows."""
    chosen = task_rows(J, rows, mechanism.name)
    right = task_rows(b, rows, mechanism.name)
    columns = [[row[k] for row in chosen] for k in range(len(chosen[0]))]
    return orthogonal(columns, len(chosen)).solve_transposed(right)
