"""Random postures in which all loops are closed, to any precision: where ranks of closed robots are taken."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import lt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import CannotClose
from rikigaku.laws.loops import loop_facing, loop_jacobian, loop_residual, row_names
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.balls import BALLS, ball, precision
from rikigaku.numbers.evaluate import evaluated
from rikigaku.numbers.functions import cos, sign, sin, sqrt, where
from rikigaku.numbers.kind import FLOATS, Number
from rikigaku.numbers.program import Program, Shape, trace
from rikigaku.states import random_state

Array = NDArray[np.float64]

_FUNCTIONS: Mapping[str, Any] = {
    "const": float,
    "less": lt,
    "choose": where,
    "sqrt": sqrt,
    "sin": sin,
    "cos": cos,
    "sign": sign,
}
_ATTEMPTS = (8, 56)
_STEPS = 50
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
    loops = _traced(robot)
    nearest = np.full(1, np.inf)
    exactly = True
    for attempts in _ATTEMPTS:  # a few as a rule, all others in one go
        states, gaps, facing = _newton(loops, random_state(robot, rng, attempts).q, values)
        worst = np.abs(gaps).max(axis=1, initial=0)
        for k in np.flatnonzero((worst < _CLOSED) & facing):
            if (refined := _refined(robot, loops, states[k].tolist(), values, precision_bits)) is not None:
                return refined
            exactly = False
        worst[~facing] = np.inf
        if worst.min() < np.abs(nearest).max():
            nearest = gaps[int(np.argmin(worst))]
    raise _not_closed(robot, loops.mechanism, nearest, exactly)


def _not_closed(robot: Robot, mechanism: Mechanism, gap: Any, exactly: bool) -> CannotClose:
    if not exactly:
        return CannotClose(
            f"Robot {robot.name!r}: postures close the loops to 11 digits, but not exactly. Lengths that "
            "must fit are rounded (an over-constrained loop), or every closed posture is singular."
        )
    if not np.isfinite(gap).all():
        return CannotClose(
            f"Robot {robot.name!r}: every posture found closes a joint the wrong way round. "
            "Turn one end of the loop by half a turn (about x).",
            robot.loops[0].name if robot.loops else "",
        )
    worst = row_names(mechanism)[int(np.argmax(np.abs(gap)))]
    loop = worst.split(":")[0]
    return CannotClose(
        f"Robot {robot.name!r}: no posture closes loop {loop!r} (of {sum(_ATTEMPTS)} tried, the nearest "
        f"leaves {np.abs(gap).max():.3g} in the row {worst!r}). Check the lengths and frames of both ends, "
        "and that the joint is cut where the two links meet.",
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


class Loops(NamedTuple):
    """Residual, facing and Jacobian of a robot's loops as one recorded program; symbols are inputs."""

    program: Program
    mechanism: Mechanism  # over nodes

    def at(self, q: Array, values: Mapping[str, Fraction]) -> list[Array]:
        """The three of them at states (count, nq), each (count, rows) or (count, rows, nv)."""
        symbols = [[float(values[port.name])] for port in self.program.inputs[1:]]
        found = evaluated(self.program, [list(q.T), *symbols], _FUNCTIONS)
        shapes = [port.shape for port in self.program.outputs]
        return [_stacked(rows, len(q), shape) for rows, shape in zip(found, shapes, strict=True)]


@lru_cache(maxsize=32)
def _traced(robot: Robot) -> Loops:
    names, kept = robot.free_symbols, []

    def loops(q: Any, *symbols: Any) -> dict[str, Any]:
        mechanism = instantiate(robot, FLOATS, dict(zip(names, symbols, strict=True)))
        kept.append(mechanism)
        return {
            "residual": loop_residual(mechanism, q),
            "facing": loop_facing(mechanism, q),
            "jacobian": loop_jacobian(mechanism, q),
        }

    program = trace("loops", [("q", (robot.nq,)), *((name, ()) for name in names)], loops)
    return Loops(program, kept[0])


def _stacked(elements: Sequence[Any], count: int, shape: Shape) -> Array:
    columns = [np.broadcast_to(np.asarray(x, float), count) for x in elements]
    return np.stack(columns, axis=-1).reshape(count, *shape) if columns else np.zeros((count, *shape))


def _newton(loops: Loops, q: Array, values: Mapping[str, Fraction]) -> tuple[Array, Array, Any]:
    """Newton's method on the loops from many states at once, until one closes.

    Returns the states, what is left of their residuals, and which have no joint the wrong way round.
    """
    for step in range(_STEPS + 1):
        residual, cosines, J = loops.at(q, values)
        facing = (cosines > 0).all(axis=1)
        if step == _STEPS or ((np.abs(residual).max(axis=1, initial=0) < _CLOSED) & facing).any():
            break
        dv = -np.einsum("kij,kj->ki", np.linalg.pinv(J, rcond=1e-10), residual)
        dv *= np.minimum(1, _LONGEST / np.maximum(np.linalg.norm(dv, axis=1), 1e-300))[:, None]
        q = np.stack([np.asarray(x) for x in moved(loops.mechanism, list(q.T), list(dv.T))], axis=-1)
    return q, residual, facing


def _refined(
    robot: Robot, loops: Loops, q: list[float], values: dict[str, Fraction], bits: int
) -> ConsistentState | None:
    """The posture to full precision: steps with the slopes of the float solution win 12 digits each time.

    None where they do not: at a singular posture, or where lengths do not fit exactly.
    """
    with precision(bits):
        mechanism = instantiate(robot, BALLS, {name: ball(x) for name, x in values.items()})
        slopes = np.linalg.pinv(loops.at(np.array([q]), values)[2][0], rcond=1e-8)
        exact: list[Number] = [ball(x) for x in q]
        for _ in range(bits // 20 + 4):
            residual = [ball(x).mid() for x in loop_residual(mechanism, exact)]
            if all(_tiny(x, bits) for x in residual):
                return ConsistentState(mechanism, exact, values)
            step = [
                sum((-float(s) * r for s, r in zip(row, residual, strict=True)), ball(0)) for row in slopes
            ]
            exact = [ball(x).mid() for x in moved(mechanism, exact, step)]
        return None


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
