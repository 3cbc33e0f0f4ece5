"""Static deflection of the linear mesh at a configuration, K z = f, and its mobility, the nullity of K."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import splu

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import GRAVITY, by_name, numbers
from rikigaku.fem import mesh_plots
from rikigaku.fem.matrix_assembly import Assembly
from rikigaku.model.mechanism import WORLD

_NO_STIFFNESS = 1e-9  # of the largest eigenvalue: zero stiffness


@dataclass(frozen=True, eq=False, repr=False)
class Shape:
    """Displacements u [m] and rotations t [rad] of all nodes, (..., nodes, 3), world axes, on an assembly."""

    assembly: Assembly
    u: Array
    t: Array

    @checked
    def at(self, name: str) -> Array:
        """Displacement of a frame, (..., 3) [m]."""
        frames = self.assembly.grid.layout.frames
        if name not in frames:
            raise UnknownName("frame", name, frames, "the mesh")
        return np.asarray(self.u[..., frames[name], :])

    plot = mesh_plots.plot_shape

    def view(self, **options: Any) -> Any:
        """The deflection or the vibration modes in a notebook's cell; see `rikigaku.web.notebook`."""
        return import_module("rikigaku.web.notebook").shape_view(self, **options)

    def __repr__(self) -> str:
        far = float(np.linalg.norm(self.u, axis=-1).max(initial=0.0))
        return f"<Shape of {self.assembly.grid.layout.robot.name!r}: nodes displaced by up to {far:.4g} m>"


def shape(assembly: Assembly, z: NDArray[Any]) -> Shape:
    """Nodal displacements of coordinates z (size,) or (size, many)."""
    x = np.moveaxis(
        np.asarray(assembly.Z @ z).reshape(len(assembly.grid.positions), 6, *z.shape[1:]), (0, 1), (-2, -1)
    )
    return Shape(assembly, x[..., :3], x[..., 3:])


def mobility(assembly: Assembly) -> int:
    """Mobility: dimension of the null space of K.

    Thin beams have a bending stiffness close to zero; use an assembly with even beams.
    """
    K, Z = assembly.K.toarray(), abs(assembly.Z)
    # Scale by the sum of absolute stiffnesses: links of very different lengths become comparable, and
    # rounding is not mistaken for stiffness.
    size = np.sqrt((Z.T @ abs(assembly.nodal_stiffness) @ Z).diagonal())
    size[size == 0] = 1.0
    s = np.linalg.eigvalsh(K / np.outer(size, size))
    return int((s < _NO_STIFFNESS * s[-1:]).sum())


def is_regular(K: csr_array) -> bool:
    """Whether K is regular: no pivot vanishes after scaling K to a unit diagonal."""
    scale = 1 / np.sqrt(np.maximum(K.diagonal(), 1e-300))
    scaled = (diags_array(scale) @ K @ diags_array(scale)).tocsc()
    try:
        factor = splu(
            scaled, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:
        return False
    return bool(np.abs(factor.U.diagonal()).min(initial=1.0) > 1e-13)


def deflection(
    assembly: Assembly, loads: Mapping[str, ArrayLike] | None = None, gravity: ArrayLike | None = None
) -> Shape:
    """Static displacements under weight and loads {frame: force (3) or wrench (6)} [N, N m], world axes.

    Raises:
        WrongValue: if the mechanism can move freely (lock its motors), or if a load bends a planar mesh
            out of its plane.
    """
    grid = assembly.grid
    force = np.zeros((len(grid.positions), 6))
    for name, load in by_name("Loads", loads or {}, "loads={frame: force (3) or wrench (6)}").items():
        if name not in grid.layout.frames:
            raise UnknownName("frame", name, grid.layout.frames, "the mesh")
        load = numbers(f"The load at {name!r}, a force (3) or a wrench (6),", load, (3,), (6,))
        force[grid.layout.frames[name], : len(load)] += load
    total = force.ravel() + weight(assembly, gravity)
    _check_plane(assembly, total.reshape(-1, 6))
    return shape(assembly, _solved(assembly, assembly.Z.T @ total))


def _check_plane(assembly: Assembly, force: Array) -> None:
    """Refuse loads that bend the beams of a planar mesh out of its plane."""
    n = assembly.grid.layout.normal
    if n is None:
        return
    moments = force[:, 3:] - np.outer(force[:, 3:] @ n, n)
    for out, size in ((force[:, :3] @ n, force[:, :3]), (moments, force[:, 3:])):
        if np.abs(out).max(initial=0.0) > 1e-9 * np.abs(size).max(initial=0.0):
            axis = ", ".join(f"{x:g}" for x in n + 0.0)
            raise WrongValue(
                f"Robot {assembly.grid.layout.robot.name!r} is meshed in the plane normal to ({axis}); "
                "its weight or a load bends it out of this plane. robot.fem(spatial=True) includes that; "
                "gravity=(0, 0, 0) leaves the weight out."
            )


def weight(assembly: Assembly, gravity: ArrayLike | None = None) -> Array:
    """Gravity forces on all nodal values."""
    grid = assembly.grid
    g = grid.layout.mechanism.gravity if gravity is None else gravity
    acceleration = np.zeros((len(grid.positions), 6))
    acceleration[grid.body != WORLD, :3] = numbers(GRAVITY, g, (3,))
    return np.asarray(assembly.nodal_mass @ acceleration.ravel())


def _solved(assembly: Assembly, right: Array) -> Array:
    K = assembly.K.tocsc()
    if not K.shape[0]:
        return np.zeros(0)
    z = splu(K).solve(right) if is_regular(assembly.K) else np.full(len(right), np.nan)
    if not np.isfinite(z).all():
        raise WrongValue(
            "The mechanism moves freely under this load: lock more of its joints (locked='all', or names)."
        )
    return np.asarray(z)
