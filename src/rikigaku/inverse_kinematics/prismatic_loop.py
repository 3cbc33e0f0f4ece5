"""Configurations of loops of four revolute and two prismatic joints; positions are linear in displacements.

The elimination of `elimination` squares displacements: with two of them it has solutions at infinity for
every angle, and its determinant vanishes identically. Here the displacements stay linear.

The loop is cut into two halves with two revolute joints each. Both halves are dual
quaternions, bilinear in the half angles (cos, sin) of their two angles; a displacement enters the dual part
linearly. The real parts give the products of half angles of the first half as a linear map of those of the
second, which must have rank one: an equation g. The dual parts are four equations in (1, d1, d2) and the
half angles. Multiplied by the half angle of the last joint, with g they are 9 equations in 9 monomials; their
determinant is a trigonometric polynomial of degree 5 in the third angle. The loop begins so that a prismatic
joint lies between the first two revolute ones; otherwise g follows from the other eight.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.loop_cut import inverse
from rikigaku.inverse_kinematics.serial_arm import SerialArm, joint_motion
from rikigaku.inverse_kinematics.trigonometric_roots import Zeros

_JOINTS = 6
_DEGREE = 5
_SAMPLES = 16  # angles at which the determinant is computed
_TRIALS = 16  # random configurations at which a cut is tried
_SMALLEST = 1e-12  # of a determinant of normalized rows that does not vanish identically
_NOISE = 1e-6  # largest part of the determinant beyond its degree
_SINGULAR = 1e-7  # smallest singular value of the real parts of a half, relative to the largest
_CIRCLE = 1e-3  # distance of a complex zero from the unit circle that still gives a start
_EXTRANEOUS = 0.05  # closure residual [reach, rad] of a zero that belongs to no configuration
_NEAR_START = 1e-3  # [rad, reach]: distance of a start from its configuration
_DOUBLE = 1e-5  # distance of zeros that may be one
_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0] * 2)


class PrismaticLoop:
    """Starts of Newton's method by one cut; geometry is data.

    Attributes:
        order: joints in the order of the cut, cyclic.
        sampled: the joint whose angle is a zero of the determinant.
    """

    def __init__(self, revolute: Sequence[bool], first: int) -> None:
        self.revolute = tuple(revolute)
        self.order = [(first + k) % _JOINTS for k in range(_JOINTS)]
        self.angles = [k for k in self.order if revolute[k]]
        self.sliding = [k for k in self.order if not revolute[k]]
        self.sampled = self.angles[2]

    def starts(self, links: Sequence[Array], H: Array) -> tuple[Zeros, Array]:
        """Zeros at poses (n, 4, 4), and the configuration that belongs to each (m, 6); NaN: none.

        Args:
            links: L_0 ... L_6, each (4, 4) or (n, 4, 4), with the reach as unit of length.
        """
        after = [*links[1:6], links[6] @ inverse(H) @ links[0]]
        T = [np.broadcast_to(link, (len(H), 4, 4)) for link in after]
        zeros, q = self._quadrilateral(T)
        residual = closing_displacements(self.revolute, [x[zeros.polynomial] for x in T], q)
        keep = zeros.double | (residual < _EXTRANEOUS)
        return zeros._replace(
            polynomial=zeros.polynomial[keep], x=zeros.x[keep], double=zeros.double[keep]
        ), q[keep]

    def is_usable(self, arm: SerialArm) -> bool:
        """Whether the determinant has its degree, and its zeros give known random configurations."""
        rng = np.random.default_rng(6)
        q = rng.uniform(-1, 1, (_TRIALS, _JOINTS)) * np.where(self.revolute, np.pi, 0.5)
        T = [*arm.links[1:6], arm.links[6] @ inverse(arm.pose(q)) @ arm.links[0]]
        K, C, regular = self._forms([np.broadcast_to(x, (_TRIALS, 4, 4)) for x in T])
        spectrum = self._spectrum(K, C)
        large = np.abs(spectrum).max(axis=1) > _SMALLEST
        if not (regular & large & _has_degree(spectrum)).all():
            return False
        zeros, start = self.starts(list(arm.links), arm.pose(q))
        gap = start - q[zeros.polynomial]
        gap = gap - np.where(self.revolute, 2 * np.pi * np.round(gap / (2 * np.pi)), 0.0)
        near = np.abs(gap).max(axis=1) < _NEAR_START
        return len(np.unique(zeros.polynomial[near])) == _TRIALS

    def _quadrilateral(self, T: Sequence[Array]) -> tuple[Zeros, Array]:
        """Angles of loops with four revolute joints."""
        K, C, regular = self._forms(T)
        spectrum = self._spectrum(K, C)
        zeros = _zeros_on_circle(spectrum, regular)
        own, x = zeros.polynomial, zeros.x
        null = np.linalg.svd(_matrix(K[own], C[own], x))[2][:, -1].reshape(-1, 3, 3)
        q = np.full((len(own), _JOINTS), np.nan)
        first, last = null[:, :, :2], null[:, :, 1:]  # times cos, times sin of the half angle
        half = _angle(first.reshape(len(own), 6), last.reshape(len(own), 6)) / 2
        third = np.stack([np.cos(x / 2), np.sin(x / 2)], axis=1)
        fourth = np.stack([np.cos(half), np.sin(half)], axis=1)
        products = (K[own] @ (third[:, :, None] * fourth[:, None, :]).reshape(-1, 4, 1)).reshape(-1, 2, 2)
        one = _angle(products[:, 0], products[:, 1])
        two = _angle(products[:, :, 0], products[:, :, 1])
        q[:, self.angles] = np.stack([one, two, x, 2 * half], axis=1)
        return zeros, q

    def _forms(self, T: Sequence[Array]) -> tuple[Array, Array, Mask]:
        """K (n, 4, 4) of the real parts, C (n, 3, 4, 4) of the dual parts with 1, d1 and d2; where K exists.

        It does not where the first two axes of revolute joints are parallel.
        """
        D = [_dual_quaternions(x) for x in T]
        third = self.order.index(self.angles[2])
        left, right = self._half(D, self.order[:third]), self._half(D, self.order[third:]) * _CONJUGATE
        P, R = (np.swapaxes(x[:, 0, :, :4], -1, -2) for x in (left, right))
        sizes = np.linalg.svd(P, compute_uv=False)
        regular = np.asarray(sizes[:, -1] > _SINGULAR * sizes[:, 0])
        K = np.linalg.solve(np.where(regular[:, None, None], P, np.eye(4)), R)
        C = np.swapaxes(left[..., 4:], -1, -2) @ K[:, None] - np.swapaxes(right[..., 4:], -1, -2)
        return K, C, regular

    def _half(self, D: Sequence[Array], joints: Sequence[int]) -> Array:
        """Coefficients (n, 3, 4, 8): of 1, d1, d2 and the products of half angles, in a dual quaternion."""
        own = [k for k in joints if self.revolute[k]]
        out = np.zeros((len(D[0]), 3, 4, 8))
        for m, values in enumerate(itertools.product((0, 3), repeat=2)):
            for part, moved in enumerate([None, *self.sliding]):
                if moved is not None and moved not in joints:
                    continue
                X = np.zeros((len(D[0]), 8))
                X[:, 0] = 1.0
                for k in joints:
                    M = np.zeros(8)
                    M[values[own.index(k)] if self.revolute[k] else 0] = 1.0
                    M[7] = 0.5 if k == moved else 0.0
                    X = _product(_product(X, M), D[k])
                out[:, part, m] = X if moved is None else X - out[:, 0, m]
        return out

    def _spectrum(self, K: Array, C: Array) -> Array:
        """Fourier coefficients (n, samples) of the determinant over the third angle."""
        x = np.broadcast_to(2 * np.pi * np.arange(_SAMPLES) / _SAMPLES, (len(K), _SAMPLES))
        A = _matrix(K[:, None], C[:, None], x)
        scale = np.linalg.norm(A, axis=-1).max(axis=1, keepdims=True)  # one for each row, at all angles
        return np.asarray(np.fft.fft(np.linalg.det(A / scale[..., None]), axis=1) / _SAMPLES)


def closing_displacements(revolute: Sequence[bool], T: Sequence[Array], q: Array) -> Array:
    """Store displacements that close the loop best at known angles in q; the closure residual (m,)."""
    X = np.broadcast_to(np.eye(4), (len(q), 4, 4))
    axes = []
    for k, flag in enumerate(revolute):
        if flag:
            X = X @ joint_motion(True, q[:, k])
        else:
            axes.append((k, X[:, :3, 2]))
        X = X @ T[k]
    A, p = np.stack([z for _, z in axes], axis=-1), X[:, :3, 3:]
    d = np.linalg.pinv(A, rcond=1e-9) @ -p
    for place, (k, _) in enumerate(axes):
        q[:, k] = d[:, place, 0]
    rotation = np.linalg.norm(X[:, :3, :3] - np.eye(3), axis=(1, 2))
    return np.asarray(np.hypot(np.linalg.norm(A @ d + p, axis=(1, 2)), rotation))


def prismatic_loops(arm: SerialArm) -> list[PrismaticLoop]:
    """The usable cuts of an arm of six joints, two of them prismatic; none for other arms."""
    if arm.revolute.count(False) != 2:
        return []
    following = (*arm.revolute[1:], arm.revolute[0])
    first = [k for k in range(_JOINTS) if arm.revolute[k] and not following[k]]
    loops = [PrismaticLoop(arm.revolute, k) for k in first]
    return [loop for loop in loops if loop.is_usable(arm)]


def _matrix(K: Array, C: Array, x: Array) -> Array:
    """The 9 x 9 matrices at values of the third angle (...); columns: (1, d1, d2) x (c^2, c s, s^2)."""
    c, s = (np.asarray(f(x / 2))[..., None, None] for f in (np.cos, np.sin))
    A = np.zeros((*x.shape, 9, 9))
    for part in range(3):
        form = C[..., part, :, :]
        E = c * form[..., :2] + s * form[..., 2:]  # (..., 4, 2): columns of the half angle (c, s)
        A[..., :4, 3 * part : 3 * part + 2] = E
        A[..., 4:8, 3 * part + 1 : 3 * part + 3] = E
    k = c * K[..., :2] + s * K[..., 2:]
    for i, j in itertools.product((0, 1), repeat=2):
        A[..., 8, i + j] += k[..., 0, i] * k[..., 3, j] - k[..., 1, i] * k[..., 2, j]
    return A


def _has_degree(spectrum: Array) -> Mask:
    """Whether determinants are polynomials of their degree, and not rounding errors alone."""
    beyond = np.abs(spectrum[:, _DEGREE + 1 : -_DEGREE]).max(axis=1)
    return np.asarray(beyond < _NOISE * np.abs(spectrum).max(axis=1))


def _zeros_on_circle(spectrum: Array, regular: Mask) -> Zeros:
    """Real zeros of the regular trigonometric polynomials, by the eigenvalues of companion matrices."""
    n, count = len(spectrum), 2 * _DEGREE
    a = np.concatenate([spectrum[:, -_DEGREE:], spectrum[:, : _DEGREE + 1]], axis=1)
    lead = np.where(np.abs(a[:, -1:]) > 0, a[:, -1:], 1e-300)
    companion = np.zeros((n, count, count), dtype=complex)
    companion[:, range(1, count), range(count - 1)] = 1.0
    companion[:, :, -1] = -a[:, :-1] / lead
    usable = regular & np.isfinite(companion).all(axis=(1, 2))
    z = np.full((n, count), np.nan + 0j)
    z[usable] = np.linalg.eigvals(companion[usable])
    with np.errstate(invalid="ignore"):
        near = np.abs(np.abs(z) - 1) < _CIRCLE
        gap = np.abs(z[:, :, None] - z[:, None, :]) + 9 * np.eye(count)
        double = gap.min(axis=2) < _DOUBLE
    own, place = np.nonzero(near)
    unclear = np.nonzero(~(usable & _has_degree(spectrum)))[0]
    return Zeros(own.astype(np.int64), np.angle(z[own, place]), double[own, place], unclear)


def _angle(first: Array, second: Array) -> Array:
    """The angle whose half has cosine and sine in the ratio of two parallel vectors (m, k)."""
    uu, uv, vv = (
        np.einsum("mk,mk->m", *pair) for pair in ((first, first), (first, second), (second, second))
    )
    return np.asarray(np.arctan2(2 * uv, uu - vv))


def _dual_quaternions(T: Array) -> Array:
    """Poses (n, 4, 4) as unit dual quaternions (n, 8): rotation w x y z, then half the position times it."""
    from scipy.spatial.transform import Rotation

    real = np.roll(Rotation.from_matrix(T[:, :3, :3]).as_quat(), 1, axis=-1)
    position = np.concatenate([np.zeros((len(T), 1)), T[:, :3, 3]], axis=1)
    return np.concatenate([real, 0.5 * _quaternion_product(position, real)], axis=1)


def _product(a: Array, b: Array) -> Array:
    """Products of dual quaternions (..., 8)."""
    real = _quaternion_product(a[..., :4], b[..., :4])
    dual = _quaternion_product(a[..., :4], b[..., 4:]) + _quaternion_product(a[..., 4:], b[..., :4])
    return np.concatenate([real, dual], axis=-1)


def _quaternion_product(a: Array, b: Array) -> Array:
    w, x, y, z = np.moveaxis(a, -1, 0)
    W, X, Y, Z = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w * W - x * X - y * Y - z * Z,
            w * X + x * W + y * Z - z * Y,
            w * Y - x * Z + y * W + z * X,
            w * Z + x * Y - y * X + z * W,
        ],
        axis=-1,
    )
