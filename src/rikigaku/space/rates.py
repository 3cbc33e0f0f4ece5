"""Motion with prescribed joint rates: what servo drives and resolved motion rate control give."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongSize
from rikigaku.given import function_of
from rikigaku.model.robot import Robot
from rikigaku.space.asking import asked
from rikigaku.space.motion import FloatingMotion, moved
from rikigaku.space.places import as_array
from rikigaku.space.stepping import MOST_STEPS, Found, Path

Array = NDArray[np.float64]
Rates = Callable[[float, Array], Any]


def rate_motion(
    robot: Robot,
    q: Any,
    rates: Rates,
    duration: float,
    *,
    momentum: Any = None,
    times: Any = None,
    tolerance: float = 1e-10,
    breaks: Any = (),
    most_steps: int = MOST_STEPS,
) -> FloatingMotion:
    """The motion of a robot in space whose arm moves with given rates; momentum moves the base.

    Args:
        rates: of the arm's coordinates, as a function of t and q, as `robot.resolved_rate` gives them. Where
            it raises an error (after the start) or returns a number that is not finite the motion ends.
        momentum: of the whole, as `robot.momentum` gives it; zero if left out.
        times, tolerance, breaks, most_steps: as for `floating_motion`.
    Returns: the motion; its work is what energy the drives have given, friction aside.
    """
    function_of("rates", "t q", rates)
    given = np.zeros(6) if momentum is None else as_array(momentum)
    if given.shape != (6,):
        raise WrongSize(f"Momentum is six numbers, linear and angular; shape {given.shape} was given.")
    path = _Rates(robot, q, rates, given)
    return moved(robot, *path.run(duration, times, tolerance, breaks, most_steps))


class _Rates(Path):
    """The joints move as told: y = u."""

    def __init__(self, robot: Robot, q: Any, rates: Rates, momentum: Array) -> None:
        super().__init__(robot, q, np.zeros(0))
        self.rates, self.momentum = rates, momentum
        self.told = np.zeros(len(self.arm))  # the last rates that were
        self.start = self.energy(self.q, self.kept())  # energy at the start [J]

    def velocity(self, t: float, y: Array, q: Array) -> Array:
        self.told = asked("rates", t, len(self.arm), self.rates, t, q)
        return np.asarray(self.laws.floating_velocity(q, self.told, self.momentum))

    def work(self, y: Array, q: Array, v: Array) -> float:
        return self.energy(q, v) - self.start

    def energy(self, q: Array, v: Array) -> float:
        """Of motion, and of springs in joints [J]."""
        return float(self.laws.kinetic_energy(q, v) + self.laws.potential_energy(q))

    def __call__(self, t: float, y: Array) -> Array:
        return self.chart(y, self.velocity(t, y, self.moved(y)))

    def run(self, *given: Any) -> tuple[list[Found], str]:
        with suppress(ArithmeticError):  # which ends the motion, and is said there
            self.start = self.energy(self.q, self.velocity(self.t, self.y, self.q))
        return super().run(*given)

    def kept(self) -> Array:
        """v here with the last rates that were."""
        return np.asarray(self.laws.floating_velocity(self.q, self.told, self.momentum))

    def last(self) -> Found:
        """With the last rates that were, where there are none any more; at the very start with none."""
        try:
            return super().last()
        except ArithmeticError:
            v = self.kept()
            return Found(self.t, self.q, v, self.work(self.y, self.q, v))
