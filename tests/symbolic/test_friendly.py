"""Mistakes in the use of formulas: each is answered with what was given, what is known, what to do."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from linkages import four_bar

import rikigaku as rk
from rikigaku import rosam
from rikigaku.core.errors import (
    AmbiguousCoordinates,
    BadModel,
    CannotClose,
    MissingValue,
    NoPlace,
    NotSolvable,
    UnclosedWarning,
    UnknownName,
    WrongSize,
    WrongValue,
)
from rikigaku.model.robot_model import Loop, LoopEnd
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.loops.closed_configuration import consistent_state


def test_for_a_load_that_is_not_six_numbers_the_error_says_how_to_give_it() -> None:
    with pytest.raises(WrongSize, match=r"six numbers or formulas; True was given.*Fhh = \["):
        rosam.Make_InvDyn(rk.load("planar_3r"), "Dq", "DDq", True)


@pytest.mark.parametrize("name", ["Make_T", "Make_R0", "Make_pBase", "Make_B"])
def test_a_link_that_a_branch_does_not_have_is_named_with_those_it_has(name: str) -> None:
    table = getattr(rosam, name)(rk.load("rosam_loop"))
    with pytest.raises(UnknownName, match=r"has no entry.*\(5, 1\)"):
        table[5, 1]
    assert dict(table).keys() == table.keys()


def test_what_describes_no_robot_is_refused() -> None:
    with pytest.raises(WrongValue, match=r"5 describes no robot. Give a Robot"):
        rosam.Make_q(5)


def test_positions_of_independent_joints_are_given_by_name() -> None:
    c = rk.load("four_bar").loop_constraints()
    with pytest.raises(UnknownName, match="Did you mean 'crank_angle'"):
        c.configurations({"crank_angel": 0.5})
    with pytest.raises(WrongValue, match=r"by the names of joints: \{'crank_angle': \.\.\.\}, not \[0\.5\]"):
        c.configurations([0.5])
    with pytest.raises(WrongValue, match="'crank_angle' is a number, not 'half'"):
        c.configurations({"crank_angle": "half"})
    with pytest.raises(WrongSize, match=r"'crank_angle' has 1 coordinate; \(2,\) was given"):
        c.configurations({"crank_angle": [0.1, 0.2]})
    with pytest.raises(MissingValue, match="'crank_angle' has no position"):
        c.configurations({})


def test_velocities_and_accelerations_that_stand_in_formulas_are_requested() -> None:
    four = rk.load("four_bar")
    q = four.assemble([0.5])
    with pytest.raises(MissingValue, match=r"no value yet: crank_angle_dot has none.*v=\.\.\."):
        four.reduced.velocity_forces.symbolic.value(q=q)
    with pytest.raises(MissingValue, match="crank_angle_ddot has none"):
        four.reduced.inverse_dynamics.symbolic.value(q=q, v=[1.0])


def test_formulas_of_closed_loops_warn_where_these_are_open() -> None:
    four = rk.load("four_bar")
    M, c, q = four.reduced.mass_matrix.symbolic, four.loop_constraints(), four.assemble([0.5])
    for asked in (lambda q: M.value(q=q), lambda q: M[0, 0].value(q=q), lambda q: c.value(c.jacobian, q)):
        with pytest.warns(UnclosedWarning, match=r"'four_bar' are open at this q, by .* robot.assemble"):
            asked([0.1, 0.2, 0.4])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            asked(q)


def test_the_status_of_a_closed_law_reports_open_loops() -> None:
    four = rk.load("four_bar")
    q = four.assemble([0.5])
    v, a = four.complete(q, [1.0], [0.0])
    assert four.inverse_dynamics.status(q, v, a) == "ok"
    both = np.array([q, q + 0.1])
    assert list(four.inverse_dynamics.status(both, v, a)) == [
        "ok",
        "the loops are open here: robot.assemble(...) closes them",
    ]
    assert four.loop_projection_step.status(q + 0.001) == "ok"  # what closes them


def test_a_place_that_does_not_exist_is_reported_before_anything_is_written(tmp_path) -> None:
    law = rk.load("planar_2r").mass_matrix
    with pytest.raises(NoPlace, match=r"there is no directory .*nowhere. Make it first"):
        law.export("c", tmp_path / "nowhere" / "m.c")
    with pytest.raises(NoPlace, match=r"is a directory\. Add the name of a file"):
        law.export("c", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_loop_that_never_closes_is_not_said_to_close_with_axes_reversed() -> None:
    link = rk.Link("l", "base", rk.Joint("j", axis=(0, 0, 1)))
    turned = LoopEnd("base", rk.Placement(rpy=("pi", 0, 0)))
    flap = rk.Robot("flap", (link,), loops=(Loop("cut", "revolute", LoopEnd("l"), turned),))
    with pytest.raises(CannotClose, match="its axes reversed"):
        consistent_state(flap, 0)
    away = LoopEnd("base", rk.Placement(xyz=(5, 0, 0), rpy=("pi", 0, 0)))
    far = replace(flap, loops=(Loop("cut", "revolute", LoopEnd("l"), away),))
    with pytest.raises(CannotClose, match=r"no configuration closes loop 'cut'.*leaves 5"):
        consistent_state(far, 0)


def test_help_says_which_laws_are_those_of_the_spanning_tree() -> None:
    five = rk.load("five_bar")
    with pytest.raises(AmbiguousCoordinates, match=r"robot\.reduced\.mass_matrix.*robot\.tree\.mass_matrix"):
        _ = five.mass_matrix
    assert "Forces tau of the actuated joints" in " ".join(five.inverse_dynamics.__doc__.split())
    assert "spanning tree" not in rk.load("planar_2r").mass_matrix.__doc__


def test_values_of_symbols_and_positions_of_a_closed_robot_are_finite_numbers() -> None:
    loop = four_bar("a", "b", "c", "d").loop_constraints()
    lengths = {"a": 0.4, "b": 1.0, "c": 0.8, "d": 0.9}
    assert len(loop.configurations({"crank_angle": 0.3}, **lengths)) == 2
    for wrong, words in ((None, "c takes real numbers"), ("x", "c takes real"), (np.nan, "c takes a finite")):
        with pytest.raises(WrongValue, match=words):
            loop.configurations({"crank_angle": 0.3}, **{**lengths, "c": wrong})
    for position in (None, "x", np.nan):
        with pytest.raises(WrongValue, match="position of joint 'crank_angle' is a number"):
            loop.configurations({"crank_angle": position}, **lengths)


@pytest.mark.parametrize("chosen", ["crank_angle", 1, [1], [["crank_angle"]], ["crank_angle", "crank_angle"]])
def test_independent_joints_are_a_list_of_names(chosen) -> None:
    with pytest.raises(WrongValue, match=r"list of names of joints, each once.*Moving joints.*rocker_angle"):
        four_bar().loop_constraints(independent=chosen)


def test_base_values_take_symbols_of_the_robot_and_numbers() -> None:
    found = rk.load("planar_2r").base_parameters()
    base = found.base_values()
    assert found.full_values(base, l1=0.3) == found.full_values(base)
    with pytest.raises(UnknownName, match="no symbol named 'h'"):
        found.full_values(base, h=1)
    with pytest.raises(WrongValue, match="l1 takes real numbers; None was given"):
        found.matrix(l1=None)
    with pytest.raises(WrongValue, match="joint_parameters is True, False, or some of 'rotor'"):
        rk.load("scara").base_parameters(joint_parameters=3)


@pytest.mark.parametrize("pose", ["x", {}, None])
def test_a_pose_is_an_array_of_numbers(pose) -> None:
    with pytest.raises(WrongValue, match="solve takes real numbers"):
        rk.load("scara").inverse_kinematics_formulas("hand").solve(pose)


def test_joints_that_are_given_are_names() -> None:
    with pytest.raises(WrongValue, match=r"given is a list of names of joints.*not 3"):
        rk.load("scara").inverse_kinematics_formulas("hand", given=3)


def test_what_to_collect_by_is_a_word_or_names() -> None:
    with pytest.raises(WrongValue, match=r"collect takes one of 'parameters'.*3 was given"):
        rk.load("planar_2r").mass_matrix.symbolic[0, 0].collect(3)


def test_an_open_configuration_near_a_component_is_closed_with_a_warning() -> None:
    robot = four_bar()
    q = robot.assemble([0.4])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        meant = robot.base_parameters(near=np.round(q, 4))
    with pytest.warns(UnclosedWarning, match=r"near=\(0\.5, .*is no closed configuration.*robot\.assemble"):
        found = robot.base_parameters(near=q + np.array([0.1, 0, 0]))
    assert found.count == meant.count
    assert np.abs(robot.loop_residual(np.array(found.configuration))).max() < 1e-12
    with pytest.raises(WrongValue, match="near= takes real numbers"):
        robot.base_parameters(near="abc")


def test_for_a_closed_robot_without_formulas_the_error_names_an_alternative() -> None:
    frame = rk.Frame("tip", "coupler", rk.Placement((Formula.of("0.3"), Formula.of("0.2"), Formula.of(0))))
    robot = replace(four_bar(), frames=(frame,))
    with pytest.raises(NotSolvable) as told:
        robot.inverse_kinematics_formulas("tip", "pose")
    assert str(told.value).endswith("Use robot.inverse_kinematics(...), which is numeric.")
    T = robot.pose(robot.assemble([0.7]), "tip")
    found = robot.inverse_kinematics(T, "tip", q0=robot.assemble([0.5]))
    assert np.abs(robot.pose(found.q, "tip") - T).max() < 1e-9
    assert np.abs(robot.loop_residual(found.q)).max() < 1e-9


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("ConCoor", 3, "ConCoor is a list; 3 was given"),
        ("ConDH", None, "ConDH is a list; None was given"),
        ("cut", "revolute", "cut is a list"),
        ("BranchInfo.1", None, r"BranchInfo\.1 is a table with a list of Links"),
        ("BranchInfo.1", {"Links": 3}, "list of Links"),
        ("BranchInfo.1", {"Links": [3]}, r"BranchInfo\.1, link 1 is a table"),
    ],
)
def test_fields_of_robot_data_have_their_shapes(field: str, value: object, words: str) -> None:
    table = rosam.robot_data(rk.load("rosam_loop")).table()
    with pytest.raises(BadModel, match=words):
        rosam.robot_from_data({**table, field: value})


def test_functions_of_the_paper_say_what_they_take() -> None:
    with pytest.raises(WrongSize, match=r"rotation matrix \(3, 3\).*shape \(2, 2\) was given"):
        rosam.EulerAn(np.eye(2))
    with pytest.raises(WrongSize, match="None was given"):
        rosam.EulerAn(None)
    with pytest.raises(WrongValue, match="what Make_MDP1 or Make_MDP2 gives, not 3"):
        rosam.mdp_lists(3)
    with pytest.raises(WrongValue, match="cnd is what Make_LoopCnd returns, or a list of expressions; 3"):
        rosam.Make_JCnd(rk.load("rosam_loop"), 3)
    with pytest.raises(WrongValue, match="robot_data takes a Robot"):
        rosam.robot_data(None)
