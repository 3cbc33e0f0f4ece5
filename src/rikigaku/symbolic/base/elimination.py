"""Linear algebra modulo a prime, and back to rational numbers."""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

import numpy as np

from rikigaku.numbers.prime_field import Residues


def pivot_columns(rows: Residues, p: int) -> tuple[list[int], list[int]]:
    """The first columns that are independent, left to right, and rows in which they are."""
    A, order = rows.copy(), np.arange(len(rows))
    columns: list[int] = []
    for j in range(A.shape[1]):
        r = len(columns)
        found = np.flatnonzero(A[r:, j])
        if not found.size:
            continue
        k = r + int(found[0])
        A[[r, k]], order[[r, k]] = A[[k, r]], order[[k, r]]
        A[r] = A[r] * pow(int(A[r, j]), -1, p) % p
        below = r + 1 + np.flatnonzero(A[r + 1 :, j])
        A[below, j:] = (A[below, j:] - A[below, j, None] * A[r, j:]) % p
        columns.append(j)
        if len(columns) == len(A):
            break
    return columns, order[: len(columns)].tolist()


def solved(A: Residues, B: Residues, p: int) -> Residues:
    """X with A X = B modulo p, for a stack of square matrices A (..., n, n) and B (..., n, m).

    Raises ZeroDivisionError where a matrix of the stack is singular.
    """
    n = A.shape[-1]
    M = np.concatenate([A, B], axis=-1).reshape(-1, n, n + B.shape[-1])
    every = np.arange(len(M))
    for k in range(n):
        pivots = k + np.argmax(M[:, k:, k] != 0, axis=1)
        if not M[every, pivots, k].all():
            raise ZeroDivisionError("A matrix is singular modulo the prime.")
        M[every, pivots], M[every, k] = M[every, k], M[every, pivots].copy()
        M[:, k] = M[:, k] * _inverses(M[:, k, k], p)[:, None] % p
        others = np.flatnonzero(np.arange(n) != k)
        M[:, others, k:] = (M[:, others, k:] - M[:, others, k, None] * M[:, k, None, k:]) % p
    return M[:, :, n:].reshape(B.shape)


def _inverses(x: Residues, p: int) -> Residues:
    return np.array([pow(int(v), -1, p) for v in x])


def product(A: Residues, B: Residues, p: int) -> Residues:
    """A B modulo p, for matrices or stacks of them."""
    total = np.zeros((*np.broadcast_shapes(A.shape[:-2], B.shape[:-2]), A.shape[-2], B.shape[-1]), np.int64)
    for k in range(A.shape[-1]):
        total = (total + A[..., :, k, None] * B[..., None, k, :]) % p
    return total


def rational(residue: int, modulus: int) -> Fraction | None:
    """The fraction n/d of that residue with |n|, d below sqrt(modulus)/2 or so; None where there is none."""
    bound = isqrt(modulus // 8)
    a, b, x, y = modulus, residue % modulus, 0, 1
    while b > bound:
        k = a // b
        a, b, x, y = b, a - k * b, y, x - k * y
    if y == 0 or abs(y) > bound:
        return None
    return Fraction(b, y)


def combined(residues: Sequence[int], primes: Sequence[int]) -> tuple[int, int]:
    """The residue modulo the product of the primes, and that product."""
    value, modulus = residues[0], primes[0]
    for r, p in zip(residues[1:], primes[1:], strict=True):
        value += modulus * ((r - value) * pow(modulus, -1, p) % p)
        modulus *= p
    return value, modulus
