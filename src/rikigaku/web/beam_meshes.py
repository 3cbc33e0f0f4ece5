"""Deflections, vibration modes and motions of flexible links for pages."""

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.types import Array
from rikigaku.fem.flexible_solution import FlexibleSolution
from rikigaku.fem.mesh_layout import Grid
from rikigaku.fem.static_deflection import Shape
from rikigaku.web.model_document import BeamMesh, BeamMotion, BeamShape, Motion
from rikigaku.web.surface_meshes import rounded


@checked
def beam_mesh(shape: Shape, title: str = "") -> BeamMesh:
    """A deflection, or all vibration modes of `elastic.modes(...)` and `elastic.damped_modes(...)`."""
    grid = shape.assembly.grid
    frequencies = getattr(shape, "frequencies", None)
    u = np.asarray(shape.u) if shape.u.ndim == 3 else np.asarray(shape.u)[None]
    shapes = []
    for k, row in enumerate(u):
        frequency = None if frequencies is None else float(frequencies[k])
        name = "" if frequency is None else f"{k + 1}: {frequency:.4g} Hz"
        imaginary = rounded(row.imag) if np.iscomplexobj(row) else []
        shapes.append(BeamShape(name, frequency, rounded(row.real), imaginary))
    q = [float(x) for x in grid.q]
    return BeamMesh(title, q, rounded(grid.positions), _elements(grid), _rails(grid), shapes)


@checked
def flexible_motion(solution: FlexibleSolution, title: str = "") -> Motion:
    """The motion of flexible links, at the samples of the solution."""
    nodes = [rounded(row) for row in solution.nodes]
    grid = solution.beams.assembly.grid
    beams = BeamMotion(_elements(grid), _rails(grid), nodes)
    times = [float(t - solution.t[0]) for t in solution.t]
    return Motion(title, times, _rows(solution.q), beams=beams)


def _elements(grid: Grid) -> list[int]:
    return [int(node) for _, start, end in grid.elements for node in (start, end)]


def _rails(grid: Grid) -> list[int]:
    return [int(node) for pair in grid.rails for node in pair]


def _rows(values: Array) -> list[list[float]]:
    return [[float(x) for x in row] for row in values]
