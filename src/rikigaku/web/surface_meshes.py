"""Surfaces C(x, y, z, t) = 0 as triangles for pictures.

Planes and height fields are sampled over a square; other surfaces are cut out of a grid of tetrahedra
(marching tetrahedra), and their vertices are moved onto the surface by Newton steps along the gradient.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rikigaku.contact.surfaces import Surface
from rikigaku.core.checked_calls import checked
from rikigaku.core.types import Array
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.plotting.body_layout import matrix_of, mechanism_of
from rikigaku.robot import Robot
from rikigaku.web.model_document import SurfaceMesh

Indices = NDArray[np.int64]
_HEIGHTS = 40  # cells of a height field along an edge
_CELLS = 22  # of the grid of tetrahedra along an edge
_CORNERS = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
# Six tetrahedra of a cube, all with its diagonal from corner 0 to corner 7.
_TETRAHEDRA = np.array([(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)])


@checked
def surface_mesh(
    robot: Robot, surface: Surface, centre: Array, size: float, times: Sequence[float] = (0.0,)
) -> SurfaceMesh | None:
    """The part of a surface within `size` [m] of a centre (world axes); None where there is none.

    Args:
        times: of the rows of vertices [s]; one row alone is made for surfaces that do not change in time.
    """
    body, on_body = (-1, None) if surface.body is None else mechanism_of(robot).frames[surface.body]
    around = np.asarray(centre, dtype=np.float64) if on_body is None else np.zeros(3)
    fixed = "t" not in surface.formula.symbols
    found = _triangles(surface, around, size, float(times[0]))
    if found is None:
        return None
    vertices, triangles = found[0], _oriented(surface, *found, float(times[0]))
    rows = [vertices] if fixed else [_moved(surface, vertices, float(t)) for t in times]
    if on_body is not None:
        pose = matrix_of(on_body)
        rows = [row @ pose[:3, :3].T + pose[:3, 3] for row in rows]
    return SurfaceMesh(body, [rounded(row) for row in rows], [int(k) for k in triangles.ravel()])


def rounded(values: Array) -> list[float]:
    """Numbers to six digits, as pictures need."""
    return [float(f"{x:.6g}") for x in np.asarray(values).ravel()]


def _value(formula: Formula, surface: Surface, points: Array, t: float) -> Array:
    variables = surface.variables((points[..., 0], points[..., 1], points[..., 2]), t)
    return np.broadcast_to(np.asarray(formula.evaluate(FLOATS, variables), float), points.shape[:-1])


def _gradient(surface: Surface, points: Array, t: float) -> Array:
    return np.stack([_value(part, surface, points, t) for part in surface.gradient], axis=-1)


def _triangles(surface: Surface, centre: Array, size: float, t: float) -> tuple[Array, Indices] | None:
    if surface.is_plane:
        return _plane(surface, centre, size, t)
    if surface.gradient[2].is_number and float(surface.gradient[2]) != 0:
        return _height_field(surface, centre, size, t)
    return _marched(surface, centre, size, t)


def _plane(surface: Surface, centre: Array, size: float, t: float) -> tuple[Array, Indices]:
    normal = _gradient(surface, centre, t)
    foot = centre - normal * _value(surface.formula, surface, centre, t) / (normal @ normal)
    normal = normal / np.linalg.norm(normal)
    least = np.eye(3)[int(np.argmin(np.abs(normal)))]
    across = np.cross(normal, least)
    across /= np.linalg.norm(across)
    other = np.cross(normal, across)
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    return np.array([foot + size * (a * across + b * other) for a, b in corners]), _SQUARE


_SQUARE = np.array([(0, 1, 2), (0, 2, 3)])


def _height_field(surface: Surface, centre: Array, size: float, t: float) -> tuple[Array, Indices]:
    steps = np.linspace(-size, size, _HEIGHTS + 1)
    x, y = np.meshgrid(centre[0] + steps, centre[1] + steps, indexing="ij")
    points = np.stack([x, y, np.zeros_like(x)], axis=-1)
    points[..., 2] = -_value(surface.formula, surface, points, t) / float(surface.gradient[2])
    n = _HEIGHTS + 1
    first = (np.arange(_HEIGHTS)[:, None] * n + np.arange(_HEIGHTS)).ravel()
    cells = np.stack([first, first + n, first + n + 1, first + 1], axis=1)
    return points.reshape(-1, 3), np.concatenate([cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]])


def _marched(surface: Surface, centre: Array, size: float, t: float) -> tuple[Array, Indices] | None:
    steps = np.linspace(-size, size, _CELLS + 1)
    grid = np.stack(np.meshgrid(*(c + steps for c in centre), indexing="ij"), axis=-1)
    points = grid.reshape(-1, 3)
    C = _value(surface.formula, surface, points, t)
    n = _CELLS + 1
    offsets = _CORNERS @ np.array([n * n, n, 1])
    cells = np.arange(_CELLS)
    first = (cells[:, None, None] * n * n + cells[None, :, None] * n + cells).ravel()
    tetrahedra = (first[:, None] + offsets)[:, _TETRAHEDRA].reshape(-1, 4)
    inside = C[tetrahedra] < 0
    cut = inside.any(axis=1) & ~inside.all(axis=1)
    pieces = [_cut(corners, below) for corners, below in zip(tetrahedra[cut], inside[cut], strict=True)]
    if not pieces:
        return None
    edges = np.concatenate(pieces)  # (triangles, 3, 2): pairs of grid points
    ends = np.sort(edges.reshape(-1, 2), axis=1)
    unique, places = np.unique(ends, axis=0, return_inverse=True)
    a, b = C[unique[:, 0]], C[unique[:, 1]]
    along = (a / (a - b))[:, None]
    vertices = points[unique[:, 0]] * (1 - along) + points[unique[:, 1]] * along
    return _moved(surface, vertices, t), places.reshape(-1, 3).astype(np.int64)


def _cut(corners: Indices, below: NDArray[np.bool_]) -> Indices:
    """Triangles of a tetrahedron cut by the surface, each vertex as the edge it lies on."""
    low, high = corners[below], corners[~below]
    if len(low) == 2:
        a, b, c, d = ((low[i], high[j]) for i, j in ((0, 0), (0, 1), (1, 1), (1, 0)))
        return np.array([(a, b, c), (a, c, d)])
    one, others = (low[0], high) if len(low) == 1 else (high[0], low)
    return np.array([[(one, other) for other in others]])


def _oriented(surface: Surface, vertices: Array, triangles: Indices, t: float) -> Indices:
    """Triangles whose normals point to the free side, C > 0."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    backward = (normals * _gradient(surface, (a + b + c) / 3, t)).sum(axis=-1) < 0
    return np.where(backward[:, None], triangles[:, ::-1], triangles)


def _moved(surface: Surface, points: Array, t: float) -> Array:
    """Points moved onto the surface at time t along its gradient."""
    for _ in range(3):
        gradient = _gradient(surface, points, t)
        square = np.maximum((gradient**2).sum(axis=-1), 1e-300)
        points = points - gradient * (_value(surface.formula, surface, points, t) / square)[..., None]
    return np.asarray(points)
