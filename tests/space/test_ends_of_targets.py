"""Targets that float by themselves: how right they are when they tumble fast, and where they end."""

from functools import partial

import numpy as np
import pytest

import rikigaku as rk
from rikigaku import space
from rikigaku.core.errors import WrongValue
from rikigaku.space import frame_targets

BENT = np.array([0, 0, 0, 2.2, -2.0])


@pytest.mark.parametrize("rate", [0.3, 7.0])
def test_targets_between_their_nodes_are_where_a_finer_motion_has_them(rate: float) -> None:
    target = rk.load("space_target")
    v = np.array([0.01, 0.02, 0, *(rate * np.array([0.6, 0.64, -0.48]))])
    times = np.linspace(0.0, 1.0, 38)
    moving = space.MovingFrame(target, target.neutral(), v, "grip", 1.0)
    truth = space.floating_motion(target, target.neutral(), v, 1.0, times=times, tolerance=1e-13)
    states = [moving.state(t) for t in times]
    assert np.abs(np.array([q for q, _ in states]) - truth.q).max() < 1e-10
    assert np.abs(np.array([v for _, v in states]) - truth.v).max() < 1e-10 * max(1, rate)


def test_fewer_nodes_of_degree_five_cost_the_sixth_power() -> None:
    target = rk.load("space_target")
    v = np.array([0.2, 0, 0, 3.0, 3.5, -2.0])
    times = np.linspace(0.0, 0.8, 33)
    truth = space.floating_motion(target, target.neutral(), v, 0.8, times=times, tolerance=1e-13)
    errors = []
    for spacing in (0.2, 0.1):
        moving = space.MovingFrame(target, target.neutral(), v, "grip", 0.8, spacing=spacing)
        states = [moving.state(t) for t in times]
        errors.append(
            [np.abs(np.array([s[i] for s in states]) - x).max() for i, x in ((0, truth.q), (1, truth.v))]
        )
    assert np.log2(np.divide(*errors)) == pytest.approx([6, 6], abs=0.7)


def test_a_target_that_ends_before_the_motion_is_said_before_anything_moves() -> None:
    robot, target = rk.load("space_planar_2r"), rk.load("space_target")
    moving = space.MovingFrame(target, target.neutral(), np.zeros(6), "grip", 0.5)
    asked = []

    def short(t: float) -> space.TargetState:
        asked.append(t)
        return moving(t)

    with pytest.raises(WrongValue, match=r"known from 0 to 0.5 s; t = 1 s was given. Give"):
        space.follow(robot, BENT, short, "hand", 1.0, rows="xy")
    assert asked == [0.0, 1.0]
    with pytest.raises(WrongValue, match=r"known from 0 to 0.5 s"):
        space.Approach.start(np.eye(4), moving, 1.0)
    with pytest.raises(WrongValue, match=r"at t = 1 its twist is not finite"):
        space.follow(
            robot, BENT,
            lambda t: space.TargetState(moving(0)[0], np.full(6, [0, np.nan][t > 0.9]), np.zeros(6)),
            "hand", 1.0, rows="xy",
        )  # fmt: skip


@pytest.mark.parametrize("controller", ["acceleration", "rate", "transposed"])
def test_a_target_that_fails_on_the_way_ends_the_motion_and_what_was_found_is_kept(controller: str) -> None:
    robot = rk.load("space_planar_2r")
    start = robot.pose(BENT, "hand")
    line = space.line(start, start[:3, 3] + [0, -0.3, 0], velocity=0.4, acceleration=0.9)

    def target(t: float) -> space.TargetState:
        if 0.3 < t < 0.4:
            raise KeyError("camera")
        return line(t)

    found = space.follow(robot, BENT, target, "hand", 0.5, rows="xy", controller=controller, gains=(5, 9))
    assert "KeyError from the target: 'camera'" in found.status
    assert 0.25 < found.motion.t[-1] <= 0.3
    whole = space.follow(robot, BENT, line, "hand", 0.5, rows="xy", controller=controller, gains=(5, 9))
    k = int(np.searchsorted(whole.motion.t, 0.2))
    place = np.array([np.interp(whole.motion.t[k], found.motion.t, found.motion.q[:, j]) for j in (3, 4)])
    assert np.abs(place - whole.motion.q[k, 3:]).max() < 1e-2  # the same motion, as far as it went
    assert np.isfinite(found.tau).all()


def test_torques_that_fail_at_the_start_raise_and_later_end_the_motion() -> None:
    robot = rk.load("space_planar_2r")

    def torque(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        if t > limit:
            raise RuntimeError("no more")
        return [0.1, 0.0]

    limit = 0.2
    found = space.floating_motion(robot, BENT, np.zeros(5), 1.0, torque)
    assert "RuntimeError from the torques: no more" in found.status
    assert 0.15 < found.t[-1] <= 0.2
    limit = -1.0
    with pytest.raises(RuntimeError, match="no more"):
        space.floating_motion(robot, BENT, np.zeros(5), 1.0, torque)


def test_a_singular_arm_does_not_ask_the_target_again_for_its_end() -> None:
    robot = rk.load("space_planar_2r")
    straight = np.zeros(5)
    start = robot.pose(straight, "hand")
    line = space.line(start, start[:3, 3] + [-0.5, 0, 0], velocity=0.8, acceleration=0.4)
    asked = []

    def target(t: float) -> space.TargetState:
        asked.append(t)
        return line(t)

    found = space.follow(robot, straight, target, "hand", 1.0, rows="xy")
    assert "dynamic singularity" in found.status
    assert asked[:3] == [0.0, 1.0, 1.0]  # looked at, and kept
    assert 1.0 not in asked[3:]


@pytest.mark.parametrize("spacing", [-1, 0, np.nan, "close"])
def test_nodes_are_a_time_apart(spacing: object) -> None:
    target = rk.load("space_target")
    with pytest.raises(WrongValue, match=r"The spacing of nodes is a time above 0 s; .* was given"):
        space.MovingFrame(target, target.neutral(), np.zeros(6), "grip", 0.5, spacing=spacing)


def test_a_target_whose_motion_cannot_be_found_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frame_targets, "floating_motion", partial(space.floating_motion, most_steps=3))
    target = rk.load("space_target")
    with pytest.raises(WrongValue, match=r"does not move for 9 s: the motion ends at t = .* limit of steps"):
        space.MovingFrame(target, target.neutral(), np.array([0, 0, 0, 1, 1.1, 1]), "grip", 9.0)


def test_the_drift_of_an_orbit_needs_no_more_nodes() -> None:
    target = rk.load("space_target")
    moving = space.MovingFrame(target, target.neutral(), [7500.0, 0, 0, 0, 0, 0.1], "grip", 1.0)
    assert len(moving.motion.t) == 21
