"""Joints at their limits while other points touch, rub, or close loops."""

import numpy as np
import pytest
from test_stops import limited

import rikigaku as rk
from rikigaku.contact import joint_stops

FINE = {"rtol": 1e-11, "atol": 1e-13}


def test_an_elbow_comes_to_its_stop_while_the_hand_slides_on_the_floor() -> None:
    """One freedom is left by the floor; the stop takes it: the arm rests, and statics give both forces."""
    arm = rk.load("planar_3r").lock("q3", "-pi/3")
    arm = limited(arm, q2=(-1.3, 3.0))
    floor = rk.Contact("hand", rk.Plane(), 0.0, bilateral=True)
    q = rk.ContactSystem(arm, [floor]).placed([-0.6, -1.0], ["hand"])
    push = np.array([0.0, -30.0])  # bends the elbow
    motion = rk.simulate(arm, q, None, push, duration=2.0, contacts=[floor, *joint_stops(arm)], **FINE)
    assert motion.done
    assert "q2 lower stop lands" in [event.name for event in motion.events]
    assert motion.q[-1, 1] == pytest.approx(-1.3, abs=1e-12)
    assert not motion.v[-1].any()
    f_n, stop = motion.forces["forces"][-1, [3, 7]]
    J = arm.jacobian(motion.q[-1], "hand")[2]
    expected = arm.gravity_forces(motion.q[-1]) - push - J * f_n  # what the stop must give
    assert expected[0] == pytest.approx(0.0, abs=1e-9)
    assert stop == pytest.approx(expected[1], abs=1e-9)
    assert stop > 0
    assert motion.energy_audit().relative < 1e-9


def test_a_crank_comes_to_its_stop_with_the_loop_closed() -> None:
    bars = rk.load("four_bar")
    first = bars.joints[0].name
    q = bars.assemble([0.5])
    at = float(q[0]) + 0.7
    bars = limited(bars, **{first: (-3.0, at)})
    push = [40.0]
    motion = rk.simulate(bars, q, None, push, duration=1.5, contacts=joint_stops(bars), **FINE)
    assert motion.done
    assert f"{first} upper stop lands" in [event.name for event in motion.events]
    assert motion.q[-1, 0] == pytest.approx(at, abs=1e-11)
    assert np.abs(motion.v[-1]).max() < 1e-12
    assert motion.residual.max() < 1e-11
    assert motion.dissipated[-1] > 0
    assert motion.energy_audit().relative < 1e-9


def test_a_box_dropped_on_edge_and_stop_at_once_meets_both() -> None:
    """Two impacts at one moment, one with friction: momentum along the free direction changes by friction."""
    inertia = rk.Inertia(m=2, position=(0, 0, 0), tensor=(1, 0, 0, 1, 0, 1), about="com")
    slide = rk.Link("slide", "base", rk.Joint("y", "prismatic", (0, 1, 0)), rk.Placement())
    rise = rk.Link("rise", "slide", rk.Joint("z", "prismatic", (0, 0, 1), limits=rk.Limits(lower=0.0)),
                   rk.Placement(), inertia)  # fmt: skip
    box = rk.Robot("box", (slide, rise), (rk.Frame("foot", "rise", rk.Placement()),))
    floor = rk.Contact("foot", rk.Plane(), 0.3)
    motion = rk.simulate(
        box, [0.0, 0.5], [2.0, 0.0], duration=0.6, contacts=[floor, *joint_stops(box)], **FINE
    )
    first = motion.events[0]
    assert {first.name, *first.also} == {"foot lands", "z lower stop lands"}
    fall = np.sqrt(2 * 9.81 * 0.5)
    after = motion.at(first.t).v
    assert after[1] == pytest.approx(0.0, abs=1e-9)
    assert 2.0 - 0.3 * fall - 1e-9 <= after[0] <= 2.0  # how they share it is not decided


def test_joint_stops_need_limits() -> None:
    with pytest.raises(rk.RikigakuError, match="nothing to stop at"):
        joint_stops(rk.load("planar_3r"))
