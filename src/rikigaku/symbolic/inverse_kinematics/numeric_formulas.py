"""Formulas of all joints for computation in numbers: those that are found within a second.

Conditions of reachability are left out: in numbers, forward kinematics shows whether a branch reaches a pose,
and their elimination can take minutes. The disk keeps the answer by content, also that none was found.
"""

from collections.abc import Sequence
from typing import Any

from rikigaku.core.errors import NoFormula, NotExact, NotSolvable, TooLarge
from rikigaku.formats.toml.toml_file import to_toml
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.algebra_budget import OutOfBudget, budget
from rikigaku.symbolic.algebra import child_process
from rikigaku.symbolic.inverse_kinematics.closed_form import formulas_of
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas
from rikigaku.symbolic.inverse_kinematics.ik_problem import checked_problem
from rikigaku.symbolic.inverse_kinematics.joint_formulas_json import formulas_from_json, formulas_to_json

_SECONDS = 1.0  # of processor time: a busy machine finds the same; most arms take 0.1 to 0.4 s
_MOST_TERMS = 500_000  # of a product, which cannot be stopped


def numeric_formulas(
    robot: RobotModel, frame: str, given: Sequence[str], target: str = "pose"
) -> JointFormulas | None:
    """The formulas of a pose or "position" of a frame; None if none were found within the time limit."""
    data = {"robot": to_toml(robot), "frame": frame, "given": list(given), "target": target}
    kept = child_process.cached_result(numeric_formulas, data)
    if kept is not None:
        return formulas_from_json(robot, kept["formulas"]) if "formulas" in kept else None
    kept, found = dict[str, Any](), None
    try:
        with budget(_SECONDS, most_terms=_MOST_TERMS):
            found = formulas_of(checked_problem(robot, frame, target, given), with_conditions=False)
        kept["formulas"] = formulas_to_json(found)
    except OutOfBudget:
        kept["stopped"] = _SECONDS
    except (NoFormula, NotExact, NotSolvable, TooLarge) as error:
        kept["unsolved"] = str(error)
    child_process.keep_result(numeric_formulas, data, kept)
    return found
