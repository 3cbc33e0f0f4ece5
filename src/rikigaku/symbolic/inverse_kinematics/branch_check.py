"""Verification of inverse-kinematics branches by exact substitution modulo a prime.

A configuration and a geometry are drawn at random modulo a prime of 61 bits. Its pose is solved branch by
branch in the same field; the forward kinematics of each result must be that pose, and all loops must close. A
wrong formula passes with a probability of about degree / 2^61. A branch needs its radicands to be squares, so
configurations are drawn until each branch has been tested.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from flint import nmod

from rikigaku.core.errors import NotSolvable
from rikigaku.numbers.algebra_budget import spend
from rikigaku.numbers.exact_number import Ring
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import Number
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas
from rikigaku.symbolic.inverse_kinematics.ik_problem import NUMERIC
from rikigaku.symbolic.inverse_kinematics.pose_equations import Witness, square_root
from rikigaku.symbolic.inverse_kinematics.serial_chain import Axis
from rikigaku.symbolic.inverse_kinematics.solution_steps import Angle, Definition, Displacement, Root

_TRIALS = 400
_REQUIRED_PASSES = 2  # configurations
# Where the pose satisfies relations, one pattern of k signs passes at a configuration: each with probability
# 1/k. After 24 k failures a branch that has not passed twice is valid with a probability below 1e-9.
_ALLOWED_FAILURES = 24
_TARGET_FREEDOMS = {"pose": 6, "position": 3, "planar": 3}


class _SineCosine:
    """An angle given by its sine and cosine."""

    def __init__(self, s: Any, c: Any) -> None:
        self.s, self.c = s, c

    def sin(self) -> Any:
        return self.s

    def cos(self) -> Any:
        return self.c


Requirements = Sequence[tuple[Number, Number | None]]


def verified(
    result: JointFormulas, ring: Ring, axes: Sequence[Axis], requirements: Requirements
) -> JointFormulas:
    """The result with only the branches that pass, and the number of those that could not be tested.

    requirements: numbers of the ring and their required value after substitution of a branch: a constant, or
        None for their value at the drawn configuration; the first ones are the elements of the pose.
    Raises:
        NotSolvable: if none passes.
    """
    # The pose of an arm with few joints satisfies relations among its elements; then only one sign of a root
    # may be valid, depending on the pose. (Residues have no signs: each sign passes at some configurations.)
    roots = sum(isinstance(step, Root) for step in result.steps)
    patterns = list(product((1, -1), repeat=roots))
    related = len(axes) - len(result.given) < _TARGET_FREEDOMS[result.target]
    most = _ALLOWED_FAILURES * len(patterns) if related else 1
    passed: dict[tuple[int, ...], int] = dict.fromkeys(patterns, 0)
    failed: dict[tuple[int, ...], int] = dict.fromkeys(patterns, 0)
    # a root is in the field at every second configuration
    for seed in range(max(_TRIALS, 2 * most * len(patterns)) if related else _TRIALS):
        left = [p for p in patterns if passed[p] < _REQUIRED_PASSES and failed[p] < most]
        if not left:
            break
        spend()
        trial = _Trial(result, ring, axes, requirements, seed + 2)
        for pattern in left:
            passes = trial.passes(pattern)
            if passes is not None:
                (passed if passes else failed)[pattern] += 1
    good = [p for p in patterns if passed[p] == _REQUIRED_PASSES]
    if not good:
        branches = f"Robot {result.robot.name!r}: none of {len(patterns)} branches"
        target = f"{'planar ' * (result.plane is not None)}pose of frame {result.frame!r}"
        if result.target == "position":
            target = f"position of frame {result.frame!r}"
        reason = (
            f"{branches} closes its loops at an arbitrary {target}: "
            "the loops may leave the frame less freedom than its own joints have."
            if result.robot.loops
            else f"{branches} reaches the {target}."
        )
        raise NotSolvable(
            f"{reason} {NUMERIC}",
            [result.coordinates[axis.place] for axis in axes if axis.place in result.coordinates],
        )
    undecided = sum(passed[p] < _REQUIRED_PASSES and failed[p] < most for p in patterns)
    return replace(result, signs=tuple(good), undecided=undecided)


class _Trial:
    """A random configuration modulo a prime; its pose gives the values of the formulas' symbols."""

    def __init__(
        self, result: JointFormulas, ring: Ring, axes: Sequence[Axis], requirements: Requirements, seed: int
    ) -> None:
        self.result, self.ring, self.axes = result, ring, axes
        self.witness = Witness(ring, seed)
        self.wanted = [(x, self.witness(x if y is None else y)) for x, y in requirements]
        self.pose = [y for _, y in self.wanted[:12]]

    def passes(self, pattern: tuple[int, ...]) -> bool | None:
        """Whether the branch reaches the pose; None where a root is not in the field."""
        values: dict[str, Any] = self._pose_values()
        ring = self.ring
        at = self.witness.values
        for name in self.result.robot.free_symbols:
            if name in ring.divisors:
                values[name] = _AngleSymbol(ring, self.witness, name)
            elif name in ring.generators:
                values[name] = at[name]
        found: dict[str, Any] = {}
        signs = iter(pattern)
        kind = _Residues(ring, self.witness)
        for axis in self.axes:
            if axis.place in self.result.given:
                values[self.result.coordinates[axis.place]] = (
                    _SineCosine(*(at[g] for g in axis.generators)) if axis.revolute else at[axis.variable]
                )
        try:
            for step in self.result.steps:
                match step:
                    case Definition(name, formula):
                        values[name] = formula.evaluate(kind, values)
                    case Root(name, radicand):
                        root = square_root(kind.lift(radicand.evaluate(kind, values)), self.witness.prime)
                        if root is None:
                            return None
                        values[name] = root * next(signs)
                    case Displacement(place, name, formula):
                        values[name] = found[f"q[{place}]"] = kind.lift(formula.evaluate(kind, values))
                    case Angle(place, name):
                        s, c = step.sin.evaluate(kind, values), step.cos.evaluate(kind, values)
                        values[name] = _SineCosine(s, c)
                        found[f"sin(q[{place}])"], found[f"cos(q[{place}])"] = kind.lift(s), kind.lift(c)
        except ZeroDivisionError:
            return None
        there = self.witness.at({**at, **found})
        one = nmod(1, self.witness.prime)
        on_circle = all(
            there.values[f"sin(q[{step.place}])"] ** 2 + there.values[f"cos(q[{step.place}])"] ** 2 == one
            for step in self.result.steps
            if isinstance(step, Angle)
        )
        return on_circle and all(there(x) == y for x, y in self.wanted)

    def _pose_values(self) -> dict[str, Any]:
        plane, names = self.result.plane, self.result.pose_names
        if plane is None:
            return dict(zip(names, self.pose[: len(names)], strict=True))
        rows = [self.pose[3:6], self.pose[6:9], self.pose[9:]]
        inputs = [*(self.pose[k] for k in plane.across), _SineCosine(*plane.sin_cos(rows))]
        return dict(zip(names, inputs, strict=True))


class _AngleSymbol:
    """A symbol that occurs in angles: sine and cosine of its multiples are generators of the ring."""

    def __init__(self, ring: Ring, witness: Witness, name: str, times: Fraction = Fraction(1)) -> None:
        self.ring, self.witness, self.name, self.times = ring, witness, name, times

    def __truediv__(self, n: Any) -> "_AngleSymbol":
        return self * (1 / Fraction(int(n)))

    def __mul__(self, factor: Any) -> "_AngleSymbol":
        return _AngleSymbol(self.ring, self.witness, self.name, self.times * _ratio(factor))

    __rmul__ = __mul__

    def sin(self) -> Any:
        return self.witness((self.ring.variable(self.name) * self.times).sin())

    def cos(self) -> Any:
        return self.witness((self.ring.variable(self.name) * self.times).cos())


def _ratio(x: Any) -> Fraction:
    """The fraction with small numerator and denominator that a residue represents."""
    if not isinstance(x, nmod):
        return Fraction(x)
    p = x.modulus()
    for below in range(1, 1000):
        above = int(x * below)
        above = above if above < p // 2 else above - p
        if abs(above) < 1000:
            return Fraction(above, below)
    raise ZeroDivisionError


class _Residues:
    """Constants of formulas modulo a prime."""

    def __init__(self, ring: Any, witness: Witness) -> None:
        self.ring, self.witness = ring, witness

    def rational(self, value: Fraction) -> nmod:
        return nmod(value.numerator, self.witness.prime) / nmod(value.denominator, self.witness.prime)

    def lift(self, x: Any) -> nmod:
        return x if isinstance(x, nmod) else self.rational(Fraction(x))

    def pi(self) -> Any:
        return self.witness.values["pi"]

    def sin_cos(self, angle: Formula) -> tuple[Any, Any]:
        s, c = self.ring.constant_sin_cos(angle)
        return self.witness(s), self.witness(c)

    def sqrt(self, value: Formula) -> Any:
        return self.witness(self.ring.root(value.rational))
