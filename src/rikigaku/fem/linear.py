"""Small vibrations and deflections of a mechanism in a posture: K and M of the assembly."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import eigsh, splu

from rikigaku.errors import UnknownName, WrongValue
from rikigaku.fem import pictures
from rikigaku.fem.assembly import Assembly
from rikigaku.given import GRAVITY, by_name, numbers, whole
from rikigaku.model.mechanism import WORLD

Array = NDArray[np.float64]

_DENSE = 600  # free values up to which a full eigenvalue problem is the quicker one
_STILL = 1e-9  # of the largest: stiffness below this is none


@dataclass(frozen=True, eq=False, repr=False)
class Shape:
    """Displacements of all nodes: u [m] and t [rad], (..., nodes, 3), world axes, on an assembly."""

    assembly: Assembly
    u: Array
    t: Array

    def at(self, name: str) -> Array:
        """Displacement of a frame, (..., 3) [m]."""
        frames = self.assembly.grid.layout.frames
        if name not in frames:
            raise UnknownName("frame", name, frames, "the mesh")
        return np.asarray(self.u[..., frames[name], :])

    plot = pictures.plot_shape

    def __repr__(self) -> str:
        far = float(np.linalg.norm(self.u, axis=-1).max(initial=0.0))
        return f"<Shape of {self.assembly.grid.layout.robot.name!r}: nodes displaced by up to {far:.4g} m>"


def vibrations_of(assembly: Assembly, frequencies: Array) -> str:
    """Whose they are, and the slowest of them, in a line."""
    shown = ", ".join(f"{x:.4g}" for x in frequencies[:6]) + (", ..." if len(frequencies) > 6 else "")
    return f"{len(frequencies)} vibrations of {assembly.grid.layout.robot.name!r}: {shown} Hz"


@dataclass(frozen=True, eq=False, repr=False)
class Modes(Shape):
    """Natural vibrations: frequencies [Hz], lowest first, and their shapes (first axis of u and t)."""

    frequencies: Array

    def __repr__(self) -> str:
        return f"<{vibrations_of(self.assembly, self.frequencies)}>"


def shape(assembly: Assembly, z: NDArray[Any]) -> Shape:
    """Nodal values of free values z (values,) or (values, many)."""
    x = np.moveaxis(
        np.asarray(assembly.Z @ z).reshape(len(assembly.grid.places), 6, *z.shape[1:]), (0, 1), (-2, -1)
    )
    return Shape(assembly, x[..., :3], x[..., 3:])


def mobility(assembly: Assembly) -> int:
    """Dimension of the null space of K: the ways the mechanism moves without bending.

    Thin beams resist bending so little that it looks like none: the beams of the assembly should be even.
    """
    K, Z = assembly.K.toarray(), abs(assembly.Z)
    # scaled by what each value has to do with at all: links of very different lengths are seen alike, and
    # rounding is not taken for stiffness where nothing resists
    size = np.sqrt((Z.T @ abs(assembly.nodal_stiffness) @ Z).diagonal())
    size[size == 0] = 1.0
    s = np.linalg.eigvalsh(K / np.outer(size, size))
    return int((s < _STILL * s[-1:]).sum())


def modes(assembly: Assembly, count: int = 6) -> Modes:
    """The lowest natural vibrations, fewer where fewer have mass. Motions without stiffness have 0 Hz.

    K z = w^2 M z is solved as M z = (K + s M) z / (w^2 + s): values without mass do no harm there.
    """
    K, M = assembly.K, assembly.M
    count = min(whole("count of vibrations", count), assembly.size)
    values, z = _largest(M, K, count) if holds(K) else (np.zeros(0), np.zeros((0, 0)))
    shift = 0.0
    if not len(values):  # the mechanism moves freely: a little of M keeps the matrix regular
        shift = 1e-10 * float(K.diagonal().max()) / max(float(M.diagonal().max()), 1e-300)
        values, z = _largest(M, csr_array(K + shift * M), count)
    massive = (values > 0) & (values > 1e-14 * values[:1])  # what has no mass does not swing
    if not massive.any():
        raise WrongValue(
            f"Nothing of robot {assembly.grid.layout.robot.name!r} that bends or turns here has mass, so "
            "nothing vibrates: give links an inertia, or masses={frame: kg}."
        )
    square = 1 / values[massive] - shift
    square[square < 1e-3 * shift] = 0.0
    frequencies = np.sqrt(square) / (2 * np.pi)
    found = shape(assembly, z[:, massive])
    return Modes(assembly, found.u, found.t, frequencies)


def _largest(M: csr_array, A: csr_array, count: int) -> tuple[Array, Array]:
    """The largest m of M z = m A z, and their z, largest first."""
    size = A.shape[0]
    if size <= _DENSE:
        values, z = eigh(M.toarray(), A.toarray(), subset_by_index=[size - count, size - 1])
    else:  # Lanczos with a factor of A
        small, z = eigsh(A.tocsc(), count, M.tocsc(), sigma=0.0, which="LM")
        values = 1 / small
    order = np.argsort(values)[::-1]
    return values[order], z[:, order]


def holds(K: csr_array) -> bool:
    """Whether K is regular: pivots of K, scaled to ones on its diagonal, do not vanish."""
    scale = 1 / np.sqrt(np.maximum(K.diagonal(), 1e-300))
    scaled = (diags_array(scale) @ K @ diags_array(scale)).tocsc()
    try:
        factor = splu(
            scaled, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:
        return False
    return bool(np.abs(factor.U.diagonal()).min(initial=1.0) > 1e-13)


def deflection(assembly: Assembly, loads: Mapping[str, Any] | None = None, gravity: Any = None) -> Shape:
    """Displacements under weight and loads {frame: force (3) or wrench (6)} [N, N m], world axes.

    Raises:
        WrongValue: if the mechanism can move freely; lock its motors.
    """
    net = assembly.grid
    force = np.zeros((len(net.places), 6))
    for name, load in by_name("Loads", loads or {}, "loads={frame: force (3) or wrench (6)}").items():
        if name not in net.layout.frames:
            raise UnknownName("frame", name, net.layout.frames, "the mesh")
        load = numbers(f"The load at {name!r}, a force (3) or a wrench (6),", load, (3,), (6,))
        force[net.layout.frames[name], : len(load)] += load
    z = _solved(assembly, assembly.Z.T @ (force.ravel() + weight(assembly, gravity)))
    return shape(assembly, z)


def weight(assembly: Assembly, gravity: Any = None) -> Array:
    """Forces of gravity on all nodal values."""
    net = assembly.grid
    g = net.layout.mechanism.gravity if gravity is None else gravity
    fall = np.zeros((len(net.places), 6))
    fall[net.body != WORLD, :3] = numbers(GRAVITY, g, (3,))
    return np.asarray(assembly.nodal_mass @ fall.ravel())


def _solved(assembly: Assembly, right: Array) -> Array:
    K = assembly.K.tocsc()
    if not K.shape[0]:
        return np.zeros(0)
    z = splu(K).solve(right) if holds(assembly.K) else np.full(len(right), np.nan)
    if not np.isfinite(z).all():
        raise WrongValue(
            "The mechanism moves freely under this load: lock more of its joints (locked='all', or names)."
        )
    return np.asarray(z)
