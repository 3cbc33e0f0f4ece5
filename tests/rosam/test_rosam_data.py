"""RobotData of ROSAM II becomes our Robot and comes back; wrong data are named."""

import copy
import json
import warnings
from typing import Any

import numpy as np
import pytest
from random_robots import random_robot
from rosam_robots import section_6, two_handed

import rikigaku as rk
from rikigaku.core.errors import BadModel, CannotClose, RikigakuError, WrongSize, WrongValue
from rikigaku.laws.closed.loop_equations import loop_residual
from rikigaku.laws.tree.kinematics import pose
from rikigaku.laws.tree.newton_euler import inverse_dynamics
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import Coupling
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.rosam import RobotData, robot_data, robot_from_data
from rikigaku.rosam.dh_parameters import _matrix, row_of

SHIPPED = (
    *("rosam_loop", "puma560", "planar_3r", "scara", "stanford", "panda", "iiwa14", "ur5"),
    *("five_bar", "four_bar", "three_rrr", "humanoid_17"),
)


@pytest.fixture(autouse=True)
def _known_warnings() -> None:
    warnings.simplefilter("ignore", rk.errors.UnphysicalInertiaWarning)


def same_motion(first: Robot, second: Robot, seed: int = 0) -> None:
    """Equal torques, poses and loop rows at a random state, whatever the order of q."""
    names = [joint.name for joint in first.joints]
    order = [names.index(joint.name) for joint in second.joints]
    q, v, a = np.random.default_rng(seed).uniform(-1, 1, (3, first.nv))
    ours, theirs = (instantiate(robot, FLOATS, robot.declared_values) for robot in (first, second))
    tau = np.array(inverse_dynamics(ours, q, v, a), float)[order]
    again = np.array(inverse_dynamics(theirs, q[order], v[order], a[order]), float)
    assert np.allclose(again, tau, rtol=0, atol=1e-13 * (1 + np.abs(tau).max()))
    for frame in first.frames:
        T = np.array(pose(ours, q, frame.name), float)
        assert np.allclose(np.array(pose(theirs, q[order], frame.name), float), T, atol=1e-14)
    if first.loops:
        rows = [loop_residual(ours, q), loop_residual(theirs, q[order])]
        assert np.allclose(*np.array(rows, float), atol=1e-14)


def test_the_robot_of_section_6_typed_from_the_paper_is_the_shipped_one() -> None:
    typed, shipped = robot_from_data(section_6()), rk.load("rosam_loop")
    assert typed.links == shipped.links
    assert typed.frames == shipped.frames
    assert typed.loops == shipped.loops
    assert typed.independent == shipped.independent


def test_a_robot_in_modified_dh_comes_back_equal() -> None:
    for robot in (rk.load("rosam_loop"), robot_from_data(two_handed())):
        assert robot_from_data(robot_data(robot)) == robot


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_robot_moves_the_same_after_the_round_trip(name: str) -> None:
    robot = rk.load(name)
    data = robot_data(robot)
    assert data.RobotType == ("closed" if robot.loops else "tree" if data.BranchNum > 1 else "serial")
    again = robot_from_data(data)
    same_motion(robot, again)
    assert robot_data(again) == data


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_move_the_same_after_the_round_trip(seed: int) -> None:
    types = ("revolute", "prismatic", "revolute", "fixed")
    robot = random_robot(seed, 7, types, right_angles=True, drives=True, shuffled=seed % 2 == 1)
    same_motion(robot, robot_from_data(robot_data(robot)), seed)


def test_the_table_is_plain_enough_for_json() -> None:
    for robot in (rk.load("rosam_loop"), rk.load("puma560"), robot_from_data(two_handed())):
        table = json.loads(json.dumps(robot_data(robot).table()))
        assert robot_from_data(table) == robot_from_data(robot_data(robot))


def test_the_fields_are_those_of_table_2() -> None:
    table = robot_data(rk.load("rosam_loop")).table()
    branches = ["BranchInfo.1", "BranchInfo.2"]
    assert list(table)[:7] == ["RobotType", "BranchNum", *branches, "General", "ConCoor", "ConDH"]
    assert (table["RobotType"], table["BranchNum"]) == ("closed", 2)
    assert table["General"] == ["theta11", "d21", "theta31"]
    assert table["ConCoor"] == [[1, 3], [2, 2]]
    assert table["ConDH"] == [["0", "2*L", "0", "0"], ["-pi/2", "0", "0", "0"]]


def test_any_placement_has_a_row_of_six() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        steps = rk.Placement(tuple(rng.uniform(-1, 1, 3)), tuple(rng.uniform(-3, 3, 3))).before()
        alpha, a, theta, d, beta, b = row_of(steps)
        T = _matrix(rk.ModifiedDH(alpha, a, theta, d, beta, b).before())
        assert np.allclose(T, _matrix(steps), atol=1e-13)


# -- wrong data ---------------------------------------------------------------------------------------------
def changed(**fields: object) -> dict[str, object]:
    return {**section_6(), **fields}


def problem(data: object) -> str:
    with pytest.raises(BadModel) as found:
        robot_from_data(data)  # type: ignore[arg-type]
    return str(found.value)


def test_general_of_the_wrong_size_is_named_with_the_mobility() -> None:
    with pytest.raises(WrongSize, match=r"mobility 3.*2 were chosen \(theta11, d21\)"):
        robot_from_data(changed(General=["theta11", "d21"]))


def test_general_that_names_no_joint_is_named() -> None:
    assert "there is no moving joint 'theta13'. Did you mean 'theta31'?" in problem(
        changed(General=["theta11", "d21", "theta13"])
    )


def test_a_cut_on_a_link_that_does_not_exist_is_named() -> None:
    text = problem(changed(ConCoor=[[1, 3], [2, 3]]))
    assert "ConCoor, loop 1, side 2 names link 3 of branch 2, which does not exist" in text
    assert "branch 1 has links 1 to 3, branch 2 has links 1 to 2" in text


def test_a_cut_joint_on_the_wrong_link_is_reported_by_the_loop_that_does_not_close() -> None:
    with pytest.raises(CannotClose, match=r"no configuration closes loop .*'cut: \w\.z'.* cut where"):
        robot_from_data(changed(ConCoor=[[1, 3], [2, 1]]))
    # with upright axes the pin sits on the pivot: the second branch is not in the loop at all
    with pytest.raises(WrongValue, match="with them all held, theta12, d22 can still move"):
        robot_from_data(changed(ConCoor=[[1, 3], [2, 1]], ConDH=[[0, "2*L", 0, 0], [0, 0, 0, 0]]))
    assert "both ends are on link 'l31'; a loop joins two links" in problem(changed(ConCoor=[[1, 3], [1, 3]]))


def test_rows_of_the_wrong_length_are_named() -> None:
    data = copy.deepcopy(section_6())
    data["BranchInfo.1"]["Links"][1]["DH"] = ("pi/2", 0, "d21")
    data["ConDH"] = [[0, "2*L", 0], ["-pi/2", 0, 0, 0]]
    text = problem(data)
    assert "BranchInfo.1, link 2, DH (alpha, a, theta, d) takes 4 parameters" in text
    assert "ConDH, loop 1, side 1 (alpha, a, theta, d) takes 4 parameters" in text


def test_the_variable_of_a_joint_stands_in_its_column() -> None:
    data = copy.deepcopy(section_6())
    data["BranchInfo.1"]["Links"][0]["DH"] = (0, 0, 0, "theta11")
    data["BranchInfo.1"]["Links"][1]["DH"] = ("pi/2", 0, 0, "2*d21")
    data["BranchInfo.2"]["Links"][0]["DH"] = (0, 0, "theta12 + offset", 0)
    text = problem(data)
    assert "BranchInfo.1, link 1: theta is constant; the variable of a joint of type R stands there" in text
    assert "BranchInfo.1, link 2: d is 2*d21; the variable d21 of a joint of type P stands once, in d" in text
    assert "BranchInfo.2, link 1: theta holds offset, theta12: say which is the joint's" in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"RobotType": "loop"}, "RobotType is 'loop'. Known: serial, tree, closed."),
        ({"BranchNum": 3}, "BranchNum is 3, so BranchInfo.1 to BranchInfo.3 are needed"),
        ({"RobotType": "tree"}, "General, ConCoor, ConDH belong to closed robots; RobotType is 'tree'"),
        ({"RobotType": "serial"}, "A serial robot has one branch; BranchNum is 2"),
        ({"ConCoor": []}, "A closed robot needs ConCoor."),
        ({"ConCoor": [[1, 3]]}, "a cut has two sides"),
        ({"ConCoor": [["one", 3], [2, 2]]}, "ConCoor, loop 1, side 1 is ('one', 3); write [branch, link]"),
        ({"BranchInfo.2": {"Links": []}}, "BranchInfo.2 has no links"),
        ({"BranchInfo.2": {"Link": []}}, "BranchInfo.2 has no field 'Link'. Known: Links, Connection"),
        ({"BranchInfo.two": {"Links": []}}, "the part after the dot must be the number of a branch"),
        ({"Genral": []}, "RobotData has no field 'Genral'"),
        ({"gravity": (0, 0)}, "gravity takes 3 parameters"),
        ({"gravity": (0, 0, "2*")}, "gravity: "),
        ({"cut": ["ball"]}, "there is no closing joint type 'ball'"),
    ],
)
def test_what_is_wrong_is_said(fields: dict[str, object], words: str) -> None:
    assert words in problem(changed(**fields))


def test_no_text_is_run() -> None:
    data = copy.deepcopy(section_6())
    data["BranchInfo.1"]["Links"][0]["m"] = "__import__('os').getpid()"
    assert "BranchInfo.1, link 1, m: " in problem(data)


def test_what_rosam_does_not_know_is_refused_by_name() -> None:
    with pytest.raises(WrongValue, match="'pose' of robot 'stewart' is free"):
        robot_data(rk.load("stewart"))
    slanted = Robot("s", (rk.Link("a", "base", rk.Joint("j", axis=(0, 1, 1))),))
    with pytest.raises(WrongValue, match="The axis of joint 'j' is slanted"):
        robot_data(slanted)
    turned = rk.Placement((0, 0, 0), ("u", "v", "w"))
    with pytest.raises(WrongValue, match=r"no formula of u, v, w\. Bind u first"):
        robot_data(Robot("s", (rk.Link("a", "base", rk.Joint("j"), turned),)))
    geared = Robot(
        "g",
        tuple(rk.Link(x, "base", rk.Joint(f"j{x}"), rk.ModifiedDH()) for x in "ab"),
        couplings=(Coupling("ja", "jb", 2),),
    )
    with pytest.raises(WrongValue, match="has gears"):
        robot_data(geared)


def test_data_can_be_typed_as_records_too() -> None:
    from rikigaku.rosam import BranchInfo, LinkInfo

    pendulum = RobotData("serial", 1, {1: BranchInfo((LinkInfo("R", ("pi/2", 0, "q1", 0), 2, (1, 0, 0)),))})
    robot = robot_from_data(pendulum)
    assert robot.gravity_forces([0.0])[0] == pytest.approx(9.81)


def test_a_closed_robot_without_general_is_refused_and_one_that_names_none_is_written_with_it():
    from dataclasses import replace

    robot = rk.load("five_bar")
    data = robot_data(replace(robot, independent=()))
    assert len(data.General) == 2
    with pytest.raises(BadModel, match="needs General"):
        robot_from_data(replace(data, General=()))


WRONG_TYPES = {
    "BranchNum": [10**12, True, "2", None, -1],
    "RobotType": [5, ["closed"]],
    "General": [5, [1, 2]],
    "ConCoor": [5, [5, 6], ["ab", "cd"], [[float("inf"), 1], [2, 2]], [[[1]], [2]]],
    "ConDH": [5, [5, 6], ["ab", "cd"], [[0, 1], 5]],
    "symbols": [5, {"L": {"value": 1, "size": 2}}, {"L": [1]}, {5: 1}],
    "frames": [5, {"f": 5}, {"f": [1, 2, 3]}, {5: [[1, 1], [0, 0, 0, 0]]}],
    "cut": [5, [5], [["revolute"]]],
    "cut_names": [5, [5]],
    "name": [5, ["r"]],
    "gravity": [5, "abc", [1, 2], [[1], 2, 3]],
    "BranchInfo.1": [5, {"Links": 5}, {"Links": [5]}, {"Links": [{"Type": ["R"], "DH": [0, 0, 0, 0]}]}],
    "BranchInfo.\u00b2": [5],
    "BranchInfo." + "1" * 5000: [5],
}


@pytest.mark.parametrize(
    ("key", "value"), [(k, value) for k, values in WRONG_TYPES.items() for value in values]
)
def test_fields_of_a_wrong_type_are_named(key: str, value: Any) -> None:
    with pytest.raises(RikigakuError):
        robot_from_data({**section_6(), key: value})


def test_limits_of_a_wrong_type_are_named() -> None:
    link = {"Type": "R", "DH": [0, 0, "q1", 0]}
    for limits in (5, {"least": 1}, {"lower": "a"}, [1]):
        data = {"RobotType": "serial", "BranchNum": 1, "BranchInfo.1": {"Links": [link | {"limits": limits}]}}
        with pytest.raises(BadModel, match="limits"):
            robot_from_data(data)


def test_lists_nested_deeply_are_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadModel, match="nested more than 100 deep"):
        robot_from_data({**section_6(), "gravity": deep})
