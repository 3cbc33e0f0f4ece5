"""The part of a closed robot's postures that one of them belongs to: a component of its configuration space.

Postures that close the loops are the zeros of polynomials, and these may fall into several irreducible parts:
a parallelogram, and its crossed twin. A relation with constant coefficients between columns of the regressor
that holds at postures near one of them holds on its whole component, and need not hold on another. (Modes of
assembly that are not such parts, elbow up and down of a four-bar, share everything.) Postures are drawn by
walking from home in small steps, along the motions the loops allow, never through a singular posture.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import floats
from rikigaku.constraints.plan import places_of
from rikigaku.errors import CannotClose, UnclosedWarning, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.states import as_position
from rikigaku.symbolic.loops.closing import CLOSED, Closing, ConsistentState, pivots
from rikigaku.symbolic.loops.consistent_state import not_closed, symbol_values
from rikigaku.symbolic.loops.home import RANK, REGULAR, clearness, home_posture, independent_places

Array = NDArray[np.float64]

_SEED = 11
_CLEAR = 0.2  # of what it is at home: walks keep that far from singular postures
_WALK, _STEP, _SHORTEST = 4, 0.3, 0.01  # steps in a walk, their length [rad, m]
_WALKERS = 8
_MOVED = 1e-3  # [rad, m]: beyond what a user types rounded


@dataclass(frozen=True, eq=False)
class Component:
    """The component of a closed posture.

    home: a closed posture of it, [rad, m], with the symbols at these values. rank: of the loops' Jacobian.
    """

    robot: Robot
    home: Array
    rank: int
    values: Mapping[str, Fraction]
    _postures: list[Array] = field(default_factory=list, repr=False)
    _drawn: dict[tuple[tuple[str, Fraction], ...], int] = field(default_factory=dict, repr=False)

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Places in v of coordinates that decide the others: the robot's own choice, or its drives."""
        J = Closing(self.robot, dict(self.values)).at(self.home[None])[2][0]
        own = _deciding(self.robot, J, self.rank)
        if own is not None:
            return own
        dependent = pivots(J)[0]
        return tuple(k for k in range(self.robot.nv) if k not in dependent)

    @property
    def mobility(self) -> int:
        """How many coordinates move freely."""
        return self.robot.nv - self.rank

    def state(self, bits: int, symbols: Mapping[str, Fraction] | None = None) -> ConsistentState:
        """A posture on the component, each time another one, refined; symbols: values near those at home.

        Raises CannotClose where there is none for these values.
        """
        closing = Closing(self.robot, {**self.values, **(symbols or {})})
        key = tuple(closing.values.items())
        for _ in range(_WALKERS):
            count = self._drawn[key] = self._drawn.get(key, 0) + 1  # no posture twice for one geometry
            q = self.postures(count)[count - 1]
            refined = closing.refined(q, bits)
            # further away it might be of another component
            if refined is not None and np.abs(np.array(refined.q, float) - q).max(initial=0) < _STEP:
                return refined
        raise not_closed(self.robot, np.zeros(1), False, False, _WALKERS)

    def postures(self, count: int) -> list[Array]:
        """That many postures of it or more, in floats; the first ones are always the same."""
        while len(self._postures) < count:
            rng = np.random.default_rng([_SEED, len(self._postures)])
            self._postures.extend(self._walked(Closing(self.robot, dict(self.values)), self.home, rng))
        return self._postures

    def afresh(self) -> "Component":
        """The same, with none of its postures drawn."""
        return replace(self, _drawn={})

    def _walked(self, closing: Closing, home: Array, rng: np.random.Generator) -> Array:
        """The ends of some walks from a closed posture, in random directions; they turn where they must."""
        q = np.repeat(home[None], _WALKERS, axis=0)
        ahead, step = rng.normal(size=(_WALKERS, self.robot.nv)), np.full(_WALKERS, _STEP)
        left = _WALK * _STEP * rng.uniform(0.2, 1, _WALKERS)
        J = closing.at(q)[2]
        clear = _CLEAR * clearness(J[:1], self.rank)[0]
        for _ in range(6 * _WALK):
            step = np.minimum(step, np.maximum(left, _SHORTEST))
            found, good, there = self._stepped(closing, q, J, ahead, step, clear)
            good &= left > 0
            q[good], J[good] = found[good], there[good]
            left[good] -= step[good]
            lost = ~good & (step < _SHORTEST)
            ahead[lost] = rng.normal(size=(int(lost.sum()), self.robot.nv))
            step = np.where(good, np.minimum(2 * step, _STEP), np.where(lost, _STEP, step / 2))
            if (left <= 0).all():
                break
        return q

    def _stepped(
        self, closing: Closing, q: Array, J: Array, ahead: Array, step: Array, clear: float
    ) -> tuple[Array, NDArray[np.bool_], Array]:
        """Each posture after a step along the motion nearest to a direction, whether all is well, J there."""
        N = np.linalg.svd(J)[2][:, self.rank :]
        along = np.einsum("kij,kil,kl->kj", N, N, ahead)
        along *= (step / np.maximum(np.linalg.norm(along, axis=1), 1e-12))[:, None]
        guess = closing.moved(q, along)
        found, residual, facing = closing.newton(guess, steps=6)
        there = closing.at(found)[2]
        good = (np.abs(residual).max(axis=1, initial=0) < CLOSED) & facing
        good &= np.abs(found - guess).max(axis=1, initial=0) < 0.5 * step
        return found, good & (clearness(there, self.rank) >= clear), there


def component_of(robot: Robot, near: Sequence[float] | Array | None = None) -> Component:
    """The component of the posture nearest to the given one, or of the robot's home posture.

    Home is the closed posture `assemble` finds at the neutral positions of the independent joints (or, where
    these are outside their limits, in the middle of them), or as near to that as one is closed and regular.
    Raises:
        CannotClose: if no closed posture is found there. WrongValue: if `near` leads to a singular posture,
            where several components may meet.
    """
    if near is None:
        return _component(robot, None).afresh()
    given = as_position(robot, floats("near=", near))
    found = _component(robot, tuple(given.tolist()))
    known = set(robot.free_symbols) <= robot.declared_values.keys()  # else lengths were drawn
    if known and np.abs(found.home - given).max(initial=0) > _MOVED:
        warnings.warn(
            f"near={_listed(given)} is no closed posture of robot {robot.name!r}: the one found from it, "
            f"{_listed(found.home)}, is taken. q = robot.assemble(...) gives one.",
            UnclosedWarning,
            stacklevel=4,
        )
    return found.afresh()


@lru_cache(maxsize=32)
def _component(robot: Robot, near: tuple[float, ...] | None) -> Component:
    rng = np.random.default_rng(_SEED)
    values = symbol_values(robot, rng, {})
    closing = Closing(robot, values)
    if near is None:
        independent = independent_places(closing)
        rank = robot.nv - len(independent)
        return Component(robot, home_posture(closing, independent, rank, rng), rank, values)
    found, residual, facing = closing.newton(np.array([near]))
    if np.abs(residual).max(initial=0) > CLOSED or not facing[0]:
        raise CannotClose(
            f"Robot {robot.name!r}: no closed posture is found from near={_listed(near)} (a gap of "
            f"{np.abs(residual).max(initial=0):.3g} is left). Give one of robot.assemble(...).",
            reason="unreachable",
        )
    s = np.linalg.svd(closing.at(found)[2][0], compute_uv=False)
    rank = int((s > RANK * s[:1]).sum())
    result = Component(robot, found[0], rank, values)
    _check_regular(result, closing, near)
    return result


def _check_regular(result: Component, closing: Closing, near: Sequence[float]) -> None:
    """Refuse a posture where the loops allow more motions to first order than there are."""
    q = np.repeat(result.home[None], _WALKERS, axis=0)
    J = closing.at(q)[2]
    rng = np.random.default_rng(_SEED)
    ahead, steps = rng.normal(size=(_WALKERS, result.robot.nv)), np.geomspace(1e-3, 5e-2, _WALKERS)
    _, good, _there = result._stepped(closing, q, J, ahead, steps, 0.1 * REGULAR)
    if clearness(J[:1], result.rank)[0] < REGULAR or not good.any():
        raise WrongValue(
            f"near={_listed(near)} leads to a singular posture of robot {result.robot.name!r}, "
            f"{_listed(result.home)}, where several ways to move may meet. Give a posture further from it."
        )


def _deciding(robot: Robot, J: Array, rank: int) -> tuple[int, ...] | None:
    """The joints called independent, or else the drives, if they decide the others."""
    driven = tuple(joint.name for joint in robot.joints if joint.actuated)
    for names in (robot.independent, driven):
        own = places_of(robot, names)
        others = [k for k in range(robot.nv) if k not in own]
        if len(others) == rank and np.linalg.matrix_rank(J[:, others], 1e-6) == rank:
            return own
    return None


def _listed(q: Sequence[float] | Array) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in q) + ")"
