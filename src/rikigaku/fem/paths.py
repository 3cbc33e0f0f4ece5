"""What a path says at some times: positions, velocities, accelerations, looked at before they are used."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import floats
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.given import short

Array = NDArray[np.float64]

_WORDS = "a function of time that gives positions, velocities and accelerations (see rikigaku.trajectory)"


def times(t: Any) -> Array:
    """Times of a motion as an array.

    Raises:
        WrongValue: unless they are finite and increase.
    """
    found = np.atleast_1d(floats("Times of a motion", t))
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all() or (np.diff(found) <= 0).any():
        raise WrongValue(f"Times of a motion are finite and increase; {short(t)} was given.")
    return found


def check_path(what: str, path: Any) -> None:
    """Look whether something may be a path.

    Raises:
        WrongValue: if it cannot be called.
    """
    if not callable(path):
        raise WrongValue(f"{what} is {_WORDS}; {short(path)} was given.")


def sampled(what: str, path: Any, t: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations (samples, size) of a path at times t.

    Raises:
        WrongValue: if it does not answer with three arrays of finite numbers.
        WrongSize: if they do not have one row for each time.
    """
    check_path(what, path)
    answer = path(t)
    if not isinstance(answer, tuple | list) or len(answer) != 3:
        raise WrongValue(f"{what} is {_WORDS}; it gave {short(answer)}.")
    rows = []
    for name, part in zip(("positions", "velocities", "accelerations"), answer, strict=True):
        array = floats(f"{what}, its {name},", part)
        if array.ndim not in (1, 2) or len(array) != len(t):
            raise WrongSize(
                f"{what} gives {name} for {len(t)} times at once, an array of shape ({len(t)}, ...); "
                f"shape {array.shape} came back."
            )
        if not np.isfinite(array).all():
            raise WrongValue(f"{what} gives {name} that are not finite.")
        rows.append(array.reshape(len(t), -1))
    return rows[0], rows[1], rows[2]
