"""Closed configurations in arbitrary precision: Newton's method in floats, then refined on balls.

The iteration in floats is that of `closure.loop_closure_newton`; `refined` doubles the digits at each step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb_mat

from rikigaku.closure.loop_closure_newton import ClosureEquations
from rikigaku.closure.pivoting import largest_pivots
from rikigaku.core.types import Array, Mask
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.arbitrary_precision import ARBITRARY_PRECISION, arbitrary, precision
from rikigaku.numbers.elementary_functions import sqrt
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.symbolic.loops.recorded_laws import RecordedLaws, recorded

_REFINEMENTS = 9  # each doubles the digits


@dataclass(frozen=True, eq=False)
class ConsistentState:
    """A closed configuration q as balls of `bits` bits, and the values of the symbols."""

    laws: RecordedLaws
    q: list[Number]
    symbols: dict[str, Fraction]
    bits: int

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism over balls."""
        with precision(self.bits):
            return instantiate(self.laws.robot, ARBITRARY_PRECISION, _balls(self.symbols))

    @cached_property
    def numbers(self) -> list[Number]:
        """Constants and symbols, the first inputs of recorded laws."""
        with precision(self.bits):
            return self.laws.numbers(ARBITRARY_PRECISION, _balls(self.symbols))

    @cached_property
    def _loops(self) -> list[list[Number]]:
        with precision(self.bits):
            return [[arbitrary(x) for x in part] for part in self.laws.closing([*self.numbers, *self.q])]

    @property
    def residual(self) -> list[Number]:
        """Closure residual."""
        return self._loops[0]

    @cached_property
    def jacobian(self) -> list[list[Number]]:
        """The loops' Jacobian, row by row."""
        elements, nv = self._loops[2], self.laws.robot.nv
        return [elements[k : k + nv] for k in range(0, len(elements), nv)]


class PreciseLoopEquations(ClosureEquations):
    """Loop-closure constraints by recorded programs, at rational values of the robot's symbols.

    They run on floats for Newton's method, and on balls for its refinement. Nothing is compiled.
    """

    def __init__(self, robot: RobotModel, values: dict[str, Fraction]) -> None:
        self.robot, self.values, self.laws = robot, values, recorded(robot)
        self.numbers = self.laws.numbers(FLOATS, {name: float(x) for name, x in values.items()})
        self._last: tuple[bytes, tuple[Array, Array, Array]] | None = None

    def _at(self, q: Array) -> tuple[Array, Array, Array]:
        """Residual, alignment and Jacobian at configurations (count, nq); the last evaluation is kept."""
        key = q.tobytes()
        if self._last is None or self._last[0] != key:
            found = self.laws.closing([*self.numbers, *q.T])
            stacked = []
            for elements, shape in zip(found, self.laws.closing.shapes, strict=True):
                out = np.empty((len(q), len(elements)))
                for k, x in enumerate(elements):
                    out[:, k] = x
                stacked.append(out.reshape(len(q), *shape))
            self._last = key, (stacked[0], stacked[1], stacked[2])
        return self._last[1]

    def residual(self, q: Array) -> Array:
        """All equations, (states, rows): [m] or sines of angles."""
        return self._at(q)[0]

    def jacobian(self, q: Array) -> Array:
        """J with d(residual)/dt = J v, (states, rows, nv)."""
        return self._at(q)[2]

    def aligned(self, q: Array) -> Mask:
        """Whether no cut joint is closed with its axes reversed."""
        return np.asarray((self._at(q)[1] > 0).all(axis=1))

    def moved(self, q: Array, step: Array) -> Array:
        """Configurations (count, nq) after small steps (count, nv)."""
        new = moved(self.laws.structure, list(q.T), list(step.T))
        return np.stack([np.broadcast_to(x, len(q)) for x in new], axis=-1)

    def refined(self, q: Array, bits: int) -> ConsistentState | None:
        """A configuration closed in floats, corrected in its dependent coordinates to `bits` bits.

        None where that fails: at a singular configuration, or where lengths do not fit exactly.
        """
        dependent, rows = largest_pivots(self.jacobian(q[None])[0])
        exact: list[Number] = [arbitrary(x) for x in q.tolist()]
        with precision(bits):
            tiny = arbitrary(Fraction(1, 2 ** (bits - 40)))
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
                exact = [arbitrary(x).mid() for x in moved(self.laws.structure, exact, step)]
        return None


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
    return {name: arbitrary(x) for name, x in values.items()}


def admissible_motions(state: ConsistentState) -> tuple[list[list[Any]], Any]:
    """N with J N = 0, the identity on the independent rates.

    And a function v -> a with J a + (dJ/dt) v = 0.
    """
    nv, J = state.laws.robot.nv, state.jacobian
    if not J:
        return [[arbitrary(int(i == j)) for j in range(nv)] for i in range(nv)], lambda v: [arbitrary(0)] * nv
    dependent, rows = largest_pivots(np.array([[float(x.mid()) for x in row] for row in J]))
    independent = [k for k in range(nv) if k not in dependent]
    A = arb_mat([[J[i][k] for k in dependent] for i in rows])
    B = arb_mat([[-J[i][k] for k in independent] for i in rows])
    X = A.solve(B)
    N: list[list[Any]] = [[arbitrary(0)] * len(independent) for _ in range(nv)]
    for c, k in enumerate(independent):
        N[k][c] = arbitrary(1)
    for r, k in enumerate(dependent):
        for c in range(len(independent)):
            N[k][c] = X[r, c]

    def particular(v: list[Any]) -> list[Any]:
        bias = state.laws.bias([*state.numbers, *state.q, *v])[0]
        right = A.solve(arb_mat([[-arbitrary(bias[i])] for i in rows]))
        result = [arbitrary(0)] * nv
        for r, k in enumerate(dependent):
            result[k] = right[r, 0]
        return result

    return N, particular
