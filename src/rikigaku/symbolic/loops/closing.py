"""The loops of a robot at given values of its symbols: closed in floats, then to any number of digits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb_mat
from numpy.typing import NDArray

from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.balls import BALLS, ball, precision
from rikigaku.numbers.functions import sqrt
from rikigaku.numbers.kind import FLOATS, Number
from rikigaku.symbolic.loops.recorded import Recorded, recorded

Array = NDArray[np.float64]

CLOSED = 1e-11  # [m, rad]: what Newton's method reaches in floats, before it is refined
_STEPS = 50
_LONGEST = 0.7  # [m, rad] a step may be, far from a solution
_SINGULAR = 1e-9  # relative to the largest element of the Jacobian
_REFINEMENTS = 9  # each doubles the digits


@dataclass(frozen=True, eq=False)
class ConsistentState:
    """A closed posture: balls that hold it to the precision asked for, and the symbols' values."""

    laws: Recorded
    q: list[Number]
    symbols: dict[str, Fraction]
    bits: int

    @cached_property
    def mechanism(self) -> Mechanism:
        """The robot in balls."""
        with precision(self.bits):
            return instantiate(self.laws.robot, BALLS, _balls(self.symbols))

    @cached_property
    def numbers(self) -> list[Number]:
        """Constants and symbols, the first inputs of recorded laws."""
        with precision(self.bits):
            return self.laws.numbers(BALLS, _balls(self.symbols))

    @cached_property
    def _loops(self) -> list[list[Number]]:
        with precision(self.bits):
            return [[ball(x) for x in part] for part in self.laws.closing([*self.numbers, *self.q])]

    @property
    def residual(self) -> list[Number]:
        """What the loops still lack."""
        return self._loops[0]

    @cached_property
    def jacobian(self) -> list[list[Number]]:
        """The loops' Jacobian, row by row."""
        elements, nv = self._loops[2], self.laws.robot.nv
        return [elements[k : k + nv] for k in range(0, len(elements), nv)]


class Closing:
    """The loops of a robot at given values of its symbols: in floats, then to many digits."""

    def __init__(self, robot: Robot, values: dict[str, Fraction]) -> None:
        self.robot, self.values, self.laws = robot, values, recorded(robot)
        self.numbers = self.laws.numbers(FLOATS, {name: float(x) for name, x in values.items()})

    def at(self, q: Array) -> tuple[Array, Array, Array]:
        """Residual, facing and Jacobian at states (count, nq)."""
        found = self.laws.closing([*self.numbers, *q.T])
        stacked = []
        for elements, shape in zip(found, self.laws.closing.shapes, strict=True):
            out = np.empty((len(q), len(elements)))
            for k, x in enumerate(elements):
                out[:, k] = x
            stacked.append(out.reshape(len(q), *shape))
        return stacked[0], stacked[1], stacked[2]

    def moved(self, q: Array, step: Array) -> Array:
        """States (count, nq) after small steps (count, nv)."""
        new = moved(self.laws.structure, list(q.T), list(step.T))
        return np.stack([np.broadcast_to(x, len(q)) for x in new], axis=-1)

    def newton(
        self, q: Array, free: Sequence[int] | None = None, steps: int = _STEPS, first: bool = False
    ) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Newton's method from many states at once, moving the free coordinates of v (all if None).

        first: stop as soon as one state is closed. Returns the states, what is left of their residuals, and
        which have no joint the wrong way round.
        """
        q = np.array(q)
        places = list(range(self.robot.nv)) if free is None else list(free)
        for step in range(steps + 1):
            residual, cosines, J = self.at(q)
            facing = np.asarray((cosines > 0).all(axis=1))
            closed = np.abs(residual).max(axis=1, initial=0) < CLOSED
            if step == steps or closed.all() or (first and (closed & facing).any()):
                break
            dv = np.zeros((len(q), self.robot.nv))
            dv[:, places] = -np.einsum("kij,kj->ki", np.linalg.pinv(J[:, :, places], rcond=1e-10), residual)
            dv *= np.minimum(1, _LONGEST / np.maximum(np.linalg.norm(dv, axis=1), 1e-300))[:, None]
            q = self.moved(q, dv)
        return q, residual, facing

    def refined(self, q: Array, bits: int) -> ConsistentState | None:
        """A posture closed in floats to full precision: the coordinates that depend are corrected.

        None where that fails: at a singular posture, or where lengths do not fit exactly.
        """
        dependent, rows = pivots(self.at(q[None])[2][0])
        exact: list[Number] = [ball(x) for x in q.tolist()]
        with precision(bits):
            tiny = ball(Fraction(1, 2 ** (bits - 40)))
            for _ in range(_REFINEMENTS):
                state = ConsistentState(self.laws, exact, self.values, bits)
                residual = [x.mid() for x in state.residual]
                if all(abs(x) < tiny for x in residual):
                    return state
                J = state.jacobian
                try:
                    A = arb_mat([[J[i][k].mid() for k in dependent] for i in rows])
                    found = A.solve(arb_mat([[-residual[i]] for i in rows]))
                except ZeroDivisionError:
                    return None
                step: list[Number] = [0] * self.robot.nv
                for r, k in enumerate(dependent):
                    step[k] = found[r, 0].mid()
                exact = [ball(x).mid() for x in moved(self.laws.structure, exact, step)]
        return None


def pivots(J: Array) -> tuple[list[int], list[int]]:
    """Rates that follow from the others at a posture, and as many rows of J that decide them.

    The largest pivots are taken. Which coordinates a user sees as independent is
    `constraints.plan.closure`'s to say.
    """
    A = J.copy()
    scale = np.abs(A).max(initial=0) or 1.0
    rows: list[int] = []
    columns: list[int] = []
    while len(rows) < min(A.shape):
        i, j = np.unravel_index(np.argmax(np.abs(A)), A.shape)
        if abs(A[i, j]) < _SINGULAR * scale:
            break
        rows.append(int(i))
        columns.append(int(j))
        A -= np.outer(A[:, j], A[i] / A[i, j])
        A[i] = 0
        A[:, j] = 0
    return columns, rows


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


def _balls(values: Mapping[str, Fraction]) -> dict[str, Any]:
    return {name: ball(x) for name, x in values.items()}
