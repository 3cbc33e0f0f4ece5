"""Linear equations inside a program: against NumPy, with structural zeros, and singular matrices."""

import numpy as np
import pytest

from rikigaku.laws.householder import orthogonal
from rikigaku.numbers.program import trace

Array = np.ndarray


def sparse(rng: np.random.Generator, rows: int, columns: int) -> list[list[float]]:
    A = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.5)
    A[:columns] += np.diag(rng.normal(size=columns))
    return A.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_solutions_are_numpys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    A = sparse(rng, n, n)
    b = rng.normal(size=n)
    factors = orthogonal(A, n)
    size = np.linalg.cond(A)
    np.testing.assert_allclose(factors.solve(b), np.linalg.solve(A, b), rtol=1e-13 * size, atol=1e-13 * size)
    transposed = np.linalg.solve(np.array(A).T, b)
    np.testing.assert_allclose(factors.solve_transposed(b), transposed, rtol=1e-13 * size, atol=1e-13 * size)


@pytest.mark.parametrize("seed", range(10))
def test_tall_matrices_are_solved_by_least_squares_and_shortest_solutions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(7, 4))
    factors = orthogonal(A.tolist(), 4)
    b, c = rng.normal(size=7), rng.normal(size=4)
    np.testing.assert_allclose(factors.solve(b), np.linalg.lstsq(A, b, rcond=None)[0], atol=1e-12)
    np.testing.assert_allclose(
        factors.solve_transposed(c), np.linalg.lstsq(A.T, c, rcond=None)[0], atol=1e-12
    )
    N = np.array(factors.complement())
    np.testing.assert_allclose(N @ A, 0, atol=1e-14)
    np.testing.assert_allclose(N @ N.T, np.eye(3), atol=1e-14)


def test_no_pivoting_is_needed() -> None:
    A = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    assert orthogonal(A, 3).solve([1.0, 2.0, 3.0]) == [3.0, 1.0, 2.0]
    small = np.array([[1e-20, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(orthogonal(small.tolist(), 2).solve([1.0, 2.0]), [1.0, 1.0], atol=1e-15)


def test_columns_that_are_triangular_already_lose_no_digits() -> None:
    for sign in (1.0, -1.0):
        A = np.array([[sign, 1.0], [1e-9, 1.0]])
        np.testing.assert_allclose(orthogonal(A.tolist(), 2).solve(A @ [1.0, 2.0]), [1.0, 2.0], rtol=1e-15)


def test_singular_matrices_give_nan() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(4, 3)) @ rng.normal(size=(3, 4))
    with np.errstate(invalid="ignore"):
        assert np.isnan(orthogonal(A.tolist(), 4).solve([1.0, 2.0, 3.0, 4.0])).any()


def test_weakly_coupled_blocks_cost_no_more_than_each_alone() -> None:
    def operations(blocks: int) -> int:
        def run(x):
            n = 3 * blocks
            A = [
                [x[9 * (i // 3) + 3 * (i % 3) + j % 3] if i // 3 == j // 3 else 0 for j in range(n)]
                for i in range(n)
            ]
            return {"y": orthogonal(A, n).solve(x[:n])}

        return trace("blocks", [("x", (9 * blocks,))], run).operations.total

    assert operations(6) < 6.4 * operations(1)  # the size of the matrix is a sum over all
