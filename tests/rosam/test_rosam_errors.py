"""Invalid RobotData and formulas raise errors with what was given and what is known."""

from typing import Any

import pytest

import rikigaku as rk
from rikigaku import rosam
from rikigaku.core.errors import BadModel, WrongValue


def table(**changed: Any) -> dict[str, Any]:
    return rosam.robot_data(rk.load("rosam_loop")).table() | changed


@pytest.mark.parametrize("given", [None, 3, "robot"])
def test_what_is_no_robot_data_is_named(given: Any) -> None:
    with pytest.raises(BadModel, match=f"(?s){given!r} was given.*BranchNum"):
        rosam.robot_from_data(given)


@pytest.mark.parametrize("count", ["x", None, 1.5])
def test_a_number_of_branches_that_is_none_is_named(count: Any) -> None:
    with pytest.raises(BadModel, match="BranchNum is how many"):
        rosam.robot_from_data(table(BranchNum=count))


@pytest.mark.parametrize("general", ["th", [1], 3])
def test_general_is_a_list_of_names_never_read_letter_by_letter(general: Any) -> None:
    with pytest.raises(BadModel, match="General is a list"):
        rosam.robot_from_data(table(General=general))


def test_a_differential_model_is_made_of_formulas() -> None:
    with pytest.raises(WrongValue, match="of type int"):
        rosam.Make_DiffModel(3, [])  # type: ignore[arg-type]
    robot = rk.load("three_rrr")
    tau = rosam.Make_InvDyn(robot, "Dq", "DDq", [0] * 6, 1)
    model = rosam.Make_DiffModel(tau, robot.independent)
    with pytest.raises(WrongValue, match="intermediate variables"):
        model.sympy()


def test_independent_joints_are_a_list_never_read_letter_by_letter() -> None:
    with pytest.raises(WrongValue, match=r"independent=\['theta11'\]"):
        rk.load("rosam_loop").loop_constraints(independent="theta11")
