"""Targets: poses, velocities and accelerations belong together; an approach starts at rest, ends with it."""

import numpy as np
import pytest
from pose_reference import slope

import rikigaku as rk
from rikigaku import space
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.model.float_poses import axis_angle, quaternion_matrix
from rikigaku.space.rotation_vector import rotation_motion, rotation_vector_rates
from rikigaku.space.target_following import pose_error, pose_error_rate

Array = np.ndarray


@pytest.fixture(scope="module")
def tumbling() -> space.MovingFrame:
    target = rk.load("space_target")
    v = np.array([0.01, 0.02, 0, 0.1, 0.2, -0.1])
    return space.MovingFrame(target, target.neutral(), v, "grip", 5.0)


@pytest.fixture(scope="module")
def approach(tumbling: space.MovingFrame) -> space.Approach:
    return space.Approach.start(HAND, tumbling, 4.0)


HAND = np.eye(4)
HAND[:3, :3] = axis_angle([1, -2, 0.5], 1.1)
HAND[:3, 3] = [0.5, 0.2, -1.5]


def spin(R: Array, change: Array) -> Array:
    W = change @ R.T
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


@pytest.mark.parametrize("name", ["tumbling", "approach"])
@pytest.mark.parametrize("t", [0.3, 1.7, 3.6])
def test_targets_have_the_velocities_and_accelerations_of_their_poses(
    name: str, t: float, request: pytest.FixtureRequest
) -> None:
    follow = request.getfixturevalue(name)
    here, step, now = np.array([t]), np.ones(1), follow(t)
    assert np.abs(slope(lambda t: follow(t[0]).pose[:3], here, step) - now.twist[:3]).max() < 1e-9
    assert np.abs(slope(lambda t: follow(t[0]).twist, here, step) - now.acceleration).max() < 1e-9
    R = quaternion_matrix(now.pose[3:])
    change = slope(lambda t: quaternion_matrix(follow(t[0]).pose[3:]), here, step)
    assert np.abs(spin(R, change) - now.twist[3:]).max() < 1e-9


def test_an_approach_starts_at_rest_where_the_hand_is(approach: space.Approach) -> None:
    first = approach(0.0)
    assert np.abs(first.pose - space.coordinates_of(HAND)).max() < 1e-14
    assert np.abs(first.twist).max() < 1e-14
    assert np.abs(first.acceleration).max() < 1e-14


@pytest.mark.parametrize("t", [4.0, 4.7])
def test_an_approach_ends_with_the_target_and_stays_with_it(
    approach: space.Approach, tumbling: space.MovingFrame, t: float
) -> None:
    for ours, theirs in zip(approach(t), tumbling(t), strict=True):
        assert np.abs(ours - theirs).max() < 1e-12


def test_the_gap_closes_on_a_line_where_the_target_drifts_steadily() -> None:
    """Seen from a target that neither turns nor accelerates, a hand moving with it comes straight in."""
    drift = np.array([0.0, 0.0, 0.1, 0, 0, 0])
    quiet = lambda t: space.TargetState(np.array([0, 0, 0.1 * t, 1, 0, 0, 0]), drift, np.zeros(6))  # noqa: E731
    hand = np.eye(4)
    hand[:3, 3] = [0, 0, -1.5]
    come = space.Approach.start(hand, quiet, 3.0)
    gaps = np.array([come(t).pose[:3] - quiet(t).pose[:3] for t in np.linspace(0, 3, 13)])
    assert np.abs(gaps[:, :2]).max() < 1e-15
    assert gaps[0, 2] == -1.5
    assert abs(gaps[-1, 2]) < 1e-14


@pytest.mark.parametrize("size", [0.0, 1e-6, 0.49, 0.51, 2.0, 3.1])
def test_rotation_vectors_turn_as_their_rates_say(size: float) -> None:
    rng = np.random.default_rng(3)
    x0, x1, x2 = rng.normal(size=(3, 3))
    x0 *= size / np.linalg.norm(x0)

    def at(t: float) -> tuple[Array, Array, Array]:
        return x0 + t * x1 + t * t / 2 * x2, x1 + t * x2, x2

    now = rotation_motion(*at(0.0))
    here, step = np.zeros(1), np.full(1, 0.1)
    change = slope(lambda t: rotation_motion(*at(t[0])).R, here, step) * 10
    assert np.abs(spin(now.R, change) - now.w).max() < 1e-9
    assert np.abs(slope(lambda t: rotation_motion(*at(t[0])).w, here, step) * 10 - now.alpha).max() < 1e-9
    rate, push = rotation_vector_rates(x0, now.w, now.alpha)
    assert np.abs(rate - x1).max() < 1e-12
    assert np.abs(push - x2).max() < 1e-11


def test_what_is_no_target_is_refused(tumbling: space.MovingFrame) -> None:
    with pytest.raises(WrongValue, match="known from 0 to 5 s"):
        tumbling(6.0)
    with pytest.raises(WrongSize, match=r"shape \(3,\)"):
        space.coordinates_of(np.zeros(3))


def test_errors_point_from_the_hand_to_the_target_and_change_as_both_move() -> None:
    """A turn by the angle t about an axis, seen from the hand in world axes: axis sin(t)."""
    axis, angle = np.array([2.0, -1.0, 2.0]) / 3, 0.8
    goal = np.eye(4)
    goal[:3, :3] = axis_angle(axis, angle) @ HAND[:3, :3]
    goal[:3, 3] = HAND[:3, 3] + [0.1, 0.2, -0.3]
    error = pose_error(HAND, space.coordinates_of(goal))
    assert np.abs(error - [0.1, 0.2, -0.3, *(np.sin(angle) * axis)]).max() < 1e-14
    rng = np.random.default_rng(0)
    velocity, twist = rng.normal(size=(2, 6))

    def moved(pose: Array, motion: Array, t: float) -> Array:
        result = pose.copy()
        result[:3, 3] += t * motion[:3]
        result[:3, :3] = axis_angle(motion[3:], t * np.linalg.norm(motion[3:])) @ pose[:3, :3]
        return result

    def later(t: Array) -> Array:
        return pose_error(moved(HAND, velocity, t[0]), space.coordinates_of(moved(goal, twist, t[0])))

    rate = pose_error_rate(HAND, velocity, space.coordinates_of(goal), twist)
    assert np.abs(slope(later, np.zeros(1), np.ones(1)) - rate).max() < 1e-9
