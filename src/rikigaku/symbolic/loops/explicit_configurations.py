"""Explicit relations of dependent coordinates, and all closed configurations that they give."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.core.errors import MissingValue, UnknownName, WrongSize, WrongValue
from rikigaku.core.value_text import short
from rikigaku.laws.closed.loop_equations import loop_alignment, loop_residual
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.elementary_functions import is_zero, sqrt
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_layout import with_common_scale
from rikigaku.numbers.formula_text import equation_rows, latex
from rikigaku.numbers.latex_names import latex_name
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.formulas.evaluation_point import EvaluationPoint
from rikigaku.symbolic.loops.closed_values import bare, point_of, symbol_numbers

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.loop_constraints import LoopConstraints

CLOSED = 1e-8  # residual of configurations found by square roots


def configurations(c: "LoopConstraints", independent: Any, symbols: Mapping[str, float]) -> np.ndarray:
    """Rows (count, nq); none where the loops cannot close. independent: {joint: position}.

    Raises:
        UnknownName, MissingValue, WrongValue, WrongSize: if these are not the independent joints.
    """
    robot = c.robot
    q: list[float | None] = [None] * robot.nq
    needed = [j.name for j in robot.joints if robot.v_slices[j.name].start in c.independent]
    if not isinstance(independent, Mapping):
        example = ", ".join(f"{name!r}: ..." for name in needed)
        words = f"Positions are given by the names of joints: {{{example}}}"
        raise WrongValue(f"{words}, not {short(independent)}.")
    for name in independent:
        if name not in needed:
            raise UnknownName("independent joint", name, needed, f"robot {robot.name!r}")
    for name in needed:
        if name not in independent:
            raise MissingValue(f"The independent joint {name!r} has no position: give {{{name!r}: ...}}.")
        q[robot.q_slices[name]] = _position(robot, name, independent[name])
    found = _branches(c, point_of(c, q, None, None, symbols))
    mechanism = instantiate(bare(robot), FLOATS, symbol_numbers(robot, symbols))
    found = [x for x in found if _is_closed(mechanism, x)]
    return np.array(found, dtype=float).reshape(len(found), robot.nq)


def _branches(
    constraints: "LoopConstraints", point: EvaluationPoint, tolerance: float = 1e-9
) -> list[list[float]]:
    """All closed configurations at a point that holds the independent coordinates and symbols as floats.

    Every branch of the explicit relations is tried, and kept where it is real and closes the loops.
    """
    relations, robot = constraints.explicit, constraints.robot
    found: list[list[float]] = []
    for signs in product(*((1, -1)[: relation.branches] for relation in relations)):
        trial = point.copy()
        with np.errstate(all="ignore"):
            for relation, sign in zip(relations, signs, strict=True):
                trial.learn(relation.generator, relation.solved(trial, sign))
            q = [float(trial.generator(f"q[{k}]")) for k in range(robot.nq)]
            rows = [abs(trial.value(row.formula)) for row in constraints.rows]
        if all(x < tolerance for x in rows) and not any(
            np.allclose(q, other, 0, tolerance) for other in found
        ):
            found.append(q)
    return found


def _position(robot: RobotModel, name: str, value: Any) -> list[float]:
    """Coordinates of a joint as floats, as many as it has."""
    try:
        found = np.atleast_1d(np.asarray(value, float))
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if not np.isfinite(found).all():
        raise WrongValue(f"The position of joint {name!r} is a number, not {value!r}.")
    size = robot.joint(name).nq
    if found.shape != (size,):
        raise WrongSize(f"Joint {name!r} has {size} coordinate{'s' * (size > 1)}; {found.shape} was given.")
    return [float(x) for x in found]


def _is_closed(mechanism: Mechanism, q: Sequence[float]) -> bool:
    """Whether all equations hold at q, and no cut joint is closed with its axis reversed."""
    gaps, alignment = loop_residual(mechanism, q), loop_alignment(mechanism, q)
    return bool(np.abs(gaps).max(initial=0) < CLOSED and np.min(alignment, initial=1) > 0)


@dataclass(frozen=True)
class Relation:
    """One dependent coordinate as a function of coordinates known before it.

    form "prismatic": a x^2 + b x + c = 0 (a may be 0); "angle": a sin + b cos + c = 0, two solutions;
    "both": a sin + c = 0 and b cos + d = 0, one solution.
    """

    name: str  # of the coordinate
    generator: str  # "q[3]"
    form: str
    a: Any
    b: Any
    c: Any
    d: Any = 0
    write: Callable[[Any], Formula] = field(default=Formula.of, repr=False, compare=False)

    @property
    def branches(self) -> int:
        """The largest number of solutions."""
        return 2 if self.form == "angle" or (self.form == "prismatic" and not is_zero(self.a)) else 1

    def solved(
        self, point: EvaluationPoint, sign: int = 1, root: Callable[[Any], Any] = sqrt
    ) -> dict[str, Any]:
        """Values of the coordinate's generators at a point; sign: the branch; root: the square root."""
        a, b, c, d = (point.value(x) for x in (self.a, self.b, self.c, self.d))
        if self.form == "prismatic":
            x = -c / b if is_zero(self.a) else (-b + sign * root(b * b - 4 * a * c)) / (2 * a)
            return {self.generator: x}
        if self.form == "both":
            s, cosine = -c / a, -d / b
        else:
            square = a * a + b * b
            w = sign * root(square - c * c)
            s, cosine = (-a * c + b * w) / square, (-b * c - a * w) / square
        return {f"sin({self.generator})": s, f"cos({self.generator})": cosine}

    @property
    def _written(self) -> tuple[Formula, Formula, Formula, Formula]:
        """a, b, c, d as they are shown; those of a sin + b cos + c = 0 with a common factor for readers."""
        a, b, c, d = map(self.write, (self.a, self.b, self.c, self.d))
        if self.form == "angle":
            a, b, c = with_common_scale(a, b, c)
        return a, b, c, d

    def latex(self) -> list[str]:
        """Rows of an aligned display."""
        name = latex_name(self.name)
        a, b, c, d = self._written
        if self.form == "both":
            pairs = (("sin", -c / a), ("cos", -d / b))
            return [x for f, y in pairs for x in equation_rows(y, rf"\{f}({name})")]
        if self.form == "angle" and (one := _one_function(a, b, c)):
            known, other, value = one
            root = rf"\pm\sqrt{{1 - \{known}^{{2}}({name})}}"
            return [*equation_rows(value, rf"\{known}({name})"), rf"\{other}({name}) &= {root}"]
        if self.form == "angle":
            A, B, C, W = (f"{symbol}_{{{name}}}" for symbol in "ABCW")
            square = f"{A}^{{2}} + {B}^{{2}}"
            if not c.terms:
                return [
                    *equation_rows(a, A),
                    *equation_rows(b, B),
                    rf"{W} &= \pm\sqrt{{{square}}}",
                    rf"\sin({name}) &= \frac{{{B}}}{{{W}}}",
                    rf"\cos({name}) &= -\frac{{{A}}}{{{W}}}",
                ]
            rows = [x for left, y in ((A, a), (B, b), (C, c)) for x in equation_rows(y, left)]
            return [
                *rows,
                rf"{W} &= \pm\sqrt{{{square} - {C}^{{2}}}}",
                rf"\sin({name}) &= \frac{{{B} \, {W} - {A} \, {C}}}{{{square}}}",
                rf"\cos({name}) &= \frac{{-{A} \, {W} - {B} \, {C}}}{{{square}}}",
            ]
        if is_zero(self.a):
            return equation_rows(-c / b, name)
        if is_zero(self.b):
            return [rf"{name} &= \pm\sqrt{{{latex(-c / a)}}}"]
        return [rf"{name} &= \frac{{{latex(-b)} \pm\sqrt{{{latex(b * b - 4 * a * c)}}}}}{{{latex(2 * a)}}}"]

    def __str__(self) -> str:
        name, (a, b, c, d) = self.name, self._written
        if self.form == "both":
            return f"sin({name}) = {-c / a}, cos({name}) = {-d / b}"
        if self.form == "angle" and (one := _one_function(a, b, c)):
            known, other, value = one
            return f"{known}({name}) = {value}, {other}({name}) = +-sqrt(1 - {known}({name})**2)"
        if self.form == "angle":
            A, B, C, W = (f"{symbol}_{name}" for symbol in "ABCW")  # no symbol of the robot's own
            if not c.terms:
                return (
                    f"sin({name}) = +-{B}/{W}, cos({name}) = -+{A}/{W} "
                    f"with {A} = {a}, {B} = {b}, {W} = sqrt({A}**2 + {B}**2)"
                )
            return (
                f"sin({name}) = (-{A}*{C} +- {B}*{W})/({A}**2 + {B}**2), "
                f"cos({name}) = (-{B}*{C} -+ {A}*{W})/({A}**2 + {B}**2) "
                f"with {A} = {a}, {B} = {b}, {C} = {c}, {W} = sqrt({A}**2 + {B}**2 - {C}**2)"
            )
        if is_zero(self.a):
            return f"{name} = {-c / b}"
        if is_zero(self.b):
            return f"{name} = +-sqrt({-c / a})"
        return f"{name} = ({-b} +- sqrt({b * b - 4 * a * c}))/({2 * a})"


def _one_function(a: Formula, b: Formula, c: Formula) -> tuple[str, str, Formula] | None:
    """Of a sin + b cos + c = 0 with a or b zero: the function that it gives, the other one, and the value."""
    if not a.terms:
        return "cos", "sin", -c / b
    return ("sin", "cos", -c / a) if not b.terms else None
