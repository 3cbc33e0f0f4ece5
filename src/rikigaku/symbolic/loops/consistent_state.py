"""Postures in which all loops are closed, to any precision: where ranks of closed robots are taken."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rikigaku.errors import CannotClose
from rikigaku.laws.loops import row_names
from rikigaku.model.robot import Robot
from rikigaku.states import random_state
from rikigaku.symbolic.loops.closing import CLOSED, Closing
from rikigaku.symbolic.loops.closing import ConsistentState as ConsistentState
from rikigaku.symbolic.loops.recorded import recorded

_ATTEMPTS = (8, 56)


def consistent_state(
    robot: Robot,
    rng: Any = None,
    precision_bits: int = 300,
    symbols: Mapping[str, float | Fraction] | None = None,
) -> ConsistentState:
    """A random posture of a closed robot with all loops closed and all gears in mesh, in whatever mode.

    Args:
        rng: a NumPy generator or a seed.
        precision_bits: the residual is below 2^-(precision_bits - 40).
        symbols: their values; those the robot declares serve otherwise, and random ones where it has none.
    Raises:
        CannotClose: if no closed posture is found, with the nearest gap and the row it is in.
    Work with the result within `rikigaku.numbers.balls.precision(precision_bits)`.
    """
    rng = np.random.default_rng(rng)
    values = symbol_values(robot, rng, symbols or {})
    closing = Closing(robot, values)
    nearest = np.full(1, np.inf)
    exactly, backward = True, False
    for attempts in _ATTEMPTS:  # a few as a rule, all others in one go
        states, gaps, facing = closing.newton(random_state(robot, rng, attempts).q, first=True)
        worst = np.abs(gaps).max(axis=1, initial=0)
        for k in np.flatnonzero((worst < CLOSED) & facing):
            if (refined := closing.refined(states[k], precision_bits)) is not None:
                return refined
            exactly = False
        backward = backward or bool((worst < CLOSED).any())
        if worst.min() < np.abs(nearest).max():
            nearest = gaps[int(np.argmin(worst))]
    raise not_closed(robot, nearest, exactly, backward, sum(_ATTEMPTS))


def not_closed(robot: Robot, gap: Any, exactly: bool, backward: bool, tried: int) -> CannotClose:
    """The error where no closed posture is found; gap: the nearest residual; backward: some close so."""
    if not exactly:
        return CannotClose(
            f"Robot {robot.name!r}: postures close the loops to 11 digits, but not exactly. Lengths that "
            "must fit are rounded (an over-constrained loop), or every closed posture is singular."
        )
    if backward:
        return CannotClose(
            f"Robot {robot.name!r}: every posture found closes a joint the wrong way round. "
            "Turn one end of the loop by half a turn (about x).",
            robot.loops[0].name if robot.loops else "",
        )
    worst = row_names(recorded(robot).structure)[int(np.argmax(np.abs(gap)))]
    loop = worst.split(":")[0]
    return CannotClose(
        f"Robot {robot.name!r}: no posture closes loop {loop!r} (of {tried} tried, the nearest "
        f"leaves {np.abs(gap).max():.3g} in the row {worst!r}). Check the lengths and frames of both ends, "
        "and that the joint is cut where the two links meet.",
        loop,
    )


def symbol_values(robot: Robot, rng: Any, given: Mapping[str, float | Fraction]) -> dict[str, Fraction]:
    """A value for every symbol, rational: the given one, the robot's own, or a random one."""
    declared = {symbol.name: symbol.value for symbol in robot.symbols if symbol.value is not None}
    values = {}
    for name in robot.free_symbols:
        if name in given:
            values[name] = Fraction(given[name])
        elif name in declared:
            exact = declared[name].rational
            values[name] = Fraction(float(declared[name])) if exact is None else exact
        else:
            values[name] = Fraction(int(rng.integers(500, 1500)), 1000)
    return values
