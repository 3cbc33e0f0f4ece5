"""In which direction contacts in space begin to slide: along the acceleration friction against it leaves.

With d a unit tangent, friction -mu F_n d gives accelerations w(d); sought is d with w(d) = lambda d and
lambda >= 0. Where sliding begins, friction at rest has just reached its limit and lambda is zero: d is then
opposite to the force at rest, which is where the search starts.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Response = Callable[[dict[int, Array]], dict[int, Array] | None]

_TURNS = 40


def starting_directions(
    starts: Sequence[dict[int, Array]], response: Response, size: float
) -> dict[int, Array] | None:
    """Directions by block, from the first start that leads to some; None if none does.

    response: w(d) of each block along its tangents, None where there is none. size: of accelerations.
    """
    for start in starts:
        for sign in (1.0, -1.0):
            found = _newton({k: sign * d for k, d in start.items()}, response, size)
            if found is not None:
                return found
    return None


def _newton(directions: dict[int, Array], response: Response, size: float) -> dict[int, Array] | None:
    """Newton's method for the angles, with shorter steps where the error would grow."""
    blocks = list(directions)
    angles = np.array([np.arctan2(directions[k][1], directions[k][0]) for k in blocks])

    def off(x: Array) -> tuple[Array, float] | None:
        d = {k: np.array([np.cos(a), np.sin(a)]) for k, a in zip(blocks, x, strict=True)}
        w = response(d)
        if w is None:
            return None
        across = [d[k][0] * w[k][1] - d[k][1] * w[k][0] for k in blocks]
        return np.array(across), min(float(d[k] @ w[k]) for k in blocks)

    now = off(angles)
    for _ in range(_TURNS):
        if now is None:
            return None
        error = float(np.abs(now[0]).max())
        if error <= 1e-14 * size:
            break
        slopes = np.empty((len(blocks), len(blocks)))
        for j in range(len(blocks)):
            near = off(angles + 1e-7 * np.eye(len(blocks))[j])
            if near is None:
                return None
            slopes[:, j] = (near[0] - now[0]) / 1e-7
        step = -np.linalg.lstsq(slopes, now[0], rcond=1e-12)[0]
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-300))
        for shorter in 0.5 ** np.arange(12):
            then = off(angles + shorter * step)
            if then is not None and float(np.abs(then[0]).max()) < error:
                break
        else:
            break  # rounding decides from here on
        angles, now = angles + shorter * step, then
    if now is None or float(np.abs(now[0]).max()) > 1e-9 * size or now[1] < -1e-9 * size:
        return None
    return {k: np.array([np.cos(a), np.sin(a)]) for k, a in zip(blocks, angles, strict=True)}
