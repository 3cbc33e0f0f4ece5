"""A mesh in a posture: where nodes are, and every beam cut into pieces."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.layout import Layout
from rikigaku.laws.kinematics import world_poses
from rikigaku.model.mechanism import WORLD

Array = NDArray[np.float64]


def plane_axes(normal: Array) -> Array:
    """Two directions of the plane (rows), turning from the first to the second about the normal.

    The second is the world axis that lies best in the plane, the last of them: z where the plane is upright.
    """
    fit = np.abs(normal)
    k = max(range(3), key=lambda i: (-round(float(fit[i]), 6), i))
    second = np.eye(3)[k] - normal[k] * normal
    second = second / np.linalg.norm(second)
    return np.stack([np.cross(second, normal), second])


@dataclass(frozen=True, eq=False)
class Grid:
    """A layout in a posture with every beam cut into pieces: places (n, 3), pieces, and poses of bodies."""

    layout: Layout
    places: Array
    body: NDArray[np.intp]
    pieces: list[tuple[int, int, int]]  # beam, node, node
    R: Array
    q: Array

    def axes(self, body: int) -> Array:
        """Axes of a body in the world, as columns; those of the world for the ground."""
        return np.eye(3) if body == WORLD else np.asarray(self.R[body])


def grid(layout: Layout, q: Array, pieces: int = 1) -> Grid:
    """Nodes in the world; the first ones are the layout's own, those inside beams follow."""
    poses = world_poses(layout.mechanism, list(q))
    R = np.array([pose.R for pose in poses], dtype=np.float64).reshape(-1, 3, 3)
    p = np.array([pose.p for pose in poses], dtype=np.float64).reshape(-1, 3)
    flat = np.eye(3) if layout.normal is None else np.eye(3) - np.outer(layout.normal, layout.normal)
    places = [
        flat @ (np.array(n.place) if n.body == WORLD else p[n.body] + R[n.body] @ n.place)
        for n in layout.nodes
    ]
    body = [node.body for node in layout.nodes]
    cut = []
    for k, beam in enumerate(layout.beams):
        start, end, last = places[beam.start], places[beam.end], beam.start
        for j in range(1, pieces):
            places.append(start + (end - start) * j / pieces)
            body.append(beam.body)
            cut.append((k, last, len(places) - 1))
            last = len(places) - 1
        cut.append((k, last, beam.end))
    return Grid(layout, np.array(places).reshape(-1, 3), np.array(body), cut, R, np.asarray(q))
