"""Closed robots that cannot be: each mistake is named, with what to do."""

from dataclasses import replace

import numpy as np
import pytest
from linkages import F, four_bar, geared_arm, slider_crank

import rikigaku as rk
from rikigaku.core.errors import BadModel, CannotClose, MissingValue, UnknownName, WrongSize, WrongValue
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.robot_model import Loop, LoopEnd
from rikigaku.symbolic.loops.closed_configuration import consistent_state


def test_a_loop_too_short_to_close_is_named_with_its_gap() -> None:
    with pytest.raises(
        CannotClose, match=r"no configuration closes loop 'cut'.*nearest leaves 2\.\d+"
    ) as caught:
        four_bar("0.4", "1", "0.8", "5").loop_constraints()
    assert caught.value.loop == "cut"


def test_a_loop_whose_ends_lie_in_parallel_planes_contradicts_itself() -> None:
    bars = four_bar()
    apart = replace(bars.loops[0], end=LoopEnd("rocker", ModifiedDH(a=F("0.8"), d=F("0.1"))))
    with pytest.raises(CannotClose, match=r"equation 'cut: gap z' reads -1/10 = 0 at every configuration"):
        replace(bars, loops=(apart,)).loop_constraints()


def test_a_cut_joint_on_the_wrong_link_is_named() -> None:
    bars = four_bar()
    with pytest.raises(BadModel, match="both ends are on link 'coupler'"):
        replace(bars, loops=(replace(bars.loops[0], end=LoopEnd("coupler")),))
    with pytest.raises(BadModel, match=r"no link 'rokcer'. Did you mean 'rocker'"):
        replace(bars, loops=(replace(bars.loops[0], end=LoopEnd("rokcer")),))
    wrong = replace(bars, loops=(replace(bars.loops[0], end=LoopEnd("crank", ModifiedDH(a=F("0.8")))),))
    with pytest.raises(
        CannotClose, match=r"no configuration closes loop 'cut'.*cut where the two links meet"
    ):
        wrong.loop_constraints()


def test_a_joint_closed_only_with_axes_reversed_is_named() -> None:
    link = rk.Link("l", "base", rk.Joint("j", axis=(0, 0, 1)))
    over = LoopEnd("base", rk.Placement(rpy=("pi", 0, 0)))
    robot = rk.Robot("flap", (link,), loops=(Loop("cut", "revolute", LoopEnd("l"), over),))
    with pytest.raises(CannotClose, match="its axes reversed"):
        consistent_state(robot, 0)


def with_middle_bar(length: str) -> rk.Robot:
    """A parallelogram with a third bar in the middle: one more loop, no less mobility if it is as long."""
    bars = four_bar("1/3", "1", "1/3", "1")
    joint = rk.Joint("middle_angle", actuated=False)
    middle = replace(bars.links[2], name="middle", joint=joint, geometry=ModifiedDH(a=F("0.5")))
    ends = LoopEnd("coupler", ModifiedDH(a=F("0.5"))), LoopEnd("middle", ModifiedDH(a=F(length)))
    loops = (*bars.loops, Loop("second", "revolute", *ends))
    return replace(bars, links=(*bars.links, middle), loops=loops, independent=("crank_angle",))


def test_an_over_constrained_loop_that_fits_moves_and_its_redundant_row_is_named() -> None:
    c = with_middle_bar("1/3").loop_constraints(linear=False)
    assert (c.mobility, len(c.rows)) == (1, 3)
    (told,) = [row for row in c.dropped if row.why != "0 = 0"]
    assert told.name == "second: gap y"
    assert told.why.startswith("redundant, given the equations before it")
    default = with_middle_bar("1/3").loop_constraints()
    assert len(default.relations) == 3
    assert {row.why for row in default.dropped} == {"0 = 0", "holds by the linear relations"}


def test_an_over_constrained_loop_that_does_not_fit_is_refused() -> None:
    with pytest.raises(CannotClose, match="no configuration closes loop 'second'"):
        with_middle_bar("0.5").loop_constraints()


def test_a_loop_given_twice_is_redundant() -> None:
    bars = four_bar()
    c = replace(bars, loops=(*bars.loops, replace(bars.loops[0], name="again"))).loop_constraints()
    assert c.mobility == 1
    assert {row.name: row.why for row in c.dropped}["again: gap x"] == "the same as 'cut: gap x'"


def test_a_second_pin_that_cannot_meet_is_refused() -> None:
    bars = four_bar()
    ends = LoopEnd("coupler", ModifiedDH(a=F("0.5"))), LoopEnd("rocker", ModifiedDH(a=F("0.1")))
    with pytest.raises(CannotClose, match="no configuration closes loop"):
        replace(bars, loops=(*bars.loops, Loop("second", "revolute", *ends))).loop_constraints()


def test_the_wrong_number_of_independent_coordinates_is_reported() -> None:
    five = rk.load("five_bar")
    with pytest.raises(WrongSize, match=r"mobility 2.*1 were chosen \(left_motor\)"):
        five.loop_constraints(independent=["left_motor"])
    with pytest.raises(UnknownName, match=r"Did you mean 'left_motor'"):
        five.loop_constraints(independent=["left_moter", "right_motor"])


def test_coordinates_that_do_not_decide_the_others_are_reported() -> None:
    carried = rk.load("planar_2r").bind(l1=0.5, l2=0.4, m1=1, m2=1).join(four_bar(), at="link2", prefix="b_")
    with pytest.raises(
        WrongValue, match=r"do not determine the others: with them all held, .* can still move"
    ):
        carried.loop_constraints(independent=["b_crank_angle", "b_rocker_angle", "q1"])


def test_a_robot_without_loops_has_no_constraints() -> None:
    with pytest.raises(WrongValue, match="has no loops and no gears"):
        rk.load("planar_3r").loop_constraints()


def test_a_symbol_without_value_is_named_where_a_number_is_needed() -> None:
    robot = replace(slider_crank(), symbols=())
    c = robot.loop_constraints()
    q = replace(robot, symbols=slider_crank().symbols).assemble([0.4])
    with pytest.raises(MissingValue, match=r"r has no value here|l has no value here"):
        c.value(c.jacobian, q)
    assert c.value(c.jacobian, q, r=0.3, l=0.7).shape == (2, 1)
    with pytest.raises(MissingValue, match="'crank_angle' has no position"):
        c.configurations({})


def test_sizes_of_states_are_checked() -> None:
    c = geared_arm().loop_constraints()
    with pytest.raises(WrongSize, match="q of robot 'planar_2r' has 2 numbers; 3 were given"):
        c.value(c.jacobian, np.zeros(3))
    with pytest.raises(WrongSize, match=r"v of the independent .* \(q1\) has 1 number; 2 were given"):
        c.value(c.jacobian, np.zeros(2), np.zeros(2))
    for q in (None, 3, "ab"):
        with pytest.raises(WrongSize, match=r"has 2 numbers; .* given"):
            c.value(c.jacobian, q)
