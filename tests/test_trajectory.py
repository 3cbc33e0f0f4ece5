"""Trajectories: their derivatives belong together, their ends are exact, their limits are kept."""

from itertools import pairwise

import numpy as np
import pytest

from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.trajectory import cubic, in_sequence, quintic, septic, trapezoid

RNG = np.random.default_rng(5)
START, END, V0, V1, A0, A1, J0, J1 = RNG.normal(size=(8, 4))
KINDS = {"cubic": cubic, "quintic": quintic, "septic": septic}


def general(kind, duration=1.7):
    """A trajectory with every boundary value it can take."""
    extra = {"v0": V0, "v1": V1}
    extra |= {"a0": A0, "a1": A1} if kind != "cubic" else {}
    extra |= {"j0": J0, "j1": J1} if kind == "septic" else {}
    return KINDS[kind](START, END, duration, **extra)


def all_trajectories():
    yield from (general(kind) for kind in KINDS)
    yield trapezoid(START, END, velocity=0.7, acceleration=[1.0, 2.0, 3.0, 0.9])
    yield trapezoid(START, END, velocity=50, acceleration=1)
    yield in_sequence(quintic(START, END, 1.0), cubic(END, START, 0.6))


@pytest.mark.parametrize("trajectory", list(all_trajectories()), ids=lambda t: type(t).__name__)
def test_velocity_and_acceleration_are_the_derivatives_of_position(trajectory):
    h = 1e-5
    t = RNG.uniform(2 * h, trajectory.duration - 2 * h, 200)
    before, now, after = trajectory(t - h), trajectory(t), trajectory(t + h)
    # central differences: h^2 times the third derivative (below 1e3 here), plus rounding eps/h
    np.testing.assert_allclose((after.q - before.q) / (2 * h), now.v, atol=1e-7)
    corner = np.abs(after.a - before.a).max(axis=-1) > 0.1  # a difference across a corner says nothing
    assert corner.sum() < 5
    np.testing.assert_allclose(((after.v - before.v) / (2 * h))[~corner], now.a[~corner], atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_polynomials_have_the_given_boundary_values(kind):
    trajectory = general(kind)
    first, last = trajectory(0.0), trajectory(trajectory.duration)
    np.testing.assert_allclose([first.q, last.q], [START, END], atol=1e-12)
    np.testing.assert_allclose([first.v, last.v], [V0, V1], atol=1e-12)
    if kind != "cubic":
        np.testing.assert_allclose([first.a, last.a], [A0, A1], atol=1e-11)
    if kind == "septic":
        h = 1e-4
        jerk = (-3 * trajectory(0.0).a + 4 * trajectory(h).a - trajectory(2 * h).a) / (2 * h)
        np.testing.assert_allclose(jerk, J0, atol=1e-3)  # one-sided difference of second order


def test_the_cubic_is_the_one_of_the_textbooks():
    """3 x^2 - 2 x^3 from 0 to 1: half way at half time, speed 3/2 there, accelerations +-6 at the ends."""
    q, v, a = cubic(0.0, 1.0, 1.0)([0.0, 0.5, 1.0])
    np.testing.assert_allclose(q, [0, 0.5, 1], atol=1e-15)
    np.testing.assert_allclose(v, [0, 1.5, 0], atol=1e-15)
    np.testing.assert_allclose(a, [6, 0, -6], atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_the_shortest_duration_reaches_a_limit_and_breaks_none(kind):
    for limits in ({"velocity": 0.8}, {"acceleration": 1.3}, {"velocity": 0.8, "acceleration": [1, 2, 3, 4]}):
        trajectory = KINDS[kind](START, END, **limits)
        _, v, a = trajectory(np.linspace(0, trajectory.duration, 20001))
        use = [np.abs(v).max(axis=0) / limits["velocity"]] if "velocity" in limits else []
        if "acceleration" in limits:
            use.append(np.abs(a).max(axis=0) / limits["acceleration"])
        # the sampled peak lies below the true one by the square of the step
        assert np.max(use) == pytest.approx(1, abs=1e-6)
        assert np.max(use) <= 1 + 1e-12


@pytest.mark.parametrize("velocity", [0.3, 1.0, 100.0])
def test_trapezoids_keep_the_limits_and_are_as_quick_as_they_allow(velocity):
    acceleration = np.array([1.0, 2.0, 3.0, 0.5])
    trajectory = trapezoid(START, END, velocity=velocity, acceleration=acceleration)
    q, v, a = trajectory(np.linspace(0, trajectory.duration, 5001))
    np.testing.assert_allclose(q[[0, -1]], [START, END], atol=1e-12)
    np.testing.assert_allclose(v[[0, -1]], 0, atol=1e-12)
    use_v, use_a = np.abs(v).max() / velocity, (np.abs(a).max(axis=0) / acceleration).max()
    assert use_v <= 1 + 1e-9
    assert use_a == pytest.approx(1)
    # quickest: full acceleration all the time (a triangle) or the speed limit in the middle
    assert use_v == pytest.approx(1) or trajectory.rise == pytest.approx(trajectory.duration / 2)


def test_joints_of_a_trapezoid_start_and_arrive_together():
    trajectory = trapezoid(START, END, velocity=0.5, acceleration=2)
    q, _, _ = trajectory(np.linspace(0, trajectory.duration, 50))
    progress = (q - START) / (END - START)
    np.testing.assert_allclose(progress, progress[:, :1] * np.ones(4), atol=1e-12)


def test_a_longer_trapezoid_takes_that_long_within_the_limits():
    quick = trapezoid(START, END, velocity=0.5, acceleration=2)
    slow = trapezoid(START, END, velocity=0.5, acceleration=2, duration=2 * quick.duration)
    q, v, _ = slow(np.linspace(0, slow.duration, 1001))
    assert slow.duration == 2 * quick.duration
    np.testing.assert_allclose(q[-1], END, atol=1e-12)
    assert np.abs(v).max() < 0.5
    with pytest.raises(WrongValue, match="the shortest within them"):
        trapezoid(START, END, velocity=0.5, acceleration=2, duration=quick.duration / 2)


@pytest.mark.parametrize("duration", [1e3, 1e6, 1e9, 1e12])
def test_slow_trapezoids_accelerate_as_much_as_they_may(duration):
    motion = trapezoid(0.0, 1.0, velocity=1.0, acceleration=2.0, duration=duration)
    # the speed in the middle is 1 m in almost the duration; it takes 1 / (2 T) seconds to reach it
    assert motion.rise == pytest.approx(1 / (2 * duration), rel=1e-6)
    q, v, a = motion(np.array([0.0, motion.rise / 2, duration / 2, duration]))
    np.testing.assert_allclose(a[:2], 2, rtol=1e-6)
    np.testing.assert_allclose(v * duration, [0, 0.5, 1, 0], rtol=1e-6)
    np.testing.assert_allclose(q[2:], [0.5, 1], rtol=1e-6)


def test_accelerations_without_a_limit_are_refused_unless_another_joint_has_one():
    with pytest.raises(WrongValue, match="let the speed jump"):
        trapezoid(0.0, 1.0, velocity=1.0, acceleration=np.inf)
    motion = trapezoid([0.0, 0.0], [1.0, 1.0], velocity=np.inf, acceleration=[np.inf, 4.0])
    assert motion.duration == pytest.approx(1)


@pytest.mark.parametrize("trajectory", list(all_trajectories()), ids=lambda t: type(t).__name__)
def test_times_of_any_shape_give_that_shape(trajectory):
    t = RNG.uniform(-1, 3, (2, 3))
    for part in trajectory(t):
        assert part.shape == (2, 3, 4)
    np.testing.assert_array_equal(trajectory(t).q[1, 2], trajectory(t[1, 2]).q)
    assert trajectory(0.3).q.shape == (4,)


def test_beyond_the_ends_the_motion_goes_on_at_the_boundary_velocity():
    trajectory = general("quintic")
    q, v, a = trajectory([-1.0, trajectory.duration + 2])
    np.testing.assert_allclose(q, [START - V0, END + 2 * V1], atol=1e-11)
    np.testing.assert_allclose(v, [V0, V1], atol=1e-12)
    np.testing.assert_array_equal(a, 0)
    q, v, a = trapezoid(START, END, velocity=1, acceleration=1)([-3.0, 99.0])
    np.testing.assert_allclose(q, [START, END], atol=1e-12)
    np.testing.assert_allclose([v, a], 0, atol=1e-12)


def test_a_motion_to_where_it_starts_stands_still():
    for trajectory in (
        quintic(START, START, velocity=1),
        trapezoid(START, START, velocity=1, acceleration=1),
    ):
        q, v, a = trajectory(np.linspace(0, 1, 5))
        np.testing.assert_array_equal(q, np.broadcast_to(START, (5, 4)))
        np.testing.assert_array_equal([v, a], 0)


def test_a_sequence_passes_through_its_via_points():
    middle = np.ones(4)
    path = in_sequence(cubic(START, middle, 1.0), quintic(middle, END, 2.0))
    assert path.duration == 3.0
    np.testing.assert_allclose(path([0.0, 1.0, 3.0]).q, [START, middle, END], atol=1e-12)
    with pytest.raises(WrongValue, match="Piece 0 ends at"):
        in_sequence(cubic(START, END, 1.0), cubic(START, END, 1.0))
    with pytest.raises(WrongValue, match="at least one"):
        in_sequence()


@pytest.mark.parametrize("duration", [0.0, -1.0, np.inf, np.nan, "2", [1.0]])
def test_a_duration_must_be_positive_and_finite(duration):
    with pytest.raises(WrongValue, match=r"A duration \[s\] is a finite number above 0"):
        cubic(0.0, 1.0, duration)


def test_what_is_missing_or_contradicts_itself_is_said():
    with pytest.raises(WrongValue, match="The motion has no duration"):
        quintic(0.0, 1.0)
    with pytest.raises(WrongValue, match="not both"):
        quintic(0.0, 1.0, 2.0, velocity=1)
    with pytest.raises(WrongValue, match="rest to rest only"):
        quintic(0.0, 1.0, v0=1.0, velocity=1)
    with pytest.raises(WrongValue, match="limits must be positive"):
        trapezoid(0.0, 1.0, velocity=0, acceleration=1)
    with pytest.raises(WrongValue, match="finite numbers"):
        cubic(0.0, np.nan, 1.0)
    with pytest.raises(WrongValue, match="Boundary values must be finite"):
        cubic(0.0, 1.0, 1.0, v0=np.inf)
    with pytest.raises(WrongSize, match="one shape"):
        cubic([0.0], [1.0, 2.0], 1.0)
    with pytest.raises(WrongSize, match="A boundary value has the shape"):
        cubic(START, END, 1.0, v0=[1.0, 2.0])
    with pytest.raises(WrongSize, match="velocity limits have the shape"):
        cubic(START, END, velocity=[1.0, 2.0])
    with pytest.raises(UnknownName, match=r"quintic\(...\) has no option named 'velocty'. Did you"):
        quintic(0, 1, velocty=1)
    with pytest.raises(WrongValue, match="The velocity limit takes real numbers"):
        cubic(start=0, end=1, velocity="fast")
    with pytest.raises(WrongValue, match="The start of a motion takes real numbers"):
        cubic("here", 1, 1.0)


def test_a_sequence_may_have_any_number_of_pieces():
    points = np.sin(np.arange(101))[:, None] * START
    path = in_sequence(*(quintic(a, b, 0.1) for a, b in pairwise(points)))
    assert np.allclose(path(0.1 * np.arange(101)).q, points, atol=1e-12)
