"""Tests of an estimate: which parameters matter, and whether noise of the positions biases it.

Parameters are removed one by one, that of the smallest |value|/standard error first, while this ratio is
below sqrt(2) (Akaike's criterion) and the Wald statistic theta_r^T C_rr^-1 theta_r of all removed ones stays
below the quantile of chi^2: together they are not distinguished from zero.

Least squares on noisy positions is biased, also because a controller feeds noise back. Instruments (the
columns at the commanded motion, free of noise) give an unbiased estimate to compare with [Janot2014].
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from rikigaku.core.errors import BadMeasurements
from rikigaku.core.types import Array
from rikigaku.identification.regression_blocks import Regression
from rikigaku.identification.weighted_least_squares import Estimate, Mask

_CLEAR = np.sqrt(2.0)  # standard errors


@dataclass(frozen=True)
class EssentialParameters:
    """Estimates of the parameters that matter, given that the removed ones are zero.

    statistic, limit: Wald statistic of the removed parameters and the quantile it stays below.
    """

    values: dict[str, float]
    standard_errors: dict[str, float]
    removed: tuple[str, ...]
    statistic: float
    limit: float


@dataclass(frozen=True)
class InstrumentalEstimate:
    """Estimate by instruments, and its difference from least squares in standard errors of the latter."""

    values: dict[str, float]
    difference: dict[str, float]

    @property
    def largest(self) -> float:
        """The largest difference in standard errors: well above 2, least squares is biased."""
        return max((abs(x) for x in self.difference.values()), default=0.0)


def essential_parameters(names: tuple[str, ...], found: Estimate, level: float) -> EssentialParameters:
    """Backward elimination; level: probability of removing a set that matters by chance."""
    kept = [int(k) for k in np.flatnonzero(found.observed)]
    removed: list[int] = []
    theta, C = found.theta, found.covariance

    def block(rows: list[int], columns: list[int]) -> Array:
        return C[rows][:, columns]

    statistic = limit = 0.0
    current, errors = theta[kept], np.sqrt(np.diag(C)[kept])
    while len(kept) > 1:
        place = int(np.argmin(np.abs(current) / errors))
        trial = [*removed, kept[place]]
        wald = float(theta[trial] @ np.linalg.solve(block(trial, trial), theta[trial]))
        most = float(stats.chi2.isf(level, len(trial)))
        if wald > most or abs(current[place]) > _CLEAR * errors[place]:
            break
        removed, statistic, limit = trial, wald, most
        kept = [k for k in kept if k not in trial]
        gain = np.linalg.solve(block(removed, removed), block(removed, kept)).T
        current = theta[kept] - gain @ theta[removed]
        errors = np.sqrt(np.diag(block(kept, kept) - gain @ block(removed, kept)))
    return EssentialParameters(
        {names[k]: float(x) for k, x in zip(kept, current, strict=True)},
        {names[k]: float(x) for k, x in zip(kept, errors, strict=True)},
        tuple(names[k] for k in removed),
        statistic,
        limit,
    )


def instrumental_estimate(
    regression: Regression, instruments: Regression, found: Estimate
) -> InstrumentalEstimate:
    """(Z^T W)^-1 Z^T y with the weights of the least squares; Z: columns at the commanded motion."""
    names, kept = regression.model.names, found.observed
    size = int(kept.sum())
    ZW, Zy = np.zeros((size, size)), np.zeros(size)
    for (_, W, y), (_, Z, _) in zip(regression(), instruments(), strict=True):
        Z = np.where(W.any(axis=2, keepdims=True), Z, 0.0)[:, :, kept]
        Z = (Z / found.noise[:, None] ** 2).reshape(-1, size)
        ZW += Z.T @ W[:, :, kept].reshape(-1, size)
        Zy += Z.T @ y.ravel()
    sizes = np.sqrt(np.abs(np.diag(ZW)))
    if not (sizes > 0).all() or np.linalg.cond(ZW / np.outer(sizes, sizes)) > 1e12:
        raise BadMeasurements(["the commanded motion does not resemble the measured one: no instruments"])
    theta = np.linalg.solve(ZW / sizes[:, None], Zy / sizes)
    errors = np.sqrt(np.diag(found.covariance)[kept])
    own = [name for name, seen in zip(names, kept, strict=True) if seen]
    return InstrumentalEstimate(
        dict(zip(own, map(float, theta), strict=True)),
        dict(zip(own, map(float, (theta - found.theta[kept]) / errors), strict=True)),
    )


def residual_samples(regression: Regression, theta: Array, observed: Mask, most: int) -> Array:
    """Residuals of the first samples that were used, (samples, rows); NaN where a joint rests."""
    filled = np.where(observed, theta, 0.0)
    parts = []
    for W, y in regression.some(most):
        e = y - W @ filled
        parts.append(np.where(W.any(axis=2), e, np.nan))
    return np.concatenate(parts)[:most]
