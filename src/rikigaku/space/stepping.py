"""Steps on the manifold of a robot's positions: each starts exponential coordinates of its own.

The method is explicit Runge-Kutta of order 8 with steps by its own error estimate (SciPy's DOP853) on those
coordinates (Runge-Kutta-Munthe-Kaas), so that quaternions are unit without being made so.
Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, section IV.8.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853

from rikigaku.errors import WrongValue
from rikigaku.laws.space_base import weightless
from rikigaku.model.robot import Robot
from rikigaku.space.charts import REACH, chart_rates, turned_by
from rikigaku.space.given import as_duration, as_steps, as_tolerance
from rikigaku.space.places import as_array, split
from rikigaku.states import as_position

Array = NDArray[np.float64]

# Where a motion gives up, and what is said then: one that is stiff would take steps for ever.
MOST_STEPS = 100_000
LIMIT = "the limit of steps (most_steps=) was reached"
# How often a step is made four times shorter where the motion cannot go on, to end near to that.
_TRIES = 40


class Found(NamedTuple):
    """A state on the way: time, positions, velocities, work done."""

    t: float
    q: Array
    v: Array
    work: float


class Path(ABC):
    """A state y that moves; its first nv numbers are exponential coordinates u of q = q0 exp(u)."""

    def __init__(self, robot: Robot, q: Any, rest: Array) -> None:
        self.robot, self.laws, self.arm = robot, cast(Any, robot), split(robot).arm
        weightless(robot)
        self.chart, self.angle = chart_rates(robot), turned_by(robot)
        self.q, self.t = as_position(robot, q), 0.0
        self.y = np.concatenate([np.zeros(robot.nv), rest])

    @abstractmethod
    def velocity(self, t: float, y: Array, q: Array) -> Array:
        """v of all coordinates."""

    @abstractmethod
    def work(self, y: Array, q: Array, v: Array) -> float:
        """What was done since the start [J]."""

    @abstractmethod
    def __call__(self, t: float, y: Array) -> Array:
        """dy/dt."""

    def moved(self, y: Array) -> Array:
        """q at a point of the chart in use."""
        return np.asarray(self.laws.integrate(self.q, y[: self.robot.nv].copy()))

    def run(
        self, duration: Any, times: Any, tolerance: Any, breaks: Any, most_steps: Any
    ) -> tuple[list[Found], str]:
        """States at the times asked for, or at every step, and "ok" or why it ended early."""
        duration, tolerance, self.left = as_duration(duration), as_tolerance(tolerance), as_steps(most_steps)
        self.tries = _TRIES
        asked = None if times is None else _increasing(times, duration)
        found: list[Found] = []
        try:
            if asked is None or asked[:1] == [0]:
                found.append(self._state())
            status, step = "ok", None
            for end in sorted({float(x) for x in breaks if 0 < x < duration} | {duration}):
                status, step = self._advance(found, end, tolerance, step, asked)
                if status != "ok":
                    break
        except ArithmeticError as error:
            status = self.ended(str(error))
        if status != "ok" and (not found or (asked is not None and found[-1].t < self.t)):
            found.append(self.last())
        return found, status

    def last(self) -> Found:
        """Where a motion ended before its time."""
        return self._state()

    def _state(self) -> Found:
        return self._between(self.t, self.y)

    def _between(self, t: float, y: Array) -> Found:
        q = self.moved(y)
        v = self.velocity(t, y, q)
        return Found(t, q, v, self.work(y, q, v))

    def _advance(
        self, found: list[Found], end: float, tolerance: float, step: float | None, asked: list[float] | None
    ) -> tuple[str, float | None]:
        """Go to a time. Returns the status and the last step's size."""
        nv = self.robot.nv
        options = {"rtol": tolerance, "atol": 1e-2 * tolerance, "max_step": self._reach()}
        if step is not None:
            options["first_step"] = min(step, end - self.t, self._reach())
        solver = DOP853(self, self.t, self.y, end, **options)
        while solver.status == "running":
            solver.max_step = self._reach()
            if not self.left:
                return self.ended(f"{LIMIT}; the last step was {solver.h_abs:.2g} s"), None
            self.left -= 1
            try:
                message = solver.step()
            except ArithmeticError:  # somewhere on the step: go as near as is worth it
                if not self.tries:
                    raise
                self.tries -= 1
                solver.h_abs = min(solver.h_abs, solver.max_step, end - solver.t) / 4
                continue
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                return self.ended(_why(message)), None
            if inside := [x for x in asked or () if self.t < x <= solver.t]:
                path = solver.dense_output()
                found += [self._between(x, path(x) if x < solver.t else solver.y) for x in inside]
            self.q = self.moved(solver.y)
            self.t, self.y = float(solver.t), solver.y.copy()
            self.y[:nv] = 0.0
            solver.y = self.y.copy()
            solver.f = self(self.t, solver.y)
            if asked is None:
                found.append(self._state())
        return "ok", float(solver.h_abs)

    def _reach(self) -> float:
        """The longest step that stays on a chart [s]."""
        angle = self.angle(self.velocity(self.t, self.y, self.q))
        return REACH / angle if angle > 0 else np.inf

    def ended(self, why: str) -> str:
        """The sentence of a motion that ends before its time."""
        return f"the motion ends at t = {self.t:.6g} s: {why}"


def _why(message: str | None) -> str:
    if message is None:
        return "a number is not finite"
    return "steps become smaller than rounding: the motion is not smooth there"


def _increasing(times: Any, duration: float) -> list[float]:
    asked = as_array(times)
    if asked.ndim != 1 or not (np.diff(asked) > 0).all() or not ((asked >= 0) & (asked <= duration)).all():
        raise WrongValue(
            f"times are increasing and lie between 0 and the duration, {duration:g} s. "
            "np.linspace(0, duration, 100) are."
        )
    return [float(x) for x in asked]
