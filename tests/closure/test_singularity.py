"""Closure residual, assembly mode and distance from singularity of configurations, singly and in batches."""

from dataclasses import replace

import numpy as np
import pytest
from closed_robots import shipped

import rikigaku as rk
from rikigaku.core.errors import WrongSize, WrongValue


def test_rank_assembly_mode_and_singularity_of_a_configuration() -> None:
    four = shipped("four_bar")
    q = four.assemble([0.5])
    told = four.assembly_mode(q)
    assert (told.closed, told.rank, told.mobility, told.singular) == (True, 2, 1, False)
    assert told.residual < 1e-14
    assert not four.assembly_mode(q + 0.1).closed


def rocker_driven() -> rk.Robot:
    four = shipped("four_bar")
    links = tuple(
        replace(link, joint=replace(link.joint, actuated=link.name == "rocker")) for link in four.links
    )
    return replace(four, links=links, independent=(), name="rocker driven")


def test_at_a_dead_centre_the_rocker_does_not_move_and_cannot_drive() -> None:
    crank = shipped("four_bar")
    # crank and coupler in one line: a triangle of 0.4 + 1, 0.8 and 0.9
    angle = np.arccos((1.4**2 + 0.9**2 - 0.8**2) / (2 * 1.4 * 0.9))
    q = crank.assemble({"crank_angle": angle}, near=crank.assemble([0.3]))
    q = q if abs(np.sin(q[1])) < 1e-9 else crank.assemble([angle], all=True)[-1]
    assert abs(np.sin(q[1])) < 1e-9
    assert crank.singularity(q, "rocker").output < 1e-9  # type 1
    assert crank.singularity(q, "rocker").actuation > 0.1
    rocker = rocker_driven()
    assert rocker.singularity(q).actuation < 1e-9  # type 2
    away = crank.assemble([1.5])
    assert rocker.singularity(away).actuation > 0.1
    assert crank.singularity(away, "rocker").output > 0.1


def test_a_stretched_arm_of_a_five_bar_takes_a_direction_from_its_hand() -> None:
    robot = shipped("five_bar")
    stretched = robot.assemble({"left_motor": 1.2, "left_elbow": 0.0})
    told = robot.singularity(stretched, "hand", output="position")
    assert told.output < 1e-7
    assert min(told.actuation, told.loops) > 0.05
    bent = robot.assemble([1.2, 1.8])
    assert robot.singularity(bent, "hand", output="position").output > 0.05


@pytest.mark.parametrize("name", ["four_bar", "three_rrr", "stewart"])
def test_a_batch_is_reported_as_its_configurations_are_and_nan_rows_stay_unknown(name: str) -> None:
    robot = shipped(name)
    q = robot.closure().samples[:4].copy()
    q[1, 0] += 0.1  # open
    batch = np.stack([q, np.full_like(q, np.nan)])
    frame = robot.links[-1].name
    told, near = robot.assembly_mode(batch), robot.singularity(batch, frame)
    assert told.mode.shape[:-1] == told.closed.shape == near.output.shape == (2, 4)
    for k, x in enumerate(q):
        one, alone = robot.assembly_mode(x), robot.singularity(x, frame)
        assert type(one.closed) is bool
        assert type(alone.actuation) is float
        assert (told.closed[0, k], told.rank[0, k], told.mobility[0, k]) == (
            one.closed,
            one.rank,
            one.mobility,
        )
        assert tuple(told.mode[0, k]) == one.mode
        np.testing.assert_allclose(told.residual[0, k], one.residual, atol=1e-15)
        for field in ("loops", "actuation", "output"):
            np.testing.assert_allclose(getattr(near, field)[0, k], getattr(alone, field), rtol=1e-9)
    np.testing.assert_array_equal(told.closed[0], [True, False, True, True])
    assert not told.closed[1].any()
    assert told.singular[1].all()
    assert np.isnan(told.residual[1]).all()
    assert np.isnan([near.loops[1], near.actuation[1], near.output[1]]).all()
    assert robot.assembly_mode(np.empty((0, robot.nq))).closed.shape == (0,)


def test_invalid_configurations_are_refused() -> None:
    four = shipped("four_bar")
    for ask in (four.assembly_mode, four.singularity):
        with pytest.raises(WrongSize, match="takes 3 numbers"):
            ask(np.zeros((5, 4)))
        with pytest.raises(WrongValue, match="must be finite"):
            ask([np.nan, 0.0, 0.0])
        with pytest.raises(WrongValue, match="must be finite"):
            ask([[np.inf, 0.0, 0.0]])
