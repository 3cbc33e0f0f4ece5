"""Motions that end before their time: what is kept, and what is said."""

import warnings

import numpy as np
import pytest
from random_satellites import random_satellite

import rikigaku as rk
from benchmarks.space_operations import general_arm
from rikigaku import space
from rikigaku.space.dynamic_singularity import reach_from_center
from rikigaku.space.space_arguments import base_and_arm

BENT = np.array([0, 0, 0, 2.2, -2.0])
STRAIGHT = np.array([0.3, 0.1, 0.4, 0.0, 0.0])


@pytest.fixture(scope="module")
def planar() -> rk.Robot:
    return rk.load("space_planar_2r")


@pytest.fixture(scope="module")
def light(planar: rk.Robot) -> rk.Robot:
    """A satellite hardly heavier than its arm, which stands at the middle of the satellite."""
    return planar.bind(m0=10, m1=6, m2=4, l1=0.9, l2=0.7, b=0, I0=0.5)


def test_a_light_satellite_moves_and_its_arm_reaches_less_far(light: rk.Robot) -> None:
    """Whole mass 20 kg. Straight, the hand is 1.6 m from the shoulder, the centre of mass 7.7/20 m."""
    assert reach_from_center(light, "hand") == pytest.approx(1.6 - 7.7 / 20, rel=1e-12)
    q = np.array([0, 0, 0, 0.4, -1.2])
    start, center = light.pose(q, "hand"), light.center_of_mass(q)
    way = start[:3, 3] - center
    line = space.line(start, center + 2.2 * way / np.linalg.norm(way), velocity=0.5, acceleration=0.4)
    for controller in ("acceleration", "rate"):
        found = space.follow(
            light, q, line, "hand", line.duration, rows="xy", tolerance=1e-8, controller=controller
        )
        assert "the arm reaches 1.215 m from there at most: the line leaves its reach" in found.status
        assert "the target ends 2.2 m from the centre of mass" in found.status
        far = np.linalg.norm(found.pose[-1, :3, 3] - center)
        assert 1.2149 < far <= 1.215  # it went as far as it could


@pytest.mark.parametrize("name", ["space_arm_6", "space_dual_arm", "general arm"])
def test_no_configuration_takes_the_hand_beyond_the_reach(name: str) -> None:
    robot = general_arm(4) if name == "general arm" else rk.load(name)
    frame = next(f for f in robot.frame_names if "hand" in f)
    furthest, n = reach_from_center(robot, frame), len(base_and_arm(robot).arm)
    rng = np.random.default_rng(0)
    q = np.tile(robot.neutral(), (5000, 1))
    q[:, -n:] = rng.uniform(-np.pi, np.pi, (5000, n))
    found = np.linalg.norm(robot.pose(q, frame)[:, :3, 3] - robot.center_of_mass(q), axis=1).max()
    assert 0.9 * furthest < found <= furthest


def test_sliding_joints_have_no_reach_that_is_known() -> None:
    seeds = [s for s in range(1, 12) if any(j.type == "prismatic" for j in random_satellite(s).joints)]
    robot = random_satellite(seeds[0])
    assert reach_from_center(robot, next(f for f in robot.frame_names if "hand" in f)) == np.inf


@pytest.mark.parametrize("controller", ["acceleration", "rate"])
@pytest.mark.parametrize("times", [None, [0.1, 0.2]])
def test_a_start_that_is_singular_is_kept(
    planar: rk.Robot, controller: str, times: list[float] | None
) -> None:
    start = planar.pose(STRAIGHT, "hand")
    line = space.line(start, start[:3, 3] + [-0.2, 0.1, 0], velocity=0.8, acceleration=0.4)
    found = space.follow(
        planar, STRAIGHT, line, "hand", line.duration, rows="xy", controller=controller, times=times
    )
    assert "ends at t = 0 s: dynamic singularity" in found.status
    assert found.motion.t.tolist() == [0.0]
    assert np.abs(found.motion.q - STRAIGHT).max() == 0
    assert found.position_error.shape == (1,)


def test_rates_that_are_no_numbers_end_the_motion_with_the_reason_of_their_law(planar: rk.Robot) -> None:
    twist = np.array([0.5, 0, 0, 0, 0, 0])

    def rates(t: float, q: np.ndarray) -> np.ndarray:
        configuration = STRAIGHT if t > 0.3 else q
        return planar.space.resolved_rate(configuration, twist, np.zeros(6), frame="hand", rows="xy")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = space.prescribed_motion(planar, BENT, rates, 1.0, tolerance=1e-8)
        timed = space.prescribed_motion(planar, BENT, rates, 1.0, tolerance=1e-8, times=[0.1, 0.9])
    assert "the velocities are not finite at t = 0.3" in found.status
    assert "resolved_rate: the robot is dynamically singular here" in found.status
    assert found.t[-1] == pytest.approx(0.3, abs=1e-4)  # steps shorten until it is near
    assert timed.t == pytest.approx([0.1, 0.3], abs=1e-4)
    assert np.isfinite(timed.v).all()


def test_torques_and_wrenches_that_are_no_numbers_end_the_motion(planar: rk.Robot) -> None:
    broken = lambda t, size: np.full(size, np.nan if t > 0.4 else 0.1)  # noqa: E731 - used twice below
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torques = space.floating_motion(planar, BENT, np.zeros(5), 1.0, lambda t, q, v: broken(t, 2))
        wrenches = space.floating_motion(
            planar, BENT, np.zeros(5), 1.0, wrenches=lambda t, q, v: {"satellite": broken(t, 6)}
        )
    assert "the torques are not finite at t = 0.4" in torques.status
    assert "the wrench on 'satellite' is not finite at t = 0.4" in wrenches.status
    for motion in (torques, wrenches):
        assert motion.t[-1] == pytest.approx(0.4, abs=1e-4)
        assert np.isfinite(motion.v).all()


def test_a_motion_that_never_ends_is_ended_by_its_steps(planar: rk.Robot) -> None:
    """Large gains on a light wrist: every step is as short as the lightest motion is quick."""
    hand = planar.pose(BENT, "hand")
    line = space.line(hand, hand[:3, 3] + [0, -0.3, 0], velocity=0.8, acceleration=0.4)
    found = space.follow(
        planar, BENT, line, "hand", line.duration, rows="xy", controller="transposed", gains=(1e6, 1e6),
        most_steps=60,
    )  # fmt: skip
    assert "the limit of steps (most_steps=) was reached" in found.status
    assert "The gains are large for the inertia of the wrist" in found.status
    assert len(found.motion.t) == 61
    assert found.tau.shape == (61, 2)
    assert 0 < found.motion.t[-1] < line.duration
    plain = space.floating_motion(planar, BENT, np.ones(5), 50.0, most_steps=5)
    assert "the limit of steps" in plain.status
    assert len(plain.t) == 6
