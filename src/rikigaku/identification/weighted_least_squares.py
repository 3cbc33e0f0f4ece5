"""Iteratively reweighted least squares over joints and samples, with errors that hold for coloured noise.

Weights of joints are the inverse variances of their residuals, iterated [Gautier1997]. With Huber's loss
samples beyond 1.345 standard deviations are weighted down. The covariance is the sandwich A^-1 S A^-1, with S
the covariance of the scores for autoregressive residuals, correlated between joints.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, signal

from rikigaku.core.errors import BadMeasurements
from rikigaku.core.types import Array
from rikigaku.identification.packed_rows import RowLayout
from rikigaku.identification.streaming_qr import StreamingQR, independent_columns, triangular

HUBER = 1.345  # 95 % efficiency for normal noise
_ITERATIONS = 50
_PASSES = 20
_CONVERGED = 1e-6
_ORDER = 20  # at most, of the autoregressive model of residuals
_REFINEMENTS = 8
_MOST_LOW = 100.0  # spectrum at low frequencies over the variance, at most


Mask = NDArray[np.bool_]


class Blocks(Protocol):
    """Yields (experiment, W, y) of consecutive samples, as often as it is called, in either direction.

    Backward, the blocks come in the opposite order; the samples within a block do not.
    """

    def __call__(self, backward: bool = False) -> Iterator[tuple[int, Array, Array]]: ...

    def packed(self) -> Iterator[tuple[int, Array]]:
        """The same as packed rows."""


@dataclass(frozen=True)
class Estimate:
    """theta with its covariance; NaN where `observed` is False. noise: standard deviations of the residuals.

    factor, target: triangular R and vector b; |R theta - b|^2 is the weighted sum of squares but a constant.
    order: of the autoregressive model of the noise, in samples after decimation.
    """

    theta: Array
    covariance: Array
    observed: Mask
    noise: Array
    factor: Array
    target: Array
    rows: int
    order: int
    condition: float


def estimate(blocks: Blocks, layout: RowLayout, huber: bool) -> Estimate:
    """Least squares over blocks of samples."""
    qr = StreamingQR(layout)
    for _, values in blocks.packed():
        qr.add(values)
    joints, parameters = len(layout.places), layout.parameters
    least = 3 * parameters
    if qr.rows.sum() < least:
        raise BadMeasurements(
            [
                f"{int(qr.rows[0])} samples of {joints} joints remain after decimation, {int(qr.rows.sum())} "
                f"equations for {parameters} parameters: too short. Record longer ({least} equations or "
                "more), or give a higher rate"
            ]
        )
    theta, sigma, kept = weighted_solution(qr)
    if huber:
        for _ in range(_PASSES):
            weighted = StreamingQR(layout)
            scale = _robust_scale(blocks, theta, kept)
            for _, W, y in blocks():
                e = (y - W[:, :, kept] @ theta[kept]) / scale
                weights = np.minimum(1.0, HUBER / np.maximum(np.abs(e), 1e-12))
                weighted.add(layout.packed(W, y), weights)
            before = theta
            theta, _, kept = weighted_solution(weighted, scale)
            qr, sigma = weighted, scale
            if np.linalg.norm(theta - before) <= 1e-4 * np.linalg.norm(theta):
                break
    A, b = qr.stacked(sigma)
    R = triangular(np.column_stack([A, b]))[:parameters]
    factor = triangular(A[:, kept])
    inverse = linalg.solve_triangular(factor, np.eye(len(factor)))
    A_inverse = inverse @ inverse.T
    rows = int(qr.rows.sum())
    S, order = _score_covariance(blocks, theta, kept, sigma, inverse, qr.rows, huber)
    inner = A_inverse @ S @ A_inverse
    covariance = np.full((parameters, parameters), np.nan)
    covariance[np.ix_(kept, kept)] = inner
    scaled = factor / np.linalg.norm(factor, axis=0)
    full = np.where(kept, theta, np.nan)
    return Estimate(
        full, covariance, kept, sigma, R[:, :-1], R[:, -1], rows, order, float(np.linalg.cond(scaled))
    )


def weighted_solution(qr: StreamingQR, fixed: Array | None = None) -> tuple[Array, Array, Mask]:
    """theta, standard deviations of the joints' residuals, and the parameters that are observed."""
    factors = qr.factors
    sigma = np.sqrt([max(float(R[:, -1] @ R[:, -1]), 1e-300) for R in factors] / qr.rows)
    sigma = sigma if fixed is None else fixed
    kept = independent_columns(qr.stacked(sigma)[0])
    theta = np.zeros(qr.layout.parameters)
    for _ in range(1 if fixed is not None else _ITERATIONS):
        A, b = qr.stacked(sigma)
        Q, R = np.linalg.qr(A[:, kept])
        theta[kept] = linalg.solve_triangular(R, Q.T @ b)
        if fixed is not None:
            break
        leverage, k = np.zeros(len(factors)), 0
        for j, factor in enumerate(factors):
            leverage[j] = np.sum(Q[k : k + len(factor)] ** 2)
            k += len(factor)
        free = np.maximum(qr.rows - leverage, 1.0)
        # Never below the rounding of the factors: data without noise have no finite weights.
        floor = 1e-12 * np.array([np.linalg.norm(R[:, -1]) for R in factors])
        new = np.maximum(np.sqrt(qr.residual_squares(theta) / free), np.maximum(floor, 1e-150))
        done = np.abs(new / sigma - 1).max() < _CONVERGED
        sigma = new
        if done:
            break
    return theta, sigma, kept


def _robust_scale(blocks: Blocks, theta: Array, kept: Mask) -> Array:
    """Standard deviations of normal residuals with the same median magnitude, of each joint."""
    e = np.concatenate([y - W[:, :, kept] @ theta[kept] for _, W, y in blocks()])
    return np.maximum(np.median(np.abs(e), axis=0) / 0.6745, 1e-150)


def _score_covariance(
    blocks: Blocks, theta: Array, kept: Mask, sigma: Array, inverse: Array, counts: Array, huber: bool
) -> tuple[Array, int]:
    """Covariance of the scores W^T e for autoregressive residuals e_j = u_j / A_j, and the largest order.

    With H_j the impulse response of 1/A_j, cov(e_i, e_j) = s_ij H_i H_j^T, so the covariance is the sum over
    samples of Z^T s Z, with Z_j = H_j^T W_j: the columns filtered backward in time.

    inverse: of the triangular factor of the weighted columns. counts: samples of each joint.
    """
    residuals: dict[int, list[Array]] = {}
    absorbed = np.zeros((len(sigma), _ORDER + 1))
    tails: dict[int, Array] = {}
    for k, W, y in blocks():
        e = (y - W[:, :, kept] @ theta[kept]) / sigma
        residuals.setdefault(k, []).append(np.clip(e, -HUBER, HUBER) if huber else e)
        Q = (W[:, :, kept] / sigma[:, None]) @ inverse
        before = tails.get(k, Q[:0])
        joined = np.concatenate([before, Q])
        for lag in range(_ORDER + 1):
            start = max(len(before), lag)
            pairs = joined[start:] * joined[start - lag : len(joined) - lag]
            absorbed[:, lag] += pairs.sum(axis=(0, 2))
        tails[k] = joined[-_ORDER:]
    parts = [np.concatenate(some) for some in residuals.values()]
    found = [
        _autoregression([e[:, j] for e in parts], absorbed[j], int(counts[j])) for j in range(len(sigma))
    ]
    polynomials = [A for A, _ in found]
    u = [signal.lfilter(A, 1.0, np.concatenate([e[:, j] for e in parts])) for j, A in enumerate(polynomials)]
    sizes = np.sqrt([power for _, power in found])
    innovations = np.corrcoef(np.stack(u)).reshape(len(sigma), -1) * np.outer(sizes, sizes)
    root = np.linalg.cholesky(innovations + 1e-12 * np.trace(innovations) * np.eye(len(sigma)))
    size = int(kept.sum())
    S = np.zeros((size, size))
    last = None
    for k, W, _ in blocks(backward=True):
        if k != last:
            memory = [np.zeros((len(A) - 1, size)) for A in polynomials]
            last = k
        Z = np.empty((len(W), len(sigma), size))
        for j, A in enumerate(polynomials):
            x = W[::-1, j][:, kept] / sigma[j]
            if len(A) == 1:
                Z[:, j] = x
            else:
                Z[:, j], memory[j] = signal.lfilter([1.0], A, x, axis=0, zi=memory[j])
        mixed = np.einsum("ji,kjp->kip", root, Z).reshape(-1, size)
        S += mixed.T @ mixed
    return S, max(len(A) - 1 for A in polynomials)


def _autoregression(parts: list[Array], absorbed: Array, total: int) -> tuple[Array, float]:
    """1, a_1 ... of A(z) and the power of the innovations, from the residuals' autocovariance.

    The fit absorbs part of the noise at the frequencies of the motion, which are low. With P the
    projection on the columns, E[e e^T] = (1 - P) cov (1 - P), near cov - s P, s the noise's spectrum at low
    frequencies, 1/A(1)^2 times the power of the innovations. The sums of P over its diagonals, `absorbed`,
    are added again, with s iterated.
    """
    most = int(min(_ORDER, total // 20))
    plain = np.array([sum(float(e[lag:] @ e[: len(e) - lag]) for e in parts) for lag in range(most + 1)])
    if plain[0] <= 0:
        return np.ones(1), 1e-300
    A, power = _levinson(plain / total, total)
    for _ in range(_REFINEMENTS):
        s = min(power / float(A.sum()) ** 2, _MOST_LOW * plain[0] / total)
        A, power = _levinson((plain + s * absorbed[: most + 1]) / total, total)
    return A, power


def _levinson(r: Array, total: int) -> tuple[Array, float]:
    """Autoregressive model of an autocovariance, its order by Schwarz's criterion."""
    A, power = np.ones(1), float(r[0])
    best, least = (A, power), total * np.log(power)
    for order in range(1, len(r)):
        reflection = -float(A @ r[order:0:-1]) / power
        if abs(reflection) >= 1:
            break
        A = np.append(A, 0.0) + reflection * np.append(A, 0.0)[::-1]
        power *= 1 - reflection**2
        if (criterion := total * np.log(power) + np.log(total) * order) < least:
            best, least = (A, power), criterion
    return best
