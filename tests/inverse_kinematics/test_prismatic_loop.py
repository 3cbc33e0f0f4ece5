"""Arms with two prismatic joints in any places: complete, against other computations."""

import numpy as np
import pytest
from test_all_configurations import random_arm, states

import rikigaku as rk
from benchmarks.exact_counts import real_zeros
from rikigaku.core.errors import NotSolvable
from rikigaku.inverse_kinematics.cut_choice import chosen_cuts
from rikigaku.inverse_kinematics.general_arm import GeneralArm
from rikigaku.inverse_kinematics.prismatic_loop import prismatic_loops
from rikigaku.inverse_kinematics.serial_arm import serial_arm


def gap(found, q, revolute):
    """Distance of a configuration to the nearest one found."""
    d = found - q
    d = np.where(revolute, d - 2 * np.pi * np.round(d / (2 * np.pi)), d)
    return np.nanmin(np.abs(d).max(axis=-1), axis=-1, initial=9.0)


@pytest.mark.parametrize("types", ["RPRPRR", "PRPRRR", "RRPRRP", "PRRRPR", "RRRPPR"])
def test_the_known_configuration_is_found_in_every_arrangement(types):
    for seed in (5, 11):
        robot = random_arm(seed, types)
        solver = GeneralArm(serial_arm(robot, "l6", {}))
        q = states(robot, 250, seed)
        poses = robot.pose(q, "l6")
        found = solver.solve(poses)
        assert gap(found.q, q[:, None], solver.revolute).max() < 1e-7
        assert ((found.multiplicity > 0).sum(axis=1) % 2 == 0).all()  # complex ones come in pairs
        good = found.multiplicity == 1
        reached = robot.pose(found.q[good], "l6")  # by the compiled law
        np.testing.assert_allclose(reached, np.repeat(poses, good.sum(axis=1), axis=0), atol=1e-11)


def test_a_prismatic_joint_on_either_side_of_a_revolute_one_is_solved_by_the_one_call():
    robot = random_arm(5, "RPRPRR")
    q = states(robot, 20, 3)
    found = robot.inverse_kinematics(robot.pose(q, "l6"), "l6", all=True)
    assert found.method == "elimination"
    revolute = [j.type == "revolute" for j in robot.joints]
    assert gap(found.q, q[:, None], revolute).max() < 1e-7
    for k, T in enumerate(robot.pose(q[:4], "l6")):  # searches from random starts find nothing else
        starts = np.random.default_rng(k).uniform(-3, 3, (40, 6))
        for start in starts:
            one = robot.inverse_kinematics(T, "l6", q0=start, method="search", restarts=0, limits=False)
            if one.success:
                assert gap(found.q[k], one.q, revolute) < 1e-5


def test_neighbouring_prismatic_joints_have_the_number_of_configurations_of_256_bits():
    robot = random_arm(5, "RRRPPR")
    arm = serial_arm(robot, "l6", {})
    solver = GeneralArm(arm)
    assert prismatic_loops(solver.arm)
    poses = robot.pose(states(robot, 20, 7), "l6")
    found = solver.solve(poses)
    cut = chosen_cuts(solver.arm)[0].cut  # the other elimination
    for T, multiplicity in zip(poses, found.multiplicity, strict=True):
        count, apart = real_zeros(arm, T, cut)
        if apart > 1e-6:
            assert (multiplicity > 0).sum() == count


@pytest.mark.parametrize("types", ["RPRPRP", "PPPRRR", "PRPRP", "PPRP"])
def test_three_prismatic_joints_leave_two_configurations_or_the_one_of_fewer_joints(types):
    robot, frame = random_arm(6, types), f"l{len(types)}"
    q = states(robot, 60, 3)
    poses = robot.pose(q, frame)
    found = robot.inverse_kinematics(poses, frame, all=True)
    revolute = np.array([j.type == "revolute" for j in robot.joints])
    assert gap(found.q, q[:, None], revolute).max() < 1e-7
    assert (found.success.sum(axis=1) == (2 if len(types) == 6 else 1)).all()
    good = found.success
    reached = robot.pose(found.q[good], frame)  # by the compiled law
    np.testing.assert_allclose(reached, np.repeat(poses, good.sum(axis=1), axis=0), atol=1e-11)
    if len(types) == 6:  # searches from random starts find nothing else
        starts = np.random.default_rng(0).uniform(-3, 3, (30, 6))
        for start in starts:
            one = robot.inverse_kinematics(poses[0], frame, q0=start, method="search", restarts=0)
            assert not one.success or gap(found.q[0], one.q, revolute) < 1e-5


def test_four_prismatic_joints_are_a_family():
    robot = random_arm(6, "PRPRPP")
    T = robot.pose(states(robot, 1)[0], "l6")
    found = robot.inverse_kinematics(T, "l6", all=True)
    assert found.dimension == 1
    assert "samples of a family of dimension 1" in str(found.message)
    assert len(found) == 72
    q = found.q[found.success]
    np.testing.assert_allclose(robot.pose(q, "l6"), np.broadcast_to(T, (72, 4, 4)), atol=1e-11)
    np.testing.assert_allclose(np.diff(q, n=2, axis=0), 0, atol=1e-10)  # displacements on a line
    (curve,) = robot.self_motion(T, "l6").curves
    assert not curve.closed
    with pytest.raises(NotSolvable, match=r"family of dimension 1.*given=.*all=True"):
        robot.inverse_kinematics(T, "l6", method="elimination")


def test_a_family_with_prismatic_joints_is_exact_to_rounding():
    # five joints remain beside the one that is given: an auxiliary joint was zero to 1e-11 only
    quarter = np.pi / 2
    rows = [(0, 0, 0.2, quarter), (0, 0.5, 0, quarter), (np.pi, 0.5, 0.2, quarter), (-quarter, 0.3, 0.2, 0),
            (0, 0.5, 0.2, quarter), (0.4, 0, 0.2, quarter)]  # fmt: skip
    links = []
    for k, (alpha, a, d, theta) in enumerate(rows):
        joint = rk.Joint(f"q{k + 1}", "prismatic" if k in (1, 2) else "revolute")
        offset = rk.ModifiedDH(alpha=alpha, a=a, d=d, theta=theta)
        links.append(rk.Link(f"l{k + 1}", f"l{k}" if k else "base", joint, offset))
    robot = rk.Robot("two slides", tuple(links))
    rng = np.random.default_rng(3)
    q = rng.uniform(-np.pi, np.pi, (10, 6))
    q[:, 1], q[:, 2] = rng.uniform(-1, 1, 10), rng.uniform(-1, 1, 10)
    poses = robot.pose(q, "l6")
    found = robot.inverse_kinematics(poses, "l6", all=True, limits=False)
    assert found.dimension == 1
    k, branch = np.nonzero(found.success)
    assert len(k) > 1000
    assert np.abs(robot.pose(found.q[k, branch], "l6") - poses[k]).max() < 1e-12
