"""All complex configurations of an arm by homotopy in poses, from its forward kinematics alone.

The arm is a product of exponentials of screws, which three positions of each joint give; nothing else of the
package is used. Configurations and poses, (theta, H) with H = FK(theta), are one connected set, so that loops
in the space of complex poses lead from one configuration at a general pose to all others (monodromy). Paths
from there to a real pose end at all its isolated configurations, complex ones among them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = Any
MOST = 16  # configurations of six joints [Primrose1986]
_LOOPS = 8  # loops of poses in one round
_FRUITLESS = 2  # rounds without a new configuration after which the search ends
_SAME = 1e-6
_FIRST, _LEAST, _LARGEST = 0.01, 1e-8, 0.1  # steps of the path's parameter
_LONGEST = 0.05  # first correction [rad, reach] of a prediction
_AIM = 0.01  # of that correction, for the next step
_CONTRACTION, _CONVERGED = 0.1, 1e-5  # of the second correction
_MOST_STEPS = 1500
_POLISHING = 6  # steps of Newton's method at the end of a path
_FARTHEST = 30.0  # imaginary part of an angle [rad] that goes to infinity


class Screws(NamedTuple):
    """Axes w (n, 3), points c (n, 3) on them or zero, types, and the pose at zero; lengths in its reach."""

    w: Array
    c: Array
    revolute: Array
    home: Array
    reach: float


def screws(fk: Callable[[Array], Array], revolute: Array) -> Screws:
    """Screws of the joints from poses at zero, and with each joint at a quarter revolution or at 1 m."""
    n = len(revolute)
    home = np.asarray(fk(np.zeros(n)), dtype=float)
    w, c = np.zeros((n, 3)), np.zeros((n, 3))
    for k, turns in enumerate(revolute):
        X = np.asarray(fk((np.pi / 2 if turns else 1.0) * np.eye(n)[k])) @ np.linalg.inv(home)
        if turns:
            w[k] = np.array([X[2, 1] - X[1, 2], X[0, 2] - X[2, 0], X[1, 0] - X[0, 1]]) / 2
            c[k] = np.linalg.lstsq(np.eye(3) - X[:3, :3], X[:3, 3], rcond=None)[0]
        else:
            w[k] = X[:3, 3]
    reach = float(np.abs(c).max() + np.abs(home[:3, 3]).max() + 0.1)
    home[:3, 3] /= reach
    return Screws(w, c / reach, np.array(revolute, dtype=bool), home, reach)


def scaled(arm: Screws, H: Array) -> Array:
    """Poses with lengths in units of the reach."""
    H = np.array(H, dtype=complex)
    H[..., :3, 3] /= arm.reach
    return H


def pose_and_jacobian(arm: Screws, x: Array) -> tuple[Array, Array]:
    """Poses (m, 4, 4) and spatial Jacobians (m, 6, n), rotation first, at configurations (m, n)."""
    m, n = x.shape
    R, p = np.tile(np.eye(3, dtype=complex), (m, 1, 1)), np.zeros((m, 3), dtype=complex)
    J = np.zeros((m, 6, n), dtype=complex)
    for k in range(n):
        w = R @ arm.w[k]
        if arm.revolute[k]:
            point = p + R @ arm.c[k]
            J[:, :3, k], J[:, 3:, k] = w, np.cross(point, w)
            S = _cross_matrix(arm.w[k])
            own = (
                np.eye(3)
                + np.sin(x[:, k])[:, None, None] * S
                + (1 - np.cos(x[:, k]))[:, None, None] * (S @ S)
            )
            R = R @ own
            p = point - R @ arm.c[k]
        else:
            J[:, 3:, k] = w
            p = p + x[:, k, None] * w
    X = np.zeros((m, 4, 4), dtype=complex)
    X[:, :3, :3], X[:, 3, 3] = R @ arm.home[:3, :3], 1.0
    X[:, :3, 3] = p + R @ arm.home[:3, 3]
    return X, J


def newton_step(arm: Screws, H: Array, x: Array) -> Array:
    """The step toward poses H (m, 4, 4): J^-1 of the twist from the pose reached to H."""
    X, J = pose_and_jacobian(arm, x)
    R = H[:, :3, :3] @ np.swapaxes(X[:, :3, :3], 1, 2)
    e = np.empty((len(x), 6), dtype=complex)
    e[:, 0], e[:, 1], e[:, 2] = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    e[:, :3] /= 2
    e[:, 3:] = H[:, :3, 3] - np.einsum("mij,mj->mi", R, X[:, :3, 3])
    return _solved(J, e)


class PosePath(NamedTuple):
    """Poses between pairs of poses: quaternions and positions on complex projective lines.

    first, last: homogeneous quaternions (m, 4) and positions (m, 4) with their divisor.
    """

    first: Array
    last: Array

    def at(self, rows: Array, t: Array) -> Array:
        """Poses (m, 4, 4) at parameters t (m,)."""
        y = (1 - t)[:, None] * self.first[rows] + t[:, None] * self.last[rows]
        H = np.zeros((len(t), 4, 4), dtype=complex)
        H[:, :3, :3] = _rotation(y[:, :4])
        H[:, :3, 3], H[:, 3, 3] = y[:, 4:7] / y[:, 7:], 1.0
        return H


def pose_path(first: Array, last: Array, rng: np.random.Generator) -> PosePath:
    """A path with random complex weights of its ends."""
    a, b = _homogeneous(first), _homogeneous(last)
    weights = np.exp(2j * np.pi * rng.random((2, len(a), 1))) * rng.uniform(0.5, 2, (2, len(a), 1))
    b[:, :4] *= weights[0]
    b[:, 4:] *= weights[1]
    return PosePath(a, b)


def tracked(arm: Screws, path: PosePath, rows: Array, x: Array) -> tuple[Array, Array]:
    """Configurations (m, n) at the ends of paths `rows` from those at their beginnings; whether arrived.

    Parabolas through the latest three points predict, two steps of Newton's method correct.
    """
    t, h = np.zeros((3, len(x))), np.full(len(x), _FIRST)  # the latest points, the last one first
    points, known = np.array([x, x, x]), np.ones(len(x), dtype=np.int64)
    arrived, active = np.zeros(len(x), dtype=bool), np.arange(len(x))
    for _ in range(_MOST_STEPS):
        if not len(active):
            break
        to = np.minimum(t[0, active] + h[active], 1.0)
        H = path.at(rows[active], to)
        trial = _predicted(points[:, active], t[:, active], known[active], to)
        step = newton_step(arm, H, trial)
        first = np.abs(step).max(axis=1)
        trial += step
        step = newton_step(arm, H, trial)
        second = np.abs(step).max(axis=1)
        trial += step
        good = (first < _LONGEST) & (second < np.maximum(_CONTRACTION * first, 1e-9)) & (second < _CONVERGED)
        done = active[good]
        for array, new in ((points, trial[good]), (t, to[good])):
            array[2, done], array[1, done] = array[1, done], array[0, done]
            array[0, done] = new
        known[done] += 1
        with np.errstate(all="ignore"):
            factor = np.clip(np.cbrt(_AIM / np.maximum(first, 1e-12)), 0.4, 2.0)
        h[active] = np.minimum(h[active] * np.where(good, factor, 0.4), _LARGEST)
        arrived[done[t[0, done] >= 1.0]] = True
        with np.errstate(invalid="ignore"):
            lost = (h[active] < _LEAST) | ~(np.abs(points[0, active].imag).max(axis=1) < _FARTHEST)
        active = active[~arrived[active] & ~lost]
    x, own = points[0].copy(), np.nonzero(arrived)[0]
    H = path.at(rows[own], np.ones(len(own)))
    for _ in range(_POLISHING):
        x[own] += newton_step(arm, H, x[own])
    return x, arrived


def _predicted(points: Array, t: Array, known: Array, to: Array) -> Array:
    """The polynomial through the latest one, two or three points, at the next parameter."""
    a, b, c = t
    with np.errstate(all="ignore"):
        line = (to - a) / (a - b)
        first = np.where(known > 1, line, 0.0)[:, None] * (points[0] - points[1])
        bend = (points[0] - points[1]) / (a - b)[:, None] - (points[1] - points[2]) / (b - c)[:, None]
        second = bend * ((to - a) * (to - b) / (a - c))[:, None]
    return points[0] + np.where(known[:, None] > 1, first, 0.0) + np.where(known[:, None] > 2, second, 0.0)


class GeneralPose(NamedTuple):
    """A complex pose (4, 4) and its configurations (k, n)."""

    pose: Array
    x: Array


def general_pose(arm: Screws, seed: int = 0, most: int = MOST) -> GeneralPose:
    """A random complex pose with all its configurations, found by loops of poses from one of them.

    most: known bound of their number; the search ends there.
    """
    rng = np.random.default_rng(seed)
    n = len(arm.revolute)
    x = np.array([rng.normal(size=n) + 1j * rng.normal(size=n) * 0.5])
    return extended(arm, GeneralPose(pose_and_jacobian(arm, x)[0][0], x), seed + 1, most)


def extended(arm: Screws, start: GeneralPose, seed: int, most: int = MOST) -> GeneralPose:
    """The same pose with the configurations that further loops of poses find."""
    rng, x, fruitless = np.random.default_rng(seed), start.x, 0
    n = x.shape[1]
    while fruitless < _FRUITLESS and len(x) < most:
        there = rng.normal(size=(_LOOPS, n)) + 0.5j * rng.normal(size=(_LOOPS, n))
        far, here = pose_and_jacobian(arm, there)[0], np.repeat(start.pose[None], _LOOPS, axis=0)
        rows = np.repeat(np.arange(_LOOPS), len(x))
        middle, good = tracked(arm, pose_path(here, far, rng), rows, np.tile(x, (_LOOPS, 1)))
        back, home = tracked(arm, pose_path(far, here, rng), rows[good], middle[good])
        before = len(x)
        x = distinct(arm, np.concatenate([x, back[home]]))
        fruitless = 0 if len(x) > before else fruitless + 1
    return GeneralPose(start.pose, x)


def all_ends(arm: Screws, start: GeneralPose, H: Array, seed: int = 0) -> tuple[Array, Array]:
    """Ends (poses, k, n) of the paths to poses H (m, 4, 4), and whether each arrived (m, k)."""
    m, k = len(H), len(start.x)
    path = pose_path(np.repeat(start.pose[None], m, axis=0), H.astype(complex), np.random.default_rng(seed))
    rows = np.repeat(np.arange(m), k)
    x, arrived = tracked(arm, path, rows, np.tile(start.x, (m, 1)))
    return x.reshape(m, k, -1), arrived.reshape(m, k)


def distinct(arm: Screws, x: Array) -> Array:
    """Configurations (k, n) without repetitions; angles are equal up to revolutions."""
    kept: list[Array] = []
    for own in x:
        if all(distance(arm, own, other) > _SAME for other in kept):
            kept.append(own)
    return np.array(kept).reshape(-1, x.shape[-1])


def distance(arm: Screws, a: Array, b: Array) -> float:
    """Largest difference of joints; angles up to revolutions."""
    gap = a - b
    gap = gap - np.where(arm.revolute, 2 * np.pi * np.round(gap.real / (2 * np.pi)), 0.0)
    return float(np.abs(gap).max())


def _homogeneous(H: Array) -> Array:
    """Quaternion and position with divisor 1 (m, 8)."""
    R = H[:, :3, :3]
    y = np.zeros((len(H), 8), dtype=complex)
    # of the four forms of the quaternion, the longest
    t = np.trace(R, axis1=1, axis2=2)
    d = [R[:, k, k] for k in range(3)]
    s = [R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]]
    u = [[R[:, i, j] + R[:, j, i] for j in range(3)] for i in range(3)]
    forms = np.array(
        [
            [1 + t, s[0], s[1], s[2]],
            [s[0], 1 - t + 2 * d[0], u[0][1], u[0][2]],
            [s[1], u[0][1], 1 - t + 2 * d[1], u[1][2]],
            [s[2], u[0][2], u[1][2], 1 - t + 2 * d[2]],
        ]
    )
    best = np.abs(np.einsum("iim->im", forms)).argmax(axis=0)
    y[:, :4] = forms[best, :, np.arange(len(H))]
    y[:, :4] /= np.linalg.norm(y[:, :4], axis=1, keepdims=True)
    y[:, 4:7], y[:, 7] = H[:, :3, 3], 1.0
    return y


def _rotation(y: Array) -> Array:
    """Rotation matrices (m, 3, 3) of homogeneous quaternions (m, 4)."""
    w, v = y[:, 0, None, None], y[:, 1:]
    S = np.zeros((len(y), 3, 3), dtype=complex)
    S[:, 0, 1], S[:, 0, 2], S[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    S = S - np.swapaxes(S, 1, 2)
    return np.eye(3) + 2 * (w * S + S @ S) / (y * y).sum(axis=1)[:, None, None]


def _cross_matrix(w: Array) -> Array:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def _solved(J: Array, e: Array) -> Array:
    try:
        return np.linalg.solve(J, e[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return np.einsum("mij,mj->mi", np.linalg.pinv(J), e)
