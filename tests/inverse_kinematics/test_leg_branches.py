"""Branches of the legs of closed robots at a pose: complete, independent of each other."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

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


def delta_position(motors):
    """Position of a Delta's platform: where three spheres about the shifted elbows meet, below them."""
    turn = 2 * np.pi / 3 * np.arange(3)
    radius = 0.15 + 0.25 * np.cos(motors) - 0.05
    c = np.column_stack(
        [radius * np.cos(turn), radius * np.sin(turn), 0.7 * np.sin(np.pi / 3) + 0.25 * np.sin(motors)]
    )
    x = (c[1] - c[0]) / np.linalg.norm(c[1] - c[0])
    along = x @ (c[2] - c[0])
    y = c[2] - c[0] - along * x
    across = np.linalg.norm(y)
    y /= across
    d = np.linalg.norm(c[1] - c[0])
    a = d / 2
    b = (along**2 + across**2 - 2 * along * a) / (2 * across)
    height = np.sqrt(max(0.49 - a**2 - b**2, 0.0))
    return c[0] + a * x + b * y + height * np.cross(x, y) * (-1 if np.cross(x, y)[2] > 0 else 1)


@pytest.mark.parametrize("offset", [(1.5, 0.2, 0.0), (0.0, 0.1, -2.0)])
def test_the_nearest_pose_of_a_delta_to_one_out_of_reach_has_closed_loops(offset):
    robot = rk.load("delta")
    np.testing.assert_allclose(delta_position(np.zeros(3)), 0, atol=1e-12)
    found = robot.inverse_kinematics(np.array(offset), "hand")
    assert not found.success
    assert np.abs(robot.loop_residual(found.q)).max() < 1e-10
    p = robot.pose(found.q, "hand")[:3, 3]
    assert abs(np.linalg.norm(p - offset) - found.position_error) < 1e-12

    def distance(motors):
        return np.linalg.norm(delta_position(motors) - offset)

    grid = np.stack(np.meshgrid(*[np.linspace(-1.2, 1.2, 9)] * 3), axis=-1).reshape(-1, 3)
    best = grid[np.argmin([distance(x) for x in grid])]
    least = minimize(distance, best, bounds=[(-1.2, 1.2)] * 3, method="Powell", options={"xtol": 1e-7}).fun
    assert found.position_error < least + 1e-6
    motors = [robot.q_slices[f"motor{k}"].start for k in (1, 2, 3)]
    assert np.abs(found.q[motors]).max() <= 1.2 + 1e-9


def test_a_position_that_leaves_orientations_open_says_so():
    stewart = rk.load("stewart")
    p = stewart.pose(stewart.closure().samples[1], "hand")[:3, 3]
    found = stewart.inverse_kinematics(p, "hand", all=True, limits=False)
    assert found.dimension == 3  # its three rotations
    assert "family of dimension 3" in found.message
    delta = rk.load("delta")
    q = delta.closure().samples[1]
    p = delta.pose(q, "hand")[:3, 3]
    found = delta.inverse_kinematics(p, "hand", q0=q, all=True, limits=False)
    assert found.dimension == 0  # three motors
    assert [len(leg.q) for leg in found.legs] == [1, 8, 8, 8]
    np.testing.assert_allclose(delta.pose(found.q[0], "hand")[:3, 3], p, atol=1e-9)
    np.testing.assert_allclose(found.q[0], q, atol=1e-6)
