"""Irreducible component of the configuration space of a closed robot, and random configurations on it.

Closed configurations are the zeros of polynomials. These may form several irreducible components: a
parallelogram, and its crossed form. A relation with constant coefficients between columns of the regressor
that holds near one configuration holds on its whole component, and need not hold on another. (Assembly modes
that are not components, elbow up and down of a four-bar, share all relations.) Configurations are drawn by
random walks from a reference configuration, along the null space of the loop Jacobian, away from
singularities.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from rikigaku.closure.pivoting import largest_pivots, rank_of, regularity
from rikigaku.core.arrays import floats
from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import CannotClose, UnclosedWarning, WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import as_position, velocity_indices
from rikigaku.symbolic.loops.closed_configuration import not_closed, symbol_values
from rikigaku.symbolic.loops.component_reference import REGULAR, independent_places, reference_configuration
from rikigaku.symbolic.loops.precise_closure import ConsistentState, PreciseLoopEquations

_SEED = 11
_CLEAR = 0.2  # of the regularity at the reference: random walks stay above it
_WALK, _STEP, _SHORTEST = 4, 0.3, 0.01  # steps in a walk, their length [rad, m]
_WALKERS = 8
_DENOMINATOR = 50  # of random values in [1, 2) for symbols without a value
_BITS = 13  # of random values near declared ones: few, so that rational coefficients are recognised
SPREADS = (
    Fraction(1, 20),
    Fraction(1, 50),
    Fraction(1, 200),
    Fraction(1, 200),
)  # relative; loops may close near the declared values only
_MOVED = 1e-3  # [rad, m]: a larger difference from near=... gives a warning


@dataclass(frozen=True, eq=False)
class Component:
    """The component of a closed configuration.

    reference: a closed configuration on it, [rad, m], at these values of the symbols. rank: of the loop
    Jacobian.
    """

    robot: RobotModel
    reference: Array
    rank: int
    values: Mapping[str, Fraction]
    _configurations: list[Array] = field(default_factory=list, repr=False)
    _drawn: dict[tuple[tuple[str, Fraction], ...], int] = field(default_factory=dict, repr=False)

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Indices in v of coordinates that determine the others: the robot's choice, or actuated ones."""
        J = PreciseLoopEquations(self.robot, dict(self.values)).jacobian(self.reference[None])[0]
        own = _determining(self.robot, J, self.rank)
        if own is not None:
            return own
        dependent = largest_pivots(J)[0]
        return tuple(k for k in range(self.robot.nv) if k not in dependent)

    @property
    def mobility(self) -> int:
        """How many coordinates move freely."""
        return self.robot.nv - self.rank

    def state(self, bits: int, symbols: Mapping[str, Fraction] | None = None) -> ConsistentState:
        """A configuration on the component in arbitrary precision, each time another one.

        symbols: values near those of the component. Raises CannotClose where none is found for them.
        """
        equations = PreciseLoopEquations(self.robot, {**self.values, **(symbols or {})})
        key = tuple(equations.values.items())
        for _ in range(_WALKERS):
            count = self._drawn[key] = self._drawn.get(key, 0) + 1  # none twice for one geometry
            q = self.configurations(count)[count - 1]
            refined = equations.refined(q, bits)
            # farther away it may lie on another component
            if refined is not None and np.abs(np.array(refined.q, float) - q).max(initial=0) < _STEP:
                return refined
        raise not_closed(self.robot, np.zeros(1), False, False, _WALKERS)

    def configurations(self, count: int) -> list[Array]:
        """At least `count` configurations on it, in floats; the first ones are always the same."""
        while len(self._configurations) < count:
            rng = np.random.default_rng([_SEED, len(self._configurations)])
            equations = PreciseLoopEquations(self.robot, dict(self.values))
            self._configurations.extend(self._random_walks(equations, self.reference, rng))
        return self._configurations

    def without_history(self) -> "Component":
        """The same component, with no configuration drawn yet."""
        return replace(self, _drawn={})

    def _random_walks(self, equations: PreciseLoopEquations, start: Array, rng: np.random.Generator) -> Array:
        """Ends of random walks from a closed configuration; the direction changes before a singularity."""
        q = np.repeat(start[None], _WALKERS, axis=0)
        direction, step = rng.normal(size=(_WALKERS, self.robot.nv)), np.full(_WALKERS, _STEP)
        left = _WALK * _STEP * rng.uniform(0.2, 1, _WALKERS)
        J = equations.jacobian(q)
        least = _CLEAR * regularity(J[:1], self.rank)[0]
        for _ in range(6 * _WALK):
            step = np.minimum(step, np.maximum(left, _SHORTEST))
            found, good, there = self._stepped(equations, q, J, direction, step, least)
            good &= left > 0
            q[good], J[good] = found[good], there[good]
            left[good] -= step[good]
            lost = ~good & (step < _SHORTEST)
            direction[lost] = rng.normal(size=(int(lost.sum()), self.robot.nv))
            step = np.where(good, np.minimum(2 * step, _STEP), np.where(lost, _STEP, step / 2))
            if (left <= 0).all():
                break
        return q

    def _stepped(
        self, equations: PreciseLoopEquations, q: Array, J: Array, direction: Array, step: Array, least: float
    ) -> tuple[Array, Mask, Array]:
        """Configurations after a step along the projected direction; which are good; J there."""
        N = np.linalg.svd(J)[2][:, self.rank :]
        along = np.einsum("kij,kil,kl->kj", N, N, direction)
        along *= (step / np.maximum(np.linalg.norm(along, axis=1), 1e-12))[:, None]
        guess = equations.moved(q, along)
        found, _, good = equations.newton(guess, steps=6)
        there = equations.jacobian(found)
        good = good & (np.abs(found - guess).max(axis=1, initial=0) < 0.5 * step)
        return found, good & (regularity(there, self.rank) >= least), there


def component_of(robot: RobotModel, near: Sequence[float] | Array | None = None) -> Component:
    """The component of the closed configuration found from `near`, or of the reference configuration.

    The reference is the closed configuration `assemble` finds at the neutral positions of the independent
    joints (in the middle of their limits, where these exclude zero), or a regular one near it.
    Raises:
        CannotClose: if no closed configuration is found. WrongValue: if `near` leads to a singular
            configuration, where several components may meet.
    """
    if near is None:
        return _component(robot, None).without_history()
    start = as_position(robot, floats("near=", near))
    found = _component(robot, tuple(start.tolist()))
    known = set(robot.free_symbols) <= robot.declared_values.keys()  # else lengths are random
    if known and np.abs(found.reference - start).max(initial=0) > _MOVED:
        warn_caller(
            f"near={_listed(start)} is no closed configuration of robot {robot.name!r}: the one found from "
            f"it, {_listed(found.reference)}, is taken. q = robot.assemble(...) gives one.",
            UnclosedWarning,
        )
    return found.without_history()


@lru_cache(maxsize=32)
def _component(robot: RobotModel, near: tuple[float, ...] | None) -> Component:
    rng = np.random.default_rng(_SEED)
    values = symbol_values(robot, rng, {})
    equations = PreciseLoopEquations(robot, values)
    if near is None:
        independent = independent_places(equations)
        rank = robot.nv - len(independent)
        return Component(robot, reference_configuration(equations, independent, rank, rng), rank, values)
    found, residual, closed = equations.newton(np.array([near]))
    if not closed[0]:
        raise CannotClose(
            f"Robot {robot.name!r}: no closed configuration is found from near={_listed(near)} (a residual "
            f"of {np.abs(residual).max(initial=0):.3g} is left). Give one of robot.assemble(...).",
            reason="unreachable",
        )
    result = Component(robot, found[0], rank_of(equations.jacobian(found)[0]), values)
    _check_regular(result, equations, near)
    return result


def _check_regular(result: Component, equations: PreciseLoopEquations, near: Sequence[float]) -> None:
    """Raise WrongValue at a singular configuration."""
    q = np.repeat(result.reference[None], _WALKERS, axis=0)
    J = equations.jacobian(q)
    rng = np.random.default_rng(_SEED)
    directions, steps = rng.normal(size=(_WALKERS, result.robot.nv)), np.geomspace(1e-3, 5e-2, _WALKERS)
    _, good, _there = result._stepped(equations, q, J, directions, steps, 0.1 * REGULAR)
    if regularity(J[:1], result.rank)[0] < REGULAR or not good.any():
        raise WrongValue(
            f"near={_listed(near)} leads to a singular configuration of robot {result.robot.name!r}, "
            f"{_listed(result.reference)}, where several components may meet. Give one farther from it."
        )


def _determining(robot: RobotModel, J: Array, rank: int) -> tuple[int, ...] | None:
    """The robot's independent joints, else the actuated ones, if they determine the others."""
    actuated = tuple(joint.name for joint in robot.joints if joint.actuated)
    for names in (robot.independent, actuated):
        own = velocity_indices(robot, names)
        others = [k for k in range(robot.nv) if k not in own]
        if len(others) == rank and np.linalg.matrix_rank(J[:, others], 1e-6) == rank:
            return own
    return None


def _listed(q: Sequence[float] | Array) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in q) + ")"


def random_rational(declared: float | None, spread: Fraction, rng: np.random.Generator) -> Fraction:
    """A random rational with a small denominator, near the declared value."""
    if declared is None:
        return Fraction(int(rng.integers(_DENOMINATOR, 2 * _DENOMINATOR)), _DENOMINATOR)
    if declared == 0:
        return Fraction(int(rng.integers(1, 100)), 100) * spread
    unit = Fraction(2) ** (math.frexp(declared)[1] - _BITS)
    middle = round(declared / float(unit))
    width = max(int(abs(middle) * spread), 1)
    return unit * (middle + int(rng.integers(-width, width + 1)))


def generic_states(component: Component, bits: int, rng: np.random.Generator) -> list[ConsistentState]:
    """Two configurations of a component at random lengths; none where the loops do not close there."""
    for spread in SPREADS:
        values = {name: random_rational(float(x), spread, rng) for name, x in component.values.items()}
        try:
            return [component.state(bits, values) for _ in range(2)]
        except CannotClose:
            continue
    return []
