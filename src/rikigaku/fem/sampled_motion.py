"""Motion of all joints as samples of q, v, a, and validation of sampled paths."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.binding.bound_law import bound_law
from rikigaku.core.arrays import floats
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import numbers, short
from rikigaku.model.robot_model import RobotModel

PathFunction = Callable[[Any], Sequence[ArrayLike]]
Path = Callable[[float, Array], tuple[Array, Array]]
_BEFORE = 1e-12  # of a time, or of 1 s: offset of the left limit
_PATH = "a function of time that gives positions, velocities and accelerations (see rikigaku.trajectory)"


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """Times (samples,), positions (samples, nq), velocities and accelerations (samples, nv).

    `Motion(robot, t, q, v, a)` takes samples of your own (measured, or from another program); v and a of
    a closed robot satisfy its loop closures (`v, a = robot.complete(q, v, a)`).
    path: q and v as a function of time and a nearby configuration, if they are known between samples.
    """

    robot: RobotModel
    t: Array
    q: Array
    v: Array
    a: Array
    path: Path | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.robot, RobotModel):
            raise WrongValue(f"Motion(robot, t, q, v, a) begins with a robot; {short(self.robot)} was given.")
        object.__setattr__(self, "t", times(self.t))
        for name, size in (("q", self.robot.nq), ("v", self.robot.nv), ("a", self.robot.nv)):
            what = f"{name} of a motion of robot {self.robot.name!r} over {len(self.t)} times"
            object.__setattr__(self, name, numbers(what, getattr(self, name), (len(self.t), size)))

    def __repr__(self) -> str:
        return f"<Motion of {self.robot.name!r}, {len(self.t)} samples, {self.t[0]:g} to {self.t[-1]:g} s>"

    def before(self, time: float) -> tuple[Array, Array]:
        """q and v immediately before a time, the left limit: v jumps at an impact.

        They come from the path if it is known. Otherwise v is extrapolated by the cubic through v and a of
        the two previous samples; a sample at the time itself is used if it continues them, and not if it is
        the one after the impact.
        """
        k = max(int(np.searchsorted(self.t, time, side="left")) - 1, 0)
        if self.path is not None:
            return self.path(time - _BEFORE * max(1.0, abs(time)), self.q[k])
        linear_v = self.v[k] + (time - self.t[k]) * self.a[k]
        v, displacement = linear_v, (time - self.t[k]) * (self.v[k] + linear_v) / 2
        if k:
            v, displacement = self._cubic(k, time)
        if k + 1 < len(self.t) and self.t[k + 1] == time:
            gap = np.abs(v - linear_v) if k else (time - self.t[0]) * np.abs(self.a[1] - self.a[0])
            if (np.abs(self.v[k + 1] - v) <= gap + 1e-9 * np.maximum(1.0, np.abs(v))).all():
                v = self.v[k + 1]
            return self.q[k + 1], v
        return np.asarray(bound_law(self.robot, "tree.integrate")(self.q[k], displacement)), v

    def _cubic(self, k: int, time: float) -> tuple[Array, Array]:
        """v at a time by the cubic through samples k - 1 and k, and the displacement since sample k."""
        h, x = self.t[k] - self.t[k - 1], (time - self.t[k]) / (self.t[k] - self.t[k - 1])
        slope = (self.v[k] - self.v[k - 1]) / h
        # About sample k: v + a s + b s^2 + c s^3 with s = h x, which at s = -h gives v and a of sample k - 1
        c = (self.a[k] + self.a[k - 1] - 2 * slope) * h
        b = (2 * self.a[k] + self.a[k - 1] - 3 * slope) * h
        v = self.v[k] + h * x * self.a[k] + b * x**2 + c * x**3
        displacement = h * (x * self.v[k] + h * x**2 / 2 * self.a[k] + b * x**3 / 3 + c * x**4 / 4)
        return v, displacement


Target = Motion | PathFunction | Mapping[str, PathFunction]


def times(t: ArrayLike) -> Array:
    """Times of a motion as an array.

    Raises:
        WrongValue: unless they are finite and increase.
    """
    found = np.atleast_1d(floats("Times of a motion", t))
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all() or (np.diff(found) <= 0).any():
        raise WrongValue(f"Times of a motion are finite and increase; {short(t)} was given.")
    return found


def check_path(what: str, path: object) -> None:
    """Check that a path is callable.

    Raises:
        WrongValue: if it cannot be called.
    """
    if not callable(path):
        raise WrongValue(f"{what} is {_PATH}; {short(path)} was given.")


def sampled(what: str, path: PathFunction, t: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations (samples, size) of a path at times t.

    Raises:
        WrongValue: if it does not return three arrays of finite numbers.
        WrongSize: if they do not have one row for each time.
    """
    check_path(what, path)
    result = path(t)
    if not isinstance(result, tuple | list) or len(result) != 3:
        raise WrongValue(f"{what} is {_PATH}; it gave {short(result)}.")
    rows = []
    for name, part in zip(("positions", "velocities", "accelerations"), result, strict=True):
        array = floats(f"{what}, its {name},", part)
        if array.ndim not in (1, 2) or len(array) != len(t):
            raise WrongSize(
                f"{what} gives {name} for {len(t)} times at once, an array of shape ({len(t)}, ...); "
                f"shape {array.shape} was returned."
            )
        if not np.isfinite(array).all():
            raise WrongValue(f"{what} gives {name} that are not finite.")
        rows.append(array.reshape(len(t), -1))
    return rows[0], rows[1], rows[2]
