"""Natural and damped vibration at a configuration: K z = w^2 M z and (r^2 M + r C + K) z = 0."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, eigh
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, eigs, eigsh, splu

from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import whole
from rikigaku.fem.matrix_assembly import Assembly
from rikigaku.fem.static_deflection import Shape, is_regular, shape

_DENSE = 600  # coordinates up to which the dense eigenvalue problem is faster
Complex = NDArray[np.complex128]
_DENSE_DAMPED = 150  # coordinates up to which the dense eigenvalue problem is faster
_REAL = 1e-7  # relative imaginary part of a real eigenvalue


def _frequencies_line(assembly: Assembly, frequencies: Array) -> str:
    """One line: number of vibration modes, robot, lowest frequencies."""
    shown = ", ".join(f"{x:.4g}" for x in frequencies[:6]) + (", ..." if len(frequencies) > 6 else "")
    return f"{len(frequencies)} vibration modes of {assembly.grid.layout.robot.name!r}: {shown} Hz"


@dataclass(frozen=True, eq=False, repr=False)
class VibrationModes(Shape):
    """Natural frequencies [Hz], lowest first, and mode shapes (first axis of u and t)."""

    frequencies: Array

    def __repr__(self) -> str:
        return f"<{_frequencies_line(self.assembly, self.frequencies)}>"


def modes(assembly: Assembly, count: int = 6) -> VibrationModes:
    """Lowest natural vibration modes, fewer if fewer have mass. Rigid-body modes have 0 Hz.

    K z = w^2 M z is solved as M z = (K + s M) z / (w^2 + s), which admits coordinates without mass.
    """
    K, M = assembly.K, assembly.M
    count = min(whole("count of vibration modes", count), assembly.size)
    values, z = _largest_eigenvalues(M, K, count) if is_regular(K) else (np.zeros(0), np.zeros((0, 0)))
    shift = 0.0
    if not len(values):  # rigid-body modes: a small shift by M makes the matrix regular
        shift = 1e-10 * float(K.diagonal().max()) / max(float(M.diagonal().max()), 1e-300)
        values, z = _largest_eigenvalues(M, csr_array(K + shift * M), count)
    has_mass = (values > 0) & (values > 1e-14 * values[:1])  # massless coordinates have no frequency
    if not has_mass.any():
        raise WrongValue(
            f"Nothing of robot {assembly.grid.layout.robot.name!r} that can deform or move here has mass, so "
            "nothing vibrates: give links an inertia, or masses={frame: kg}."
        )
    square = 1 / values[has_mass] - shift
    square[square < 1e-3 * shift] = 0.0
    frequencies = np.sqrt(square) / (2 * np.pi)
    found = shape(assembly, z[:, has_mass])
    return VibrationModes(assembly, found.u, found.t, frequencies)


def _largest_eigenvalues(M: csr_array, A: csr_array, count: int) -> tuple[Array, Array]:
    """Largest eigenvalues m of M z = m A z, in decreasing order, and their eigenvectors."""
    size = A.shape[0]
    if size <= _DENSE:
        values, z = eigh(M.toarray(), A.toarray(), subset_by_index=[size - count, size - 1])
    else:  # shift-invert Lanczos
        small, z = eigsh(A.tocsc(), count, M.tocsc(), sigma=0.0, which="LM")
        values = 1 / small
    order = np.argsort(values)[::-1]
    return values[order], z[:, order]


@dataclass(frozen=True, eq=False, repr=False)
class DampedVibrationModes(Shape):
    """Damped vibration modes exp(r t), smallest abs(r) first; of each conjugate pair the one with Im r >= 0.

    rates: eigenvalues r [1/s], complex. Mode shapes u and t are complex (parts of a link may be out of
    phase), scaled to 1 at their largest component. Overdamped modes have real r. A free joint has r = 0 and
    the rate of its viscous friction.
    """

    rates: Complex

    @property
    def frequencies(self) -> Array:
        """Damped frequencies Im r / (2 pi) [Hz]; 0 for overdamped modes."""
        return np.asarray(self.rates.imag / (2 * np.pi))

    @property
    def ratios(self) -> Array:
        """Damping ratios zeta = -Re r / abs(r): 0 undamped, 1 overdamped."""
        size = np.abs(self.rates)
        return np.asarray(np.where(size > 0, -self.rates.real / np.where(size > 0, size, 1.0), 0.0))

    @property
    def decrements(self) -> Array:
        """Logarithmic decrements 2 pi zeta / sqrt(1 - zeta^2)."""
        with np.errstate(divide="ignore"):
            return np.asarray(-2 * np.pi * self.rates.real / self.rates.imag)

    def __repr__(self) -> str:
        ratios = np.abs(self.ratios[:6].round(12))
        shown = ", ".join(f"{x:.3g}" for x in ratios) + (", ..." if len(self.ratios) > 6 else "")
        return f"<{_frequencies_line(self.assembly, self.frequencies)}, damping ratios {shown}>"


def damped_modes(assembly: Assembly, count: int = 6) -> DampedVibrationModes:
    """Damped vibration modes of smallest abs(r).

    With r = 1/m + s the problem becomes m^2 (K + s C + s^2 M) + m (C + 2 s M) + M: the largest eigenvalues m
    of a matrix of twice the size. The shift s is positive only if the mechanism moves freely, and small
    beside the frequencies.
    """
    count = whole("count of vibration modes", count)
    K, C, M = assembly.K, assembly.C, assembly.M
    s = 0.0
    if not is_regular(K):
        s = 1e-4 * float(np.sqrt(K.diagonal().max() / max(float(M.diagonal().max()), 1e-300)))
    rates, z = _slowest_eigenvalues(
        csr_array(K + s * C + s * s * M), csr_array(C + 2 * s * M), M, 2 * count + 2
    )
    rates = rates + s
    rates[np.abs(rates) < 1e-3 * s] = 0.0
    rates.imag[np.abs(rates.imag) < _REAL * np.abs(rates)] = 0.0
    kept = np.flatnonzero(rates.imag >= 0)
    kept = kept[np.argsort(np.abs(rates[kept]), kind="stable")][:count]
    found = shape(assembly, z[:, kept])
    moves = [x.reshape(len(kept), -1) for x in (found.u, found.t)]
    u, t = (np.take_along_axis(x, np.argmax(np.abs(x), axis=1)[:, None], axis=1) for x in moves)
    largest = np.where(np.abs(u) > 1e-9 * np.abs(t), u, t)[..., None]  # rotations where nothing is displaced
    return DampedVibrationModes(assembly, found.u / largest, found.t / largest, rates[kept])


def _slowest_eigenvalues(K: csr_array, C: csr_array, M: csr_array, count: int) -> tuple[Complex, Complex]:
    """Eigenvalues r of smallest size and vectors z of (r^2 M + r C + K) z = 0, for regular K."""
    n = K.shape[0]
    factor = splu(K.tocsc())

    def apply(x: Any) -> Any:
        z, y = x[:n], x[n:]
        return np.concatenate([y, -factor.solve(np.ascontiguousarray(M @ z + C @ y))])

    if n <= _DENSE_DAMPED or count >= 2 * n - 1:
        m, both = eig(apply(np.eye(2 * n)))
    else:
        operator = LinearOperator((2 * n, 2 * n), apply, dtype=np.float64)
        m, both = eigs(operator, count, which="LM", v0=np.ones(2 * n))
    order = np.argsort(-np.abs(m), kind="stable")[:count]
    order = order[np.abs(m[order]) > 1e-14 * np.abs(m[order[0]])]  # massless coordinates have no eigenvalue
    return np.asarray(1 / m[order]), np.asarray(both[:n, order])
