"""Branches of the legs of closed robots at a pose: complete, independent of each other."""

from dataclasses import replace

import numpy as np
import pytest

import rikigaku as rk

# An elbow lies on either side; a universal joint reaches each direction twice, a slide in both directions.
COUNTS = {"three_rrr": [2, 2, 2], "stewart": [1, 4, 4, 4, 4, 4, 4], "delta": [1, 8, 8, 8]}


@pytest.mark.parametrize("name", COUNTS)
def test_any_branch_of_a_leg_goes_with_any_of_the_others(name):
    robot = rk.load(name)
    frame = "hand" if "hand" in robot.frame_names else "platform"
    q = robot.closure().samples[1]
    T = robot.pose(q, frame)
    found = robot.inverse_kinematics(T, frame, all=True, limits=False)
    assert found.success.all()
    assert [len(leg.q) for leg in found.legs] == COUNTS[name]
    assert sorted(j for leg in found.legs for j in leg.joints) == sorted(j.name for j in robot.joints if j.nq)
    rng = np.random.default_rng(0)
    for _ in range(8):
        mixed = found.q[0].copy()
        for leg in found.legs:
            at = [k for joint in leg.joints for k in range(robot.nq)[robot.q_slices[joint]]]
            mixed[at] = leg.q[rng.integers(len(leg.q))]
        np.testing.assert_allclose(robot.loop_residual(mixed), 0, atol=1e-9)
        np.testing.assert_allclose(robot.pose(mixed, frame), T, atol=1e-9)
    for leg in found.legs:  # the known configuration is one of the combinations
        at = [k for joint in leg.joints for k in range(robot.nq)[robot.q_slices[joint]]]
        gap = leg.q - q[at]
        gap = np.where(np.array(len(at) == 7), gap, gap - 2 * np.pi * np.round(gap / (2 * np.pi)))
        assert np.abs(gap).max(axis=1).min() < 1e-6


def test_a_five_bar_has_the_four_working_modes_of_its_formulas():
    robot = rk.load("five_bar")
    q = robot.closure().samples[1]
    T = robot.pose(q, "hand")
    found = robot.inverse_kinematics(T[:3, 3], "hand", q0=q, all=True, limits=False)
    assert [len(leg.q) for leg in found.legs] == [2, 2]
    assert found.q.shape == (4, 4)
    assert found.success.all()
    np.testing.assert_allclose(found.q[0], q, atol=1e-9)  # the nearest is the first
    formulas = robot.inverse_kinematics_formulas("hand").solve(T[:3, 3])
    assert formulas.valid.sum() == 4
    gaps = found.q[:, None] - formulas.q[formulas.valid]
    gaps = np.abs(gaps - 2 * np.pi * np.round(gaps / (2 * np.pi))).max(axis=2)
    assert sorted(gaps.argmin(axis=1)) == [0, 1, 2, 3]
    assert gaps.min(axis=1).max() < 1e-9
    # The hand is fixed to the left forearm: its orientation leaves one working mode of the left leg.
    posed = robot.inverse_kinematics(T, "hand", all=True, limits=False)
    assert [len(leg.q) for leg in posed.legs] == [1, 2]
    assert posed.success.sum() == 2
    np.testing.assert_allclose(robot.pose(posed.q, "hand"), np.broadcast_to(T, (2, 4, 4)), atol=1e-9)
    np.testing.assert_allclose(robot.loop_residual(posed.q), 0, atol=1e-9)


def test_a_palletizer_is_solved_by_its_formulas():
    robot = rk.load("sr400")
    q = robot.closure().samples[1]
    T = robot.pose(q, "hand")
    found = robot.inverse_kinematics(T[None].repeat(2, axis=0), "hand", all=True, limits=False)
    assert found.method == "formulas"
    assert len(found.q) == 2
    for own in found.q[0][found.success[0]]:
        np.testing.assert_allclose(robot.pose(own, "hand"), T, atol=1e-9)
        np.testing.assert_allclose(robot.loop_residual(own), 0, atol=1e-9)
    gap = found.q[0][found.success[0]] - q
    assert np.abs(gap - 2 * np.pi * np.round(gap / (2 * np.pi))).max(axis=1).min() < 1e-6
    # angles of the formulas are between -pi and pi: full revolutions bring them within limits beyond that
    limits = rk.Limits(lower=3.5, upper=3.5 + 2 * np.pi)
    links = [
        replace(link, joint=replace(link.joint, limits=limits)) if link.joint.name == "theta1" else link
        for link in robot.links
    ]
    shifted = replace(robot, links=tuple(links))
    around = shifted.inverse_kinematics(T, "hand", all=True)
    present = around.multiplicity > 0
    assert (around.q[present][:, 0] >= 3.5).all()
    assert (around.q[present][:, 0] <= 3.5 + 2 * np.pi).all()
