"""Native parts of the linear contact problem against NumPy and SciPy, on random systems."""

import numpy as np
import pytest
from scipy.optimize import nnls

from rikigaku.integrators.contact_problem import independent_rows, minimize, minimum_norm


@pytest.mark.parametrize("seed", range(40))
def test_minimum_norm_solution_and_null_space_agree_with_the_singular_value_decomposition(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 20, 2)
    rank = int(min(m, n, rng.integers(1, 12)))
    A = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    b = A @ rng.normal(size=n)
    x, free, found = minimum_norm(A, b, 1e-10)
    assert found == rank
    assert np.allclose(x, np.linalg.pinv(A) @ b, rtol=0, atol=1e-9 * np.linalg.cond(A @ A.T + np.eye(m)))
    assert np.allclose(A @ x, b, rtol=0, atol=1e-10)
    assert np.allclose(A @ free, 0, atol=1e-10)
    assert np.allclose(free.T @ free, np.eye(n - rank), rtol=0, atol=1e-12)


def test_rows_that_depend_on_others_are_left_out():
    rng = np.random.default_rng(0)
    J = rng.normal(size=(5, 6))
    J = np.array([J[0], 2 * J[0], J[1], J[2], J[0] - J[2], J[3], J[4]])
    kept = independent_rows(J @ J.T, [range(7)], 1e-10)
    assert len(kept) == 5 == np.linalg.matrix_rank(J[kept])
    assert independent_rows(J @ J.T, [[4], [3], [1, 0]], 1e-10) == [3, 4]


def test_of_nearly_dependent_rows_those_are_kept_that_differ_most():
    """In the order given the second row would be taken, and rounding would make the third independent."""
    near = 1e-4
    J = np.array([[1, 0, 0], [np.cos(near), np.sin(near), 0], [1, 1, 0], [0, 1, 0], [0, 0, 1.0]])
    kept = independent_rows(J @ J.T, [[0], [1, 2, 3, 4]], 1e-10)
    assert len(kept) == 3
    assert np.linalg.cond(J[kept]) < 3


@pytest.mark.parametrize("seed", range(25))
def test_the_cone_program_is_solved_from_far_starts(seed):
    """The search may recede from the optimum at first: an earlier version stopped there."""
    rng = np.random.default_rng(seed)
    count, n = rng.integers(1, 12), rng.integers(1, 8)
    h = rng.normal(size=(count, 3))
    h[:, 0] = np.hypot(h[:, 1], h[:, 2]) + rng.uniform(0.1, 1, count)
    G = rng.normal(size=(count, 3, n))
    if seed % 3 == 0:  # nonnegative numbers
        h[:, 1:], G[:, 1:] = 0, 0
    R = rng.normal(size=(n, n))
    P, c = R @ R.T + 0.1 * np.eye(n), 10 * rng.normal(size=n)

    x = minimize(h, G, P, c, np.zeros(n), 1e-15)
    u = h + G @ x
    left = u[:, 0] - np.hypot(u[:, 1], u[:, 2])
    assert left.min() > -1e-12
    # Optimal: the gradient is a nonnegative combination of the inward normals of active cones.
    angles = np.linspace(0, 2 * np.pi, 2000)
    normals = []
    for k in np.flatnonzero(left < 1e-6):
        apex = u[k, 0] < 1e-6
        rim = np.array([np.ones(2000), np.cos(angles), np.sin(angles)]).T if apex else [u[k] * [1, -1, -1]]
        normals += [G[k].T @ direction for direction in rim]
    gradient = P @ x + c
    off = nnls(np.array(normals).T, gradient)[1] if normals else np.linalg.norm(gradient)
    assert off < 1e-5 * np.linalg.norm(c)
