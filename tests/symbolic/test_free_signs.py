"""Inverse kinematics where a sign is free: what is printed, read back as text, reaches the pose."""

import re
from collections.abc import Mapping
from dataclasses import replace
from math import atan2

import numpy as np
import pytest
from arms import arm
from linkages import hybrid, two_sliders
from palletizers import palletizer

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

SIX = arm(
    "RRRRRR",
    [
        (0, 0, 0, 0),
        ("-pi/2", "a1", 0, 0),
        (0, "a2", 0, 0),
        ("-pi/2", "a3", 0, "r4"),
        ("pi/2", 0, 0, 0),
        ("-pi/2", 0, 0, 0),
    ],
)
LENGTHS = {"a1": 0.2, "a2": 0.6, "a3": 0.1, "r4": 0.5}


def lines_of(text: object) -> list[str]:
    return [line.strip() for line in str(text).splitlines()]


def read_back(lines: list[str], at: Mapping[str, float]) -> dict[str, float]:
    """Values of all variables that printed lines define."""
    values = dict(at)
    for line in lines:
        name, _, right = line.partition(" = ")
        parts = re.fullmatch(r"atan2\((.*), (.*?)\)( [-+] .*)?", right)
        if parts is None:
            values[name] = float(Formula.of(right).substitute({k: Formula.of(v) for k, v in values.items()}))
            continue
        known = {k: Formula.of(v) for k, v in values.items()}
        y, x = (float(Formula.of(part).substitute(known)) for part in parts.groups()[:2])
        rest = float(Formula.of(parts[3]).substitute(known)) if parts[3] else 0.0
        values[name] = atan2(y, x) + rest
    return values


@pytest.mark.parametrize(
    ("robot", "frame", "symbols"),
    [
        (SIX, "hand", LENGTHS),
        (rk.load("stanford"), "hand", {}),
        (rk.load("rosam_loop"), "hand", {"L": 0.4}),
        (palletizer(), "hand", {}),
    ],
    ids=["6R", "stanford", "rosam_loop", "palletizer"],
)
@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")
def test_each_printed_branch_gives_the_joints_of_solve(
    robot: Robot, frame: str, symbols: dict[str, float]
) -> None:
    formulas = robot.inverse_kinematics_formulas(frame)
    values = {**robot.declared_values, **symbols}
    q = np.random.default_rng(4).uniform(0.2, 0.9, robot.nq)
    if robot.loops:
        q = robot.assemble(q[: robot.closure().mobility], **symbols)
    T = robot.pose(q, frame, **{name: values[name] for name in robot.free_symbols if name in values})
    solutions = formulas.solve(T, **symbols)
    pose = dict(zip(formulas.pose_names, [*T[:3, 3], *T[:3, :3].ravel()], strict=False))
    if formulas.plane is not None:
        pose = dict(zip(formulas.pose_names, [*T[:2, 3], atan2(T[1, 0], T[0, 0])], strict=True))
    assert solutions.valid.sum() >= 2
    for branch, own, valid in zip(formulas.branches, solutions.q, solutions.valid, strict=True):
        if not valid:
            continue
        found = read_back(lines_of(branch), {**pose, **values})
        joints = [found[formulas.coordinates[k]] for k in range(robot.nq)]
        turns = (np.array(joints) - own) / (2 * np.pi)
        np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)


def test_a_shoulder_and_a_wrist_are_printed_without_the_root_whose_sign_they_take() -> None:
    lines = lines_of(SIX.inverse_kinematics_formulas("hand"))
    assert lines[1] == "q1 = atan2(±py, ±px)"
    assert "q4 = atan2(±t1_33, ∓t3_13)" in lines
    assert not any(line.startswith(("w1 ", "w3 ")) for line in lines)
    branch = lines_of(SIX.inverse_kinematics_formulas("hand").branches[4])
    assert branch[0] == "q1 = atan2(-py, -px)"
    latex = SIX.inverse_kinematics_formulas("hand").latex()
    assert r"\operatorname{atan2}\left(\pm p_{y},\; \pm p_{x}\right)" in latex
    assert r"\mp t_{3,13}" in latex


@pytest.mark.parametrize("name", ["rx90", "torso"])
def test_the_first_branch_faces_the_target(name: str) -> None:
    """Whichever sign its equation had: the upper sign is that of books."""
    rows = [(0, 0, 0, 0), ("pi/2", "w", 0, 0), (0, "u", 0, 0)]
    robot = rk.load("rx90") if name == "rx90" else arm("RRR", rows, (0, "f", 0, 0))
    lines = lines_of(robot.inverse_kinematics_formulas("hand"))
    assert any(line in ("q1 = atan2(±wrist_y, ±wrist_x)", "q1 = atan2(±py, ±px)") for line in lines)


def test_section_6_prints_the_displacement_as_the_root_and_sine_and_cosine_as_quotients() -> None:
    text = str(rk.load("rosam_loop").inverse_kinematics_formulas("hand"))
    assert lines_of(text)[2:] == [
        "wrist_x = px - L*cos(phi)",
        "wrist_y = py - L*sin(phi)",
        "d21 = ±sqrt(wrist_x**2 + wrist_y**2)",
        "theta11 = atan2(wrist_x/d21, -wrist_y/d21)",
        "theta31 = phi - theta11",
        "t3_x = 2*L*cos(phi) + d21*sin(theta11)",
        "t3_y = 2*L*sin(phi) - d21*cos(theta11)",
        "d22 = ±sqrt(t3_x**2 + t3_y**2)",
        "theta12 = atan2(t3_x/d22, -t3_y/d22)",
    ]


def test_sliders_with_equal_rods_need_neither_cut_angle_nor_names_for_the_pose() -> None:
    robot = replace(two_sliders(), frames=(rk.Frame("hand", "rod1", rk.ModifiedDH(a="L")),))
    formulas = robot.inverse_kinematics_formulas("hand")
    *lines, last = lines_of(formulas)[2:]
    assert lines == [
        "s1 = py/L",
        "c1 = ±sqrt(1 - s1**2)",
        "th1 = atan2(s1, c1)",
        "d1 = px - L*c1",
        "th2 = pi - th1",
    ]
    assert Formula.of(last.removeprefix("d2 = ")) == Formula.of("px + L*c1")
    for q in formulas.solve([0.3, 0.2, 0.0]):  # (2,), on the loop
        np.testing.assert_allclose(robot.loop_residual(q), 0, atol=1e-12)
        np.testing.assert_allclose(robot.pose(q, "hand")[:2, 3], [0.3, 0.2], atol=1e-12)


def test_conditions_of_branches_are_shown_and_hold_where_a_branch_reaches_the_pose() -> None:
    robot = hybrid("tilted", "tilted")
    formulas = robot.inverse_kinematics_formulas("body1")
    assert formulas.more_conditions == len(formulas.branch_conditions) == 1
    (condition,) = formulas.branch_conditions
    assert f"in each branch {condition} = 0" in str(formulas)
    assert "differ from branch to branch" not in str(formulas)
    assert r"\text{where, in each branch, }" in formulas.latex()
    q = robot.assemble([1.9, 0.6, 0.4, 0.7])
    T = robot.pose(q, "body1")
    values = {
        **robot.declared_values,
        **dict(zip(formulas.pose_names, [*T[:3, 3], *T[:3, :3].ravel()], strict=True)),
    }
    kinds = set()
    for branch, valid in zip(formulas.branches, formulas.solve(T).valid, strict=True):
        try:
            at = {k: Formula.of(x) for k, x in read_back(lines_of(branch), values).items()}
        except WrongValue:  # the root of a negative number: the other arm does not reach that far
            assert not valid
            continue
        holds = abs(float(condition.substitute(at))) < 1e-9
        assert holds == valid  # out of reach of the others
        kinds.add(holds)
    assert kinds == {True, False}


def test_a_root_that_other_steps_use_stays_and_divides() -> None:
    lines = lines_of(hybrid("tilted", "tilted").inverse_kinematics_formulas("body1"))
    assert "w1 = ±sqrt(r31**2 + r32**2)" in lines
    assert any("/w1" in line for line in lines)
    assert not any("*w1" in line and "atan2" in line for line in lines)
