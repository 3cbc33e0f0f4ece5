"""Newton's method for the pose of a serial arm: errors, a damped step, and a measure of singularity, traced.

J J^T is singular where the arm is; the smallest pivot of J^T J is at least the square of the smallest
singular value of J, and near zero where that is.
"""

from collections.abc import Sequence
from typing import Any

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.loop_cut import motion, pose
from rikigaku.inverse_kinematics.shared_kernels import general_kernel, run
from rikigaku.numbers.elementary_functions import cos, sin, sqrt, where
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, cross

# Damping of the normal equations relative to the squared error: it vanishes at the solution.
_DAMPING = 1e-2
_LEAST = 1e-18  # keeps steps small at singular solutions, where rounding errors would be divided by zero
MOST = 16  # configurations of six joints at a pose [Primrose1986]
STEPS = 12  # of Newton's method
FINISHED = 1e-7  # step [rad, reach] after which the quadratic convergence leaves rounding errors only
# [rad, reach]: a start of Newton's method farther than this from its solution does not belong to it. The zero
# of the determinant is extraneous, or has several configurations.
FARTHEST = 0.02
ACCEPTED = 1e-12  # residual of a configuration, relative to the reach, and in rad
_ROOT_OF_HALF = 0.7071067811865476

Pairs = Sequence[tuple[Number, Number]]


def pose_step(
    links: Sequence[Pose], revolute: Sequence[bool], H: Pose, q: Sequence[Number]
) -> tuple[list[Number], list[Number]]:
    """Step dq that reduces the error of the pose H; position error, rotation error and smallest pivot.

    The rotation error to remove is the sum of the cross products of both frames' axes, halved.
    """
    pairs = [(cos(x), sin(x)) if flag else (0, x) for flag, x in zip(revolute, q, strict=True)]
    X, columns = _kinematics(links, revolute, pairs)
    e = _errors(X, H)
    squared = sum((x * x for x in e), 0.0)
    rows = [list(row) for row in zip(*columns, strict=True)]
    redundant = len(columns) > len(rows)
    A = _normal_matrix(rows if redundant else columns)
    for k in range(len(A)):
        A[k][k] = A[k][k] + _DAMPING * squared + _LEAST
    if redundant:  # the least step: J^T (J J^T)^-1 e
        L, D = factors(A)
        y = solution(L, D, e)
        dq = [sum((x * w for x, w in zip(a, y, strict=True)), 0.0) for a in columns]
        return dq, [*_distances(X, H), _smallest(D)]
    b = [sum((x * y for x, y in zip(a, e, strict=True)), 0.0) for a in columns]
    L, D = factors(A)
    return solution(L, D, b), [*_distances(X, H), _smallest(D)]


def complement_step(
    links: Sequence[Pose],
    revolute: Sequence[bool],
    H: Pose,
    q: Sequence[Number],
    null: Sequence[Sequence[Number]],
) -> tuple[list[Number], list[Number]]:
    """Step dq orthogonal to null vectors of the Jacobian that reduces the error of the pose; the error (6,).

    null: orthonormal (count, n).
    """
    pairs = [(cos(x), sin(x)) if flag else (0, x) for flag, x in zip(revolute, q, strict=True)]
    X, columns = _kinematics(links, revolute, pairs)
    e, places = _errors(X, H), range(len(columns))
    for v in null:
        along = [_inner(row, v) for row in zip(*columns, strict=True)]
        columns = [[x - y * v[k] for x, y in zip(columns[k], along, strict=True)] for k in places]
    A = _normal_matrix(columns)
    for i in places:
        A[i][i] = A[i][i] + 1e-14  # the complement may be nearly singular, too
        for v in null:
            A[i] = [x + v[i] * v[j] for j, x in enumerate(A[i])]
    dq = solution(*factors(A), [_inner(column, e) for column in columns])
    for v in null:
        along_v = _inner(v, dq)
        dq = [x - along_v * y for x, y in zip(dq, v, strict=True)]
    return dq, e


def pose_errors(
    links: Sequence[Pose], revolute: Sequence[bool], H: Pose, pairs: Pairs, reach: float
) -> list[Number]:
    """Position error, rotation error and smallest pivot, with J's lengths in units of the reach.

    pairs: cosine and sine, or (any number, displacement), of each joint.
    """
    X, columns = _kinematics(links, revolute, pairs)
    scaled = [[*(x * (1 / reach) for x in column[:3]), *column[3:]] for column in columns]
    A = _normal_matrix(scaled)
    for k in range(len(A)):
        A[k][k] = A[k][k] + 1e-28
    return [*_distances(X, H), _smallest(factors(A)[1])]


def newton_kernel(revolute: Sequence[bool]) -> Kernel:
    """The compiled step of all chains with these types of joints."""
    n = len(revolute)

    def step(*inputs: Any) -> dict[str, Any]:
        *links, H, q = inputs
        dq, found = pose_step([pose(x) for x in links], revolute, pose(H), q)
        return {"dq": dq, "errors": found}

    types = "".join("R" if flag else "P" for flag in revolute)
    inputs = [*((f"L{k}", (12,)) for k in range(n + 1)), ("H", (12,)), ("q", (n,))]
    return general_kernel(f"inverse kinematics: pose step {types}", inputs, step)


def complement_kernel(revolute: Sequence[bool], count: int) -> Kernel:
    """The compiled step beside null spaces of that dimension."""
    n = len(revolute)

    def step(*inputs: Any) -> dict[str, Any]:
        *links, H, q, null = inputs
        dq, e = complement_step([pose(x) for x in links], revolute, pose(H), q, null)
        return {"dq": dq, "e": e}

    types = "".join("R" if flag else "P" for flag in revolute)
    inputs = [*((f"L{k}", (12,)) for k in range(n + 1)), ("H", (12,)), ("q", (n,)), ("null", (count, n))]
    return general_kernel(f"inverse kinematics: step beside {count} null vectors {types}", inputs, step)


def newton_step(kernel: Kernel, T: Sequence[Array], target: Array, q: Array) -> tuple[Array, Array]:
    """Steps (m, n) and errors (m, 3): position, rotation, smallest pivot."""
    dq, errors = run(kernel, [*T, target, q], [q.shape, (len(q), 3)])
    return dq, errors


def _kinematics(
    links: Sequence[Pose], revolute: Sequence[bool], pairs: Pairs
) -> tuple[Pose, list[list[Number]]]:
    """Pose of the last frame and the columns of its Jacobian."""
    X = links[0]
    axes: list[tuple[bool, Vector, Vector]] = []
    for k, flag in enumerate(revolute):
        axes.append((flag, (X.R[0][2], X.R[1][2], X.R[2][2]), X.p))
        X = X.compose(motion(flag, *pairs[k])).compose(links[k + 1])
    columns: list[list[Number]] = []
    for flag, z, o in axes:
        columns.append([*cross(z, vector.sub(X.p, o)), *z] if flag else [*z, 0, 0, 0])
    return X, columns


def _errors(X: Pose, H: Pose) -> list[Number]:
    """Position and rotation to H (6,): the sum of the cross products of both frames' axes, halved."""
    rotation: list[Number] = [0, 0, 0]
    for j in range(3):
        u, w = ((Y.R[0][j], Y.R[1][j], Y.R[2][j]) for Y in (X, H))
        rotation = [a + 0.5 * b for a, b in zip(rotation, cross(u, w), strict=True)]
    return [*vector.sub(H.p, X.p), *rotation]


def _inner(a: Sequence[Number], b: Sequence[Number]) -> Number:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


def _distances(X: Pose, H: Pose) -> list[Number]:
    """Distance of the origins, and the angle between the axes (of small rotations)."""
    gap = sum((x * x for x in vector.sub(H.p, X.p)), 0.0)
    rotated = sum(
        ((a - b) * (a - b) for r, s in zip(X.R, H.R, strict=True) for a, b in zip(r, s, strict=True)), 0.0
    )
    return [sqrt(gap), _ROOT_OF_HALF * sqrt(rotated)]


def _normal_matrix(columns: Sequence[Sequence[Number]]) -> list[list[Number]]:
    return [[sum((x * y for x, y in zip(a, b, strict=True)), 0.0) for b in columns] for a in columns]


def factors(A: Sequence[Sequence[Number]]) -> tuple[list[list[Number]], list[Number]]:
    """L and D of A = L D L^T."""
    n = len(A)
    D: list[Number] = []
    L: list[list[Number]] = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            total = A[i][j]
            for k in range(j):
                total = total - L[i][k] * D[k] * L[j][k]
            L[i][j] = total / D[j]
        total = A[i][i]
        for k in range(i):
            total = total - L[i][k] * L[i][k] * D[k]
        # rounding errors of a singular matrix must not make a pivot negative
        D.append(where(total < 1e-30, 1e-30, total))
    return L, D


def _smallest(D: Sequence[Number]) -> Number:
    least = D[0]
    for x in D[1:]:
        least = where(x < least, x, least)
    return least


def solution(L: list[list[Number]], D: list[Number], b: Sequence[Number]) -> list[Number]:
    """x of L D L^T x = b."""
    n = len(b)
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
    x = [value / d for value, d in zip(x, D, strict=True)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - L[k][i] * x[k]
    return x
