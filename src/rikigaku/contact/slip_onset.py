"""Direction in which a contact with two tangents starts to slide.

Friction -mu F_n d along the unit tangent d gives the accelerations w(d); the sliding direction satisfies
w(d) = lambda d, lambda >= 0. At the onset of sliding static friction has just reached its limit and lambda is
zero: d is then opposite to the static friction force, where Newton's method starts.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rikigaku.core.types import Array


class OnsetResponse(NamedTuple):
    """Accelerations w (n, 2) of the starting blocks along their tangents, and a function that computes their
    derivatives (n, 2, n) by the angles of the directions."""

    w: Array
    slopes: Callable[[], Array]


Response = Callable[[dict[int, Array]], OnsetResponse | None]

_ITERATIONS = 12
_EXACT, _ACCEPTED = 1e-13, 1e-9  # errors, relative to the accelerations


def sliding_directions(
    starts: Sequence[dict[int, Array]], response: Response, size: float
) -> dict[int, Array] | None:
    """Sliding directions by block, from the first start that converges; None if none does.

    response: to directions of all blocks, None if undefined. size: scale of the accelerations.
    """
    for start in starts:
        for sign in (1.0, -1.0):
            found = _newton({k: sign * d for k, d in start.items()}, response, size)
            if found is not None:
                return found
    return None


def _newton(directions: dict[int, Array], response: Response, size: float) -> dict[int, Array] | None:
    """Newton's method for the angles, with step halving."""
    blocks = list(directions)
    angles = np.array([np.arctan2(directions[k][1], directions[k][0]) for k in blocks])

    def residual(x: Array) -> tuple[Array, Callable[[], Array], float] | None:
        """Accelerations across the directions, their derivatives by the angles, the least one along."""
        d = np.stack([np.cos(x), np.sin(x)], axis=1)
        found = response(dict(zip(blocks, d, strict=True)))
        if found is None:
            return None
        w, normals = found.w, np.stack([-d[:, 1], d[:, 0]], axis=1)
        along = (d * w).sum(axis=1)

        def slopes() -> Array:
            return np.asarray(np.einsum("ka,kaj->kj", normals, found.slopes()) - np.diag(along))

        return (normals * w).sum(axis=1), slopes, float(along.min())

    now = residual(angles)
    for _ in range(_ITERATIONS):
        if now is None:
            return None
        error = float(np.abs(now[0]).max())
        if error <= _EXACT * size:
            break
        step = -np.linalg.lstsq(now[1](), now[0], rcond=1e-12)[0]
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-300))
        # Near the solution a step that brings no progress shows rounding: no shorter one is tried.
        for shorter in 0.5 ** np.arange(1 if error <= _ACCEPTED * size else 6):
            then = residual(angles + shorter * step)
            if then is not None and float(np.abs(then[0]).max()) < error:
                break
        else:
            break
        angles, now = angles + shorter * step, then
    if now is None or float(np.abs(now[0]).max()) > _ACCEPTED * size or now[2] < -_ACCEPTED * size:
        return None
    return {k: np.array([np.cos(a), np.sin(a)]) for k, a in zip(blocks, angles, strict=True)}
