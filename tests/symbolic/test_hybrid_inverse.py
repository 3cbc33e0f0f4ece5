"""Inverse kinematics of hybrid robots: serial joints on a link of a closed loop, wherever the loop is cut."""

import numpy as np
import pytest
from linkages import F, bar, hybrid, rod, two_sliders_in_symbols

import rikigaku as rk
from rikigaku.core.errors import NotSolvable
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.robot_model import Link, Loop, LoopEnd
from rikigaku.robot import Robot

LENGTHS = {"d": "0.9", "a": "0.4", "b": "1", "c": "0.8", "e": "0.5", "f": "0.5", "h": "0.3"}


def _symbols(*names: str) -> tuple[rk.Symbol, ...]:
    return tuple(rk.Symbol(name, F(LENGTHS[name])) for name in names)


def arm_on_a_rocker(cut: str, carrier: str = "rocker") -> Robot:
    """A four-bar whose rocker carries two joints; cut at the rocker's pin on the base or on the coupler."""
    links = [bar("crank", "base", "0", "a", driven=True), bar("coupler", "crank", "a", "b")]
    if cut == "base":
        links.append(bar("rocker", "coupler", "b", "c"))
        ends = LoopEnd("rocker", ModifiedDH(a=F("c"))), LoopEnd("base", ModifiedDH(a=F("d")))
        at = "-e"
    else:
        links.append(bar("rocker", "base", "d", "c"))
        ends = LoopEnd("coupler", ModifiedDH(a=F("b"))), LoopEnd("rocker", ModifiedDH(a=F("c")))
        at = "c + e"
    for k, (parent, place) in enumerate(((carrier, at), ("arm5", "f")), start=5):
        links.append(Link(f"arm{k}", parent, rk.Joint(f"q{k}"), ModifiedDH(a=F(place)), rod("1", "0.3")))
    frames = (rk.Frame("hand", "arm6", ModifiedDH(a=F("h"))),)
    loops = (Loop("pin", "revolute", *ends),)
    return Robot("hybrid", tuple(links), loops=loops, symbols=_symbols(*LENGTHS), frames=frames)


@pytest.mark.parametrize("cut", ["base", "coupler"])
def test_an_arm_on_a_rocker_is_solved_wherever_the_four_bar_is_cut(cut: str) -> None:
    robot = arm_on_a_rocker(cut)
    formulas = robot.inverse_kinematics_formulas("hand")
    assert formulas.target == "planar"
    assert len(formulas.branches) == 4
    phi, p = 0.7, np.array([1.5, 1.1])
    found = formulas.solve([*p, phi])
    assert found.valid.sum() == 2
    cranks = np.sort(found.q[found.valid][:, 0])
    assert cranks == pytest.approx([-0.10770504, 1.52010219])  # the same wherever it is cut
    for q in found.q[found.valid]:
        assert robot.loop_residual(q) == pytest.approx(0, abs=1e-12)
        T = robot.pose(q, "hand")
        assert T[:2, 3] == pytest.approx(p)
        assert T[:2, 0] == pytest.approx([np.cos(phi), np.sin(phi)])


def test_an_arm_on_a_coupler_has_no_formula_of_square_roots() -> None:
    """Points of a coupler move on curves of degree six."""
    with pytest.raises(NotSolvable, match="loops"):
        arm_on_a_rocker("coupler", "coupler").inverse_kinematics_formulas("hand")


def test_the_other_arm_of_a_five_bar_is_printed_as_that_of_two_links() -> None:
    lines = [x.strip() for x in str(hybrid("prismatic").inverse_kinematics_formulas("body0")).splitlines()]
    own, fore = "left_angle", "left_fore_angle"
    assert f"t1_x = l1*cos({own}) + l2*cos({own} + {fore}) - d" in lines
    assert f"t1_y = l1*sin({own}) + l2*sin({own} + {fore})" in lines
    assert "c_right_fore_angle = (t1_x**2 + t1_y**2 - l3**2 - l4**2)/(2*l3*l4)" in lines


def test_sliders_are_printed_without_the_angle_of_the_cut_joint() -> None:
    robot = two_sliders_in_symbols("L2")
    text = str(robot.inverse_kinematics_formulas("rod1", "planar"))
    assert "d1 = px" in text
    assert "cut" not in text
    assert "d2 = " in text
    assert "- L2*c2" in text
