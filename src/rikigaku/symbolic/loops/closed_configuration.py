"""Random closed configurations in arbitrary precision, at which ranks of closed robots are determined."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rikigaku.closure.loop_closure_newton import CLOSED
from rikigaku.core.errors import CannotClose
from rikigaku.laws.closed.loop_equations import equation_names
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import random_state
from rikigaku.symbolic.loops.precise_closure import ConsistentState as ConsistentState
from rikigaku.symbolic.loops.precise_closure import PreciseLoopEquations
from rikigaku.symbolic.loops.recorded_laws import recorded

_ATTEMPTS = (8, 56)


def consistent_state(
    robot: RobotModel,
    rng: Any = None,
    precision_bits: int = 300,
    symbols: Mapping[str, float | Fraction] | None = None,
) -> ConsistentState:
    """A random closed configuration (loops and gears), in any assembly mode.

    Args:
        rng: a NumPy generator or a seed.
        precision_bits: the residual is below 2^-(precision_bits - 40).
        symbols: their values; else those the robot declares, and random ones where it declares none.
    Raises:
        CannotClose: if no closed configuration is found, with the smallest residual and its equation.
    Work with the result within `rikigaku.numbers.arbitrary_precision.precision(precision_bits)`.
    """
    rng = np.random.default_rng(rng)
    values = symbol_values(robot, rng, symbols or {})
    equations = PreciseLoopEquations(robot, values)
    nearest = np.full(1, np.inf)
    exact, reversed_axes = True, False
    for attempts in _ATTEMPTS:  # a few starts mostly suffice
        search = equations.newton(random_state(robot, rng, attempts).q, first=True)
        worst = np.abs(search.residual).max(axis=1, initial=0)
        for k in np.flatnonzero(search.closed):
            if (refined := equations.refined(search.q[k], precision_bits)) is not None:
                return refined
            exact = False
        reversed_axes = reversed_axes or bool((worst < CLOSED).any())
        if worst.min() < np.abs(nearest).max():
            nearest = search.residual[int(np.argmin(worst))]
    raise not_closed(robot, nearest, exact, reversed_axes, sum(_ATTEMPTS))


def not_closed(robot: RobotModel, gap: Any, exact: bool, reversed_axes: bool, tried: int) -> CannotClose:
    """The error where no closed configuration is found.

    gap: the smallest residual. exact: False if loops close in floats, but not when refined. reversed_axes:
    some close only with the axis of a cut joint reversed. tried: number of starts.
    """
    if not exact:
        return CannotClose(
            f"Robot {robot.name!r}: configurations close the loops to 11 digits, but not exactly. Lengths "
            "that must fit are rounded (an over-constrained loop), or every closed configuration is singular."
        )
    if reversed_axes:
        return CannotClose(
            f"Robot {robot.name!r}: every configuration found closes a cut joint with its axes reversed. "
            "Rotate one end of the loop by 180 degrees (about x).",
            robot.loops[0].name if robot.loops else "",
        )
    worst = equation_names(recorded(robot).structure)[int(np.argmax(np.abs(gap)))]
    loop = worst.split(":")[0]
    return CannotClose(
        f"Robot {robot.name!r}: no configuration closes loop {loop!r} (of {tried} tried, the nearest "
        f"leaves {np.abs(gap).max():.3g} in the equation {worst!r}). "
        "Check the lengths and frames of both ends, "
        "and that the joint is cut where the two links meet.",
        loop,
    )


def symbol_values(robot: RobotModel, rng: Any, chosen: Mapping[str, float | Fraction]) -> dict[str, Fraction]:
    """A rational value for every symbol: the chosen one, the robot's own, or a random one."""
    declared = {symbol.name: symbol.value for symbol in robot.symbols if symbol.value is not None}
    values = {}
    for name in robot.free_symbols:
        if name in chosen:
            values[name] = Fraction(chosen[name])
        elif name in declared:
            exact = declared[name].rational
            values[name] = Fraction(float(declared[name])) if exact is None else exact
        else:
            values[name] = Fraction(int(rng.integers(500, 1500)), 1000)
    return values
