"""Closed-form inverse kinematics as a program, for export to other languages.

Inputs are p and R of the pose (planar: two coordinates and phi), given joints and symbols. Outputs are q, one
row for each branch, NaN where it does not reach the pose; `error`, the largest element of the difference
between the pose reached and the target pose; and `radicand`, the smallest number under a square root of each
branch, negative out of reach. A branch reaches the pose where forward kinematics of its q gives it, as in
`JointFormulas.solve`: this includes all conditions on the pose.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rikigaku.export.export_record import Export
from rikigaku.numbers.elementary_functions import absolute, atan2, largest, nan_unless, sqrt, where
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import Program, Shape, trace
from rikigaku.symbolic.inverse_kinematics.solution_steps import (
    Angle,
    Definition,
    Displacement,
    Root,
)

if TYPE_CHECKING:
    from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas

TOLERANCE = 1e-8  # of the pose [m, elements of the rotation matrix], as in `JointFormulas.solve`


def solution_export(formulas: "JointFormulas", name: str) -> Export:
    """The record that exporters take."""
    pose, texts = _pose_inputs(formulas)
    given = [formulas.coordinates[place] for place in formulas.given]
    symbols = list(formulas.geometric_symbols)
    inputs = [*pose, *((x, ()) for x in (*given, *symbols))]

    def function(*arguments: Any) -> dict[str, Any]:
        at = dict(zip((*given, *symbols), arguments[len(pose) :], strict=True))
        elements = [x for argument in arguments[: len(pose)] for x in _flat(argument)]
        return _solutions(formulas, elements, at)

    program = trace("inverse_kinematics", inputs, function)
    joints = ", ".join(joint.name for joint in formulas.robot.joints)
    return Export(
        program,
        name,
        f"Inverse kinematics of robot {formulas.robot.name}, {formulas.target} of frame {formulas.frame}: "
        "all branches in closed form.",
        (*texts, *(f"position of the joint {x}" for x in given), *(f"the symbol {x}" for x in symbols)),
        (
            f"joint positions [rad, m] of {joints}, one row for each branch; NaN: it does not reach the pose",
            "largest element of the difference between the pose reached and the target pose, for each branch",
            "smallest number under a square root, for each branch; negative: out of reach",
        ),
        has_absent=True,
    )


def branch_program(formulas: "JointFormulas", symbols: Mapping[str, float]) -> Program:
    """q -> q (branches, nq): all configurations of the pose that the frame has at q; NaN where none is.

    symbols: values of the robot's symbols. Given joints stay at q.
    """

    def function(q: Sequence[Any]) -> dict[str, Any]:
        at: dict[str, Any] = {name: symbols[name] for name in formulas.geometric_symbols}
        at |= {formulas.coordinates[place]: q[place] for place in formulas.given}
        return {"q": _solutions(formulas, formulas.pose_elements(q, symbols), at)["q"]}

    return trace("branches", [("q", (formulas.robot.nq,))], function)


def _solutions(formulas: "JointFormulas", elements: Sequence[Any], at: dict[str, Any]) -> dict[str, Any]:
    """All branches for the elements of the pose that the formulas take, with given joints and symbols."""
    at = at | dict(zip(formulas.pose_names, elements, strict=True))
    wanted = formulas.elements_of(elements)
    values = {x: at[x] for x in formulas.geometric_symbols}
    rows = [_branch(formulas, signs, dict(at)) for signs in formulas.signs]
    errors = [formulas.largest_gap(q, wanted, values, absolute, largest) for q, _ in rows]
    return {
        "q": [nan_unless(error < TOLERANCE, q) for (q, _), error in zip(rows, errors, strict=True)],
        "error": errors,
        "radicand": [radicand for _, radicand in rows],
    }


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


def _flat(x: Any) -> list[Any]:
    return [y for row in x for y in _flat(row)] if isinstance(x, list) else [x]
