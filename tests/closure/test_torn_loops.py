"""Loops that open are reported by simulate and by status; so are steps across bifurcations."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from folding_linkages import cut, link, sarrus
from test_reference_configuration import LEVEL

import rikigaku as rk
from rikigaku.core.errors import CannotClose, WrongValue
from rikigaku.hybrid.loop_projection import onto_loops
from rikigaku.robot import Robot


@cache
def folding() -> Robot:
    """A Sarrus linkage with the plan of its folded mode, which omits equations that are needed when level."""
    return replace(sarrus(), independent=("a1", "b1"))


def test_a_motion_ends_where_a_loop_opens_and_says_which() -> None:
    fall = rk.simulate(folding(), LEVEL, duration=1.0)
    assert fall.status.startswith("a loop opens at t = ")
    assert "'b3: " in fall.status
    assert fall.t[-1] < 1.0
    assert fall.residual.max() < 1e-5


def test_status_says_that_loops_do_not_stay_closed() -> None:
    robot, rest = folding(), np.zeros(5)
    J = robot.loop_jacobian(LEVEL)
    a = robot.forward_dynamics(LEVEL, rest, [0.0])
    assert np.abs(J @ a).max() > 1e-3 * np.abs(a).max()
    for status in (
        robot.forward_dynamics.status(LEVEL, rest, [0.0]),
        robot.complete.status(LEVEL, np.ones(2), np.zeros(2)),
    ):
        assert "do not stay closed" in status
    right = sarrus()
    assert right.forward_dynamics.status(LEVEL, rest, [0.0]) == "ok"
    assert right.complete.status(np.stack([LEVEL, LEVEL]), np.ones(1), np.ones(1)).tolist() == ["ok", "ok"]


def parallelogram(coupler: str = "1") -> Robot:
    """Cranks of 2/5 m, 1 m apart: flat, it may go on as a parallelogram or crossed."""
    Y = ("0", "1", "0")
    links = (
        link("crank", "base", ("0", "0", "0"), Y, driven=True),
        link("coupler", "crank", ("2/5", "0", "0"), Y),
        link("rocker", "base", ("1", "0", "0"), Y),
    )
    return Robot(
        "bars", links, loops=(cut("pin", "coupler", (coupler, "0", "0"), "rocker", ("2/5", "0", "0")),)
    )


def test_a_stride_over_a_branching_configuration_leaves_a_note() -> None:
    robot = parallelogram()
    q = np.array([-1.0, 1.0, -1.0])
    swung = rk.simulate(robot, q, 9 * np.array([1.0, -1.0, 1.0]), duration=0.5)
    assert swung.status == "done"
    assert swung.q[:, 0].min() < 0 < swung.q[:, 0].max()
    assert np.abs(swung.q[:, 0]).min() > 1e-3  # no step is near to flat
    assert "may branch" in swung.notes[0]
    t = float(swung.notes[0].split()[2])
    assert abs(swung.at(t).q[0]) < 0.1  # flat, as far as a line through both ends of the step tells


def test_a_linkage_without_branchings_swings_without_a_note() -> None:
    robot = parallelogram("9/10")
    q = robot.assemble([-1.0])
    v = robot.complete(q, [6.0], [0.0])[0]
    swung = rk.simulate(robot, q, v, duration=2.0)
    assert swung.status == "done"
    assert swung.notes == ()


def test_a_linkage_that_cannot_move_is_reported() -> None:
    bars = parallelogram("11/10")
    stiff = replace(bars, loops=(replace(bars.loops[0], joint="fixed"),))  # a triangle
    assert stiff.closure().mobility == 0
    with pytest.raises(WrongValue, match="cannot move"):
        rk.simulate(stiff, stiff.closure().samples[0], duration=1.0)
    with pytest.raises(WrongValue, match="cannot move"):
        stiff.assemble([0.3])


def test_a_configuration_to_begin_at_is_requested_and_gaps_are_named_with_their_size() -> None:
    robot = parallelogram()
    with pytest.raises(WrongValue, match="begins at a closed configuration"):
        rk.simulate(robot, None, duration=1.0)
    with pytest.raises(CannotClose, match=r"open by 1\.47 \(equation 'pin: .*'\).*assemble"):
        onto_loops(robot, np.array([0.5, 2.8, -2.0]))


def test_a_robot_with_too_few_actuators_has_measures_of_singularity_too() -> None:
    limp = parallelogram().with_actuated([])
    told = limp.singularity(np.array([-1.0, 1.0, -1.0]), "rocker")
    assert told.actuation == 0
    assert told.loops > 0.05
    assert told.output is not None
    assert told.output > 0.05
    assert limp.singularity(np.zeros(3)).loops < 1e-12
