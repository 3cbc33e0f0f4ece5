"""Mistakes in the use of formulas: each is answered with what was given, what is known, what to do."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.errors import (
    CannotClose,
    MissingValue,
    NoPlace,
    UnclosedWarning,
    UnknownName,
    WrongSize,
    WrongValue,
)
from rikigaku.model.robot import Loop, LoopEnd
from rikigaku.symbolic import rosam
from rikigaku.symbolic.loops.consistent_state import consistent_state


def test_a_load_that_is_no_six_numbers_is_told_how_to_be_given() -> None:
    with pytest.raises(WrongSize, match=r"six numbers or formulas; True was given.*Fhh=\["):
        rosam.make_invdyn(rk.load("planar_3r"), Fhh=True)


@pytest.mark.parametrize("name", ["make_T", "make_R0", "make_pBase", "make_B"])
def test_a_link_that_a_branch_does_not_have_is_named_with_those_it_has(name: str) -> None:
    table = getattr(rosam, name)(rk.load("rosam_loop"))
    with pytest.raises(UnknownName, match=r"has no entry.*\(5, 1\)"):
        table[5, 1]
    assert dict(table).keys() == table.keys()


def test_what_describes_no_robot_is_refused() -> None:
    with pytest.raises(WrongValue, match=r"5 describes no robot. Give a Robot"):
        rosam.make_q(5)


def test_positions_of_independent_joints_are_given_by_name() -> None:
    c = rk.load("four_bar").loop_constraints()
    with pytest.raises(UnknownName, match="Did you mean 'crank_angle'"):
        c.postures({"crank_angel": 0.5})
    with pytest.raises(WrongValue, match=r"by the names of joints: \{'crank_angle': \.\.\.\}, not \[0\.5\]"):
        c.postures([0.5])
    with pytest.raises(WrongValue, match="'crank_angle' is a number, not 'half'"):
        c.postures({"crank_angle": "half"})
    with pytest.raises(WrongSize, match=r"'crank_angle' has 1 coordinate; \(2,\) was given"):
        c.postures({"crank_angle": [0.1, 0.2]})
    with pytest.raises(MissingValue, match="'crank_angle' has no position"):
        c.postures({})


def test_velocities_and_accelerations_that_stand_in_formulas_are_asked_for() -> None:
    four = rk.load("four_bar")
    closed, q = four.loop_constraints().closed, four.assemble([0.5])
    with pytest.raises(
        MissingValue, match=r"velocities of the independent .* \(crank_angle\).*give v=\[...\], 1"
    ):
        closed.value("velocity_forces", q)
    with pytest.raises(MissingValue, match=r"accelerations of the independent coordinates.*give a="):
        closed.value("inverse_dynamics", q, [1.0])
    with pytest.raises(UnknownName, match="Did you mean 'mass_matrix'"):
        closed.value("mas_matrix", q)
    assert np.isclose(closed.value("mass_matrix", q)[0, 0], four.reduced.mass_matrix(q)[0, 0])


def test_formulas_of_closed_loops_warn_where_these_are_open() -> None:
    four = rk.load("four_bar")
    closed = four.loop_constraints().closed
    with pytest.warns(UnclosedWarning, match=r"'four_bar' are open at this q, by .* robot.assemble"):
        closed.value("mass_matrix", [0.1, 0.2, 0.4])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        closed.value("mass_matrix", four.assemble([0.5]))


def test_the_status_of_a_closed_law_tells_open_loops() -> None:
    four = rk.load("four_bar")
    q = four.assemble([0.5])
    v, a = four.complete(q, [1.0], [0.0])
    assert four.inverse_dynamics.status(q, v, a) == "ok"
    both = np.array([q, q + 0.1])
    assert list(four.inverse_dynamics.status(both, v, a)) == [
        "ok",
        "the loops are open here: robot.assemble(...) closes them",
    ]
    assert four.closing_step.status(q + 0.001) == "ok"  # what closes them


def test_a_place_that_does_not_exist_is_told_before_anything_is_written(tmp_path) -> None:
    law = rk.load("planar_2r").mass_matrix
    with pytest.raises(NoPlace, match=r"there is no directory .*nowhere. Make it first"):
        law.export("c", tmp_path / "nowhere" / "m.c")
    with pytest.raises(NoPlace, match=r"is a directory\. Add the name of a file"):
        law.export("c", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_loop_that_never_closes_is_not_said_to_close_the_wrong_way_round() -> None:
    link = rk.Link("l", "base", rk.Joint("j", axis=(0, 0, 1)))
    turned = LoopEnd("base", rk.Placement(rpy=("pi", 0, 0)))
    flap = rk.Robot("flap", (link,), loops=(Loop("cut", "revolute", LoopEnd("l"), turned),))
    with pytest.raises(CannotClose, match="wrong way round"):
        consistent_state(flap, 0)
    away = LoopEnd("base", rk.Placement(xyz=(5, 0, 0), rpy=("pi", 0, 0)))
    far = replace(flap, loops=(Loop("cut", "revolute", LoopEnd("l"), away),))
    with pytest.raises(CannotClose, match=r"no posture closes loop 'cut'.*leaves 5"):
        consistent_state(far, 0)


def test_help_tells_which_laws_are_those_of_the_spanning_tree() -> None:
    five = rk.load("five_bar")
    assert five.mass_matrix.__doc__.endswith("robot.reduced.mass_matrix knows the loops.")
    assert "spanning tree" not in five.inverse_dynamics.__doc__
    assert "spanning tree" not in rk.load("planar_2r").mass_matrix.__doc__
