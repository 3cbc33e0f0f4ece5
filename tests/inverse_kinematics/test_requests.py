"""Requests of inverse kinematics that a user may get wrong, and robots with joints of several coordinates."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import NotSolvable, UnknownName, WrongValue


@pytest.mark.parametrize("option", ["limit", "alll", "seed"])
def test_a_misspelt_option_is_refused_with_the_known_ones(option: str) -> None:
    arm = rk.load("ur5")
    with pytest.raises(UnknownName, match=r"limits|all|rng") as error:
        arm.inverse_kinematics(np.eye(4), "hand", **{option: True})
    assert repr(option) in str(error.value)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, np.nan, np.inf, "a"])
@pytest.mark.parametrize("everything", [False, True])
def test_a_tolerance_that_no_error_can_meet_is_refused(tolerance: float, everything: bool) -> None:
    arm = rk.load("ur5")
    T = arm.pose(np.full(6, 0.3), "hand")
    with pytest.raises(WrongValue, match=r"tolerance is a finite number above 0"):
        arm.inverse_kinematics(T, "hand", tolerance=tolerance, all=everything)


def test_a_rotation_matrix_is_not_taken_for_three_positions() -> None:
    arm = rk.load("ur5")
    with pytest.raises(WrongValue, match=r"OrientationTarget"):
        arm.inverse_kinematics(np.eye(3), "hand")
    assert arm.inverse_kinematics(0.3 * np.eye(3) + 0.2, "hand").q.shape == (3, 6)


def test_text_for_a_given_joint_is_refused_in_words() -> None:
    arm = rk.load("panda")
    with pytest.raises(WrongValue, match=r"panda_joint7"):
        arm.inverse_kinematics(np.eye(4), "hand", given={"panda_joint7": "a"})


def cart_with_arm() -> rk.Robot:
    """A planar joint that carries the shoulder of a small arm."""
    arm = rk.load("planar_2r").bind(l1=0.5, l2=0.4)
    cart = rk.Link("cart", "base", rk.Joint("drive", "planar"))
    links = [
        rk.Link(f"l{k + 1}", "cart" if k == 0 else "l1", link.joint, link.geometry)
        for k, link in enumerate(arm.links)
    ]
    return rk.Robot("cart_with_arm", [cart, *links])


def test_a_planar_joint_in_the_chain_is_searched_for() -> None:
    robot = cart_with_arm()
    q = np.array([0.4, -0.2, 0.3, 0.5, -0.7])
    T = robot.pose(q, "l2")
    for method in ("auto", "search"):
        found = robot.inverse_kinematics(T, "l2", method=method)
        assert found.success
        np.testing.assert_allclose(robot.pose(found.q, "l2"), T, atol=1e-7)
    with pytest.raises(NotSolvable, match=r"joint of several coordinates"):
        robot.inverse_kinematics(T, "l2", all=True)


def test_a_message_says_which_targets_are_met() -> None:
    arm = rk.load("panda")
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.4])
    hand = rk.PositionTarget(frame="hand", position=arm.pose(q, "hand")[:3, 3])
    far = rk.CenterOfMassTarget(position=arm.center_of_mass(q) + 0.2, priority=1)
    found = arm.inverse_kinematics([hand, far])
    assert found.success
    assert found.message.startswith("All targets of priority 0 are met")


@pytest.mark.parametrize("name", ["ur5", "panda", "general_6r", "five_bar", "three_rrr", "stewart"])
@pytest.mark.parametrize("batch", [(0,), (2, 0)])
def test_an_empty_batch_gets_an_empty_result(name: str, batch: tuple[int, ...]) -> None:
    arm = general_arm() if name == "general_6r" else rk.load(name)
    frame = arm.frame_names[-1] if name == "five_bar" else "hand"
    for target in (np.zeros((*batch, 4, 4)), np.zeros((*batch, 3))):
        for everything in (False, True):
            found = arm.inverse_kinematics(target, frame, all=everything)
            count = (found.q.shape[len(batch)],) if everything else ()
            assert found.q.shape == (*batch, *count, arm.nq)
            assert found.success.shape == found.position_error.shape == (*batch, *count)
            assert found.message.shape == batch
    goal = rk.PositionTarget(frame=frame, position=np.zeros((*batch, 3)))
    assert arm.inverse_kinematics([goal]).q.shape == (*batch, arm.nq)
    goal = rk.PoseTarget(frame=frame, pose=np.zeros((*batch, 4, 4)))
    assert arm.inverse_kinematics([goal]).q.shape == (*batch, arm.nq)
    if len(batch) == 1:
        assert arm.inverse_kinematics(np.zeros((0, 4, 4)), frame, along=True).q.shape == (0, arm.nq)


def general_arm() -> rk.Robot:
    """Six skew axes: no formulas."""
    rows = [
        (0.3, 0.1, 0.2),
        (1.2, 0.3, 0.1),
        (-0.8, 0.4, 0.2),
        (1.1, 0.1, 0.4),
        (-1.3, 0.1, 0.1),
        (0.9, 0.1, 0.2),
    ]
    links = [
        rk.Link(f"l{k}" if k < 6 else "hand", f"l{k - 1}" if k > 1 else "base", rk.Joint(f"q{k}"),
                rk.ModifiedDH(alpha=alpha, a=a, d=d))
        for k, (alpha, a, d) in enumerate(rows, 1)
    ]  # fmt: skip
    return rk.Robot("general_6r", tuple(links))
