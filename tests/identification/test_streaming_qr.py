"""Streaming factors against NumPy's least squares over all rows at once."""

import numpy as np
import pytest

from rikigaku.identification.packed_rows import RowLayout
from rikigaku.identification.streaming_qr import StreamingQR


def streamed(A, y, block=100):
    """theta and R of the rows [A, y], added block by block."""
    qr = StreamingQR(RowLayout((np.arange(A.shape[1]),), A.shape[1]))
    for first in range(0, len(A), block):
        qr.add(np.column_stack([A, y])[first : first + block])
    R = qr.factors[0]
    return np.linalg.lstsq(R[:, :-1], R[:, -1], rcond=1e-14)[0], R


def rotated(rng, singular_values, rows):
    n = len(singular_values)
    U, V = (np.linalg.qr(rng.normal(size=(k, n)))[0] for k in (rows, n))
    return U * singular_values @ V.T


@pytest.mark.parametrize("smallest", [1e-3, 1e-7, 1e-10])
def test_parameters_are_as_accurate_as_householders(smallest):
    rng = np.random.default_rng(1)
    A = rotated(rng, np.geomspace(1, smallest, 8), 3000)
    theta = rng.normal(size=8)
    y = A @ theta  # exact data: the error of theta is that of the method
    plain = np.linalg.lstsq(A, y, rcond=1e-14)[0]
    found, _ = streamed(A, y)
    # Both have an error of about eps times the condition number; normal equations have its square.
    scale = np.finfo(float).eps / smallest
    assert np.linalg.norm(plain - theta) < 100 * scale
    assert np.linalg.norm(found - theta) < 100 * scale


def test_factor_has_the_gram_matrix_of_all_rows():
    rng = np.random.default_rng(2)
    A, y = rng.normal(size=(2500, 6)), rng.normal(size=2500)
    _, R = streamed(A, y)
    rows = np.column_stack([A, y])
    assert pytest.approx(rows.T @ rows, rel=1e-12, abs=1e-10) == R.T @ R
    assert np.array_equal(R, np.triu(R))


def test_columns_that_appear_later_are_found():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(2000, 5))
    A[:500, 3] = 0.0  # not excited at first
    A[:900, 4] = A[:900, 0] + 1e-9 * rng.normal(size=900)  # nearly parallel at first
    theta = rng.normal(size=5)
    y = A @ theta + 0.1 * rng.normal(size=2000)
    plain = np.linalg.lstsq(A, y, rcond=None)[0]
    assert streamed(A, y)[0] == pytest.approx(plain, rel=1e-12)


def test_columns_that_never_appear_stay_without_information():
    rng = np.random.default_rng(4)
    A, y = rng.normal(size=(1000, 4)), rng.normal(size=1000)
    A[:, 2] = 0.0
    _, R = streamed(A, y)
    assert not R[:, 2].any()
    left = [0, 1, 3]
    found = np.linalg.lstsq(R[:, left], R[:, -1], rcond=None)[0]
    assert found == pytest.approx(np.linalg.lstsq(A[:, left], y, rcond=None)[0], rel=1e-12)


def test_rows_of_zeros_are_not_counted():
    layout = RowLayout((np.array([0, 1]), np.array([1])), 2)
    W, y = np.ones((50, 2, 2)), np.ones((50, 2))
    W[:, 0, 1] = 0.0  # the last column of the first equation decides nothing
    W[10:30, 1] = y[10:30, 1] = 0.0
    qr = StreamingQR(layout)
    W[:5, 0] = 0.0
    qr.add(layout.packed(W, y))
    assert qr.rows.tolist() == [45.0, 30.0]
