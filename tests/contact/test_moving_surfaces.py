"""What moving floors, belts and lifts do to a robot: their work is in the audit of energy, and in no heat."""

import numpy as np
import pytest
from floor_arm import START
from simple_bodies import particle

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Plane, Surface
from rikigaku.contact.impacts import impact
from rikigaku.contact.mode_selection import select_mode
from rikigaku.simulation import simulate


def test_a_lift_does_the_work_that_raises_the_load():
    """m g v t, and no heat."""
    lift = Contact("mass", Surface("z - t"))
    motion = simulate(particle(), np.zeros(3), [0, 0, 1.0], duration=1.0, contacts=[lift])
    audit = motion.energy_audit()
    assert audit.work == pytest.approx(9.81, abs=1e-11)
    assert audit.dissipated == pytest.approx(0, abs=1e-12)
    assert audit.error < 1e-11


def test_a_lift_that_catches_a_load_at_the_very_start_does_its_work_from_the_energy_given():
    """From rest onto u = 1 m/s: m u^2 by the lift at once, half of it heat; then m g u t."""
    lift = Contact("mass", Surface("z - t"))
    audit = simulate(particle(), np.zeros(3), duration=1.0, contacts=[lift]).energy_audit()
    assert audit.start == pytest.approx(0, abs=1e-12)
    assert audit.work == pytest.approx(1 + 9.81, abs=1e-11)
    assert audit.dissipated == pytest.approx(0.5, abs=1e-12)
    assert audit.error < 1e-11


def test_a_belt_does_twice_the_work_it_gives_the_load_in_speed():
    """A load of m put on a belt at u gets m u^2/2, as much is lost in sliding; the belt does m u^2.

    Sliding ends at 1e-9 m/s, where m u times that is left.
    """
    u, belt = 1.0, Contact("mass", Plane(belt=(1.0, 0, 0)), 0.3)
    audit = simulate(particle(2.0), np.zeros(3), duration=1.0, contacts=[belt]).energy_audit()
    assert audit.work == pytest.approx(2 * u**2, abs=1e-8)
    assert audit.dissipated == pytest.approx(u**2, abs=1e-8)
    assert audit.error < 1e-11


def test_energy_of_an_arm_on_a_heaving_rolling_floor_is_kept_to_rounding():
    """The floor heaves and drags while the hand sticks and slides on it; actuators work as well."""
    arm = rk.load("planar_3r")
    floor = Surface("z - 0.02*sin(5*t)", belt=(0, "0.3*cos(4*t)", 0))
    contacts = [Contact("hand", floor, 0.2, bilateral=True)]
    q = ContactSystem(arm, contacts).placed(START)
    v = ContactSystem(arm, contacts).allowed_velocity(q, np.zeros(3))
    motion = simulate(arm, q, v, torque=[-3.0, 2.0, 1.0], duration=2.0, contacts=contacts)
    assert motion.done
    assert set(motion.modes) >= {"hand slip+", "hand slip-"}
    drives = np.trapezoid((motion.tau * motion.v).sum(axis=1), motion.t)
    audit = motion.energy_audit()
    assert abs(audit.work - drives) > 0.1  # the floor has its part
    assert audit.dissipated > 0
    assert audit.relative < 1e-9


def test_a_rising_floor_that_throws_a_ball_does_work_and_makes_no_heat():
    """Elastic, at rest before: it leaves at 2 u with 2 m u^2, all of it work of the floor's impulse."""
    system = ContactSystem(particle(2.0), [Contact("mass", Surface("z - 0.5*t"), restitution=1.0)])
    hit = impact(system, 0.0, np.zeros(3), np.zeros(3))
    assert hit.v == pytest.approx([0, 0, 1.0])
    assert hit.work == pytest.approx(1.0)
    assert hit.dissipated == pytest.approx(0, abs=1e-14)


def test_impacts_on_a_rising_floor_are_in_the_audit_and_none_gains_energy():
    ball = Contact("mass", Surface("z - 0.5*t"), restitution=0.8)
    motion = simulate(particle(2.0), [0, 0, 0.5], [0.2, 0, 0], duration=1.5, contacts=[ball])
    assert len(motion.events) >= 3
    assert not any("gained" in note for note in motion.notes)
    assert (np.diff(motion.dissipated) > -1e-12).all()
    audit = motion.energy_audit()
    assert audit.work > 1
    assert audit.error < 1e-10


def test_power_of_a_surface_at_one_state_is_its_force_times_its_velocity():
    """At rest on an accelerating belt that rises: f . w, with f the force on the robot."""
    system = ContactSystem(
        particle(2.0), [Contact("mass", Surface("z - 0.4*t", belt=("0.3 + t", 0, 0)), 0.5)]
    )
    v = np.array([0.3, 0, 0.4])
    chosen = select_mode(system, 0.0, np.zeros(3), v)
    assert chosen.contact_modes == ("stick",)
    forces = system.forces(chosen.constraints, np.zeros(3), v)
    assert forces.f[0] == pytest.approx([2.0, 0, 2 * 9.81])
    assert forces.surface_power == pytest.approx(forces.f[0] @ v)
    assert forces.power == 0


def test_a_load_on_a_ball_that_moves_away_is_dragged_along_by_friction():
    """On top of a ball the same as on a plane that moves as its centre: stuck, it has the centre's motion."""
    ball = rk.Sphere(0.5, center=("0.2*t", 0, -0.5))
    system = ContactSystem(particle(2.0), [Contact("mass", ball, 0.4)])
    chosen = select_mode(system, 0.0, np.zeros(3), np.array([0.2, 0, 0]))
    assert chosen.contact_modes == ("stick",)
    forces = system.forces(chosen.constraints, np.zeros(3), np.array([0.2, 0, 0]))
    assert forces.a == pytest.approx(np.zeros(3), abs=1e-12)
    at_rest = system.state(np.zeros(3), np.zeros(3))
    assert np.linalg.norm(at_rest.sliding[0]) == pytest.approx(0.2)
