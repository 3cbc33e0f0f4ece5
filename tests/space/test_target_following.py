"""Hands that follow lines and targets, and what is said where they cannot."""

import numpy as np
import pytest
from random_robots import random_state
from random_satellites import random_satellite

import rikigaku as rk
from rikigaku import space
from rikigaku.core.errors import WrongSize, WrongValue

BENT = np.array([0, 0, 0, 2.2, -2.0])


@pytest.fixture(scope="module")
def planar() -> rk.Robot:
    return rk.load("space_planar_2r")


def down(planar: rk.Robot) -> space.Line:
    start = planar.pose(BENT, "hand")
    return space.line(start, start[:3, 3] + [0, -1.6, 0], velocity=0.8, acceleration=0.4)


@pytest.fixture(scope="module")
def followed(planar: rk.Robot) -> space.Followed:
    line = down(planar)
    return space.follow(planar, BENT, line, "hand", line.duration, rows="xy", times=np.linspace(0, 4, 41))


def test_the_forward_simulation_follows_the_line(planar: rk.Robot, followed: space.Followed) -> None:
    assert followed.status == "ok"
    assert followed.position_error.max() < 1e-6
    end = planar.pose(followed.motion.q[-1], "hand")[:3, 3]
    assert np.abs(end - (planar.pose(BENT, "hand")[:3, 3] + [0, -1.6, 0])).max() < 1e-6
    speed = np.linalg.norm(planar.velocity(followed.motion.q, followed.motion.v, "hand")[:, :2], axis=1)
    assert speed.max() == pytest.approx(0.8, abs=1e-6)
    assert abs(followed.motion.q[-1, 2]) > 0.5  # the satellite has turned


def test_the_two_methods_differ_by_the_products_of_velocities(
    planar: rk.Robot, followed: space.Followed
) -> None:
    q, v = followed.motion.q, followed.motion.v
    C = planar.space.generalized_coriolis(q, v[:, 3:])
    products = np.einsum("nij,nj->ni", C, v[:, 3:])
    assert np.abs(products).max() > 5
    assert np.abs(followed.tau - followed.inertial_tau - products).max() < 1e-9 * 40


def test_a_line_out_of_reach_ends_with_a_sentence_and_what_was_found(planar: rk.Robot) -> None:
    start = planar.pose(BENT, "hand")
    line = space.line(start, start[:3, 3] + [4.0, 0, 0], velocity=0.8, acceleration=0.4)
    found = space.follow(planar, BENT, line, "hand", line.duration, rows="xy", tolerance=1e-8)
    assert "the line leaves its reach" in found.status
    assert "dynamic singularity" in found.status
    assert 1 < found.motion.t[-1] < line.duration
    assert found.position_error[:-1].max() < 1e-6  # up to there it was followed


def test_a_line_that_leaves_the_reach_of_six_joints_is_named_as_such() -> None:
    sat = rk.load("space_arm_6")
    q = sat.neutral()
    q[7:] = [0.3, -0.5, 0.8, 0.4, 0.9, -0.2]
    start = sat.pose(q, "hand")
    line = space.line(start, start[:3, 3] + [0, 0, 5.0], velocity=0.5, acceleration=0.4)
    found = space.follow(sat, q, line, "hand", line.duration, tolerance=1e-7)
    assert "the line leaves its reach" in found.status
    assert "m from the centre of mass of the whole" in found.status
    assert found.position_error[:-1].max() < 1e-6


@pytest.mark.parametrize("controller", ["acceleration", "rate"])
@pytest.mark.parametrize("times", [None, [0.0, 0.1, 0.2]])
def test_a_start_that_is_singular_is_said_at_once(planar: rk.Robot, controller: str, times) -> None:
    """Stretched out along the line through the satellite's centre."""
    straight = np.zeros(5)
    start = planar.pose(straight, "hand")
    line = space.line(start, start[:3, 3] + [-0.5, 0, 0], velocity=0.8, acceleration=0.4)
    found = space.follow(planar, straight, line, "hand", 1.0, rows="xy", controller=controller, times=times)
    assert found.status.startswith("the motion ends at t = 0 s: dynamic singularity")
    assert len(found.motion.t) == len(found.tau) <= 1


def test_a_singularity_inside_the_reach_is_distinguished_from_the_end_of_it(planar: rk.Robot) -> None:
    """Past the shoulder with links of one length: singular where the arm is folded up."""
    folded = np.array([0, 0, 0, 1.0, 2.6])
    start = planar.pose(folded, "hand")
    way = planar.pose(folded, "link1")[:3, 3] - start[:3, 3]
    line = space.line(start, start[:3, 3] + 1.5 * way, velocity=0.5, acceleration=0.5)
    found = space.follow(
        planar, folded, line, "hand", line.duration, rows="xy", tolerance=1e-8, min_singular_value=0.2
    )
    assert "dynamic singularity" in found.status
    assert "leaves its reach" not in found.status


def test_the_transposed_jacobian_brings_the_hand_there_in_the_end(planar: rk.Robot) -> None:
    start = planar.pose(BENT, "hand")
    goal = start.copy()
    goal[:3, 3] += [0.3, -0.3, 0]
    line = space.line(start, goal[:3, 3], velocity=10, acceleration=100)
    found = space.follow(
        planar,
        BENT,
        line,
        "hand",
        20.0,
        rows="xy",
        gains=(60.0, 40.0),
        controller="transposed",
        tolerance=1e-7,
    )
    assert found.status == "ok"
    assert found.position_error[-1] < 1e-3
    assert np.abs(found.motion.momentum).max() < 1e-9


def test_resolved_rates_give_the_hand_its_twist_whatever_the_momentum() -> None:
    sat = rk.load("space_arm_6")
    q = sat.neutral()
    q[7:] = [0.3, -0.5, 0.8, 0.4, 0.9, -0.2]
    rng = np.random.default_rng(3)
    twist, momentum = rng.normal(size=6), 20 * rng.normal(size=6)
    v = sat.space.floating_velocity(q, sat.space.resolved_rate(q, twist, momentum, "hand"), momentum)
    assert np.abs(sat.velocity(q, v, "hand") - twist).max() < 1e-12
    assert np.abs(sat.momentum(q, v) - momentum).max() < 1e-9


def test_resolved_accelerations_bring_an_error_to_zero_as_the_gains_say() -> None:
    """e'' + K1 e' + K2 e = 0 along every axis: K1 = 4, K2 = 4 leaves (1 + 2 t) exp(-2 t)."""
    sat = rk.load("space_arm_6")
    q = sat.neutral()
    q[7:] = [0.3, -0.5, 0.8, 0.4, 0.9, -0.2]
    pose = sat.pose(q, "hand")
    still = space.coordinates_of(pose)
    still[:3] += [0.02, -0.03, 0.01]
    times = np.linspace(0, 2, 9)
    found = space.follow(
        sat,
        q,
        lambda t: space.TargetState(still, np.zeros(6), np.zeros(6)),
        "hand",
        2.0,
        gains=(4.0, 4.0),
        times=times,
    )
    left = np.linalg.norm([0.02, -0.03, 0.01]) * (1 + 2 * times) * np.exp(-2 * times)
    assert np.abs(found.position_error - left).max() < 1e-8
    assert found.orientation_error.max() < 1e-8


def test_resolved_rates_follow_the_line_with_the_torques_of_resolved_accelerations(
    planar: rk.Robot, followed: space.Followed
) -> None:
    line = down(planar)
    found = space.follow(
        planar,
        BENT,
        line,
        "hand",
        line.duration,
        rows="xy",
        controller="rate",
        gains=(5.0, 0.0),
        times=followed.motion.t,
    )
    assert found.status == "ok"
    assert found.position_error.max() < 1e-6
    assert np.abs(found.motion.q - followed.motion.q).max() < 1e-7
    assert np.abs(found.a - followed.a).max() < 1e-7
    assert np.abs(found.tau - followed.tau).max() < 1e-6
    assert np.abs(found.motion.work - found.motion.energy + found.motion.energy[0]).max() < 1e-12


def test_rates_bring_an_error_to_zero_as_the_gain_says_with_momentum_and_joints_to_spare() -> None:
    """e' = -K e along every axis; the torques are exact: their work is the change of the energy."""
    sat = random_satellite(8, (4,))
    q, v, _ = random_state(sat, np.random.default_rng(1))
    start = sat.space.floating_velocity(q, 0 * v[6:], 0.1 * v[:6])
    goal = space.coordinates_of(sat.pose(q, "hand1"))
    goal[:3] += [0.03, -0.02, 0.04]
    still = space.TargetState(goal, np.zeros(6), np.zeros(6))
    times = np.linspace(0, 1, 21)
    found = space.follow(
        sat, q, lambda t: still, "hand1", 1.0, v=start, rows="linear", controller="rate", gains=(2.0, 0.0),
        times=times,
    )  # fmt: skip
    left = np.linalg.norm([0.03, -0.02, 0.04]) * np.exp(-2 * times)
    assert np.abs(found.position_error - left).max() < 1e-9
    assert np.abs(found.motion.momentum - sat.momentum(q, start)).max() < 1e-12
    power = np.einsum("ni,ni->n", found.tau, found.motion.v[:, 6:])
    change = found.motion.robot.kinetic_energy  # its slope, from states a little earlier and later
    h = 1e-3
    near = space.follow(
        sat, q, lambda t: still, "hand1", 1.0, v=start, rows="linear", controller="rate", gains=(2.0, 0.0),
        times=np.array([0.5 - 2 * h, 0.5 - h, 0.5, 0.5 + h, 0.5 + 2 * h]),
    )  # fmt: skip
    E = change(near.motion.q, near.motion.v)
    slope = (E[0] - 8 * E[1] + 8 * E[3] - E[4]) / (12 * h)
    assert power[10] == pytest.approx(slope, rel=1e-8)


def test_wrong_questions_are_refused(planar: rk.Robot) -> None:
    line = down(planar)
    with pytest.raises(WrongValue, match="Known: acceleration, rate, transposed"):
        space.follow(planar, BENT, line, "hand", 1.0, rows="xy", controller="pid")
    with pytest.raises(WrongValue, match="Rows it can serve: xy"):
        space.follow(planar, BENT, line, "hand", 1.0)
    with pytest.raises(WrongSize, match="from a pose"):
        space.line(np.zeros(3), np.zeros(3), velocity=1, acceleration=1)
    with pytest.raises(WrongValue, match="ends where it starts"):
        space.line(np.eye(4), np.zeros(3), velocity=1, acceleration=1)
