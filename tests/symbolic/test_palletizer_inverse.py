"""Inverse kinematics of palletizers: relations of parallelograms as steps, and every branch."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from linkages import F
from palletizers import palletizer
from scipy.optimize import root

import rikigaku as rk
from rikigaku.core.errors import NotSolvable
from rikigaku.symbolic.inverse_kinematics.joint_formulas_json import formulas_from_json, formulas_to_json


def wrapped(q: Any) -> Any:
    return (np.asarray(q) + np.pi) % (2 * np.pi) - np.pi


def by_search(robot: rk.Robot, T: Any, frame: str, own: list[int], full: Any, rng: Any) -> list[Any]:
    """Configurations that reach a pose, from random starts over the independent joints alone.

    full: all joints from the independent ones, written down here and not taken from the package.
    """
    wanted = robot.pose(np.zeros(robot.nq), frame) * 0 + T

    def gap(x: Any) -> Any:
        difference = robot.pose(full(x), frame) - wanted
        return (J_rows @ difference[:3].ravel())[: len(own)]

    found: list[Any] = []
    J_rows = rng.normal(size=(len(own), 12))
    for _ in range(400):
        solution = root(gap, rng.uniform(-np.pi, np.pi, len(own)), tol=1e-13)
        q = full(solution.x)
        if np.abs(robot.pose(q, frame) - wanted).max() > 1e-9:
            continue
        if not any(np.abs(wrapped(q - other)).max() < 1e-5 for other in found):
            found.append(q)
    return found


def all_joints(x: Any) -> Any:
    """The palletizer's joints from theta1, theta2, theta5, theta7: three parallelograms, by geometry."""
    t1, t2, t5, t7 = x
    return np.array([t1, t2, t7 - t2 + np.pi, np.pi - t7, t5, t7, t2 - t7, -t2, t2, t7 + np.pi])


@pytest.mark.parametrize("offset", [False, True])
def test_every_branch_of_a_palletizer_is_found_and_closes_its_loops(offset: bool) -> None:
    robot = palletizer(False)
    frame = replace(robot.frames[0], geometry=rk.Placement(xyz=("0.12" if offset else 0, 0, "-0.1")))
    robot = replace(robot, frames=(frame,))
    found = robot.inverse_kinematics_formulas("hand")
    numbers = robot.bind(**robot.declared_values)
    rng = np.random.default_rng(4)
    for k in range(3):
        q = all_joints(rng.uniform([-1, 0.6, -1, -0.4], [1, 1.4, 1, 0.5]))
        assert np.abs(numbers.loop_residual(q)).max() < 1e-12
        T = numbers.pose(q, "hand")
        solutions = list(found.solve(T, **robot.declared_values))
        for x in solutions:
            assert np.abs(numbers.loop_residual(x)).max() < 1e-12
            assert np.abs(numbers.pose(x, "hand") - T).max() < 1e-12
            assert np.abs(wrapped(x - all_joints(x[[0, 1, 4, 5]]))).max() < 1e-12
        assert min(np.abs(wrapped(x - q)).max() for x in solutions) < 1e-9
        if k == 0:
            search = by_search(numbers, T, "hand", [0, 1, 4, 5], all_joints, rng)
            assert len(search) == len(solutions) == 4
            for x in search:
                assert min(np.abs(wrapped(x - y)).max() for y in solutions) < 1e-5


def test_its_text_shows_the_meaning_of_each_relation() -> None:
    found = palletizer().inverse_kinematics_formulas("hand")
    text = str(found)
    for line in ("theta4 = -theta2 - theta3", "theta7 = theta2 + theta3 + pi", "theta9 = -theta2"):
        assert line in text
    assert "cut" not in text
    again = formulas_from_json(found.robot, formulas_to_json(found))
    assert str(again) == text
    assert again.steps == found.steps
    _, joints = found.branches[0].sympy()
    assert str({str(name): x for name, x in joints}["theta7"]) == "theta2 + theta3 + pi"
    assert r"\theta_{7} &= \theta_{2} + \theta_{3} + \pi" in found.branches[0]._repr_latex_()


def test_the_sr400_has_eight_branches_in_its_mode_and_as_many_crossed() -> None:
    robot = rk.load("sr400")
    found, both = (robot.inverse_kinematics_formulas("hand", linear=x) for x in (True, False))
    assert "theta7 = theta2 + theta3 - pi/2" in str(found)
    assert "theta8 = pi/2 - theta3" in str(found)
    q = robot.assemble([0.2, -1.5, 0.3, 0.4, 0.5, 0.1])
    T = robot.pose(q, "hand")
    own, all_of_them = list(found.solve(T)), list(both.solve(T))
    assert (len(own), len(all_of_them)) == (8, 16)
    relations = robot.closure().linear
    assert relations is not None
    assert all(relations.hold(np.array([x]))[0] for x in own)
    for x in all_of_them:
        parallel = bool(relations.hold(np.array([x]))[0])
        assert parallel == any(np.abs(wrapped(x - y)).max() < 1e-9 for y in own)


def test_a_target_that_leaves_a_level_wrist_free_is_refused() -> None:
    with pytest.raises(NotSolvable, match=r"position of frame 'hand' does not fix its 4 joints.*pose"):
        palletizer().inverse_kinematics_formulas("hand", "position")


def test_the_wrist_itself_is_placed_by_three_joints() -> None:
    robot = palletizer()
    pin = rk.Frame("pin", "wrist", rk.Placement(xyz=("0.1", F("0.05"), 0)))
    robot = replace(robot, frames=(*robot.frames, pin))
    found = robot.inverse_kinematics_formulas("pin")
    assert found.target == "position"
    q = robot.assemble([0.2, 1.1, 0.4, 0.3])
    numbers = robot.bind(**robot.declared_values)
    solutions = list(found.solve(numbers.pose(q, "pin"), **robot.declared_values))
    assert len(solutions) == 4
    assert min(np.abs(wrapped(x - q)[[0, 1, 2, 3, 5, 6, 7, 8, 9]]).max() for x in solutions) < 1e-9
