"""Coefficients as formulas of the geometry, from their values modulo primes at random geometries.

The unknown formula is a polynomial in a few atoms, possibly over a monomial in them. Monomials are tried by
growing degree; a linear system modulo the prime gives their coefficients, more samples than unknowns tell
whether the guess was right, and further primes turn residues into rational numbers and check them once more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from rikigaku.errors import NotExact
from rikigaku.numbers.prime_field import Residues
from rikigaku.symbolic.base.atoms import Atoms, Exponents, Ratio
from rikigaku.symbolic.base.elimination import combined, pivot_columns, product, rational, solved
from rikigaku.symbolic.base.samples import Sample

SPARE = 6  # samples beyond the unknowns: a wrong guess passes with probability prime^-6
_LARGEST = 700  # monomials in one guess
_PRIMES = 60


@dataclass
class Unknown:
    """A coefficient to be found.

    name: finds its values in a sample. circles: sets of atoms it may be made of, likely ones first.
    """

    name: tuple[int, int]
    circles: Sequence[tuple[int, ...]]
    monomials: list[Exponents] = field(default_factory=list)
    below: Exponents | None = None
    residues: list[list[int]] = field(default_factory=list)  # for each prime, one a monomial
    answer: Ratio | None = None


Values = dict[tuple[int, int], Residues]
# (how many geometries) -> a sample of that many, in a prime of its own, and the coefficients' values there.
Sampler = Callable[[int], tuple[Sample, Values]]


def fit(atoms: Atoms, unknowns: Sequence[Unknown], sampler: Sampler, spare: int = SPARE) -> None:
    """Find the answer to each unknown, or raise NotExact.

    spare: samples beyond the unknowns; fewer where samples are dear.
    """
    if not unknowns:
        return
    enough = _guess_monomials(atoms, unknowns, sampler, spare)
    primes: list[int] = []
    for _ in range(_PRIMES):
        waiting = [u for u in unknowns if u.answer is None]
        if not waiting:
            return
        sample, values = sampler(enough)
        primes.append(sample.field.prime)
        basis = _Basis(atoms, sample)
        for u in waiting:
            if not _confirmed(atoms, u, values[u.name], basis, primes[:-1]):
                u.residues.append(_coefficients(u, values[u.name], basis))
    raise NotExact("The coefficients of the regrouping need more digits than could be found.")


class _Basis:
    """Values of monomials in one sample, computed once."""

    def __init__(self, atoms: Atoms, sample: Sample) -> None:
        self.atoms, self.sample, self.p = atoms, sample, sample.field.prime
        self.samples = sample.field.samples
        self._atoms: dict[int, Residues] = {}
        self._known: dict[Exponents, Residues] = {}

    def __call__(self, powers: Exponents) -> Residues:
        if powers not in self._known:
            value = np.ones(self.samples, dtype=np.int64)
            for k, n in enumerate(powers):
                if n and k not in self._atoms:
                    self._atoms[k] = self.sample.value(self.atoms.formulas[k])
                for _ in range(n):
                    value = value * self._atoms[k] % self.p
            self._known[powers] = value
        return self._known[powers]

    def matrix(self, monomials: Sequence[Exponents]) -> Residues:
        return np.stack([self(powers) for powers in monomials], axis=1)


def _guess_monomials(atoms: Atoms, unknowns: Sequence[Unknown], sampler: Sampler, spare: int) -> int:
    """Settle which monomials each unknown has; return how many samples their coefficients take."""
    waiting = list(unknowns)
    spare = spare if any(circle for u in unknowns for circle in u.circles) else 0
    size = enough = 1 + spare
    sample, values = sampler(size)
    basis = _Basis(atoms, sample)
    for degree in range(9):
        for below_degree in range(min(degree, 4) + 1):
            for places in dict.fromkeys(circle for u in waiting for circle in u.circles):
                group = [u for u in waiting if places in u.circles and not u.monomials]
                if not group or (degree and not places):
                    continue
                monomials = [e for d in range(degree - below_degree + 1) for e in atoms.monomials(d, places)]
                if len(monomials) > _LARGEST:
                    continue
                if len(monomials) + spare > size and places:
                    size = len(monomials) + spare
                    sample, values = sampler(size)
                    basis = _Basis(atoms, sample)
                belows = list(atoms.monomials(below_degree, places, below=True))
                _fit_group(group, monomials, belows, values, basis)
                enough = max(enough, *(len(u.monomials) + spare for u in group))
            waiting = [u for u in waiting if not u.monomials]
            if not waiting:
                return enough
    raise NotExact(
        "Some coefficient of the regrouping is no simple formula of the geometry's symbols. "
        "Give values to some of the symbols (robot.bind(...)) and ask again."
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


def _confirmed(atoms: Atoms, u: Unknown, values: Residues, basis: _Basis, primes: list[int]) -> bool:
    """True if rational coefficients from the primes so far explain the values in this new one."""
    if not primes:
        return False
    p, found = basis.p, []
    for k in range(len(u.monomials)):
        fraction = rational(*combined([r[k] for r in u.residues], primes))
        if fraction is None or fraction.denominator % p == 0:
            return False
        found.append(fraction)
    x = np.array([[c.numerator * pow(c.denominator, -1, p) % p] for c in found])
    if not np.array_equal(product(basis.matrix(u.monomials), x, p)[:, 0], values * basis(u.below or ()) % p):
        return False
    above: dict[Exponents, Fraction] = dict(zip(u.monomials, found, strict=True))
    u.answer = atoms.ratio(above, u.below)
    return True
