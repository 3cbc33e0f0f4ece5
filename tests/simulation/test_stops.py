"""Joints at their limits: where and when they arrive, how they bounce, rest and leave."""

from dataclasses import replace

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.contact import ContactSystem
from rikigaku.contact.contact_modes import ContactModes

FINE = {"rtol": 1e-12, "atol": 1e-13}
G = 9.81


def limited(robot: rk.Robot, **limits: tuple[float, float]) -> rk.Robot:
    links = [
        replace(link, joint=replace(link.joint, limits=rk.Limits(*limits[link.joint.name])))
        if link.joint.name in limits
        else link
        for link in robot.links
    ]
    return replace(robot, links=tuple(links))


def falling(robot: rk.Robot, *gravity: float) -> rk.Robot:
    return replace(robot, gravity=tuple(rk.Formula.of(g) for g in gravity))


@pytest.fixture(scope="module")
def box() -> rk.Robot:
    """1 kg that moves along z above a stop at 0."""
    joint = rk.Joint("height", "prismatic", limits=rk.Limits(lower=0.0))
    inertia = rk.Inertia(m=1, position=(0, 0, 0), tensor=(1, 0, 0, 1, 0, 1), about="com")
    return rk.Robot("box", (rk.Link("box", "base", joint, rk.Placement(), inertia),))


def test_a_box_lands_rests_and_leaves_when_it_is_lifted(box) -> None:
    lift = rk.Data([0.0, 2.0], [[0.0], [20.0]])  # passes the weight at t = 0.981
    motion = rk.simulate(box, [0.5], [0.0], lift, duration=1.5, contacts=rk.joint_stops(box), **FINE)
    assert [event.name for event in motion.events] == [
        "height lower stop lands",
        "height lower stop lifts off",
    ]
    landing, leaving = (event.t for event in motion.events)
    # z'' = 10 t - g from 0.5 m: 0.5 - g t^2/2 + 10 t^3/6 = 0
    roots = np.roots([10 / 6, -G / 2, 0, 0.5])
    assert landing == pytest.approx(
        min(r.real for r in roots if r.real > 0 and abs(r.imag) < 1e-9), abs=1e-12
    )
    assert leaving == pytest.approx(0.981, abs=1e-12)
    resting = (motion.t > landing) & (motion.t < leaving)
    assert np.abs(motion.q[resting]).max() < 1e-15
    assert np.ptp(motion.q[resting]) == 0
    assert (motion.v[resting] == 0).all()
    push = motion.forces["forces"][resting, 3]
    assert push == pytest.approx(G - 10 * motion.t[resting], abs=1e-9)
    assert motion.energy_audit().error < 1e-11


def test_a_box_on_its_stop_does_not_move_at_all_for_an_hour(box) -> None:
    motion = rk.simulate(box, [0.0], [0.0], duration=3600.0, contacts=rk.joint_stops(box))
    assert motion.done
    assert (motion.q == 0).all()
    assert (motion.v == 0).all()


def test_bounces_end_after_a_finite_time_and_the_box_rests(box) -> None:
    stops = ContactModes(ContactSystem(box, rk.joint_stops(box, restitution=0.5)), minimum_bounce_speed=1e-9)
    motion = rk.simulate(box, [1.0], [0.0], duration=3.0, contacts=stops, **FINE)
    assert motion.done
    assert motion.modes[-1] == "height lower stop slip"
    assert motion.dissipated[-1] == pytest.approx(G, rel=1e-11)
    times = [event.t for event in motion.events]
    fall = np.sqrt(2 / G)
    assert times[:10] == pytest.approx(
        [fall * (1 + 2 * (0.5 - 0.5**k) / 0.5) for k in range(1, 11)], abs=1e-11
    )
    assert times[-1] == pytest.approx(3 * fall, abs=1e-9)  # the sum of all bounces
    early = rk.simulate(box, [1.0], duration=3.0, contacts=rk.joint_stops(box, restitution=0.5), **FINE)
    assert 0 < 3 * fall - early.events[-1].t < 4.1e-7  # bounces under 1e-6 m/s are left out


def test_an_arm_comes_to_rest_on_two_stops_and_its_energy_is_accounted_for() -> None:
    arm = rk.load("planar_2r")
    first, second = (joint.name for joint in arm.joints)
    arm = falling(limited(arm, **{first: (-0.5, 0.5), second: (-0.4, 0.4)}), 5, 3, 0)
    stops = rk.joint_stops(arm, restitution=0.3)
    motion = rk.simulate(arm, [0.0, 0.0], [0.5, -0.3], duration=20.0, contacts=stops, **FINE)
    assert motion.done
    assert np.abs(motion.q[:, 0]).max() <= 0.5 + 1e-12
    assert np.abs(motion.q[:, 1]).max() <= 0.4 + 1e-12
    assert len(motion.events) > 5
    assert motion.energy_audit().error < 1e-9


def test_momentum_passes_through_an_impact_as_generalized_coordinates_say() -> None:
    """M (v+ - v-) has a component along the stopped joint only."""
    arm = rk.load("planar_2r")
    second = arm.joints[1].name
    arm = falling(limited(arm, **{second: (-0.4, 0.4)}), 0, 0, 0)
    motion = rk.simulate(arm, [0.0, 0.0], [0.2, 1.0], duration=2.0, contacts=rk.joint_stops(arm, 0.7), **FINE)
    k = int(np.flatnonzero(np.diff(motion.t) == 0)[0])
    impulse = arm.mass_matrix(motion.q[k]) @ (motion.v[k + 1] - motion.v[k])
    assert abs(impulse[0]) < 1e-12
    assert impulse[1] < -0.01
    assert motion.v[k + 1, 1] == pytest.approx(-0.7 * motion.v[k, 1], abs=1e-13)


def test_stops_refuse_what_they_cannot_mean(box, pendulum) -> None:
    with pytest.raises(rk.RikigakuError, match="nothing to stop at"):
        rk.joint_stops(pendulum)
    with pytest.raises(rk.RikigakuError, match="between 0 and 1"):
        rk.joint_stops(box, restitution=2.0)
    with pytest.raises(rk.RikigakuError, match=r"'height lower stop' is 0\.1 m inside"):
        rk.simulate(box, [-0.1], duration=1.0, contacts=rk.joint_stops(box))
