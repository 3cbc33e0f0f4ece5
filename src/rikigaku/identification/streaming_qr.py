"""Triangular factors of regressors of any length in constant memory: QR of the factor so far and new rows.

One factor for each joint. All that weighted least squares needs is in them: weights of joints and gains
change without a second pass over the data.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array

Indices = NDArray[np.intp]


def triangular(A: Array) -> Array:
    """R of A = Q R."""
    R: Array = np.asarray(np.linalg.qr(A, mode="r"))
    return R


class StreamingQR:
    """Factors R of the rows [columns, right-hand side], one for each joint.

    places: for each joint the columns that its rows have; the others are zero.
    """

    def __init__(self, places: Sequence[Indices], parameters: int) -> None:
        self.places, self.parameters = tuple(places), parameters
        self.rows = np.zeros(len(self.places))
        self.factors = [np.zeros((0, len(place) + 1)) for place in self.places]

    def add(self, W: Array, y: Array, weights: Array | None = None) -> None:
        """Rows of some samples: W (samples, joints, parameters), y (samples, joints), weights like y.

        Rows of zeros (samples that are left out) are not counted.
        """
        for j, place in enumerate(self.places):
            new = np.concatenate([W[:, j, place], y[:, j, None]], axis=1)
            if weights is not None:
                new *= np.sqrt(weights[:, j, None])
            self.factors[j] = triangular(np.concatenate([self.factors[j], new]))
            self.rows[j] += np.count_nonzero(W[:, j, place].any(axis=1))

    def stacked(self, scales: Array) -> tuple[Array, Array]:
        """Rows of all joints, those of joint j divided by scales[j]: matrix and right-hand side."""
        total = sum(len(R) for R in self.factors)
        A, b = np.zeros((total, self.parameters)), np.zeros(total)
        k = 0
        for R, place, scale in zip(self.factors, self.places, scales, strict=True):
            A[k : k + len(R), place] = R[:, :-1] / scale
            b[k : k + len(R)] = R[:, -1] / scale
            k += len(R)
        return A, b

    def residual_squares(self, theta: Array) -> Array:
        """Sums of squared residuals of each joint."""
        pairs = zip(self.factors, self.places, strict=True)
        return np.array([float(np.sum((R[:, :-1] @ theta[place] - R[:, -1]) ** 2)) for R, place in pairs])
