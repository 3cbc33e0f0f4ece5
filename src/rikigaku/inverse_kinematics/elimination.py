"""Elimination of five of six joints: a 12 x 12 matrix that is singular at the values of the sixth.

Both sides of the cut loop give the position p and the direction z of the dropped joint's axis. Fourteen
functions of them (p, z, p.p, p.z, p x z, (p.p) z - 2 (p.z) p) are linear in the monomials of the two
eliminated joints and in those of the three kept ones [Raghavan1993]. An orthogonal complement removes the
eliminated ones. The six remaining equations, with the half angles of two kept joints in homogeneous form, are
multiplied by the half angle of one of them: 12 equations in 12 monomials [Manocha1994]. Homogeneous half
angles (cos, sin) have no singularity at 180 degrees.
"""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from rikigaku.inverse_kinematics.loop_cut import motion
from rikigaku.laws.householder import orthogonal
from rikigaku.numbers.elementary_functions import is_zero, sqrt, where
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, cross, dot

Numbers = Sequence[Number]

EQUATIONS = 14
_SIZE = 12
UPPER = _SIZE * (_SIZE + 1) // 2
# Values (cos, sin) of an angle and (d^2, d) of a displacement that determine the coefficients of
# (cos, sin, 1) or (d^2, d, 1), and the inverse of the matrix of these monomials.
_ANGLES = ((1, 0), (0, 1), (-1, 0))
_DISPLACEMENTS = ((1, -1), (0, 0), (1, 1))
_OF_ANGLES = ((0.5, 0, -0.5), (-0.5, 1, -0.5), (0.5, 0, 0.5))
_OF_DISPLACEMENTS = ((0.5, -1, 0.5), (-0.5, 0, 0.5), (0, 1, 0))
# (cos, sin, 1) of an angle in (C^2, C S, S^2) of its half; (d^2, d, 1) in (a^2, a b, b^2) with d = b/a.
_HALF_ANGLE = ((1, 0, -1), (0, 2, 0), (1, 0, 1))
_RATIO = ((0, 0, 1), (0, 1, 0), (1, 0, 0))


def functions(p: Vector, z: Vector) -> list[Number]:
    """The fourteen functions of a point and a direction."""
    pp, pz = dot(p, p), dot(p, z)
    last = [pp * z[k] - 2 * pz * p[k] for k in range(3)]
    return [*p, *z, pp, pz, *cross(p, z), *last]


def axis(X: Pose) -> tuple[Vector, Vector]:
    """Origin and z axis of a pose."""
    return X.p, (X.R[0][2], X.R[1][2], X.R[2][2])


def kept_side(T: Sequence[Pose], revolute: Sequence[bool], x: Sequence[tuple[Number, Number]]) -> Pose:
    """T_3 M_4 T_4 M_5 T_5 M_6 T_6, from the numbers of the three kept joints."""
    X = T[2]
    for k in range(3):
        X = X.compose(motion(revolute[3 + k], *x[k])).compose(T[3 + k])
    return X


def eliminated_side(T: Sequence[Pose], revolute: Sequence[bool], x: Sequence[tuple[Number, Number]]) -> Pose:
    """(T_1 M_2 T_2 M_3)^-1."""
    X = T[0].compose(motion(revolute[1], *x[0])).compose(T[1]).compose(motion(revolute[2], *x[1]))
    return X.inverse()


def eliminated_coefficients(T: Sequence[Pose], revolute: Sequence[bool]) -> list[list[Number]]:
    """Coefficients of the 9 monomials of the eliminated joints in each function (14, 9), constant last."""
    values = [eliminated_functions(T, revolute, x) for x in points(revolute[1:3])]
    return [coefficients([v[k] for v in values], revolute[1:3]) for k in range(EQUATIONS)]


def eliminated_functions(T: Sequence[Pose], revolute: Sequence[bool], x: Numbers) -> list[Number]:
    """The fourteen functions at four numbers of the eliminated joints; T_1 and T_2 are used."""
    return functions(*axis(eliminated_side(T, revolute, [(x[0], x[1]), (x[2], x[3])])))


def kept_functions(T: Sequence[Pose], revolute: Sequence[bool], x: Numbers) -> list[Number]:
    """The fourteen functions at six numbers of the kept joints; T_3 ... T_6 are used."""
    return functions(*axis(kept_side(T, revolute, [(x[0], x[1]), (x[2], x[3]), (x[4], x[5])])))


def points(revolute: Sequence[bool]) -> list[list[int]]:
    """Numbers of n joints (3^n, 2 n) at which values of a function determine its coefficients."""
    return [[x for pair in point for x in pair] for point in itertools.product(*map(_points, revolute))]


def complement_rows(
    T: Sequence[Pose], revolute: Sequence[bool], basis: Sequence[Numbers]
) -> list[list[Number]]:
    """Six combinations of the fourteen functions without the eliminated joints, and their values (6, 15).

    Args:
        basis: (r, 8) combinations of the monomials of the eliminated joints that are independent.
    """
    gone = eliminated_coefficients(T, revolute)
    A = [[_inner(row[:8], own) for own in basis] for row in gone]
    constants = [row[8] for row in gone]
    rows = orthogonal(A, len(basis)).complement()[:6]
    return [[*row, _inner(row, constants)] for row in rows]


def equation(values: Sequence[Numbers], row: Numbers, revolute: Sequence[bool]) -> list[Number]:
    """One equation in the kept joints: (3, 9) numbers, flattened.

    First axis: (cos, sin, 1) of the sampled joint; last axis: half angles of the other two.

    Args:
        values: (27, 14) functions at the points of the kept joints. row: (15,) as in `complement_rows`.
    """
    combined = coefficients([_inner(row[:EQUATIONS], v) for v in values], revolute[3:6])
    combined[26] = combined[26] - row[EQUATIONS]
    result: list[Number] = []
    for first in range(3):
        own = [combined[9 * first + 3 * i : 9 * first + 3 * i + 3] for i in range(3)]
        result += half_angles(own, revolute[4], revolute[5])
    return result


def matrix_at(equations: Numbers, c: Number, s: Number) -> list[list[Number]]:
    """The 12 x 12 matrix at a value of the sampled joint, from six equations (6, 27), flattened.

    Columns: powers 3 and 2 of the half angles.
    """
    rows = []
    for k in range(6):
        first, second, third = (equations[27 * k + 9 * a : 27 * k + 9 * a + 9] for a in range(3))
        rows.append([c * x + s * y + z for x, y, z in zip(first, second, third, strict=True)])
    zeros: list[Number] = [0, 0, 0]
    return [*([*row, *zeros] for row in rows), *([*zeros, *row] for row in rows)]


def triangular(A: Sequence[Numbers]) -> list[list[Number]]:
    """R of A = Q R by Householder reflections, columns in order; a zero column gives a zero pivot."""
    R = [list(row) for row in A]
    n = len(R)
    done: list[int] = []
    order: list[int] = []
    for column in range(n):
        rows = [i for i in range(n) if i not in done and not is_zero(R[i][column])]
        first = R[rows[0]][column]
        squared: Number = 0
        for i in rows:
            squared = squared + R[i][column] * R[i][column]
        root = sqrt(squared)
        pivot = where(first < 0, root, -root)
        u = {i: R[i][column] for i in rows}
        u[rows[0]] = first - pivot
        scale = 1 / where(squared < 1e-200, 1.0, pivot * u[rows[0]])
        for c in range(column + 1, n):
            total: Number = 0
            for i, x in u.items():
                total = total + x * R[i][c]
            total = total * scale
            for i, x in u.items():
                R[i][c] = R[i][c] + total * x
        R[rows[0]][column] = pivot
        done.append(rows[0])
        order.append(rows[0])
    return [R[i] for i in order]


def upper_elements(R: Sequence[Numbers]) -> list[Number]:
    """The elements of a triangular matrix on and above its diagonal, by rows."""
    return [x for k, row in enumerate(R) for x in row[k:]]


def determinant(R: Sequence[Numbers]) -> Number:
    """Product of the diagonal: a trigonometric polynomial of degree 8, up to a constant sign."""
    result: Number = 1
    for k in range(_SIZE):
        result = result * R[k][k]
    return result


def kept_joints(upper: Numbers, revolute: Sequence[bool], smallest: float = 1e-13) -> list[Number]:
    """Homogeneous numbers (y, x) of the other two kept joints: atan2(y, x), or y/x for a displacement.

    The null vector of the matrix by inverse iteration with its triangular factor, given by `upper_elements`;
    its 12 numbers are the products of the half angles.
    """
    elements = iter(upper)
    R: list[list[Number]] = [[0] * k + [next(elements) for _ in range(_SIZE - k)] for k in range(_SIZE)]
    size = sqrt(sum((R[k][k] * R[k][k] for k in range(_SIZE)), 0.0))
    pivots = []
    for k in range(_SIZE):
        small = R[k][k] * R[k][k] < (smallest * smallest) * (size * size)
        pivots.append(1 / where(small, smallest * size, R[k][k]))
    y: list[Number] = []
    for k in range(_SIZE):  # R^T y = b
        total: Number = _START[k]
        for i in range(k):
            total = total - R[i][k] * y[i]
        y.append(total * pivots[k])
    w: list[Number] = [0] * _SIZE
    for k in reversed(range(_SIZE)):  # R w = y
        total = y[k]
        for i in range(k + 1, 12):
            total = total - R[k][i] * w[i]
        w[k] = total * pivots[k]
    norm = 1 / sqrt(sum((x * x for x in w), 0.0))
    w = [x * norm for x in w]
    table = [w[3 * i : 3 * i + 3] for i in range(4)]
    columns = list(zip(*table, strict=True))
    return [*_ratio(table, revolute[4]), *_ratio(columns, revolute[5])]


# Any vector that is not orthogonal to the null vector; irrational entries make that unlikely.
_START = tuple(float(x) for x in 1 + 0.5 * np.sin(np.arange(1, 13) * np.sqrt(2)))


def eliminated_joints(
    T: Sequence[Pose], revolute: Sequence[bool], x: Sequence[tuple[Number, Number]]
) -> list[Number]:
    """Homogeneous numbers (y, x) of the two eliminated joints and of the dropped one, from the kept ones.

    What the third joint does not change is linear in the numbers of the second: least squares.
    """
    goal = kept_side(T, revolute, x)
    p, z = axis(goal)
    invariants = _about_z if revolute[2] else _along_z
    points = [
        invariants(*axis(T[0].compose(motion(revolute[1], *at)).compose(T[1]).inverse()))
        for at in _points(revolute[1])
    ]
    table = _OF_ANGLES if revolute[1] else _OF_DISPLACEMENTS
    wanted = invariants(p, z)
    A, b = [], []
    for k, w in enumerate(wanted):
        first, second, constant = (_inner(row, [v[k] for v in points]) for row in table)
        A.append((first, second))
        b.append(w - constant)
    aa, ab, bb = (sum((r[i] * r[j] for r in A), 0.0) for i, j in ((0, 0), (0, 1), (1, 1)))
    ca, cb = (sum((r[i] * y for r, y in zip(A, b, strict=True)), 0.0) for i in (0, 1))
    small = 1e-30 * (aa + bb) * (aa + bb)
    scale = 1 / (aa * bb - ab * ab + small + 1e-300)
    c2, s2 = (bb * ca - ab * cb) * scale, (aa * cb - ab * ca) * scale
    if revolute[1]:
        norm = 1 / sqrt(c2 * c2 + s2 * s2 + 1e-300)
        second = (c2 * norm, s2 * norm)
    else:
        second = (s2 * s2, s2)
    X = T[0].compose(motion(revolute[1], *second)).compose(T[1]).inverse()
    pt, zt = axis(X)
    if revolute[2]:  # M_3^-1 rotates (pt, zt) to (p, z)
        y3 = sum((u[1] * w[0] - u[0] * w[1] for u, w in ((pt, p), (zt, z))), 0.0)
        x3 = sum((u[0] * w[0] + u[1] * w[1] for u, w in ((pt, p), (zt, z))), 0.0)
        norm = 1 / sqrt(x3 * x3 + y3 * y3 + 1e-300)
        third = (x3 * norm, y3 * norm)
    else:
        y3, x3 = pt[2] - p[2], 1.0
        third = (y3 * y3, y3)
    rest = T[0].compose(motion(revolute[1], *second)).compose(T[1]).compose(motion(revolute[2], *third))
    D = rest.compose(goal)  # the inverse of the dropped rotation
    pair = (s2, c2) if revolute[1] else (s2, 1.0)
    return [*pair, y3, x3, D.R[0][1] - D.R[1][0], D.R[0][0] + D.R[1][1]]


def _about_z(p: Vector, z: Vector) -> list[Number]:
    """Functions of a point and a direction that a rotation about z does not change."""
    pp, pz = dot(p, p), dot(p, z)
    return [p[2], z[2], pp, pz, cross(p, z)[2], pp * z[2] - 2 * pz * p[2]]


def _along_z(p: Vector, z: Vector) -> list[Number]:
    """Functions of a point and a direction that a displacement along z does not change."""
    return [p[0], p[1], *z, cross(p, z)[2]]


def _ratio(table: Sequence[Numbers], revolute: bool) -> tuple[Number, Number]:
    """(y, x) of a joint from the powers of its half angle along the first axis."""
    uu = _sum(_inner(a, a) for a in table[:-1])
    uv = _sum(_inner(a, b) for a, b in itertools.pairwise(table))
    vv = _sum(_inner(b, b) for b in table[1:])
    return (2 * uv, uu - vv) if revolute else (uv, uu)


def _points(revolute: bool) -> tuple[tuple[int, int], ...]:
    return _ANGLES if revolute else _DISPLACEMENTS


def coefficients(values: list[Number], revolute: Sequence[bool]) -> list[Number]:
    """Coefficients of the products of monomials, from the values at all combinations of points."""
    for k, flag in enumerate(revolute):
        table = _OF_ANGLES if flag else _OF_DISPLACEMENTS
        stride = 3 ** (len(revolute) - 1 - k)
        out = list(values)
        for start in range(len(values)):
            if (start // stride) % 3 == 0:
                own = [values[start + i * stride] for i in range(3)]
                for i in range(3):
                    out[start + i * stride] = _inner(table[i], own)
        values = out
    return values


def half_angles(own: Sequence[Numbers], first: bool, second: bool) -> list[Number]:
    """Coefficients of (cos, sin, 1) x (cos, sin, 1) as coefficients of the products of half angles."""
    left, right = (_HALF_ANGLE if flag else _RATIO for flag in (first, second))
    return [
        _sum(
            left[i][a] * right[j][b] * own[i][j]
            for i in range(3)
            for j in range(3)
            if left[i][a] and right[j][b]
        )
        for a in range(3)
        for b in range(3)
    ]


def _inner(a: Numbers, b: Numbers) -> Number:
    total: Number = 0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total


def _sum(items: Iterable[Number]) -> Number:
    total: Number = 0
    for x in items:
        total = total + x
    return total
