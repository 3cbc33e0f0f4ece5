"""Inputs of simulations that mean nothing are reported in our words: what was given, and what to give."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.contact.contact_modes import ContactModes
from rikigaku.core.errors import WrongSize, WrongValue


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q0": "abc"}, "q0 of robot 'pendulum' takes real numbers; an array of <U3"),
        ({"v0": [None]}, "v0 of robot 'pendulum' takes real numbers"),
        ({"duration": None}, "duration takes real numbers; None was given"),
        ({"duration": [1.0]}, "duration is a finite number"),
        ({"start": np.nan}, "start is a finite number; nan"),
        ({"torque": lambda t, q, v: None}, r"returns 1 numbers; it returned None: does it return them\?"),
        ({"torque": lambda t, q, v: "x"}, "The torque function takes real numbers"),
        ({"torque": [None]}, "torque takes real numbers"),
        ({"output": []}, "one at least"),
        ({"output": "x"}, "output takes real numbers"),
        ({"output": [0, 0.1, 5.0]}, "The motion ends at 1 s; output was requested at 5 s"),
        ({"events": {"high": lambda t, q, v: None}}, "The event 'high' cannot be compiled .it gives None"),
        (
            {"events": {"high": lambda t, q, v: q[9]}},
            "The event 'high' cannot be compiled .*index out of range",
        ),
        ({"events": {"high": 3}}, "The event 'high' is a function"),
        ({"events": [lambda t, q, v: q[0]]}, "by name, or rk.simulation.Guard"),
        ({"most_steps": 0}, "most_steps is a whole number above 0; 0"),
        ({"most_changes": 2.5}, "most_changes is a whole number above 0; 2.5"),
        ({"step": "long"}, "step takes real numbers"),
        ({"contacts": "tip"}, "contacts is a list, .*'tip' was given"),
        ({"contacts": 3}, "contacts is a list, .*3 was given"),
        ({"contacts": ["tip"]}, "Contacts are Contact, Guide or JointFriction; 'tip' was given"),
    ],
)
def test_what_cannot_be_simulated_is_reported(pendulum, arguments, message):
    with pytest.raises(rk.RikigakuError, match=message):
        rk.simulate(pendulum, **{"q0": [0.3], "duration": 1.0, **arguments})


class Pushing:
    """A controller that returns these forces."""

    size, pieces, function, period, parameters = 0, None, None, None, ()

    def __init__(self, *forces):
        self.returned, self.identity = forces[0] if forces else None, f"Pushing {forces}"

    def forces(self, mechanism, t, q, v, u, p):
        return self.returned


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        (
            Pushing([1.0, 2.0]),
            "forces of Pushing returns 1 number, one for each .* all joints; it returned 2",
        ),
        (Pushing([]), "it returned 0"),
        (Pushing(), "it returned None"),
        (Pushing(3.0), "it returned 3.0"),
    ],
)
def test_controllers_with_another_number_of_forces_are_refused(pendulum, controller, message):
    with pytest.raises(WrongSize, match=message):
        rk.simulate(pendulum, [0.3], torque=controller, duration=1.0)


def test_a_controller_may_return_any_sequence(pendulum):
    array, plain = (
        rk.simulate(pendulum, [0.3], torque=Pushing(x), duration=0.1) for x in (np.ones(1), [1.0])
    )
    assert np.array_equal(array.q, plain.q)


def test_half_a_controller_is_refused_with_what_is_missing(pendulum):
    class Half:
        def forces(self, mechanism, t, q, v, u, p):
            return [0.0]

    with pytest.raises(WrongValue, match="Half has no identity, size, parameters, pieces, function, period"):
        rk.simulate(pendulum, [0.3], torque=Half(), duration=1.0)


def test_output_beyond_an_early_end_is_left_out(pendulum):
    motion = rk.simulate(pendulum, [1.0], duration=1.0, most_steps=3, output=[0.0, 1e-6, 1.0])
    assert motion.t.tolist() == [0.0, 1e-6]


def test_a_limit_of_changes_is_reported_as_a_limit():
    joint = rk.Joint("height", "prismatic", limits=rk.Limits(lower=0.0))
    box = rk.Robot("box", (rk.Link("box", "base", joint, rk.Placement(), rk.Inertia("com", 1.0)),))
    stops = rk.joint_stops(box, restitution=0.9)
    motion = rk.simulate(box, [1.0], duration=9.0, contacts=stops, most_changes=3)
    text = "the limit of 3 changes of contact mode for a simulated second was reached at t = "
    assert motion.status.startswith(text)
    landings = [event.t for event in motion.events]
    assert landings[-1] - landings[-3] < 1.0 <= landings[-2] - landings[-4]


def test_modes_given_twice_remember_nothing_of_the_motion_before():
    """A bilateral contact warns in each motion in which it pulls, not in the first alone."""
    joint = rk.Joint("height", "prismatic")
    box = rk.Robot("box", (rk.Link("box", "base", joint, rk.Placement(), rk.Inertia("com", 1.0)),))
    system = rk.ContactSystem(box, [rk.Contact("box", rk.Plane(), bilateral=True)])
    modes = ContactModes(system, minimum_bounce_speed=1e-5)
    for _ in range(2):
        with pytest.warns(rk.errors.PullingWarning):
            rk.simulate(box, [0.0], torque=[20.0], duration=0.1, contacts=modes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rk.Cylinder(0.1, axis=(0, 0, 0)), "An axis must not be zero"),
        (lambda: rk.Torus(0.5, 0.1, axis=(0, 0, 0)), "An axis must not be zero"),
        (lambda: rk.Torus(0.1, 0.5), "tube of a torus is thinner than its ring; 0.5 and 0.1"),
        (lambda: rk.Friction(0.3, stribeck=0.1), "give static= above it"),
    ],
)
def test_surfaces_and_friction_that_mean_nothing_are_reported(make, message):
    with pytest.raises(rk.RikigakuError, match=message):
        make()


def test_quaternions_of_another_length_are_refused_and_rounded_ones_normalised():
    ball = rk.free_body("ball", rk.Ball(0.1), mass=1)
    for quaternion, length in (((0, 0, 0, 0), "0"), ((2, 0, 0, 0), "2")):
        with pytest.raises(WrongValue, match=rf"quaternion .* of length {length}: unit quaternions"):
            rk.simulate(ball, [0, 0, 1, *quaternion], duration=0.1)
    motion = rk.simulate(ball, [0, 0, 1, 0.924, 0.383, 0, 0], duration=0.1)
    assert np.abs(np.linalg.norm(motion.q[:, 3:], axis=1) - 1).max() < 1e-12


def test_a_robot_without_joints_has_no_motion_with_contacts():
    with pytest.raises(WrongValue, match="Robot 'empty' has no joint that moves"):
        rk.simulate(rk.Robot("empty", ()), [], duration=0.1, contacts=[])
