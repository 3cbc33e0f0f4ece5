"""Sums of actuations: inputs, parameters and formulas side by side, compiled as one program."""

from collections.abc import Sequence
from functools import reduce
from itertools import chain

import numpy as np

from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.simulation.actuation import (
    Actuation,
    Function,
    Numbers,
    evaluate_function,
    input_counts,
    joint_forces,
)
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial, stacked


class CombinedInputs:
    """Inputs and parameters of several actuations as those of one.

    Inputs are the piecewise polynomials of all parts, then the values of all functions.

    Raises:
        WrongValue: for functions that are sampled at different periods.
    """

    def __init__(self, parts: Sequence[Actuation]) -> None:
        self.parts = tuple(parts)
        self.counts = [input_counts(part) for part in self.parts]
        self.size = sum(map(sum, self.counts))
        pieces = [part.pieces for part in self.parts if part.pieces is not None]
        self.pieces: PiecewisePolynomial | None = reduce(stacked, pieces) if pieces else None
        functions = [part for part in self.parts if part.function is not None]
        periods = list(dict.fromkeys(part.period for part in functions))
        if len(periods) > 1:
            listed = " and ".join("a continuous one" if x is None else f"one every {x:g} s" for x in periods)
            raise WrongValue(
                f"The Python functions of one simulation have one period; {listed} were given. Evaluate both "
                "in one function, or give formulas, rk.Data or a controller, which are compiled."
            )
        self.period: float | None = periods[0] if periods else None
        self.function: Function | None = self._function if functions else None

    @property
    def identity(self) -> str:
        return f"{self.counts} {[part.identity for part in self.parts]}"

    @property
    def parameters(self) -> tuple[float, ...]:
        return tuple(chain.from_iterable(part.parameters for part in self.parts))

    def split(self, u: Numbers, p: Numbers) -> list[tuple[Actuation, Numbers, Numbers]]:
        """Each part with its own inputs and parameters."""
        result: list[tuple[Actuation, Numbers, Numbers]] = []
        first, second, at = 0, sum(count for count, _ in self.counts), 0
        for part, (given, computed) in zip(self.parts, self.counts, strict=True):
            own = [*u[first : first + given], *u[second : second + computed]]
            result.append((part, own, p[at : at + len(part.parameters)]))
            first, second, at = first + given, second + computed, at + len(part.parameters)
        return result

    def _function(self, t: float, q: Array, v: Array) -> Array:
        parts = [part for part in self.parts if part.function is not None]
        return np.concatenate([evaluate_function(part, t, q.copy(), v.copy()) for part in parts])


class ActuationSum(CombinedInputs):
    """The sum of the forces of several actuations."""

    @property
    def identity(self) -> str:
        return f"sum {super().identity}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        return total_force(mechanism, force_terms(self, mechanism, t, q, v, u, p))


def force_terms(
    actuation: Actuation, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
) -> list[list[Number]]:
    """Forces in all joints of each summand of an actuation; of one that is no sum its own."""
    if not isinstance(actuation, ActuationSum):
        return [joint_forces(actuation, mechanism, t, q, v, u, p)]
    parts = actuation.split(u, p)
    return [
        tau for part, own, numbers in parts for tau in force_terms(part, mechanism, t, q, v, own, numbers)
    ]


def total_force(mechanism: Mechanism, terms: Sequence[Numbers]) -> list[Number]:
    """The sum of forces in all joints."""
    total: list[Number] = [0] * mechanism.nv
    for tau in terms:
        total = [x + y for x, y in zip(total, tau, strict=True)]
    return total


def sum_of(parts: Sequence[Actuation]) -> Actuation:
    """The sum of actuations.

    Raises:
        WrongValue: if two of them compensate gravity.
    """
    several = [type(part).__name__ for part in parts if getattr(part, "gravity", False)]
    if len(several) > 1:
        raise WrongValue(
            f"Gravity is compensated {len(several)} times, by {' and '.join(several)}: give "
            "rk.PD(..., gravity=False) in a sum with another controller that compensates it."
        )
    return ActuationSum(parts)
