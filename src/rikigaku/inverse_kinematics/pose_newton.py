"""Newton's method for the pose of a serial arm: a damped step that removes the pose error, traced."""

from collections.abc import Sequence

from rikigaku.inverse_kinematics.loop_cut import motion
from rikigaku.numbers.elementary_functions import cos, sin, sqrt
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, cross

# Damping of the normal equations relative to the squared error: it vanishes at the solution.
_DAMPING = 1e-2


def pose_step(
    links: Sequence[Pose], revolute: Sequence[bool], H: Pose, q: Sequence[Number]
) -> tuple[list[Number], Number]:
    """Step dq that reduces the error of the pose H, and the largest scale of that error [reach, rad].

    The rotation error is the sum of the cross products of both frames' axes, halved.
    """
    X = links[0]
    axes: list[Vector] = []
    origins: list[Vector] = []
    for k, flag in enumerate(revolute):
        axes.append((X.R[0][2], X.R[1][2], X.R[2][2]))
        origins.append(X.p)
        numbers = (cos(q[k]), sin(q[k])) if flag else (0, q[k])
        X = X.compose(motion(flag, *numbers)).compose(links[k + 1])
    columns = []
    for flag, z, o in zip(revolute, axes, origins, strict=True):
        if flag:
            columns.append([*cross(z, vector.sub(X.p, o)), *z])
        else:
            columns.append([*z, 0, 0, 0])
    rotation: list[Number] = [0, 0, 0]
    for j in range(3):
        u, w = ((Y.R[0][j], Y.R[1][j], Y.R[2][j]) for Y in (X, H))
        rotation = [a + 0.5 * b for a, b in zip(rotation, cross(u, w), strict=True)]
    e = [*vector.sub(H.p, X.p), *rotation]
    squared = sum((x * x for x in e), 0.0)
    n = len(columns)
    A = [[sum((x * y for x, y in zip(a, b, strict=True)), 0.0) for b in columns] for a in columns]
    for k in range(n):
        A[k][k] = A[k][k] + _DAMPING * squared + 1e-28
    b = [sum((x * y for x, y in zip(a, e, strict=True)), 0.0) for a in columns]
    return _positive_definite_solution(A, b), sqrt(squared)


def _positive_definite_solution(A: list[list[Number]], b: list[Number]) -> list[Number]:
    """x of A x = b by A = L D L^T."""
    n = len(b)
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
        D.append(total)
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
    x = [value / d for value, d in zip(x, D, strict=True)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - L[k][i] * x[k]
    return x
