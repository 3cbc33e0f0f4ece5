"""Stacks of boxes with one friction coefficient in all layers, which slide as one body.

Each layer needs exactly the friction it can have: sticking and sliding have the same accelerations.
"""

import numpy as np
import pytest

import rikigaku as rk

MU, G, HEIGHT = 0.2, 9.81, 0.1


def stack(count, places=None, angles=None, masses=None, floor=MU):
    """A world of boxes, the contacts of each with the one below, and q."""
    boxes = [rk.Box(0.4, 0.3, HEIGHT) for _ in range(count)]
    masses = [1.0] * count if masses is None else masses
    bodies = [rk.free_body(f"box{i}", box, mass=masses[i]) for i, box in enumerate(boxes)]
    contacts, q = [], []
    for i, box in enumerate(boxes):
        below = rk.Plane((0, 0, 1), (0, 0, HEIGHT / 2)).on(f"box{i - 1}") if i else rk.Plane()
        corners = rk.shape_contacts(f"box{i}", box, below, friction=MU if i else floor)
        contacts += [corner for corner in corners if corner.shape.at[2] < 0]
        x, y = (0.0, 0.0) if places is None else places[i]
        half = 0.0 if angles is None else angles[i] / 2
        q += [x, y, HEIGHT * (i + 0.5), np.cos(half), 0, 0, np.sin(half)]
    return rk.world(bodies), contacts, np.array(q)


def on_slope(world, angle):
    return world.with_gravity((G * np.sin(angle), 0, -G * np.cos(angle)))


def speeds_along_x(speeds):
    return np.concatenate([[speed, 0, 0, 0, 0, 0] for speed in speeds])


@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_stack_that_slides_stops_as_one_body(count):
    world, contacts, q = stack(count)
    motion = rk.simulate(world, q, speeds_along_x([1.0] * count), duration=1, contacts=contacts)
    assert motion.done, motion.status
    assert motion.statistics["changes of mode"] == 1
    assert motion.events[0].t == pytest.approx(1 / (MU * G), abs=1e-8)
    assert motion.q[-1, ::7] == pytest.approx([1 / (2 * MU * G)] * count, abs=1e-9)
    assert np.ptp(motion.q[:, ::7], axis=1).max() < 1e-12  # no layer moves on another


@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_stack_at_the_friction_angle_keeps_its_speed(count):
    world, contacts, q = stack(count)
    for speed in (0.0, 1.0):
        v = speeds_along_x([speed] * count)
        motion = rk.simulate(on_slope(world, np.arctan(MU)), q, v, duration=2, contacts=contacts)
        assert motion.done, motion.status
        assert not motion.events
        assert motion.q[-1, ::7] == pytest.approx([2 * speed] * count, abs=1e-8)


def test_layers_of_different_speeds_meet_and_slide_on_together():
    """The lower box is braked by 3 mu g, the upper one gains mu g until they meet; then both lose mu g."""
    world, contacts, q = stack(2)
    motion = rk.simulate(world, q, speeds_along_x([1.0, 0.8]), duration=1, contacts=contacts)
    meet = 0.2 / (4 * MU * G)
    stop = meet + (0.8 + MU * G * meet) / (MU * G)
    assert [event.t for event in motion.events] == pytest.approx([meet, stop], abs=1e-8)
    assert motion.statistics["changes of mode"] == 2


def test_layers_that_are_offset_and_turned_stick_on_a_slope():
    """Forces of the corners differ; friction follows directions that have the error of the integration."""
    places, angles = [(0, 0), (0.03, -0.02), (-0.02, 0.03)], [0.1, -0.3, 0.25]
    world, contacts, q = stack(3, places, angles, [2.0, 1.0, 3.0])
    motion = rk.simulate(on_slope(world, 1.5 * np.arctan(MU)), q, duration=1, contacts=contacts)
    assert motion.done, motion.status
    assert not motion.events
    angle = 1.5 * np.arctan(MU)
    fall = G * (np.sin(angle) - MU * np.cos(angle)) / 2
    assert motion.q[-1, ::7] - q[::7] == pytest.approx([fall] * 3, abs=1e-7)


def test_a_pushed_stack_slips_at_two_layers_only():
    """The force 60 t on the lowest of three boxes: the floor slips at its friction, the layer above it where
    the boxes on it accelerate by mu g. The uppermost layer then sticks exactly at its limit, with all corners
    at once: their forces reached it one after another, hundreds of times in 1e-4 s."""
    world, contacts, q = stack(3, masses=[1.0, 2.0, 3.0], floor=0.25)
    push = {"box0": ["60*t", "0", "0", "0", "0", "0"]}
    motion = rk.simulate(world, q, duration=0.5, contacts=contacts, wrenches=push, rtol=1e-6)
    assert motion.done, motion.status
    floor = 0.25 * 6 * G / 60
    layer = floor + MU * 6 * G / 60
    assert [event.t for event in motion.events] == pytest.approx([floor, layer], abs=1e-6)
    assert motion.statistics["changes of mode"] < 60
    speed = 60 / 6 * (layer - floor) ** 2 / 2 + MU * G * (0.5 - layer)
    assert motion.v[-1, 6::6] == pytest.approx([speed, speed], abs=1e-5)
