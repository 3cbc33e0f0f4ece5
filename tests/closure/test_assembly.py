"""Closed configurations from independent coordinates: assembly modes, paths, batches, reach, singularity."""

from dataclasses import replace

import numpy as np
import pytest
from closed_robots import gaps, shipped

import rikigaku as rk
from rikigaku.core.errors import CannotClose, WrongSize, WrongValue
from rikigaku.model.joint import Limits

Array = np.ndarray


def closed(robot: rk.Robot, q: Array) -> bool:
    """By poses that share nothing with the package."""
    return bool(np.abs(gaps(robot, q)).max() < 1e-12)


def circle_circle(a: Array, r: float, b: Array, s: float) -> list[Array]:
    """Where two circles in the y, z plane meet."""
    d = np.linalg.norm(b - a)
    x = (d * d + r * r - s * s) / (2 * d)
    along, across = (b - a) / d, np.array([-(b - a)[1], (b - a)[0]]) / d
    return [a + x * along + y * across for y in (np.sqrt(r * r - x * x), -np.sqrt(r * r - x * x))]


@pytest.mark.parametrize("motors", [(1.2, 1.8), (0.3, 2.9), (2.0, 1.0)])
def test_both_modes_of_a_five_bar_are_where_two_circles_meet(motors: tuple[float, float]) -> None:
    robot = shipped("five_bar")
    elbows = [
        np.array([y + 0.3 * np.cos(x), 0.3 * np.sin(x)]) for y, x in zip((-0.1, 0.1), motors, strict=True)
    ]
    hands = circle_circle(elbows[0], 0.4, elbows[1], 0.4)
    modes = robot.assemble(motors, all=True)
    found = [robot.pose(q, "hand")[1:3, 3] for q in modes]
    assert len(found) == 2
    for hand in hands:
        assert min(np.abs(hand - x).max() for x in found) < 1e-12
    assert {robot.assembly_mode(q).mode for q in modes} == {(1,), (-1,)}
    assert all(closed(robot, q) for q in modes)


def test_random_starts_find_the_modes_the_exact_equations_give(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = shipped("four_bar")
    exact = robot.assemble([0.5], all=True)
    monkeypatch.setattr("rikigaku.symbolic.loops.assembly_modes.exact_configurations", lambda *_: None)
    np.testing.assert_allclose(robot.assemble([0.5], all=True), exact, atol=1e-12)


def test_the_forward_kinematics_of_a_3_rrr_has_up_to_six_modes() -> None:
    robot = shipped("three_rrr")
    motors = [robot.q_slices[name].start for name in robot.independent]
    counts = set()
    for q in robot.closure().samples[:4]:
        modes = robot.assemble(q[motors], all=True)
        assert all(closed(robot, x) for x in modes)
        assert len(modes) % 2 == 0  # real roots of an equation of degree six
        counts.add(len(modes))
        turns = np.angle(np.exp(1j * (modes - q)))
        assert np.abs(turns).max(axis=1).min() < 1e-9  # the one they were taken from is among them
    assert counts <= {2, 4, 6}


def test_a_path_keeps_its_assembly_mode_and_rotates_without_a_jump() -> None:
    robot = shipped("four_bar")
    angles = np.linspace(0, 4 * np.pi, 150)[:, None]
    q = robot.assemble(angles, path=True)
    assert np.abs(np.diff(q, axis=0)).max() < 0.3
    assert all(closed(robot, x) for x in q[::30])
    assert len({robot.assembly_mode(x).mode for x in q}) == 1
    np.testing.assert_allclose(robot.assemble(angles), q, atol=1e-11)  # as a batch, each from the first
    assert np.abs(np.linalg.norm(np.diff(q[[0, -1]], axis=0)) - 4 * np.pi * np.sqrt(2)) < 1e-9


def test_a_batch_continues_from_configurations_near_it() -> None:
    robot = shipped("stewart")
    q0 = robot.assemble(np.full(6, 0.75))
    rng = np.random.default_rng(0)
    slides = 0.75 + 0.05 * rng.uniform(-1, 1, (2, 3, 6))
    q = robot.assemble(slides, near=q0)
    assert q.shape == (2, 3, robot.nq)
    places = [robot.q_slices[f"slide{k}"].start for k in range(1, 7)]
    assert np.array_equal(q[..., places], slides)
    assert all(closed(robot, x) for x in q.reshape(-1, robot.nq))
    assert len({robot.assembly_mode(x).mode for x in q.reshape(-1, robot.nq)}) == 1


def test_any_joints_that_determine_the_others_may_be_held() -> None:
    robot = shipped("stewart")
    turn = np.array([np.cos(0.1), 0, 0, np.sin(0.1)])
    pose = np.concatenate([[0.02, -0.03, 0.7], turn])
    q = robot.assemble({"pose": pose})
    assert closed(robot, q)
    assert np.array_equal(q[:7], pose)
    four = shipped("four_bar")
    for angle in (1.6, 2.0):
        assert closed(four, four.assemble({"rocker_angle": angle}))
    with pytest.raises(WrongSize, match="mobility 1"):
        four.assemble({"rocker_angle": 1.0, "crank_angle": 0.0})


def test_lengths_may_be_given_as_symbols() -> None:
    robot = rk.load("rosam_loop")
    for L in (0.4, 0.5):
        q = robot.assemble([0.2, 0.6, -0.3], L=L)
        assert closed(robot.bind(**(robot.declared_values | {"L": L})), q)


def test_what_is_out_of_reach_is_reported_with_the_gap_that_remains() -> None:
    four = shipped("four_bar")
    with pytest.raises(CannotClose, match="no closed configuration was found") as far:
        four.assemble({"rocker_angle": 0.2})
    assert (far.value.reason, far.value.loop) == ("unreachable", "cut")
    swing = four.assemble(np.linspace(0, 2 * np.pi, 200)[:, None], path=True)[:, 2]
    with pytest.raises(CannotClose) as beyond:
        four.assemble({"rocker_angle": swing.max() + 0.1}, near=four.assemble([0.3]))
    assert beyond.value.reason == "unreachable"


def test_an_assembly_mode_that_ends_is_distinguished_from_positions_out_of_reach() -> None:
    robot = shipped("three_rrr")
    q = robot.closure().samples[0]
    reasons = []
    for motors in np.random.default_rng(1).uniform(-np.pi, np.pi, (12, 3)):
        try:
            robot.assemble(motors, near=q)
        except CannotClose as error:
            reasons.append(error.reason)
            if error.reason == "singular":
                assert len(robot.assemble(motors, all=True)) > 0
    assert "singular" in reasons


def test_rows_of_a_batch_that_do_not_close_may_be_nan() -> None:
    four = shipped("four_bar")
    q = four.assemble({"rocker_angle": [1.6, 0.2]}, strict=False)
    assert closed(four, q[0])
    assert np.isnan(q[1]).all()
    with pytest.raises(CannotClose, match=r"batch: \(1,\)"):
        four.assemble({"rocker_angle": [1.6, 0.2]})


def test_configurations_of_wrong_size_or_kind_are_refused() -> None:
    robot = shipped("five_bar")
    with pytest.raises(WrongSize, match="2 numbers"):
        robot.assemble([0.1])
    with pytest.raises(WrongValue, match="finite"):
        robot.assemble([0.1, np.nan])
    with pytest.raises(WrongValue, match="one set"):
        robot.assemble(np.ones((2, 2)), all=True)
    with pytest.raises(rk.errors.UnknownName, match="left_motor"):
        robot.assemble({"left_mtor": 1.0, "right_motor": 1.0})
    with pytest.raises(WrongValue, match="no loops"):
        rk.load("planar_2r").assemble([0.1])


def test_empty_batches_and_paths_have_the_shape_of_their_batch() -> None:
    robot = shipped("five_bar")
    near = robot.assemble([1.2, 1.8])
    assert robot.assemble(np.empty((0, 2))).shape == (0, 4)
    assert robot.assemble(np.empty((0, 2)), near=near).shape == (0, 4)
    assert robot.assemble(np.empty((0, 3, 2)), path=True).shape == (0, 3, 4)


def test_the_nearest_mode_is_first_after_whole_revolutions_too() -> None:
    robot = shipped("four_bar")
    crank = np.linspace(0.5, 0.5 + 4 * np.pi, 100)[:, None]
    for start in robot.assemble(crank[0], all=True):
        end = robot.assemble(crank, near=start, path=True)[-1]  # the same configuration, two turns later
        modes = robot.assemble(end[:1], near=end, all=True)
        np.testing.assert_allclose(np.exp(1j * modes[0]), np.exp(1j * start), atol=1e-9)


def test_rows_of_a_batch_out_of_reach_are_nan_and_the_others_are_as_computed_singly() -> None:
    robot = shipped("four_bar")
    rockers = np.array([0.2, 1.3, 0.1, 1.5, 0.2])
    found = robot.assemble({"rocker_angle": rockers}, strict=False)
    np.testing.assert_array_equal(np.isnan(found).any(axis=1), [True, False, True, False, True])
    for q, rocker in zip(found[[1, 3]], rockers[[1, 3]], strict=True):
        assert robot.assembly_mode(q).closed
        np.testing.assert_allclose(q[2], rocker, atol=1e-12)


def test_free_angles_are_within_half_a_revolution_of_the_middle_of_their_limits() -> None:
    four = shipped("four_bar")
    last = four.links[-1]
    limited = Limits(lower=2 * np.pi, upper=4 * np.pi)
    robot = replace(four, links=(*four.links[:-1], replace(last, joint=replace(last.joint, limits=limited))))
    place = robot.q_slices[last.joint.name].start
    for plain, q in zip(four.assemble([0.5], all=True), robot.assemble([0.5], all=True), strict=True):
        assert 2 * np.pi <= q[place] <= 4 * np.pi
        np.testing.assert_allclose(np.exp(1j * q[place]), np.exp(1j * plain[place]), atol=1e-9)
