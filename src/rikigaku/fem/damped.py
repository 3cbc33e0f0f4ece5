"""Vibrations that die away: the quadratic eigenvalue problem (r^2 M + r C + K) z = 0 of a posture."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, eigs, splu

from rikigaku.fem.assembly import Assembly
from rikigaku.fem.linear import Shape, holds, shape, vibrations_of
from rikigaku.given import whole

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_DENSE = 150  # free values up to which a full eigenvalue problem is the quicker one
_REAL = 1e-7  # of a rate: an imaginary part below this is none


@dataclass(frozen=True, eq=False, repr=False)
class DampedModes(Shape):
    """Motions exp(r t), slowest first; of each pair of conjugate rates the one that turns forward.

    rates: r [1/s], complex. Shapes u and t are complex too (parts of a link may lag behind others), 1 where
    they are largest. What creeps back without swinging has a real rate. A joint free to turn has the rate 0
    (it stays where it is) and that of its friction.
    """

    rates: Complex

    @property
    def frequencies(self) -> Array:
        """Of the swinging [Hz]; 0 where there is none."""
        return np.asarray(self.rates.imag / (2 * np.pi))

    @property
    def ratios(self) -> Array:
        """Damping ratios, -Re r / abs(r): 0 swings on for ever, 1 does not swing at all."""
        size = np.abs(self.rates)
        return np.asarray(np.where(size > 0, -self.rates.real / np.where(size > 0, size, 1.0), 0.0))

    @property
    def decrements(self) -> Array:
        """Logarithm of one swing over the next, 2 pi zeta / sqrt(1 - zeta^2)."""
        with np.errstate(divide="ignore"):
            return np.asarray(-2 * np.pi * self.rates.real / self.rates.imag)

    def __repr__(self) -> str:
        ratios = np.abs(self.ratios[:6].round(12))
        shown = ", ".join(f"{x:.3g}" for x in ratios) + (", ..." if len(self.ratios) > 6 else "")
        return f"<{vibrations_of(self.assembly, self.frequencies)}, damping ratios {shown}>"


def damped_modes(assembly: Assembly, count: int = 6) -> DampedModes:
    """The slowest of them, by abs(r).

    With r = 1/m + s it is m^2 (K + s C + s^2 M) + m (C + 2 s M) + M: the largest m of a matrix of twice the
    size. s is above zero only where the mechanism moves freely, and small beside what vibrates.
    """
    count = whole("count of vibrations", count)
    K, C, M = assembly.K, assembly.C, assembly.M
    s = 0.0
    if not holds(K):
        s = 1e-4 * float(np.sqrt(K.diagonal().max() / max(float(M.diagonal().max()), 1e-300)))
    rates, z = _slowest(csr_array(K + s * C + s * s * M), csr_array(C + 2 * s * M), M, 2 * count + 2)
    rates = rates + s
    rates[np.abs(rates) < 1e-3 * s] = 0.0
    rates.imag[np.abs(rates.imag) < _REAL * np.abs(rates)] = 0.0
    kept = np.flatnonzero(rates.imag >= 0)
    kept = kept[np.argsort(np.abs(rates[kept]), kind="stable")][:count]
    found = shape(assembly, z[:, kept])
    moves = [x.reshape(len(kept), -1) for x in (found.u, found.t)]
    u, t = (np.take_along_axis(x, np.argmax(np.abs(x), axis=1)[:, None], axis=1) for x in moves)
    largest = np.where(np.abs(u) > 1e-9 * np.abs(t), u, t)[..., None]  # of turns where nothing is displaced
    return DampedModes(assembly, found.u / largest, found.t / largest, rates[kept])


def _slowest(K: csr_array, C: csr_array, M: csr_array, count: int) -> tuple[Complex, Complex]:
    """r of least size and z of (r^2 M + r C + K) z = 0, K regular."""
    n = K.shape[0]
    factor = splu(K.tocsc())

    def apply(x: Any) -> Any:
        z, y = x[:n], x[n:]
        return np.concatenate([y, -factor.solve(np.ascontiguousarray(M @ z + C @ y))])

    if n <= _DENSE or count >= 2 * n - 1:
        m, both = eig(apply(np.eye(2 * n)))
    else:
        operator = LinearOperator((2 * n, 2 * n), apply, dtype=np.float64)
        m, both = eigs(operator, count, which="LM", v0=np.ones(2 * n))
    order = np.argsort(-np.abs(m), kind="stable")[:count]
    order = order[np.abs(m[order]) > 1e-14 * np.abs(m[order[0]])]  # what has no mass has no rate
    return np.asarray(1 / m[order]), np.asarray(both[:n, order])
