"""Random postures in which all loops are closed, to any precision: where ranks of closed robots are taken."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rikigaku.errors import CannotClose
from rikigaku.laws.loops import loop_facing, loop_jacobian, loop_residual, row_names
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.balls import BALLS, ball, precision
from rikigaku.numbers.functions import sqrt
from rikigaku.numbers.kind import FLOATS, Number
from rikigaku.states import random_state

_ATTEMPTS = 60
_STEPS = 60
_CLOSED = 1e-11  # [m, rad]: what Newton's method reaches in floats, before it is refined
_LONGEST = 0.7  # [m, rad] a step may be, far from a solution


class ConsistentState(NamedTuple):
    """A closed posture: balls that hold it to the precision asked for, and the symbols' values."""

    mechanism: Mechanism  # in balls
    q: list[Number]
    symbols: dict[str, Fraction]


def consistent_state(
    robot: Robot,
    rng: Any = None,
    precision_bits: int = 300,
    symbols: Mapping[str, float | Fraction] | None = None,
) -> ConsistentState:
    """A random posture of a closed robot with all loops closed and all gears in mesh.

    Args:
        rng: a NumPy generator or a seed.
        precision_bits: the residual is below 2^-(precision_bits - 40).
        symbols: their values; those the robot declares serve otherwise, and random ones where it has none.
    Raises:
        CannotClose: if no closed posture is found, with the nearest gap and the row it is in.
    Work with the result within `rikigaku.numbers.balls.precision(precision_bits)`.
    """
    rng = np.random.default_rng(rng)
    values = _values(robot, rng, symbols or {})
    mechanism = instantiate(robot, FLOATS, {name: float(x) for name, x in values.items()})
    best, gap = None, np.full(1, np.inf)
    for _ in range(_ATTEMPTS):
        q, residual = _newton(mechanism, random_state(robot, rng).q.tolist())
        if np.abs(residual).max(initial=0) < _CLOSED and _faces(mechanism, q):
            return _refined(robot, q, values, precision_bits)
        if np.abs(residual).max(initial=0) < np.abs(gap).max() and _faces(mechanism, q):
            best, gap = q, residual
    if best is None:
        raise CannotClose(
            f"Robot {robot.name!r}: every posture found closes a joint the wrong way round. "
            "Turn one end of the loop by half a turn (about x).",
            robot.loops[0].name if robot.loops else "",
        )
    raise _not_closed(robot, mechanism, gap)


def _not_closed(robot: Robot, mechanism: Mechanism, gap: Any) -> CannotClose:
    worst = row_names(mechanism)[int(np.argmax(np.abs(gap)))]
    loop = worst.split(":")[0]
    return CannotClose(
        f"Robot {robot.name!r}: no posture closes loop {loop!r} (of {_ATTEMPTS} tried, the nearest leaves "
        f"{np.abs(gap).max():.3g} in the row {worst!r}). Check the lengths and frames of its two ends, and "
        "that the joint is cut where the two links meet.",
        loop,
    )


def _values(robot: Robot, rng: Any, given: Mapping[str, float | Fraction]) -> dict[str, Fraction]:
    """A value for every symbol, rational."""
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


def _newton(mechanism: Mechanism, q: list[float]) -> tuple[list[float], Any]:
    """Newton's method on the loops, the shortest step each time; q and what remains of the residual."""
    for _ in range(_STEPS):
        residual = np.array(loop_residual(mechanism, q), dtype=float)
        if np.abs(residual).max(initial=0) < _CLOSED / 100:
            break
        J = np.array(loop_jacobian(mechanism, q), dtype=float)
        step = -np.linalg.lstsq(J, residual, rcond=1e-10)[0]
        step *= min(1.0, _LONGEST / max(float(np.linalg.norm(step)), 1e-300))
        q = [float(x) for x in moved(mechanism, q, step.tolist())]
    return q, np.array(loop_residual(mechanism, q), dtype=float)


def _faces(mechanism: Mechanism, q: Sequence[float]) -> bool:
    return all(float(x) > 0 for x in loop_facing(mechanism, q))


def _refined(robot: Robot, q: list[float], values: dict[str, Fraction], bits: int) -> ConsistentState:
    """The posture to full precision: steps with the slopes of the float solution win 12 digits each time."""
    with precision(bits):
        mechanism = instantiate(robot, BALLS, {name: ball(x) for name, x in values.items()})
        floats = instantiate(robot, FLOATS, {name: float(x) for name, x in values.items()})
        slopes = np.linalg.pinv(np.array(loop_jacobian(floats, q), dtype=float), rcond=1e-8)
        exact: list[Number] = [ball(x) for x in q]
        for _ in range(bits // 20 + 4):
            residual = [ball(x).mid() for x in loop_residual(mechanism, exact)]
            if all(_tiny(x, bits) for x in residual):
                return ConsistentState(mechanism, exact, values)
            step = [
                sum((-float(s) * r for s, r in zip(row, residual, strict=True)), ball(0)) for row in slopes
            ]
            exact = [ball(x).mid() for x in moved(mechanism, exact, step)]
        raise CannotClose(
            f"Robot {robot.name!r}: a posture closes the loops to 11 digits, but not exactly. Lengths that "
            "must fit together are rounded (an over-constrained loop), or the posture is singular."
        )


def _tiny(x: Any, bits: int) -> bool:
    return bool(abs(x) < ball(Fraction(1, 2 ** (bits - 40))))


def moved(mechanism: Mechanism, q: Sequence[Number], step: Sequence[Number]) -> list[Number]:
    """q + dq for a small step of the velocities, quaternions brought back to length one."""
    result = list(q)
    for body in mechanism.bodies:
        own = [q[k] for k in body.q]
        rates = body.joint.rate(own, [step[k] for k in body.v])
        new = [x + dx for x, dx in zip(own, rates, strict=True)]
        if len(new) > 1:
            four = new[-4:]
            length = sqrt(four[0] * four[0] + four[1] * four[1] + four[2] * four[2] + four[3] * four[3])
            new[-4:] = [x / length for x in four]
        for k, x in zip(body.q, new, strict=True):
            result[k] = x
    return result
