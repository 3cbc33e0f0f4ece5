"""Motion with prescribed joint rates: what servo drives and resolved motion rate control give."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongSize
from rikigaku.model.robot import Robot
from rikigaku.space.motion import FloatingMotion, moved
from rikigaku.space.places import as_array
from rikigaku.space.stepping import Found, Path

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
) -> FloatingMotion:
    """The motion of a robot in space whose arm moves with given rates; momentum moves the base.

    Args:
        rates: of the arm's coordinates, as a function of t and q, as `robot.resolved_rate` gives them. Where
            it raises ArithmeticError or returns a number that is not finite the motion ends.
        momentum: of the whole, as `robot.momentum` gives it; zero if left out.
        times, tolerance, breaks: as for `floating_motion`.
    Returns: the motion; its work is what energy the drives have given, friction aside.
    """
    given = np.zeros(6) if momentum is None else as_array(momentum)
    if given.shape != (6,):
        raise WrongSize(f"Momentum is six numbers, linear and angular; shape {given.shape} was given.")
    return moved(robot, *_Rates(robot, q, rates, given).run(duration, times, tolerance, breaks))


class _Rates(Path):
    """The joints move as told: y = u."""

    def __init__(self, robot: Robot, q: Any, rates: Rates, momentum: Array) -> None:
        super().__init__(robot, q, np.zeros(0))
        self.rates, self.momentum = rates, momentum
        self.start = 0.0  # energy there [J]

    def velocity(self, t: float, y: Array, q: Array) -> Array:
        rates = self.arm_sized("rates", self.rates(t, q))
        return np.asarray(self.laws.floating_velocity(q, rates, self.momentum))

    def work(self, y: Array, q: Array, v: Array) -> float:
        return self.energy(q, v) - self.start

    def energy(self, q: Array, v: Array) -> float:
        """Of motion, and of springs in joints [J]."""
        return float(self.laws.kinetic_energy(q, v) + self.laws.potential_energy(q))

    def __call__(self, t: float, y: Array) -> Array:
        return self.chart(y, self.velocity(t, y, self.moved(y)))

    def run(self, duration: float, times: Any, tolerance: float, breaks: Any) -> tuple[list[Found], str]:
        try:
            v = self.velocity(self.t, self.y, self.q)
        except ArithmeticError as error:
            return [], self.ended(str(error))
        self.start = self.energy(self.q, v)
        return super().run(duration, times, tolerance, breaks)
