"""A motion of all joints: samples, and where the path is known, what lies between them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.fem.paths import times
from rikigaku.given import numbers, short
from rikigaku.model.robot import Robot

Array = NDArray[np.float64]
Path = Callable[[float, Array], tuple[Array, Array]]

_JUST = 1e-12  # of a time, or of 1 s: so much before it is just before it


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """Times (samples,), positions (samples, nq), velocities and accelerations (samples, nv).

    `Motion(robot, t, q, v, a)` is one from samples of your own (measured, or by another program); v and a of
    a closed robot keep its loops closed (`v, a = robot.complete(q, v, a)`).
    path: q and v at any time, from a posture near by, if they are known between samples.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    a: Array
    path: Path | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.robot, Robot):
            raise WrongValue(f"Motion(robot, t, q, v, a) begins with a robot; {short(self.robot)} was given.")
        object.__setattr__(self, "t", times(self.t))
        for name, size in (("q", self.robot.nq), ("v", self.robot.nv), ("a", self.robot.nv)):
            what = f"{name} of a motion of robot {self.robot.name!r} over {len(self.t)} times"
            object.__setattr__(self, name, numbers(what, getattr(self, name), (len(self.t), size)))

    def __repr__(self) -> str:
        return f"<Motion of {self.robot.name!r}, {len(self.t)} samples, {self.t[0]:g} to {self.t[-1]:g} s>"

    def before(self, time: float) -> tuple[Array, Array]:
        """q and v just before a time, from the left: at a blow v jumps there.

        By the path itself where it is known. Else by what v and a of the two samples before say (a cubic);
        a sample at the time itself is taken if it goes on from them, and not if it is that after the blow.
        """
        k = max(int(np.searchsorted(self.t, time, side="left")) - 1, 0)
        if self.path is not None:
            return self.path(time - _JUST * max(1.0, abs(time)), self.q[k])
        straight = self.v[k] + (time - self.t[k]) * self.a[k]
        v, way = straight, (time - self.t[k]) * (self.v[k] + straight) / 2
        if k:
            v, way = self._cubic(k, time)
        if k + 1 < len(self.t) and self.t[k + 1] == time:
            gap = np.abs(v - straight) if k else (time - self.t[0]) * np.abs(self.a[1] - self.a[0])
            if (np.abs(self.v[k + 1] - v) <= gap + 1e-9 * np.maximum(1.0, np.abs(v))).all():
                v = self.v[k + 1]
            return self.q[k + 1], v
        return np.asarray(cast(Any, self.robot).integrate(self.q[k], way)), v

    def _cubic(self, k: int, time: float) -> tuple[Array, Array]:
        """v at a time after sample k by the cubic over samples k - 1 and k, and the way there."""
        h, x = self.t[k] - self.t[k - 1], (time - self.t[k]) / (self.t[k] - self.t[k - 1])
        slope = (self.v[k] - self.v[k - 1]) / h
        # about sample k: v + a s + b s^2 + c s^3 with s = h x, which at s = -h gives v and a of sample k - 1
        c = (self.a[k] + self.a[k - 1] - 2 * slope) * h
        b = (2 * self.a[k] + self.a[k - 1] - 3 * slope) * h
        v = self.v[k] + h * x * self.a[k] + b * x**2 + c * x**3
        way = h * (x * self.v[k] + h * x**2 / 2 * self.a[k] + b * x**3 / 3 + c * x**4 / 4)
        return v, way
