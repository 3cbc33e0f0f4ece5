"""Coefficients as formulas of the geometry, interpolated from their values modulo primes.

The unknown formula is a polynomial in a few generators, possibly over a monomial. Monomials are tried by
increasing degree. A linear system modulo the prime gives their coefficients, surplus samples confirm the
ansatz, and further primes give rational coefficients and check them again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from rikigaku.core.errors import NotExact
from rikigaku.numbers.prime_field import Residues
from rikigaku.symbolic.algebra.row_elimination import pivot_columns, product, solved
from rikigaku.symbolic.base_parameters.coefficient_field import CoefficientField, Exponents, Ratio
from rikigaku.symbolic.base_parameters.number_recognition import chinese_remainder, rational_from_residue
from rikigaku.symbolic.base_parameters.regressor_samples import Sample

SPARE = 6  # surplus samples: a wrong ansatz passes with probability prime^-6
_LARGEST = 700  # monomials in one ansatz
_PRIMES = 60


@dataclass
class Unknown:
    """A coefficient to be found.

    name: key of its values in a sample. generator_sets: sets of generators to try, likely ones first.
    """

    name: tuple[int, int]
    generator_sets: Sequence[tuple[int, ...]]
    monomials: list[Exponents] = field(default_factory=list)
    below: Exponents | None = None
    residues: list[list[int]] = field(default_factory=list)  # for each prime, one a monomial
    ratio: Ratio | None = None


Values = dict[tuple[int, int], Residues]
# (number of geometries) -> a sample of that size modulo a new prime, and the coefficients' values there.
Sampler = Callable[[int], tuple[Sample, Values]]


def fit(
    coefficient_field: CoefficientField, unknowns: Sequence[Unknown], sampler: Sampler, spare: int = SPARE
) -> None:
    """Determine each unknown, or raise NotExact.

    spare: number of surplus samples; fewer where samples are expensive.
    """
    if not unknowns:
        return
    enough = _find_monomials(coefficient_field, unknowns, sampler, spare)
    primes: list[int] = []
    for _ in range(_PRIMES):
        open_unknowns = [u for u in unknowns if u.ratio is None]
        if not open_unknowns:
            return
        sample, values = sampler(enough)
        primes.append(sample.field.prime)
        basis = _Basis(coefficient_field, sample)
        for u in open_unknowns:
            if not _confirmed(coefficient_field, u, values[u.name], basis, primes[:-1]):
                u.residues.append(_coefficients(u, values[u.name], basis))
    raise NotExact("The coefficients of the regrouping need more digits than could be found.")


class _Basis:
    """Values of monomials in one sample, computed once."""

    def __init__(self, coefficient_field: CoefficientField, sample: Sample) -> None:
        self.coefficient_field, self.sample, self.p = coefficient_field, sample, sample.field.prime
        self.samples = sample.field.samples
        self._values: dict[int, Residues] = {}
        self._known: dict[Exponents, Residues] = {}

    def __call__(self, powers: Exponents) -> Residues:
        if powers not in self._known:
            value = np.ones(self.samples, dtype=np.int64)
            for k, n in enumerate(powers):
                if n and k not in self._values:
                    self._values[k] = self.sample.value(self.coefficient_field.formulas[k])
                for _ in range(n):
                    value = value * self._values[k] % self.p
            self._known[powers] = value
        return self._known[powers]

    def matrix(self, monomials: Sequence[Exponents]) -> Residues:
        return np.stack([self(powers) for powers in monomials], axis=1)


def _find_monomials(
    coefficient_field: CoefficientField, unknowns: Sequence[Unknown], sampler: Sampler, spare: int
) -> int:
    """Determine the monomials of each unknown; return how many samples their coefficients need."""
    open_unknowns = list(unknowns)
    spare = spare if any(generators for u in unknowns for generators in u.generator_sets) else 0
    size = enough = 1 + spare
    sample, values = sampler(size)
    basis = _Basis(coefficient_field, sample)
    for degree in range(9):
        for below_degree in range(min(degree, 4) + 1):
            for places in dict.fromkeys(generators for u in open_unknowns for generators in u.generator_sets):
                group = [u for u in open_unknowns if places in u.generator_sets and not u.monomials]
                if not group or (degree and not places):
                    continue
                monomials = [
                    e
                    for d in range(degree - below_degree + 1)
                    for e in coefficient_field.monomials(d, places)
                ]
                if len(monomials) > _LARGEST:
                    continue
                if len(monomials) + spare > size and places:
                    size = len(monomials) + spare
                    sample, values = sampler(size)
                    basis = _Basis(coefficient_field, sample)
                belows = list(coefficient_field.monomials(below_degree, places, below=True))
                _fit_group(group, monomials, belows, values, basis)
                enough = max(enough, *(len(u.monomials) + spare for u in group))
            open_unknowns = [u for u in open_unknowns if not u.monomials]
            if not open_unknowns:
                return enough
    raise NotExact(
        "Some coefficient of the regrouping is no simple formula of the geometry's symbols. "
        "Give values to some of the symbols (robot.bind(...)) and call again."
    )


def _fit_group(
    group: list[Unknown], monomials: list[Exponents], belows: list[Exponents], values: Values, basis: _Basis
) -> None:
    """Try the monomials, over each denominator, on all unknowns of a group at once."""
    p = basis.p
    targets = np.stack([values[u.name] * basis(below) % p for u in group for below in belows], axis=1)
    A = basis.matrix(monomials)
    columns, rows = pivot_columns(A, p)
    x = solved(A[np.ix_(rows, columns)], targets[rows], p)
    right = (product(A[:, columns], x, p) == targets).all(axis=0).reshape(len(group), len(belows))
    for i, u in enumerate(group):
        if right[i].any():
            k = int(np.argmax(right[i]))
            c = x[:, i * len(belows) + k]
            u.monomials = [monomials[j] for j, value in zip(columns, c, strict=True) if value] or [
                monomials[0]
            ]
            u.below = belows[k]


def _coefficients(u: Unknown, values: Residues, basis: _Basis) -> list[int]:
    p = basis.p
    target = values * basis(u.below or ()) % p
    A = basis.matrix(u.monomials)
    columns, rows = pivot_columns(A, p)
    if len(columns) < len(u.monomials):
        raise ZeroDivisionError("The samples happen to be dependent modulo this prime.")
    return [int(c) for c in solved(A[rows], target[rows][:, None], p)[:, 0]]


def _confirmed(
    coefficient_field: CoefficientField, u: Unknown, values: Residues, basis: _Basis, primes: list[int]
) -> bool:
    """Whether rational coefficients from the primes so far reproduce the values modulo a new prime."""
    if not primes:
        return False
    p, found = basis.p, []
    for k in range(len(u.monomials)):
        fraction = rational_from_residue(*chinese_remainder([r[k] for r in u.residues], primes))
        if fraction is None or fraction.denominator % p == 0:
            return False
        found.append(fraction)
    x = np.array([[c.numerator * pow(c.denominator, -1, p) % p] for c in found])
    if not np.array_equal(product(basis.matrix(u.monomials), x, p)[:, 0], values * basis(u.below or ()) % p):
        return False
    above: dict[Exponents, Fraction] = dict(zip(u.monomials, found, strict=True))
    u.ratio = coefficient_field.ratio(above, u.below)
    return True
