"""Contacts with what else there is: loops, moving floors, guides, statuses that keep what was found."""

import numpy as np
import pytest
from closed_robots import closed_configuration, shipped
from simple_bodies import particle

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Guide, Plane, Surface
from rikigaku.contact.contact_modes import ContactModes
from rikigaku.core.errors import NoConsistentMode, TooLarge

G = 9.81


def test_a_vibrating_floor_throws_off_what_lies_on_it_when_it_falls_faster_than_gravity():
    """z = A sin(w t): the mass leaves where A w^2 sin(w t) = g, and flies from there."""
    A, w = 0.01, 40.0
    floor = Contact("mass", Surface(f"z - {A}*sin({w}*t)"))
    leaves = np.arcsin(G / (A * w * w)) / w
    motion = rk.simulate(
        particle(),
        np.zeros(3),
        [0, 0, A * w],
        duration=leaves + 0.02,
        contacts=[floor],
        rtol=1e-11,
        atol=1e-14,
    )
    (event,) = motion.events
    assert event.name == "mass lifts off"
    assert event.t == pytest.approx(leaves, abs=1e-9)
    flight = A * np.sin(w * leaves) + A * w * np.cos(w * leaves) * 0.02 - 0.5 * G * 0.02**2
    assert motion.q[-1, 2] == pytest.approx(flight, abs=1e-10)
    assert motion.forces["forces"][0, 3] == pytest.approx(G, rel=1e-12)  # no acceleration at t = 0


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.PullingWarning")
def test_a_closed_robot_slides_on_a_floor_with_its_loops_closed_and_its_energy_accounted_for():
    robot = shipped("five_bar")
    q = closed_configuration(robot, 0)
    frame = robot.frames[0].name if robot.frames else robot.links[1].name
    place = robot.tree.pose(q, frame)[:3, 3]
    J = robot.tree.jacobian(q, frame)[:3]
    normal = np.zeros(3)
    normal[int(np.argmax(np.abs(J).max(axis=1)))] = 1.0
    contact = Contact(frame, Plane(tuple(normal), tuple(place)), 0.1, bilateral=True)
    system = ContactSystem(robot, [contact], joints=())
    v = system.allowed_velocity(q, np.linspace(1.0, -1.0, robot.nv))
    motion = rk.simulate(robot, q, v, duration=0.3, contacts=system, rtol=1e-10, output=0.01)
    assert motion.done
    assert np.abs(motion.residual).max() < 1e-11
    gap = (robot.tree.pose(motion.q, frame)[:, :3, 3] - place) @ normal
    assert np.abs(gap).max() < 1e-11
    assert np.linalg.norm(v) > 0.1
    assert motion.energy_audit().relative < 1e-8


def test_a_free_body_on_a_line_and_on_a_slope_slides_as_a_bead():
    """A guide keeps x = 0, the slope does the rest: g sin along it, whatever the body's own turning."""
    inertia = rk.Inertia("com", 2, (0, 0, 0), (1, 0, 0, 2, 0, 3))
    link = rk.Link("body", "base", rk.Joint("free", "free"), rk.Placement(), inertia)
    body = rk.Robot("body", (link,))
    slope = np.radians(35)
    contacts = [Contact("body", Plane((0, np.sin(slope), np.cos(slope)))), Guide("body", keep="x")]
    q, v = np.array([0, 0, 0, 1, 0, 0, 0.0]), np.array([0, 0, 0, 1.0, -2.0, 0.5])
    motion = rk.simulate(body, q, v, duration=0.8, contacts=contacts, rtol=1e-11, atol=1e-13)
    down = np.array([0, np.cos(slope), -np.sin(slope)])
    assert motion.done
    assert np.allclose(motion.q[-1, :3], 0.5 * G * np.sin(slope) * 0.8**2 * down, rtol=0, atol=1e-9)
    assert motion.energy_audit().relative < 1e-9


def test_a_start_where_no_mode_fits_has_a_status_and_the_one_state_that_is_known():
    """A mass that two surfaces hold, of which one accelerates."""
    surfaces = Surface("z"), Surface("z - 0.5*t^2")
    contacts = [Contact("mass", surface, bilateral=True) for surface in surfaces]
    motion = rk.simulate(particle(), np.zeros(3), None, [0.1, -0.2, 0.0], duration=1.0, contacts=contacts)
    assert "No contact mode" in motion.status
    assert "contradict each other" in motion.status
    assert (len(motion.t), motion.t[0], motion.events) == (1, 0.0, ())
    assert np.array_equal(motion.q, np.zeros((1, 3)))
    assert np.array_equal(motion.at(0.0).v, np.zeros(3))
    assert np.isnan(motion.a).all()
    assert np.array_equal(motion.tau, [[0.1, -0.2, 0.0]])
    assert motion.energy_audit().error == 0
    with pytest.raises(rk.RikigakuError, match="known from 0 s to 0 s"):
        motion.at(0.1)


@pytest.mark.filterwarnings("ignore:.*encountered in forces of particle")
def test_a_start_whose_rates_are_not_finite_has_a_status_too():
    motion = rk.simulate(particle(), np.zeros(3), torque=["1/t", "0", "0"], duration=1.0)
    assert "rates are not finite" in motion.status
    assert len(motion.t) == 1


class _Hopeless(ContactModes):
    """Finds no mode after the first event."""

    def __init__(self, system, error):
        super().__init__(system)
        self.error = error

    def after(self, event):
        raise self.error


@pytest.mark.parametrize(
    "error",
    [
        NoConsistentMode("No contact mode is consistent.", ["mass"]),
        TooLarge("Too many contacts: No contact mode is consistent."),
        np.linalg.LinAlgError("No contact mode: singular, not consistent"),
    ],
)
def test_where_a_system_finds_no_mode_the_status_says_so_and_the_motion_up_to_there_is_kept(error):
    modes = _Hopeless(ContactSystem(particle(), [Contact("mass", Plane(), 0.3)]), error)
    motion = rk.simulate(particle(), np.array([0, 0, 1.0]), duration=2.0, system=modes)
    assert "No contact mode" in motion.status
    assert not motion.done
    assert motion.t[-1] == pytest.approx(np.sqrt(2 / G), abs=1e-9)
    assert motion.events[-1].name == "mass lands"


def test_the_residual_of_a_motion_is_of_closed_contacts_guides_and_loops(tmp_path):
    """A particle on a slope and on a guide: off both by what was moved by hand, and by rounding else."""
    contacts = [Contact("mass", Plane((0, 0.6, 0.8))), Guide("mass", keep="x")]
    motion = rk.simulate(particle(), np.zeros(3), duration=0.5, contacts=contacts)
    assert motion.residual.max() < 1e-13
    motion.q[3] += [3e-4, 0, 0]
    motion.q[4] -= 2e-4 * np.array([0, 0.6, 0.8])
    assert motion.residual[3:5] == pytest.approx([3e-4, 2e-4])
    motion.save(tmp_path / "m.npz")
    assert np.array_equal(rk.load_solution(tmp_path / "m.npz", particle()).residual, motion.residual)
    free = rk.simulate(particle(), [0, 0, 1.0], duration=0.1, contacts=contacts[:1])
    assert not free.residual.any()  # nothing touches: the gap is no residual
