"""Limits, given joints, tolerances and unverified branches of the exact methods."""

from dataclasses import replace

import numpy as np
import pytest
from test_all_configurations import gaps, random_arm, states

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.inverse_kinematics.exact_solver import ExactSolver
from rikigaku.inverse_kinematics.serial_arm import serial_arm
from rikigaku.model.states import position_bounds


@pytest.mark.parametrize("name", ["puma560", "scara", "stanford"])
def test_a_configuration_at_a_joint_limit_is_within_the_limits(name):
    robot = rk.load(name)
    bounds = position_bounds(robot)
    rng = np.random.default_rng(0)
    q = robot.random_state(3, 80).q
    for row in q:
        k = rng.integers(robot.nq)
        row[k] = bounds[rng.integers(2)][k]
    found = robot.inverse_kinematics(robot.pose(q, "hand"), "hand", all=True)
    angles = [j.type == "revolute" for j in robot.joints]
    gap = found.q - q[:, None]
    gap = np.where(angles, gap - 2 * np.pi * np.round(gap / (2 * np.pi)), gap)
    known = (np.abs(gap).max(axis=2) < 1e-6) & found.success
    assert known.any(axis=1).all()
    good = found.success
    assert (found.q[good] >= bounds[0]).all()  # exactly: a controller compares without a tolerance
    assert (found.q[good] <= bounds[1]).all()
    one = robot.inverse_kinematics(robot.pose(q[0], "hand"), "hand", q0=q[0])
    np.testing.assert_allclose(one.q, q[0], atol=1e-6)
    # a configuration beyond a limit by more than rounding is outside
    k = int(np.argmin(np.abs(q[0] - bounds[0])))
    beyond = robot.random_state(5).q
    beyond[k] = bounds[0][k] - 1e-6
    found = robot.inverse_kinematics(robot.pose(beyond, "hand"), "hand", all=True)
    assert not found.success[np.nanargmin(np.abs(found.q - beyond).max(axis=1))]


def test_given_joints_keep_their_values_in_the_search_for_the_nearest_pose():
    panda = rk.load("panda")
    q = panda.random_state(2).q
    pose = panda.pose(q, "hand")
    values = np.linspace(-2.8, 2.8, 8)
    found = panda.inverse_kinematics(np.tile(pose, (8, 1, 1)), "hand", given={"panda_joint7": values})
    np.testing.assert_allclose(found.q[:, 6], values, atol=1e-12)
    assert found.success.any()
    assert not found.success.all()  # some values leave no configuration within the limits
    error = np.fmax(found.position_error, found.rotation_error)
    assert (error[found.success] < 1e-8).all()
    assert (error[~found.success] > 1e-8).all()
    beyond = panda.inverse_kinematics(pose, "hand", given={"panda_joint7": 3.5})
    assert not beyond.success
    assert beyond.q[6] == 3.5
    assert "Given joints are beyond their limits" in str(beyond.message)
    for wrong in (np.nan, np.inf, [0.1, 0.2]):
        with pytest.raises(WrongValue, match=r"given\['panda_joint7'\] is one finite number"):
            panda.inverse_kinematics(pose, "hand", all=True, given={"panda_joint7": wrong})
    with pytest.raises(WrongValue, match="takes real numbers"):
        panda.inverse_kinematics(pose, "hand", all=True, given={"panda_joint7": "half"})


def test_an_arm_of_seven_joints_is_solved_exactly_where_the_search_fails():
    panda = rk.load("panda")
    q = [
        [-1.7841269, -1.4391374, 0.0089441, -0.4957970, -0.2510863, 1.8993934, -2.3364707],
        [-2.6857919, -1.2051843, 0.2964351, -0.4378829, -0.0161141, 1.6797663, -2.5806128],
        [2.8084250, 1.1058292, 1.7823972, -0.4594854, 0.0397482, 2.0447950, 2.0205348],
    ]
    T = panda.pose(np.array([*q, np.full(7, 0.3)]), "hand")
    T[3, 0, 3] += 5.0  # out of reach
    assert not panda.inverse_kinematics(T, "hand", method="search").success.any()
    found = panda.inverse_kinematics(T, "hand")
    assert found.success.tolist() == [True, True, True, False]
    np.testing.assert_allclose(panda.pose(found.q[:3], "hand"), T[:3], atol=2e-8)
    lower, upper = position_bounds(panda)
    assert ((found.q >= lower) & (found.q <= upper)).all()
    assert found.method.tolist() == ["elimination"] * 3 + ["search"]
    assert "sampled values of joint 'panda_joint" in found.message[0]
    one = panda.inverse_kinematics(T[0], "hand")
    assert one.success
    assert one.method == "elimination"


def test_a_pose_beside_the_reach_by_less_than_the_tolerance_has_its_configurations():
    scara = rk.load("scara")
    q = scara.random_state(1).q
    c, s = np.cos(1e-6), np.sin(1e-6)
    tilted = scara.pose(q, "hand")
    tilted[:3, :3] = tilted[:3, :3] @ [[1, 0, 0], [0, c, -s], [0, s, c]]
    found = scara.inverse_kinematics(tilted, "hand", all=True, tolerance=1e-3)
    assert gaps(found.q[None], q[None]) < 1e-5
    assert len(found) == 2
    assert not scara.inverse_kinematics(tilted, "hand", all=True)
    five = random_arm(4, "RRRRR")
    q, reach = states(five, 1)[0], serial_arm(five, "l5", {}).reach
    pose = five.pose(q, "l5")
    for off in (1e-7, 1e-5):
        pose[:3, 3] += off
        found = five.inverse_kinematics(pose, "l5", all=True, tolerance=1e-3, limits=False)
        at = np.nanargmin(np.abs(found.q - q).max(axis=1))
        assert found.success[at]
        reached = five.pose(found.q[at], "l5")
        assert found.position_error[at] == pytest.approx(np.linalg.norm((reached - pose)[:3, 3]), abs=1e-12)
        assert len(found) == 1  # starts that meet are one
        # the nearest pose, with the links' lengths as unit: a search from there finds no better one
        again = five.inverse_kinematics(pose, "l5", q0=found.q[at], method="search", restarts=0, limits=False)
        best = np.hypot(again.position_error / reach, again.rotation_error)
        error = np.hypot(found.position_error[at] / reach, found.rotation_error[at])
        assert error < best * 1.001 + 1e-12
        none = five.inverse_kinematics(pose, "l5", all=True, limits=False, tolerance=1e-12)
        assert not none
        assert "joint limits" not in str(none.message)


def test_branches_that_could_not_be_verified_are_not_left_out(monkeypatch):
    found_by = ExactSolver._formulas

    def undecided(solver):
        found = found_by(solver)
        return replace(found, signs=found.signs[:1], undecided=len(found.signs) - 1)

    monkeypatch.setattr(ExactSolver, "_formulas", undecided)
    arm = rk.load("puma560").with_gravity((0, 0, -1.5))  # another robot than those solved before
    q = states(arm, 20, seed=2)
    found = arm.inverse_kinematics(arm.pose(q, "hand"), "hand", all=True, limits=False)
    gap = found.q - q[:, None]
    gap = np.abs(gap - 2 * np.pi * np.round(gap / (2 * np.pi))).max(axis=2)
    assert (np.nanmin(gap, axis=1) < 1e-6).all()
