"""Unit quaternions w x y z as arrays (..., 4)."""

import numpy as np

from rikigaku.core.types import Array

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])

# product(a, b)_i = sum of _TABLE[i, j, k] a_j b_k
_TABLE = np.zeros((4, 4, 4))
for _i, _j, _k, _sign in (
    (0, 0, 0, 1), (0, 1, 1, -1), (0, 2, 2, -1), (0, 3, 3, -1),
    (1, 0, 1, 1), (1, 1, 0, 1), (1, 2, 3, 1), (1, 3, 2, -1),
    (2, 0, 2, 1), (2, 2, 0, 1), (2, 3, 1, 1), (2, 1, 3, -1),
    (3, 0, 3, 1), (3, 3, 0, 1), (3, 1, 2, 1), (3, 2, 1, -1),
):  # fmt: skip
    _TABLE[_i, _j, _k] = _sign

_FLAT = np.moveaxis(_TABLE, 1, 0).reshape(4, 16)

# vec(conj(a) b)_i = a^T RELATIVE[i] b
RELATIVE = np.einsum("ijk,j->ijk", _TABLE[1:], np.array([1.0, -1.0, -1.0, -1.0]))

# columns of the rotation matrix of c are quadratic forms: R(c)[i, k] = c^T QUADRATIC[k, i] c / |c|^2
QUADRATIC = np.zeros((3, 3, 4, 4))
for _k in range(3):
    _q = np.einsum("ijk,klm->ijlm", _TABLE, _TABLE * np.array([1.0, -1.0, -1.0, -1.0]))[1:, :, _k + 1]
    QUADRATIC[_k] = (_q + np.swapaxes(_q, 1, 2)) / 2


def product(a: Array, b: Array) -> Array:
    """Quaternion product a b: rotation b followed by rotation a."""
    return np.asarray((product_matrix(a) @ b[..., None])[..., 0])


def product_matrix(a: Array) -> Array:
    """Matrix with product(a, b) = product_matrix(a) @ b, (..., 4, 4)."""
    return np.asarray(a @ _FLAT).reshape(*a.shape, 4)


def conjugate(a: Array) -> Array:
    """Inverse rotation."""
    return np.asarray(a * np.array([1.0, -1.0, -1.0, -1.0]))


def exponential(w: Array) -> Array:
    """Quaternions of rotation vectors (..., 3) [rad]."""
    half = np.sqrt((w * w).sum(axis=-1, keepdims=True)) / 2
    return np.concatenate([np.cos(half), np.sinc(half / np.pi) / 2 * w], axis=-1)


def logarithm(a: Array) -> Array:
    """Rotation vectors (..., 3) [rad] of length at most pi."""
    a = np.where(a[..., :1] < 0, -a, a)
    s = np.sqrt((a[..., 1:] ** 2).sum(axis=-1, keepdims=True))
    angle = 2 * np.arctan2(s, a[..., :1])
    return np.asarray(np.where(s > 1e-12, angle / np.maximum(s, 1e-300), 2.0) * a[..., 1:])


def rotation(a: Array) -> Array:
    """Rotation matrices (..., 3, 3)."""
    w, x, y, z = (a[..., k] for k in range(4))
    result = np.empty((*a.shape[:-1], 3, 3))
    result[..., 0, 0], result[..., 0, 1], result[..., 0, 2] = (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y))  # fmt: skip
    result[..., 1, 0], result[..., 1, 1], result[..., 1, 2] = (
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x))  # fmt: skip
    result[..., 2, 0], result[..., 2, 1], result[..., 2, 2] = (
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))  # fmt: skip
    return result


def of_matrix(R: Array) -> Array:
    """Quaternions of rotation matrices (..., 3, 3): the largest column of 4 q q^T, normalised."""
    square = np.empty((*R.shape[:-2], 4, 4))
    trace = np.trace(R, axis1=-2, axis2=-1)
    square[..., 0, 0] = 1 + trace
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        square[..., i + 1, i + 1] = 1 + 2 * R[..., i, i] - trace
        square[..., 0, i + 1] = square[..., i + 1, 0] = R[..., k, j] - R[..., j, k]
        square[..., i + 1, j + 1] = square[..., j + 1, i + 1] = R[..., i, j] + R[..., j, i]
    best = np.argmax(np.diagonal(square, axis1=-2, axis2=-1), axis=-1)
    chosen = np.take_along_axis(square, best[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(chosen / np.linalg.norm(chosen, axis=-1, keepdims=True))


def cross(a: Array, b: Array) -> Array:
    """Cross product over the last axis; faster than NumPy's for small arrays."""
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
    return result
