"""Tubes, boxes and balls as shaded quadrangles, in one collection, so that near ones hide far ones."""

import numpy as np

from rikigaku.core.types import Array

_LIGHT = np.array([0.35, -0.55, 0.76])
_SIDES = 14


class Solids:
    """Quadrangles (n, 4, 3) and their colours, gathered piece by piece."""

    def __init__(self) -> None:
        self._faces: list[Array] = []
        self._colors: list[Array] = []

    @property
    def faces(self) -> Array:
        return np.concatenate(self._faces) if self._faces else np.zeros((0, 4, 3))

    @property
    def colors(self) -> Array:
        return np.concatenate(self._colors) if self._colors else np.zeros((0, 3))

    def tube(
        self, start: Array, end: Array, radius: float, color: tuple[float, ...], capped: bool = True
    ) -> None:
        """A round bar; cut into short pieces, so that each is hidden or shown on its own."""
        length = float(np.linalg.norm(end - start))
        if length < 1e-12:
            return
        x, y = _across((end - start) / length)
        angle = np.linspace(0, 2 * np.pi, _SIDES + 1)
        ring = np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y
        cuts = np.linspace(0, 1, 1 + max(1, min(24, round(length / (2.5 * radius)))))
        along = start + cuts[:, None] * (end - start)
        grid = along[:, None] + radius * ring  # (cuts, sides + 1, 3)
        self._add(_quads(grid), color)
        if capped:
            for centre, order in ((start, -1), (end, 1)):
                rim = centre + radius * ring[::order]
                middle = np.broadcast_to(centre, rim[:-1].shape)
                self._add(np.stack([middle, rim[:-1], rim[1:], middle], axis=1), color)

    def box(self, centre: Array, axes: Array, half: Array, color: tuple[float, ...]) -> None:
        """A box with half edges along the columns of `axes`."""
        faces = []
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            for side in (-1, 1):
                corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)][::side]
                faces.append(
                    [
                        side * half[k] * axes[:, k] + a * half[i] * axes[:, i] + b * half[j] * axes[:, j]
                        for a, b in corners
                    ]
                )
        self._add(centre + np.array(faces), color)

    def ball(self, centre: Array, radius: float, color: tuple[float, ...]) -> None:
        """A sphere."""
        up, around = np.meshgrid(
            np.linspace(0, np.pi, 9), np.linspace(0, 2 * np.pi, _SIDES + 1), indexing="ij"
        )
        shell = np.stack([np.sin(up) * np.cos(around), np.sin(up) * np.sin(around), np.cos(up)], axis=-1)
        self._add(_quads(centre + radius * shell)[:, ::-1], color)

    def _add(self, faces: Array, color: tuple[float, ...]) -> None:
        # Diagonals span the face even where two corners are one.
        normals = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        bright = (normals / np.where(lengths > 0, lengths, 1)) @ _LIGHT
        shade = 0.66 + 0.34 * np.clip(bright, -0.6, 1)
        gloss = 0.18 * np.clip(bright - 0.55, 0, 1)
        colors = np.clip(shade[:, None] * np.array(color[:3]) + gloss[:, None], 0, 1)
        self._faces.append(faces)
        self._colors.append(colors)


def _quads(grid: Array) -> Array:
    """The cells of a grid of points (a, b, 3) as quadrangles."""
    corners = [grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]]
    return np.stack(corners, axis=2).reshape(-1, 4, 3)


def _across(z: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed frame with z."""
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return x, np.cross(z, x)
