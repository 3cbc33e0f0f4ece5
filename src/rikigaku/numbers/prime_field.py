"""Arithmetic of residue arrays in a random prime field that has roots of unity of a given order."""

import math
from fractions import Fraction

import numpy as np
from flint import fmpz
from numpy.typing import NDArray

Residues = NDArray[np.int64]

_LARGEST = 2**31  # products of residues must fit 63 bits


class PrimeField:
    """The field of a random prime between 2^30 and 2^31.

    zeta: roots of unity of the order (a multiple of 24), one for each of the samples. i: their powers with
    i^2 = -1. non_residue: an element without square root. denominator: a common multiple of the
    denominators in multiples of angles; the prime is chosen so that raising to this power loses few elements.
    """

    def __init__(self, rng: np.random.Generator, samples: int, order: int, denominator: int) -> None:
        self.rng, self.samples, self.order, self.denominator = rng, samples, order, denominator
        p = int(rng.integers(_LARGEST // 2, _LARGEST - order)) // order * order + 1
        while not (fmpz(p).is_prime() and math.gcd(denominator, p - 1) == math.gcd(denominator, order)):
            p = p - order if p > _LARGEST // 2 else _LARGEST // order * order + 1 - order
        self.prime = p
        self.non_residue = next(x for x in range(2, 1000) if pow(x, (p - 1) // 2, p) == p - 1)
        while True:
            zeta = pow(int(rng.integers(2, p - 1)), (p - 1) // order, p)
            if all(pow(zeta, order // int(k), p) != 1 for k, _ in fmpz(order).factor()):
                break
        self.zeta = np.array([pow(zeta, self._unit(), p) for _ in range(samples)])[:, None]
        self.i = self.power(self.zeta, order // 4)
        self.unit_inverse = self.inverse(self.i)[0]  # 1/i of the first sample

    def _unit(self) -> int:
        """A random exponent that makes another root of unity of the same order."""
        while math.gcd(k := int(self.rng.integers(1, self.order)), self.order) != 1:
            pass
        return k

    def random(self, *shape: int) -> Residues:
        """Uniformly distributed residues other than 0 and 1."""
        return self.rng.integers(2, self.prime, shape)

    def constant(self, x: int | Fraction) -> int:
        """The residue of a rational number."""
        if isinstance(x, int):
            return x % self.prime
        try:
            return x.numerator * pow(x.denominator, -1, self.prime) % self.prime
        except ValueError:
            raise ZeroDivisionError(f"The denominator of {x} vanishes modulo {self.prime}.") from None

    def power(self, x: Residues, n: int) -> Residues:
        """x**n, for n of any sign (x invertible)."""
        n %= self.prime - 1
        result = np.ones_like(x)
        while n:
            if n & 1:
                result = result * x % self.prime
            x = x * x % self.prime
            n >>= 1
        return result

    def inverse(self, x: Residues) -> Residues:
        """1/x, element by element."""
        if not np.all(x):
            raise ZeroDivisionError("A divisor vanishes modulo the prime.")
        return self.power(x, self.prime - 2)

    def square_root(self, x: Residues) -> tuple[Residues, Residues]:
        """a, b with x = (a + b sqrt(non_residue))^2, element by element; one of the two is zero."""
        p, d = self.prime, self.non_residue
        plain, beyond = np.zeros_like(x), np.zeros_like(x)
        for place, value in np.ndenumerate(x):
            a = int(value)
            if pow(a, (p - 1) // 2, p) == p - 1:
                beyond[place] = int(fmpz(a * pow(d, -1, p) % p).sqrtmod(p))
            elif a:
                plain[place] = int(fmpz(a).sqrtmod(p))
        return plain, beyond
