"""Number of real configurations of a six-joint arm at a pose, in arithmetic of 256 bits.

The elimination of [Raghavan1993] by other linear algebra than the package's: Gaussian elimination instead of
orthogonal complements, determinants and all 16 complex zeros by FLINT's ball arithmetic. The equations
are the package's own: a quick check of its arithmetic. `certified_counts` shares nothing with it.
"""

from typing import Any

import flint
import numpy as np

from rikigaku.inverse_kinematics import elimination
from rikigaku.inverse_kinematics.loop_cut import LoopCut, pose
from rikigaku.inverse_kinematics.serial_arm import SerialArm

BITS = 256
_DEGREE = 8
_SAME = 1e-9  # [rad]: floats are no exact rotations, and more equations than unknowns hold to rounding only
_TOLERANCE = 1e-30  # radius of the balls around zeros; those that meet the unit circle are real angles


def real_zeros(arm: SerialArm, H: Any, cut: LoopCut) -> tuple[int, float]:
    """Real values of the sampled joint at a pose (4, 4), and the least distance of two of them [rad]."""
    with flint.ctx.workprec(BITS):
        return _real_zeros(arm, H, cut)


def _real_zeros(arm: SerialArm, H: Any, cut: LoopCut) -> tuple[int, float]:
    revolute = cut.reordered(arm.revolute)
    T = [pose(_balls(link)) for link in _loop(arm, H, cut)]
    values = [elimination.kept_functions(T, revolute, x) for x in elimination.points(revolute[3:])]
    kept = [elimination.coefficients([v[k] for v in values], revolute[3:]) for k in range(14)]
    gone = elimination.eliminated_coefficients(T, revolute)
    for row, other in zip(kept, gone, strict=True):
        row[26] = row[26] - other[8]
    left = _without(gone, kept)
    if len(left) < 6:
        raise ValueError("The cut is degenerate.")
    angles = _angles(left, revolute, 3)
    if len(left) > 6:  # combinations of more equations add zeros of their own: those of both are real
        others = _angles(left, revolute, 5)
        angles = [x for x in angles if any(abs(float((x - y).mid())) < _SAME for y in others)]
    found = sorted(float(x.mid()) for x in angles)
    gaps = np.diff([*found, found[0] + 2 * np.pi]) if found else np.array([np.inf])
    return len(found), float(gaps.min())


def _angles(left: list[list[Any]], revolute: Any, seed: int) -> list[Any]:
    """Real zeros of the determinant of six equations."""
    equations = _half_angle_rows(_six(left, seed), revolute)
    n = 2 * _DEGREE + 1
    pi = flint.arb.pi()
    values = []
    for k in range(n):
        angle = 2 * pi * k / n
        A = elimination.matrix_at(equations, angle.cos(), angle.sin())
        values.append(flint.arb_mat([[flint.arb(x) for x in row] for row in A]).det())
    # f = sum c_k z^k, z = exp(i x), k = -8 ... 8
    root = [flint.acb((-2 * pi * k / n).cos(), (-2 * pi * k / n).sin()) for k in range(n)]
    c = [
        sum((v * root[(k * j) % n] for j, v in enumerate(values)), flint.acb(0)) / n
        for k in range(-_DEGREE, _DEGREE + 1)
    ]
    zeros = flint.acb_poly(c).roots(tol=_TOLERANCE, maxprec=8 * BITS)
    return [z.arg() for z in zeros if (abs(z) - 1).overlaps(0)]


def _loop(arm: SerialArm, H: Any, cut: LoopCut) -> list[Any]:
    """Links of the loop; products of floats in 256 bits, so that no rounding is added."""
    exact = [_matrix(link) for link in arm.links]
    after = [*exact[1:6], exact[6] * _inverse(_matrix(H)) * exact[0]]
    if not cut.reverse:
        return [after[k] for k in cut.order]
    flip = _matrix(np.diag([1.0, -1.0, -1.0, 1.0]))
    return [flip * _inverse(after[(k - 1) % 6]) * flip for k in cut.order]


def _matrix(T: Any) -> Any:
    return flint.arb_mat([[flint.arb(float(x)) for x in row] for row in T])


def _inverse(T: Any) -> Any:
    return T.inv()


def _balls(T: Any) -> list[Any]:
    return [*(T[i, 3] for i in range(3)), *(T[i, j] for i in range(3) for j in range(3))]


def _without(gone: Any, kept: Any) -> list[list[Any]]:
    """Combinations of the 14 equations without the eight monomials, by Gaussian elimination: six or more."""
    rows = [
        [*(flint.arb(x) for x in g[:8]), *(flint.arb(x) for x in k)] for g, k in zip(gone, kept, strict=True)
    ]
    used = 0
    for column in range(8):
        best = max(range(used, 14), key=lambda i: abs(float(rows[i][column].mid())))
        if abs(float(rows[best][column].mid())) < 1e-30:
            continue
        rows[used], rows[best] = rows[best], rows[used]
        for i in range(used + 1, 14):
            factor = rows[i][column] / rows[used][column]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[used], strict=True)]
        used += 1
    return [row[8:] for row in rows[used:]]


def _six(left: list[list[Any]], seed: int) -> list[list[Any]]:
    """Six equations: all of them, or general combinations of more."""
    if len(left) == 6:
        return left
    mix = np.random.default_rng(seed).integers(-9, 10, (6, len(left)))
    return [
        [
            sum((int(m) * row[k] for m, row in zip(weights, left, strict=True)), flint.arb(0))
            for k in range(27)
        ]
        for weights in mix
    ]


def _half_angle_rows(rows: list[list[Any]], revolute: Any) -> list[Any]:
    """(6, 27) numbers as `elimination.matrix_at` takes them."""
    result: list[Any] = []
    for row in rows:
        for first in range(3):
            own = [row[9 * first + 3 * i : 9 * first + 3 * i + 3] for i in range(3)]
            result += elimination.half_angles(own, revolute[4], revolute[5])
    return result
