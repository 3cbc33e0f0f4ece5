"""Configurations with a singular Jacobian: multiplicities of isolated ones, dimensions of families.

Around a singular configuration the equations are reduced to the null space of J (Lyapunov and Schmidt): moved
within it and corrected in the complement, what remains of the error is zero on a family. Otherwise its zeros
that coincide are counted: 2 at a fold, 3 at a cusp. Steps are least-squares steps by a truncated singular
value decomposition, which leave small singular values out.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.loop_cut import numbers
from rikigaku.inverse_kinematics.pose_newton import complement_kernel
from rikigaku.inverse_kinematics.serial_arm import pose_and_jacobian, pose_differences
from rikigaku.inverse_kinematics.shared_kernels import run

# Singular: the smallest singular value of J, with the reach as unit of length, is below this. Two solutions
# closer than this are one.
SINGULAR = 1e-6
# The smallest pivot of J^T J is at least the square of that singular value and at most some orders larger.
SUSPECT = 1e-10
CLUSTER = 1e-4  # [rad, reach]: solutions that coincide but for rounding; a cusp is known to 1e-5
_MOVE = 1e-2  # [rad, reach] within the null space
_DIRECTIONS = 4  # for each dimension of the null space
_STEPS, _ORDER_STEPS = 10, 6  # on a family they converge quadratically
_TANGENT_STEPS = 24
_LEAST = 1e-7  # singular value that a step takes into account
_REACHED = 1e-12
_REACHED_TWICE_SINGULAR = 1e-9  # where two singularities meet, solutions are exact to 1e-8 only
_ALONG = 0.1  # part of _MOVE that a point of a family is away
_LARGEST_ORDER = 4
_ROUNDING = 1e-13  # error [reach, rad] that is one of rounding
_NEARLY_ZERO = 1e-7  # error [reach, rad] at 2 _MOVE that is small for a fold


class SingularKinds(NamedTuple):
    """Of configurations (m,): number of solutions that coincide, dimension of the family, 0 if isolated.

    nearly: isolated, but a curve through it nearly is a family: others may be far away along it.
    """

    order: NDArray[np.int64]
    family: NDArray[np.int64]
    nearly: Mask


def singular_kinds(links: Sequence[Array], revolute: Sequence[bool], H: Array, q: Array) -> SingularKinds:
    """Orders and families of configurations, lengths in units of the reach; order 1 where J is regular.

    Args:
        links: L_0 ... L_n, each (4, 4) or (m, 4, 4). H: (m, 4, 4). q: (m, n).
    """
    m, n = q.shape
    order, family = np.ones(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    nearly = np.zeros(m, dtype=bool)
    if not m:
        return SingularKinds(order, family, nearly)
    U, sizes, Vt = np.linalg.svd(pose_and_jacobian(links, revolute, q)[1])
    null = (sizes < SINGULAR).sum(axis=1) + n - sizes.shape[1]
    for count in np.unique(null[null > 0]):
        at = np.nonzero(null == count)[0]
        own = [x if x.ndim == 2 else x[at] for x in links]
        if count == 1:
            slope = sizes[at, n - 1, None] * U[at, :, n - 1]
            along = _along(own, revolute, H[at], q[at], slope, Vt[at, -1])
            order[at], family[at] = along.order, along.family
            nearly[at] = (along.family == 0) & (along.remaining < _NEARLY_ZERO)
        else:
            family[at] = _dimensions(own, revolute, H[at], q[at], Vt[at, n - count :])
            order[at] = np.where(family[at] > 0, 1, 2**count)  # independent folds
    return SingularKinds(order, family, nearly)


def multiplicities(order: NDArray[np.int64], q: Array, revolute: Sequence[bool]) -> NDArray[np.int64]:
    """Multiplicities of the configurations (..., k, n) of poses, from their orders (..., k).

    The order counts all that coincide; those that are listed apart count for themselves. NaN is absent.
    """
    gap = q[..., :, None, :] - q[..., None, :, :]
    gap -= np.where(revolute, 2 * np.pi * np.round(gap / (2 * np.pi)), 0.0)
    others = (np.abs(gap).max(axis=-1) < CLUSTER).sum(axis=-1) - 1
    return np.where(order > 1, np.maximum(order - others, 1), 1)


def corrected(
    links: Sequence[Array],
    revolute: Sequence[bool],
    H: Array,
    q: Array,
    steps: int = 28,
    dimension: int = 0,
) -> tuple[Array, Array]:
    """Configurations returned to their poses by least-squares steps, and residuals [reach, rad] (m,).

    Singular values below 1e-7 are left out: the steps do not move along their null vectors. So are the
    smallest ones, as many as the family has dimensions, where that is known: it is met at the nearest member.
    """
    q = q.copy()
    active, residual = np.arange(len(q)), np.full(len(q), np.inf)
    for k in range(steps + 1):
        own = [x if x.ndim == 2 else x[active] for x in links]
        X, J = pose_and_jacobian(own, revolute, q[active])
        e = pose_differences(X, H[active])
        residual[active] = np.linalg.norm(e, axis=1)
        left = residual[active] > 1e-15
        if k == steps or not left.any():
            break
        active, J, e = active[left], J[left], e[left]
        U, sizes, Vt = np.linalg.svd(J, full_matrices=False)
        parts = np.einsum("mij,mi->mj", U, e)
        parts = np.where(sizes > _LEAST, parts / np.maximum(sizes, _LEAST), 0.0)
        parts[:, parts.shape[1] - dimension :] = 0.0
        step = np.einsum("mjk,mj->mk", Vt, parts)
        longest = np.abs(step).max(axis=1, keepdims=True)
        q[active] += step * np.minimum(1.0, 0.1 / np.maximum(longest, 1e-300))
        active = active[longest[:, 0] > 1e-15]
        if not len(active):
            break
    return q, residual


def _dimensions(
    links: Sequence[Array], revolute: Sequence[bool], H: Array, q: Array, null: Array
) -> NDArray[np.int64]:
    """Dimensions of the families that configurations belong to; null: bases (m, count, n) of null spaces.

    The distances of members nearby span its tangents; where several families meet, the null space at such a
    member is that of one of them.
    """
    (m, n), points = q.shape, _beside(links, revolute, H, q, null)
    trials = points.x.shape[1]
    own = [x if x.ndim == 2 else np.repeat(x, trials, axis=0) for x in links]
    sizes = np.linalg.svd(pose_and_jacobian(own, revolute, points.x.reshape(-1, n))[1], compute_uv=False)
    nullity = ((sizes < 10 * SINGULAR).sum(axis=1) + n - sizes.shape[1]).reshape(m, trials)
    tangents = np.where(points.on[..., None], points.x - q[:, None], 0.0) / _MOVE
    rank = (np.linalg.svd(tangents, compute_uv=False) > _ALONG).sum(axis=1)
    return np.minimum(rank, np.where(points.on, nullity, 0).max(axis=1))


class _Beside(NamedTuple):
    """Configurations (m, trials, n) beside others, and which of them (m, trials) are on the same family."""

    x: Array
    on: Mask


def _beside(links: Sequence[Array], revolute: Sequence[bool], H: Array, q: Array, null: Array) -> _Beside:
    """Points moved within null spaces (m, count, n) and corrected."""
    m, n = q.shape
    directions = _tangents(links, revolute, H, q, null)
    moves = _MOVE * np.concatenate([directions, -directions], axis=1)
    trials = moves.shape[1]
    start = q[:, None] + np.einsum("mtc,mcn->mtn", moves, null)
    own = [x if x.ndim == 2 else np.repeat(x, trials, axis=0) for x in links]
    points, residual = corrected(own, revolute, np.repeat(H, trials, axis=0), start.reshape(-1, n), _STEPS)
    size = np.linalg.norm(points - np.repeat(q, trials, axis=0), axis=1) / _MOVE
    on = (residual < _REACHED_TWICE_SINGULAR) & (size > _ALONG) & (size < 3)
    return _Beside(points.reshape(m, trials, n), on.reshape(m, trials))


def family_tangents(
    links: Sequence[Array], revolute: Sequence[bool], H: Array, q: Array
) -> tuple[NDArray[np.int64], Array, Array]:
    """Points (k, n) on the families through configurations (m, n), their tangents, and whose they are (k,).

    Where families meet, points beside the configuration are on one of them each.
    """
    n = q.shape[1]
    sizes, Vt = np.linalg.svd(pose_and_jacobian(links, revolute, q)[1])[1:]
    null = (sizes < SINGULAR).sum(axis=1) + n - sizes.shape[1]
    one = np.nonzero(null == 1)[0]
    owners, points, tangents = [one], [q[one]], [Vt[one, -1]]
    for count in np.unique(null[null > 1]):
        at = np.nonzero(null == count)[0]
        own = [x if x.ndim == 2 else x[at] for x in links]
        found = _beside(own, revolute, H[at], q[at], Vt[at, n - count :])
        row, trial = np.nonzero(found.on)
        x = found.x[row, trial]
        owners.append(at[row])
        points.append(x)
        tangents.append((x - q[at[row]]) / _MOVE)
    return np.concatenate(owners), np.concatenate(points), np.concatenate(tangents)


def _tangents(links: Sequence[Array], revolute: Sequence[bool], H: Array, q: Array, null: Array) -> Array:
    """Directions (m, trials, count) within null spaces along which the errors vanish to second order.

    The errors that the complement cannot remove are quadratic forms B(v, v) there; Newton's method finds
    common zeros from random starts.
    """
    m, count, _ = null.shape
    B = np.zeros((m, 6, count, count))
    for i in range(count):
        for j in range(i, count):
            v = null[:, i] if i == j else null[:, i] + null[:, j]
            r = [_remaining(links, revolute, H, q + s * _MOVE * v, null) for s in (1, -1)]
            even = (r[0] + r[1]) / _MOVE**2
            own = even if i == j else 0.5 * (even - B[:, :, i, i])
            B[:, :, i, j] = B[:, :, j, i] = own
    for i in range(count):
        for j in range(i + 1, count):
            B[:, :, i, j] -= 0.5 * B[:, :, j, j]
            B[:, :, j, i] = B[:, :, i, j]
    v = np.random.default_rng(3).normal(size=(m, _DIRECTIONS * count, count))
    for _ in range(_TANGENT_STEPS):
        v = v / np.linalg.norm(v, axis=2, keepdims=True)
        slopes = 2 * np.einsum("mkij,mtj->mtki", B, v)
        values = 0.5 * np.einsum("mtki,mti->mtk", slopes, v)
        across = np.eye(count) - v[..., :, None] * v[..., None, :]  # directions only: lengths stay
        v = v - (np.linalg.pinv(slopes @ across, rcond=1e-6) @ values[..., None])[..., 0]
    return np.asarray(v / np.linalg.norm(v, axis=2, keepdims=True))


def _remaining(links: Sequence[Array], revolute: Sequence[bool], H: Array, q: Array, null: Array) -> Array:
    """Errors (m, 6) that steps in the complement of null spaces (m, count, n) cannot remove."""
    kernel = complement_kernel(revolute, null.shape[1])
    T, target = [numbers(link) for link in links], numbers(H)
    x, e = q, np.zeros((len(q), 6))
    with np.errstate(all="ignore"):
        for _ in range(_ORDER_STEPS):
            step, e = run(kernel, [*T, target, x, null], [q.shape, e.shape])
            x = x + step
    return np.nan_to_num(e, nan=np.inf)


class _Along(NamedTuple):
    """Of configurations (m,): orders, dimensions of families, largest error remaining along null vectors."""

    order: NDArray[np.int64]
    family: NDArray[np.int64]
    remaining: Array


def _along(
    links: Sequence[Array], revolute: Sequence[bool], H: Array, q: Array, slope: Array, null: Array
) -> _Along:
    """Configurations whose J has one null vector (m, n), along which the error has the slope (m, 6)."""
    moves = np.array([-2, -1, 1, 2]) * _MOVE
    own = [x if x.ndim == 2 else np.repeat(x, 4, axis=0) for x in links]
    start = (q[:, None] + moves[:, None] * null[:, None]).reshape(-1, q.shape[1])
    left = _remaining(own, revolute, np.repeat(H, 4, axis=0), start, np.repeat(null, 4, axis=0)[:, None])
    left = left.reshape(-1, 4, 6)
    sizes = np.linalg.norm(left, axis=2)
    family = (sizes < _REACHED).all(axis=1)
    main = np.argmax(sizes, axis=1)
    axis = left[np.arange(len(q)), main] / np.maximum(sizes.max(axis=1, keepdims=True), 1e-300)
    # solutions are compared joint by joint; those counted here and yet listed apart count for themselves
    near = 1.5 * SINGULAR / (_MOVE * np.abs(null).max(axis=1))
    order = _coinciding(np.einsum("mik,mk->mi", left, axis), -(slope * axis).sum(axis=1) * _MOVE, near)
    return _Along(np.where(family, 1, order), family.astype(np.int64), sizes.max(axis=1))


def _coinciding(error: Array, slope: Array, near: Array) -> NDArray[np.int64]:
    """Number of zeros (m,) that coincide with zero, of errors (m, 4) at -2, -1, 1, 2 and slopes (m,) at zero.

    The errors are a polynomial of degree 5. Its zeros coincide if they are closer than near (m,), or if the
    error between them is one of rounding.
    """
    even = 0.5 * (error[:, 2] + error[:, 1]), 0.5 * (error[:, 3] + error[:, 0])
    odd = 0.5 * (error[:, 2] - error[:, 1]) - slope, 0.5 * (error[:, 3] - error[:, 0]) - 2 * slope
    fourth, fifth = (even[1] - 4 * even[0]) / 12, (odd[1] - 8 * odd[0]) / 24
    factors = np.stack([fifth, fourth, odd[0] - fifth, even[0] - fourth, slope], axis=1)
    order = np.ones(len(error), dtype=np.int64)
    for k in np.nonzero(np.isfinite(factors).all(axis=1))[0]:
        zeros = np.roots(factors[k])
        between = np.abs(0.5 * zeros * np.polyval(factors[k], 0.5 * zeros))
        order[k] += ((np.abs(zeros) < near[k]) | ((between < _ROUNDING) & (np.abs(zeros) < 1))).sum()
    return np.minimum(order, _LARGEST_ORDER)
