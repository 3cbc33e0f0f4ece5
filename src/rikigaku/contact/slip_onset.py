"""Direction in which a contact with two tangents starts to slide.

Friction -mu F_n d along the unit tangent d gives the accelerations w(d); the sliding direction satisfies
w(d) = lambda d, lambda >= 0. At the onset of sliding static friction has just reached its limit and lambda is
zero: d is then opposite to the static friction force, where Newton's method starts.
"""

from collections.abc import Callable, Sequence

import numpy as np

from rikigaku.core.types import Array

Response = Callable[[dict[int, Array]], dict[int, Array] | None]

_ITERATIONS = 12


def sliding_directions(
    starts: Sequence[dict[int, Array]], response: Response, size: float
) -> dict[int, Array] | None:
    """Sliding directions by block, from the first start that converges; None if none does.

    response: w(d) of each block along its tangents, None if undefined. size: scale of the accelerations.
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

    def residual(x: Array) -> tuple[Array, float] | None:
        d = {k: np.array([np.cos(a), np.sin(a)]) for k, a in zip(blocks, x, strict=True)}
        w = response(d)
        if w is None:
            return None
        across = [d[k][0] * w[k][1] - d[k][1] * w[k][0] for k in blocks]
        return np.array(across), min(float(d[k] @ w[k]) for k in blocks)

    now = residual(angles)
    for _ in range(_ITERATIONS):
        if now is None:
            return None
        error = float(np.abs(now[0]).max())
        if error <= 1e-14 * size:
            break
        slopes = np.empty((len(blocks), len(blocks)))
        for j in range(len(blocks)):
            near = residual(angles + 1e-7 * np.eye(len(blocks))[j])
            if near is None:
                return None
            slopes[:, j] = (near[0] - now[0]) / 1e-7
        step = -np.linalg.lstsq(slopes, now[0], rcond=1e-12)[0]
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-300))
        for shorter in 0.5 ** np.arange(6):
            then = residual(angles + shorter * step)
            if then is not None and float(np.abs(then[0]).max()) < error:
                break
        else:
            break  # no progress beyond rounding
        angles, now = angles + shorter * step, then
    if now is None or float(np.abs(now[0]).max()) > 1e-9 * size or now[1] < -1e-9 * size:
        return None
    return {k: np.array([np.cos(a), np.sin(a)]) for k, a in zip(blocks, angles, strict=True)}
