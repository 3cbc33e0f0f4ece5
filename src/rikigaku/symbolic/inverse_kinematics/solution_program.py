"""Closed-form inverse kinematics as a program, for export to other languages.

Inputs are p and R of the pose (planar: two coordinates and phi), given joints and symbols. Outputs are q, one
row for each branch, and `radicand`: the smallest number under a square root of each branch, which is negative
where the branch does not reach the pose.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rikigaku.export.export_record import Export
from rikigaku.numbers.elementary_functions import atan2, sqrt, where
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import Shape, trace
from rikigaku.symbolic.inverse_kinematics.solution_steps import (
    Angle,
    Definition,
    Displacement,
    Root,
    Step,
    formulas_of,
)

if TYPE_CHECKING:
    from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas


def solution_export(formulas: "JointFormulas", name: str) -> Export:
    """The record that exporters take."""
    pose, texts = _pose_inputs(formulas)
    given = [formulas.coordinates[place] for place in formulas.given]
    used = {symbol for step in formulas.steps for symbol in _symbols(step)}
    symbols = [x for x in formulas.robot.free_symbols if x in used]
    inputs = [*pose, *((x, ()) for x in (*given, *symbols))]

    def function(*arguments: Any) -> dict[str, Any]:
        at = dict(zip((*given, *symbols), arguments[len(pose) :], strict=True))
        elements = [x for argument in arguments[: len(pose)] for x in _flat(argument)]
        at |= dict(zip(formulas.pose_names, elements, strict=True))
        rows = [_branch(formulas, signs, dict(at)) for signs in formulas.signs]
        return {"q": [q for q, _ in rows], "radicand": [radicand for _, radicand in rows]}

    program = trace("inverse_kinematics", inputs, function)
    joints = ", ".join(joint.name for joint in formulas.robot.joints)
    return Export(
        program,
        name,
        f"Inverse kinematics of robot {formulas.robot.name}, {formulas.target} of frame {formulas.frame}: "
        "all branches in closed form.",
        (*texts, *(f"position of the joint {x}" for x in given), *(f"the symbol {x}" for x in symbols)),
        (
            f"joint positions [rad, m] of {joints}, one row for each branch",
            "smallest number under a square root, for each branch; negative: out of reach",
        ),
    )


def _branch(formulas: "JointFormulas", signs: Sequence[int], at: dict[str, Any]) -> tuple[list[Any], Any]:
    q: list[Any] = [at.get(formulas.coordinates[k], 0.0) for k in range(formulas.robot.nq)]
    sign = iter(signs)
    smallest: Any = 1.0
    for step in formulas.steps:
        match step:
            case Definition(name, formula) | Displacement(_, name, formula):
                at[name] = formula.evaluate(FLOATS, at)
            case Root(name, radicand):
                inside = radicand.evaluate(FLOATS, at)
                at[name] = next(sign) * sqrt(where(inside < 0.0, 0.0, inside))
                smallest = where(inside < smallest, inside, smallest)
            case Angle(_, name, y, x):
                at[name] = atan2(y.evaluate(FLOATS, at), x.evaluate(FLOATS, at))
        if isinstance(step, Angle | Displacement) and step.place < formulas.robot.nq:
            q[step.place] = at[step.name]
    return q, smallest


def _pose_inputs(formulas: "JointFormulas") -> tuple[list[tuple[str, Shape]], list[str]]:
    position, rotation = "position of the frame in the world [m]", "rotation matrix of the frame, rows"
    if formulas.plane is not None:
        return [("p", (2,)), ("phi", ())], [
            f"{' and '.join(formulas.pose_names[:2])} of the frame [m]",
            "angle of the frame in the plane [rad]",
        ]
    if len(formulas.pose_names) == 3:
        return [("p", (3,))], [position]
    return [("p", (3,)), ("R", (3, 3))], [position, rotation]


def _symbols(step: Step) -> set[str]:
    return {name for formula in formulas_of(step) for name in formula.symbols}


def _flat(x: Any) -> list[Any]:
    return [y for row in x for y in _flat(row)] if isinstance(x, list) else [x]
