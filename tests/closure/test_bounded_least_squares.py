"""Least forces within bounds, against the conditions of Karush, Kuhn and Tucker and another solver."""

import numpy as np
import pytest

from rikigaku.closure.bounded_least_squares import bounded_least_norm, smallest_bound_factor

Array = np.ndarray


def problem(rng: np.random.Generator, scaled: bool) -> tuple[Array, Array, Array, Array]:
    """A, b, w, bounds with a point within the bounds, often at many of them."""
    m = int(rng.integers(1, 7))
    n = m + int(rng.integers(1, 5))
    A = rng.normal(size=(m, n)) * (10.0 ** rng.uniform(-3, 3, (m, 1)) if scaled else 1.0)
    w, bounds = 10.0 ** rng.uniform(-1, 1, n), 10.0 ** rng.uniform(-1, 1, n)
    s = np.clip(2 * rng.normal(size=n), -1, 1) * bounds * rng.choice([1, 0.999, 0.9, 0.5])
    bounds[rng.uniform(size=n) < 0.1] = np.inf
    return A, A @ s, w, bounds


@pytest.mark.parametrize("scaled", [False, True])
def test_feasible_problems_are_solved_with_the_minimum_norm(scaled: bool) -> None:
    rng = np.random.default_rng(int(scaled))
    reached = 0
    for _ in range(400):
        A, b, w, bounds = problem(rng, scaled)
        s = bounded_least_norm(A, b, w, bounds)
        assert s is not None
        assert (np.abs(s) <= bounds).all()
        rows = np.abs(A).max(axis=1)
        assert (np.abs(A @ s - b) < 1e-8 * rows * np.abs(s).max()).all()
        # KKT: the slope w s is A^T lam less a push inwards, only where a force is at its bound
        at = np.abs(s) > bounds * (1 - 1e-9)
        reached += int(at.any())
        lam, push = multipliers(A / rows[:, None], w * s, np.sign(s) * at)
        gap = (A / rows[:, None]).T @ lam - np.sign(s) * push - w * s
        assert np.abs(gap).max() < 1e-7 * np.abs(w * s).max()
    assert reached > 200


def multipliers(A: Array, slope: Array, signs: Array) -> tuple[Array, Array]:
    """lam and push >= 0 (at the places of the signs) that bring A^T lam - signs push nearest to the slope."""
    from scipy.optimize import lsq_linear

    m, n = A.shape
    at = np.flatnonzero(signs)
    E = np.hstack([A.T, -np.eye(n)[:, at] * signs[at]])
    lower = np.concatenate([np.full(m, -np.inf), np.zeros(len(at))])
    x = lsq_linear(E, slope, (lower, np.inf), method="bvls", tol=1e-14).x
    push = np.zeros(n)
    push[at] = x[m:]
    return x[:m], push


def test_where_no_force_is_within_the_bounds_none_is_given_and_the_factor_is_reported() -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        A, b, w, bounds = problem(rng, False)
        bounds[np.isinf(bounds)] = 1.0
        factor = smallest_bound_factor(A, b, bounds)
        assert bounded_least_norm(A, b, w, factor * (1 - 1e-6) * bounds) is None
        assert bounded_least_norm(A, b, w, factor * (1 + 1e-6) * bounds) is not None
    only_zero = smallest_bound_factor(np.eye(2), np.ones(2), np.array([0.0, 5.0]))
    assert only_zero == np.inf


def test_forces_at_the_very_edge_of_the_bounds_are_accepted() -> None:
    A = np.array([[0.1, 0.2, 0.3], [0.3, -0.7, 0.1]])
    bounds = np.array([0.7, 1.1, 1.3])
    for signs in np.ndindex(2, 2, 2):
        s = (2.0 * np.array(signs) - 1) * bounds
        found = bounded_least_norm(A, A @ s, np.ones(3), bounds)
        assert found is not None
        np.testing.assert_allclose(A @ found, A @ s, atol=1e-8)
