"""All configurations at positions, and the methods that a caller may choose."""

import numpy as np
import pytest
from scipy.optimize import fsolve
from test_all_configurations import JACO, modified_dh_arm

import rikigaku as rk
from rikigaku.core.errors import NotSolvable


def positioner(skew: bool) -> rk.Robot:
    """Three revolute joints, solved by square roots or, with skew axes, by a quartic."""
    rows = [(0, 0, 0.3), ("pi/2", 0.1, 0.0), (0, 0.4, 0.0)]
    if skew:
        rows = [(0, 0, 0.1), (1.2, 0.3, 0.1), (-0.9, 0.4, 0.2)]
    links = [
        rk.Link(
            f"l{k}", f"l{k - 1}" if k > 1 else "base", rk.Joint(f"q{k}"), rk.ModifiedDH(alpha=t, a=a, d=d)
        )
        for k, (t, a, d) in enumerate(rows, 1)
    ]
    return rk.Robot("positioner", tuple(links), frames=(rk.Frame("hand", "l3", rk.ModifiedDH(a=0.5)),))


@pytest.mark.parametrize(("skew", "method"), [(False, "formulas"), (True, "elimination")])
def test_a_positioner_has_all_configurations_that_newton_finds_at_its_positions(skew, method):
    robot = positioner(skew)
    rng = np.random.default_rng(3)
    q = rng.uniform(-3, 3, (4, 3))
    p = robot.pose(q, "hand")[:, :3, 3]
    found = robot.inverse_kinematics(p, "hand", all=True, limits=False)
    assert found.method == method
    assert found.dimension == 0
    np.testing.assert_allclose(found.rotation_error[found.success], 0)
    for k, target in enumerate(p):
        own = found.q[k][found.success[k]]
        np.testing.assert_allclose(
            robot.pose(own, "hand")[:, :3, 3], np.tile(target, (len(own), 1)), atol=1e-12
        )
        known = [q[k]]
        for start in rng.uniform(-3, 3, (30, 3)):
            x, _, flag, _ = fsolve(
                lambda x, t=target: robot.pose(x, "hand")[:3, 3] - t, start, full_output=True
            )
            if flag == 1 and np.abs(robot.pose(x, "hand")[:3, 3] - target).max() < 1e-9:
                known.append(x)
        gap = np.abs(np.exp(1j * np.array(known))[:, None] - np.exp(1j * own)).max(axis=2)
        assert (gap.min(axis=1) < 1e-5).all()  # none is missing
        assert (gap.min(axis=0) < 1e-5).all()  # none is listed that is no solution, or twice
        assert len(own) == len(np.unique(gap.argmin(axis=1)))
    far = robot.inverse_kinematics([3.0, 0, 0], "hand", all=True)
    assert not far.success.any()
    assert far.message == "The position is out of reach."


def test_positions_of_an_arm_of_six_joints_are_a_family():
    robot = rk.load("ur5")
    p = robot.pose([0.4, -1.1, 1.3, -0.7, 1.2, 0.5], "hand")[:3, 3]
    found = robot.inverse_kinematics(p, "hand", all=True)
    assert found.dimension == 3
    assert found.success.sum() > 100
    np.testing.assert_allclose(robot.pose(found.q[found.success], "hand")[:, :3, 3] - p, 0, atol=1e-11)


@pytest.mark.parametrize("target", [np.eye(4), np.zeros(3), [[1.0, 0, 0]] * 2])
def test_a_frame_on_the_base_has_the_configuration_of_the_start_or_none(target):
    robot = rk.load("ur5")
    found = robot.inverse_kinematics(target, robot.base, all=True)
    there = np.ndim(target) != 2 or np.shape(target) == (4, 4)
    assert found.success.all() == there
    assert found.q.shape[-2:] == (1, 6)
    if not there:
        assert "No joint moves frame" in found.message[0]


def test_every_exact_method_can_be_chosen_and_finds_the_same():
    robot = rk.load("ur5")
    T = robot.pose([0.4, -1.1, 1.3, -0.7, 1.2, 0.5], "hand")
    tables = []
    for method in ("formulas", "elimination", "continuation"):
        found = robot.inverse_kinematics(T, "hand", all=True, limits=False, method=method)
        assert found.method == method
        assert len(found) == 8
        tables.append(found.q[found.success])
    for own in tables[1:]:
        gap = np.abs(np.exp(1j * own)[:, None] - np.exp(1j * tables[0])).max(axis=2)
        assert sorted(gap.argmin(axis=1)) == list(range(8))
        assert gap.min(axis=1).max() < 1e-9


def test_requests_that_no_method_serves_are_refused_in_words():
    jaco = modified_dh_arm("jaco", JACO)
    T = jaco.pose(np.full(6, 0.4), "l6")
    with pytest.raises(NotSolvable, match=r"no formulas for frame 'l6'.* solved by elimination"):
        jaco.inverse_kinematics(T, "l6", all=True, method="formulas")
    with pytest.raises(NotSolvable, match="A search finds one configuration"):
        jaco.inverse_kinematics(T, "l6", all=True, method="search")
    with pytest.raises(NotSolvable, match="positions with all=True"):
        jaco.inverse_kinematics(T[:3, 3], "l6", method="elimination")
    with pytest.raises(NotSolvable, match="without loops"):
        rk.load("five_bar").inverse_kinematics(np.eye(4), "hand", all=True, method="continuation")
