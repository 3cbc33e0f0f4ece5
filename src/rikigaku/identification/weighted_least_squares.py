"""Iteratively reweighted least squares over joints and samples, with errors that hold for coloured noise.

Weights of joints are the inverse variances of their residuals [Gautier1997], iterated. With Huber's loss samples
beyond 1.345 standard deviations are weighted down [Huber1981]. The covariance is the sandwich
A^-1 S A^-1, with S the long-run covariance of the scores by Parzen's kernel and a bandwidth from the
residuals' autocorrelation [Andrews1991].
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from rikigaku.core.errors import BadMeasurements
from rikigaku.core.types import Array
from rikigaku.identification.streaming_qr import StreamingQR

# Pivots of the scaled information below this part of the largest belong to columns that the motion does not
# separate from others.
RANK = 1e-7
HUBER = 1.345  # [Huber1981]: 95 % efficiency for normal noise
_ITERATIONS = 50
_PASSES = 20
_CONVERGED = 1e-6
_LAGS = 16  # at most, after sums over batches

Blocks = Callable[[], Iterator[tuple[int, Array, Array]]]


@dataclass(frozen=True)
class Estimate:
    """theta with its covariance; NaN where `observed` is False. noise: standard deviations of the residuals.

    factor, target: triangular R and vector b; |R theta - b|^2 is the weighted sum of squares but a constant.
    lags: correlation length of the noise that the errors allow for, in samples after decimation.
    """

    theta: Array
    covariance: Array
    observed: Array
    noise: Array
    factor: Array
    target: Array
    rows: int
    lags: int
    condition: float


def estimate(blocks: Blocks, places: tuple[Array, ...], parameters: int, huber: bool) -> Estimate:
    """Least squares over blocks of samples: blocks() yields (experiment, W, y), as often as it is called."""
    qr = StreamingQR(places, parameters)
    for _, W, y in blocks():
        qr.add(W, y)
    joints = len(places)
    least = 3 * parameters
    if qr.rows.sum() < least:
        raise BadMeasurements(
            [
                f"{int(qr.rows[0])} samples of {joints} joints remain after decimation, {int(qr.rows.sum())} "
                f"equations for {parameters} parameters: too short. Record longer ({least} equations or more), "
                "or give a higher rate"
            ]
        )
    theta, sigma, kept = _weighted(qr)
    if huber:
        for _ in range(_PASSES):
            weighted = StreamingQR(places, parameters)
            scale = _robust_scale(blocks, theta, kept)
            for _, W, y in blocks():
                e = (y - W[:, :, kept] @ theta[kept]) / scale
                weighted.add(W, y, np.minimum(1.0, HUBER / np.maximum(np.abs(e), 1e-12)))
            before = theta
            theta, _, kept = _weighted(weighted, scale)
            qr, sigma = weighted, scale
            if np.linalg.norm(theta - before) <= 1e-4 * np.linalg.norm(theta):
                break
    A, b = qr.stacked(sigma)
    R = np.linalg.qr(np.column_stack([A, b]), mode="r")[:parameters]
    factor = np.linalg.qr(A[:, kept], mode="r")
    S, lags = _long_run_covariance(blocks, theta, kept, sigma, huber)
    inverse = linalg.solve_triangular(factor, np.eye(len(factor)))
    A_inverse = inverse @ inverse.T
    rows = int(qr.rows.sum())
    inner = A_inverse @ S @ A_inverse * rows / max(1, rows - len(factor))
    covariance = np.full((parameters, parameters), np.nan)
    covariance[np.ix_(kept, kept)] = inner
    scaled = factor / np.linalg.norm(factor, axis=0)
    full = np.where(kept, theta, np.nan)
    return Estimate(
        full, covariance, kept, sigma, R[:, :-1], R[:, -1], rows, lags, float(np.linalg.cond(scaled))
    )


def _weighted(qr: StreamingQR, fixed: Array | None = None) -> tuple[Array, Array, Array]:
    """theta, standard deviations of the joints' residuals, and the parameters that are observed."""
    sigma = np.sqrt([max(float(R[:, -1] @ R[:, -1]), 1e-300) for R in qr.factors] / qr.rows)
    sigma = sigma if fixed is None else fixed
    kept = _independent(qr.stacked(sigma)[0])
    theta = np.zeros(qr.parameters)
    for _ in range(1 if fixed is not None else _ITERATIONS):
        A, b = qr.stacked(sigma)
        Q, R = np.linalg.qr(A[:, kept])
        theta[kept] = linalg.solve_triangular(R, Q.T @ b)
        if fixed is not None:
            break
        leverage, k = np.zeros(len(qr.factors)), 0
        for j, factor in enumerate(qr.factors):
            leverage[j] = np.sum(Q[k : k + len(factor)] ** 2)
            k += len(factor)
        free = np.maximum(qr.rows - leverage, 1.0)
        # Never below the rounding of the factors: data without noise have no finite weights.
        floor = 1e-12 * np.array([np.linalg.norm(R[:, -1]) for R in qr.factors])
        new = np.maximum(np.sqrt(qr.residual_squares(theta) / free), np.maximum(floor, 1e-150))
        done = np.abs(new / sigma - 1).max() < _CONVERGED
        sigma = new
        if done:
            break
    return theta, sigma, kept


def _independent(A: Array) -> Array:
    """Columns that the data determine: QR with pivoting of the columns at unit length."""
    sizes = np.linalg.norm(A, axis=0)
    present = np.flatnonzero(sizes > 1e-12 * sizes.max(initial=0.0))
    _, R, order = linalg.qr(A[:, present] / sizes[present], mode="economic", pivoting=True)
    pivots = np.abs(np.diag(R))
    kept = np.zeros(A.shape[1], dtype=bool)
    kept[present[order[: int((pivots > RANK * pivots[0]).sum())]]] = True
    return kept


def _robust_scale(blocks: Blocks, theta: Array, kept: Array) -> Array:
    """Standard deviations of normal residuals with the same median magnitude, of each joint."""
    e = np.concatenate([y - W[:, :, kept] @ theta[kept] for _, W, y in blocks()])
    return np.maximum(np.median(np.abs(e), axis=0) / 0.6745, 1e-150)


def _long_run_covariance(
    blocks: Blocks, theta: Array, kept: Array, sigma: Array, huber: bool
) -> tuple[Array, int]:
    """Sum over lags of the scores' covariances (Parzen's kernel), and the bandwidth in samples."""
    residuals: dict[int, list[Array]] = {}
    for k, W, y in blocks():
        residuals.setdefault(k, []).append((y - W[:, :, kept] @ theta[kept]) / sigma)
    lags = max(_bandwidth(np.concatenate(parts)) for parts in residuals.values())
    batch = -(-lags // _LAGS)
    width = max(1, lags // batch)
    size = int(kept.sum())
    total = np.zeros((size, size))
    tails: dict[int, Array] = {}  # of each experiment: its last batches, and scores of an incomplete one
    rests: dict[int, Array] = {}
    for k, W, y in blocks():
        e = (y - W[:, :, kept] @ theta[kept]) / sigma
        e = np.clip(e, -HUBER, HUBER) if huber else e
        scores = np.einsum("kjp,kj->kp", W[:, :, kept], e / sigma)
        scores = np.concatenate([rests.get(k, scores[:0]), scores])
        whole = len(scores) // batch * batch
        rests[k] = scores[whole:]
        sums = scores[:whole].reshape(-1, batch, size).sum(axis=1)
        tail = tails.get(k, sums[:0])
        joined = np.concatenate([tail, sums])
        for lag in range(width + 1):
            later = joined[max(len(tail), lag) :]
            earlier = joined[max(len(tail), lag) - lag : len(joined) - lag]
            C = _parzen(lag / (width + 1)) * (later.T @ earlier)
            total += C if lag == 0 else C + C.T
        tails[k] = joined[max(0, len(joined) - width) :]
    for rest in rests.values():
        total += np.outer(rest.sum(axis=0), rest.sum(axis=0))
    return total, lags


def _bandwidth(e: Array) -> int:
    """Andrews' bandwidth of Parzen's kernel for autoregressive residuals of first order, the largest."""
    n = len(e)
    power = np.sum(e[:-1] ** 2, axis=0)
    rho = np.clip(np.sum(e[1:] * e[:-1], axis=0) / np.where(power > 0, power, 1.0), -0.97, 0.97)
    alpha = 4 * rho**2 / (1 - rho) ** 4
    return int(np.clip(np.ceil(2.6614 * (alpha.max() * n) ** 0.2), 1, max(1, n // 8)))


def _parzen(x: float) -> float:
    return 1 - 6 * x**2 + 6 * x**3 if x <= 0.5 else 2 * (1 - x) ** 3
