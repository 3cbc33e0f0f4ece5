"""A hand pressed onto a surface while it moves along: force and position both as commanded."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.contact.contact_modes import ContactModes
from rikigaku.simulation import ForcePosition
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial, stacked
from rikigaku.trajectory import in_sequence, quintic

FINE = {"rtol": 1e-11, "atol": 1e-13}
WAY = np.array([0, 0.1, 0])
RAMP = rk.Data([0.0, 0.4, 1.0], [[10.0], [25.0], [5.0]])


@pytest.fixture(scope="module")
def arm():
    return rk.load("planar_3r")


def touching(robot, contact):
    return ContactModes(rk.ContactSystem(robot, [contact], joints=[]))  # no dry friction of joints


def on_surface(robot, contact, q):
    q = rk.ContactSystem(robot, [contact]).placed(q, [contact.frame])
    return q, robot.pose(q, contact.frame)[:3, 3]


def test_a_hand_presses_as_told_while_it_rubs_along_the_floor_and_back(arm) -> None:
    floor = rk.Contact("hand", rk.Plane(), rk.Friction(0.2, viscous=3.0))
    q, x = on_surface(arm, floor, [-0.42, -1.05, -1.05])
    path = in_sequence(quintic(x, x - 2 * WAY, 0.5), quintic(x - 2 * WAY, x + WAY, 0.5))
    control = ForcePosition(arm, floor, path, RAMP, stiffness=100.0, damping=20.0)
    motion = rk.simulate(arm, q, None, control, duration=1.0, system=touching(arm, floor), **FINE)
    assert motion.done
    # While the path rests (its ends, to 1e-5 s)
    # the hand sticks: friction is what it must be there, and f_n with it.
    moving = np.abs((motion.t + 0.25) % 0.5 - 0.25) > 1e-5
    off = motion.forces["forces"][:, 3] - np.interp(motion.t, RAMP.t, np.ravel(RAMP.tau))
    assert np.abs(off[moving]).max() < 1e-9
    assert moving.sum() > 40
    hand = arm.pose(motion.q, "hand")[:, :3, 3]
    assert np.abs(hand - path(motion.t).q).max() < 1e-8  # it stops and starts where the path turns
    assert {"hand slips", "hand stops"} == {event.name for event in motion.events}
    assert {"hand slip+", "hand slip-"} <= set(motion.modes)
    assert motion.dissipated[-1] > 0.2 * 5 * 0.5  # friction is there, and made up for


def test_an_error_along_a_sphere_dies_away_as_a_linear_oscillator_under_the_commanded_force(puma) -> None:
    """Along a frictionless sphere of radius r the error angle obeys, near zero, e'' + 2 w e' + w^2 e = 0."""
    hand, w = puma.frame_names[-1], 8.0
    q = np.array([0.3, -0.6, 0.4, 0.2, 0.5, 0.1])
    x = puma.pose(q, hand)[:3, 3]
    center, radius = x - [0, 0, 0.3], 0.3
    ball = rk.Contact(hand, rk.Sphere(radius, center))
    angle = 1e-3
    target = center + radius * np.array([np.sin(angle), 0, np.cos(angle)])
    control = ForcePosition(puma, ball, target, 12.0, stiffness=w * w, damping=2 * w)
    motion = rk.simulate(
        puma, q, None, control, duration=0.5, system=touching(puma, ball), output=0.05, **FINE
    )
    assert motion.done
    assert np.abs(motion.forces["forces"][:, 3] - 12.0).max() < 1e-8
    at = puma.pose(motion.q, hand)[:, :3, 3] - center
    assert np.abs(np.linalg.norm(at, axis=1) - radius).max() < 1e-11
    expected = angle * (1 - (1 + w * motion.t) * np.exp(-w * motion.t))
    assert np.abs(np.arctan2(at[:, 0], at[:, 2]) - expected).max() < 1e-8  # of order angle^3
    assert np.abs(at[:, 1]).max() < 1e-10


def test_a_friction_coefficient_that_is_not_the_true_one_shows_in_the_force(arm) -> None:
    floor = rk.Contact("hand", rk.Plane(), 0.2)
    q, x = on_surface(arm, floor, [-0.42, -1.05, -1.05])
    path = quintic(x, x - 2 * WAY, 0.5)
    control = ForcePosition(arm, rk.Contact("hand", rk.Plane(), 0.1), path, 10.0, 100.0, 20.0)
    motion = rk.simulate(arm, q, None, control, duration=0.5, system=touching(arm, floor), output=0.1)
    assert np.abs(motion.forces["forces"][1:-1, 3] - 10.0).max() > 0.1


def test_inputs_of_two_kinds_stand_side_by_side_over_the_segments_of_either() -> None:
    rng = np.random.default_rng(3)
    one = PiecewisePolynomial(np.array([0.0, 0.3, 1.1]), rng.normal(size=(3, 6, 2)))
    two = PiecewisePolynomial(np.array([-1.0, 0.3, 0.7]), rng.normal(size=(3, 2, 1)))
    t = np.linspace(-0.5, 2, 97)
    expected = np.concatenate([one(t), two(t)], axis=1)
    assert np.abs(stacked(one, two)(t) - expected).max() < 1e-12 * np.abs(expected).max()


def test_what_cannot_be_pressed_or_followed_is_refused(arm) -> None:
    floor = rk.Contact("hand", rk.Plane(), 0.2)
    with pytest.raises(rk.RikigakuError, match="has loops or a free base"):
        ForcePosition(rk.load("four_bar"), floor, [0, 1, 0], 10.0, 100.0, 20.0)
    with pytest.raises(rk.RikigakuError, match="force is a number"):
        ForcePosition(arm, floor, [0, 1, 0], [1.0, 2.0], 100.0, 20.0)
    with pytest.raises(rk.RikigakuError, match="one number at a time; 2 were given"):
        ForcePosition(arm, floor, [0, 1, 0], rk.Data([0, 1], [[1, 2], [3, 4]]), 100.0, 20.0)
    with pytest.raises(rk.RikigakuError, match="3 numbers"):
        ForcePosition(arm, floor, [0, 1], 10.0, 100.0, 20.0)
    with pytest.raises(rk.RikigakuError, match="named 'hnd'"):
        ForcePosition(arm, rk.Contact("hnd", rk.Plane()), [0, 1, 0], 10.0, 100.0, 20.0)
