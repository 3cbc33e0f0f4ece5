"""Closed-form inverse kinematics as one native kernel: all branches of a pose in one call.

The steps of the solution run on traced numbers. A joint is kept as (cosine, sine, angle), so that later steps
need no sine of an arctangent. Branches share what they have in common. Forward kinematics with the same
cosines and sines gives the error of each branch, and the smallest pivot of J^T J shows singular ones.
"""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.loop_cut import pose
from rikigaku.inverse_kinematics.pose_newton import pose_errors
from rikigaku.inverse_kinematics.serial_arm import SerialArm
from rikigaku.inverse_kinematics.shared_kernels import run
from rikigaku.numbers.elementary_functions import atan2, cos, is_number, sin, sqrt, where
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import Program, trace
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas
from rikigaku.symbolic.inverse_kinematics.joint_formulas_json import formulas_to_json
from rikigaku.symbolic.inverse_kinematics.solution_steps import (
    Angle,
    Definition,
    Displacement,
    Root,
    Step,
    formulas_of,
)

# squared size of (cosine, sine), up to a factor, that rounding errors may have, and one taken for zero
_DOUBLE, _SINGLE = (1e-24, 1e-280), (1e-7, 1e-35)


class JointAngle:
    """An angle known by its cosine and sine; sums of angles stay so."""

    def __init__(self, c: Number, s: Number, radians: Number) -> None:
        self.c, self.s, self.radians = c, s, radians

    def cos(self) -> Number:
        return self.c

    def sin(self) -> Number:
        return self.s

    def __neg__(self) -> "JointAngle":
        return JointAngle(self.c, -self.s, -self.radians)

    def __add__(self, other: Any) -> Any:
        if is_number(other):
            other = JointAngle(cos(float(other)), sin(float(other)), other)
        if not isinstance(other, JointAngle):
            return self.radians + other
        return JointAngle(
            self.c * other.c - self.s * other.s,
            self.s * other.c + self.c * other.s,
            self.radians + other.radians,
        )

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __mul__(self, other: Any) -> Any:
        if is_number(other) and abs(other) == 1:
            return self if other == 1 else -self
        return self.radians * other

    __rmul__ = __mul__


class FormulaKernel:
    """The formulas of one frame of an arm, with the values of its symbols, compiled.

    given: names of the joints whose values are inputs. single: computes on arrays of float32.
    """

    def __init__(
        self,
        formulas: JointFormulas,
        arm: SerialArm,
        names: Sequence[str],
        symbols: Mapping[str, float],
        single: bool = False,
    ) -> None:
        self.single = single
        self._undetermined, self._zero = _SINGLE if single else _DOUBLE
        self.formulas, self.arm, self.symbols = formulas, arm, dict(symbols)
        self.given = tuple(formulas.coordinates[place] for place in formulas.given)
        self.branches = len(formulas.signs)
        known = frozenset(self.symbols)
        self._divisors = {
            step.name: [x for f in _values(step) for x in divisors(f) if not x.symbols <= known]
            for step in formulas.steps
        }
        saved = json.dumps(formulas_to_json(formulas), sort_keys=True)
        content = [saved, arm.links.tobytes().hex(), str(arm.revolute), str(arm.coordinates)]
        content.append(f"{sorted(self.symbols.items())}{' in single precision' * single}")
        self.kernel = Kernel("\n".join(["inverse kinematics in closed form", *content]), self._program)

    def _program(self) -> Program:
        inputs = [("T", (4, 4)), *((name, ()) for name in self.given)]
        return trace("inverse kinematics in closed form", inputs, self._branches)

    def _branches(self, T: Sequence[Sequence[Number]], *given: Number) -> dict[str, Any]:
        H = [*(row[3] for row in T[:3]), *(x for row in T[:3] for x in row[:3])]
        at: dict[str, Any] = dict(self.symbols)
        at |= dict(zip(self.formulas.pose_names, H, strict=True))
        turning = {
            self.formulas.coordinates[k]
            for k, flag in zip(self.arm.coordinates, self.arm.revolute, strict=True)
            if flag
        }
        for name, x in zip(self.given, given, strict=True):
            at[name] = JointAngle(cos(x), sin(x), x) if name in turning else x
        rows = [self._branch(H, signs, dict(at)) for signs in self.formulas.signs]
        errors = zip(*(errors for _, errors in rows), strict=True)
        return {
            "q": [q for q, _ in rows],
            **dict(zip(("position", "rotation", "pivot"), errors, strict=True)),
        }

    def _branch(
        self, H: Sequence[Number], signs: Sequence[int], at: dict[str, Any]
    ) -> tuple[list[Any], list[Number]]:
        sign = iter(signs)
        undetermined: Number = 0.0
        for step in self.formulas.steps:
            for divisor in self._divisors[step.name]:
                x = divisor.evaluate(FLOATS, at)
                undetermined = where(x * x < self._undetermined, 1.0, undetermined)
            match step:
                case Definition(name, formula) | Displacement(_, name, formula):
                    at[name] = formula.evaluate(FLOATS, at)
                case Root(name, radicand):  # a pose out of reach is found by its error
                    inside = radicand.evaluate(FLOATS, at)
                    at[name] = next(sign) * sqrt(where(inside < 0.0, 0.0, inside))
                case Angle(_, name, y, x):
                    at[name], squared = _directed(y.evaluate(FLOATS, at), x.evaluate(FLOATS, at), self._zero)
                    undetermined = where(squared < self._undetermined, 1.0, undetermined)
        q, pairs = [], []
        for k, revolute in zip(self.arm.coordinates, self.arm.revolute, strict=True):
            x = at.get(self.formulas.coordinates[k], 0.0)
            if isinstance(x, JointAngle):
                q.append(x.radians)
                pairs.append((x.c, x.s))
            else:  # a displacement, or a joint the frame does not depend on
                q.append(x)
                pairs.append((1.0, 0.0) if revolute else (0.0, x))
        links = [_constant_pose(link) for link in self.arm.links]
        *errors, pivot = pose_errors(links, self.arm.revolute, pose(H), pairs, self.arm.reach)
        return q, [*errors, where(undetermined > 0.5, -1.0, pivot)]

    def solve(self, poses: Array, given: Mapping[str, Array]) -> list[Array]:
        """q (n, branches, joints), position error [m], rotation error [rad] and smallest pivot (n, branches).

        The pivot is -1 where a formula leaves a joint undetermined: both its sine and cosine are zero, or a
        divisor is.
        A pose (n, 4, 4) where a quotient of the formulas is not finite has NaN in all its branches.
        """
        n, joints = len(poses), len(self.arm.revolute)
        shapes = [(n, self.branches, joints), *[(n, self.branches)] * 3]
        return run(self.kernel, [poses, *(given[name] for name in self.given)], shapes, self.single)


def _values(step: Step) -> tuple[Formula, ...]:
    """The formulas of a step that are evaluated."""
    return (step.y, step.x) if isinstance(step, Angle) else formulas_of(step)


def divisors(formula: Formula) -> list[Formula]:
    """The factors of a formula with negative powers, those within sums and functions among them."""
    found = []
    for monomial, _ in formula.terms:
        for (kind, inside), power in monomial:
            if isinstance(inside, Formula):
                found += divisors(inside)
            if power < 0:
                found.append(Formula((((((kind, inside), 1),), Fraction(1)),)))
    return list(dict.fromkeys(found))


def _directed(y: Number, x: Number, least: float) -> tuple[JointAngle, Number]:
    """The angle of the point (x, y), zero at the origin, and the squared distance from there."""
    squared = x * x + y * y
    zero = squared < least
    scale = 1 / where(zero, 1.0, sqrt(squared))
    return JointAngle(where(zero, 1.0, x * scale), where(zero, 0.0, y * scale), atan2(y, x)), squared


def _constant_pose(T: Array) -> Pose:
    """A pose of floats; elements within rounding of 0, 1 and -1 are these, and fold."""
    R, p = T[:3, :3].copy(), T[:3, 3].copy()
    for whole in (-1.0, 0.0, 1.0):
        R[np.abs(R - whole) < 1e-15] = whole
    first, second, third = ((float(a), float(b), float(c)) for a, b, c in R)
    return Pose((first, second, third), (float(p[0]), float(p[1]), float(p[2])))
