"""Newton's method for the pose of a serial arm at complex configurations: a traced step.

The equations are those of real configurations, without conjugates: positions, and the cross products of both
frames' axes. The linear system is solved by its normal equations J^* J.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.loop_cut import motion, pose
from rikigaku.inverse_kinematics.shared_kernels import general_kernel, run
from rikigaku.numbers.complex_pair import ComplexPair, complex_pairs, parts
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, cross

Complex = NDArray[np.complex128]

_LEAST = 1e-30  # pivot of the normal equations: a singular matrix gives a large step, which is rejected


def complex_newton_kernel(revolute: Sequence[bool], general: Sequence[int]) -> Kernel:
    """The compiled step of arms with these types of joints; general: links with complex numbers."""
    n = len(revolute)

    def step(*inputs: Any) -> dict[str, Any]:
        *links, H, motions = inputs
        own = [
            pose(complex_pairs(x) if k in general else [ComplexPair(y) for y in x])
            for k, x in enumerate(links)
        ]
        return {"dq": parts(_step(own, revolute, pose(complex_pairs(H)), complex_pairs(motions)))}

    types = "".join("R" if flag else "P" for flag in revolute)
    which = f", general links {', '.join(map(str, general))}" if general else ""
    ports = [(f"L{k}", (24 if k in general else 12,)) for k in range(n + 1)]
    inputs = [*ports, ("H", (24,)), ("motions", (4 * n,))]
    return general_kernel(f"inverse kinematics: complex pose step {types}{which}", inputs, step)


def complex_step(kernel: Kernel, links: Sequence[Array], H: Array, revolute: Array, q: Complex) -> Complex:
    """Steps (m, n) at complex configurations; links (12,), or (m, 24) like H: real and imaginary parts."""
    motions = np.empty((*q.shape, 2), dtype=complex)
    w = np.exp(1j * np.where(revolute, q, 0.0))  # one exponential costs less than cosine and sine
    inverse = 1 / w
    motions[..., 0] = 0.5 * (w + inverse)
    motions[..., 1] = np.where(revolute, -0.5j * (w - inverse), q)
    real = motions.reshape(len(q), -1).view(np.float64)
    (dq,) = run(kernel, [*links, H, real], [(len(q), 2 * q.shape[1])])
    return np.asarray(dq.view(np.complex128))


def _step(
    links: Sequence[Pose], revolute: Sequence[bool], H: Pose, motions: Sequence[ComplexPair]
) -> list[ComplexPair]:
    """dq with J dq = error of the pose; motions: cosine and sine, or (any number, displacement)."""
    X = links[0]
    axes: list[tuple[Vector, Vector]] = []
    for k, flag in enumerate(revolute):
        axes.append(((X.R[0][2], X.R[1][2], X.R[2][2]), X.p))
        X = X.compose(motion(flag, motions[2 * k], motions[2 * k + 1])).compose(links[k + 1])
    zero = ComplexPair(0)
    columns = [
        [*cross(z, vector.sub(X.p, o)), *z] if flag else [*z, zero, zero, zero]
        for flag, (z, o) in zip(revolute, axes, strict=True)
    ]
    rotation = [zero, zero, zero]
    for j in range(3):
        u, w = ((Y.R[0][j], Y.R[1][j], Y.R[2][j]) for Y in (X, H))
        rotation = [a + b * 0.5 for a, b in zip(rotation, cross(u, w), strict=True)]
    e = [*vector.sub(H.p, X.p), *rotation]
    A = [[_inner(a, b) for b in columns[: i + 1]] for i, a in enumerate(columns)]  # lower half
    return _solution(A, [_inner(a, e) for a in columns])


def _inner(a: Sequence[ComplexPair], b: Sequence[ComplexPair]) -> ComplexPair:
    """a^* b."""
    total = ComplexPair(0)
    for x, y in zip(a, b, strict=True):
        total = total + x.conjugate() * y
    return total


def _solution(A: Sequence[Sequence[ComplexPair]], b: Sequence[ComplexPair]) -> list[ComplexPair]:
    """x of A x = b, A Hermitian and positive, by its factors L D L^*."""
    n = len(b)
    L: list[list[ComplexPair]] = []
    D: list[Number] = []
    for i in range(n):
        row: list[ComplexPair] = []
        scaled: list[ComplexPair] = []  # L_ij D_j
        for j in range(i):
            total = A[i][j]
            for k in range(j):
                total = total - scaled[k] * L[j][k].conjugate()
            scaled.append(total)
            row.append(total * (1 / D[j]))
        pivot = A[i][i].re
        for k in range(i):
            pivot = pivot - row[k].squared_size() * D[k]
        D.append(where(pivot < _LEAST, _LEAST, pivot))
        L.append(row)
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
    x = [value * (1 / d) for value, d in zip(x, D, strict=True)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - L[k][i].conjugate() * x[k]
    return x
