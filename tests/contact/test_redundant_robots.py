"""Redundant contacts of robots: loads that wander, loops, legs, dry joints; and steps of one length."""

import numpy as np
import pytest
from closed_robots import closed_configuration, shipped
from simple_bodies import particle
from tables import HEIGHT, MASS, STANDING, G, assert_sound, floor, forces_of, table

import rikigaku as rk
from rikigaku.contact import ContactSystem
from rikigaku.contact.contact_state_projection import velocity_at_rest
from rikigaku.contact.contact_tolerances import REST
from rikigaku.contact.mode_selection import select_mode

WEIGHT = MASS * G


def test_corners_that_would_pull_carry_nothing_while_the_load_wanders_over_a_sliding_box():
    """The centre of pressure goes round outside the middle rhombus: the least forces that push leave corners
    without load, and take them up again, though nothing lifts."""
    t = np.linspace(0, 0.5, 31)
    grown, around = np.minimum(1, 10 * np.minimum(t, 0.5 - t)), 4 * np.pi * t
    moments = WEIGHT * 0.8 * grown[:, None] * np.stack([0.15 * np.sin(around), 0.2 * np.cos(around)], axis=1)
    pushes = np.column_stack([np.full(31, 12.0), np.zeros((31, 2)), moments, np.zeros(31)])
    box = table()
    motion = rk.simulate(box, STANDING, torque=rk.Data(t, pushes), duration=0.5, contacts=floor())
    assert motion.done
    assert motion.events == ()
    assert motion.statistics["changes of mode"] >= 2
    assert_sound(motion, floor())
    _, f_n = forces_of(motion)
    assert (f_n == 0).any(axis=0).sum() >= 2
    assert f_n[-1].min() > 1  # all of them again
    assert np.allclose(f_n.sum(axis=1), WEIGHT, rtol=1e-9)


def test_steps_of_one_length_come_to_the_located_motion_of_a_box_at_first_order():
    box, push = table(), ["10*sin(6*t)", "3*t", "0", "0", "0", "0.5"]
    exact = rk.simulate(box, STANDING, torque=push, duration=0.5, contacts=floor())
    assert exact.done
    assert_sound(exact, floor())
    off = []
    for step in (0.02, 0.01, 0.005):
        stepped = rk.simulate(
            box, STANDING, torque=push, duration=0.5, contacts=floor(), method="time_stepping", step=step
        )
        assert np.abs(stepped.q[:, 2] - HEIGHT).max() < 1e-12
        assert forces_of(stepped)[1].min() > 0
        off.append(abs(stepped.q[-1, 1] - exact.q[-1, 1]))
    assert off[0] < 1e-4
    assert off[1] / off[0] < 0.65
    assert off[2] / off[1] < 0.65


def test_steps_of_one_length_know_viscous_friction():
    """m u' = -mu m g - c u."""
    rubs = [rk.Contact("mass", rk.Plane(), rk.Friction(0.2, viscous=3.0))]
    stepped = rk.simulate(
        particle(), np.zeros(3), [2.0, 0, 0], duration=0.2, contacts=rubs, method="time_stepping", step=1e-3
    )
    end = 0.2 * G / 3
    assert stepped.v[-1, 0] == pytest.approx((2 + end) * np.exp(-0.6) - end, rel=1e-5)


def test_a_closed_robot_held_at_more_points_than_it_has_freedoms_stands_still():
    """A five-bar linkage in its plane: two points that stick are four rows on two freedoms."""
    robot = shipped("five_bar")
    q = closed_configuration(robot, 0)
    frames = [link.name for link in robot.links if np.abs(robot.tree.jacobian(q, link.name)[:3]).max() > 0.1][
        :2
    ]
    places = [robot.tree.pose(q, frame)[:3, 3] for frame in frames]
    J = robot.tree.jacobian(q, frames[0])[:3]
    normal = np.eye(3)[int(np.argmax(np.abs(J).max(axis=1)))]
    contacts = [
        rk.Contact(f, rk.Plane(tuple(normal), tuple(p)), 0.8, bilateral=True)
        for f, p in zip(frames, places, strict=True)
    ]
    motion = rk.simulate(robot, q, duration=0.2, contacts=ContactSystem(robot, contacts, joints=()))
    assert motion.done
    assert any("statically indeterminate" in note for note in motion.notes)
    assert np.abs(motion.v).max() == 0
    assert np.abs(motion.q - q).max() < 1e-12


def test_ten_dry_joints_at_rest_are_no_riddle():
    links, parent = [], "base"
    for i in range(10):
        joint = rk.Joint(f"j{i}", "revolute", (0, 1, 0), coulomb=100.0)
        inertia = rk.Inertia("com", 0.1, (0.05, 0, 0), (1e-4, 0, 0, 1e-4, 0, 1e-4))
        links.append(rk.Link(f"l{i}", parent, joint, rk.Placement((0.1, 0, 0)), inertia))
        parent = f"l{i}"
    chain = rk.Robot("chain", tuple(links))
    chosen = select_mode(ContactSystem(chain), 0.0, np.zeros(10), np.zeros(10))
    assert chosen.contact_modes == ("stick",) * 10


def test_a_grain_slides_as_a_stone_does():
    slope = [rk.Contact("mass", rk.Plane((1, 0, 1)), 0.1)]
    motion = rk.simulate(particle(1e-12), np.zeros(3), duration=0.5, contacts=slope)
    speed = 0.5 * G * np.sin(np.pi / 4) * 0.9
    assert np.linalg.norm(motion.v[-1]) == pytest.approx(speed, rel=1e-9)


def test_a_mass_falls_from_the_centre_of_a_bowl():
    bowl = [rk.Contact("mass", rk.Sphere(0.5, inside=True), 0.3)]
    motion = rk.simulate(particle(), np.zeros(3), duration=0.2, contacts=bowl)
    assert motion.done
    assert motion.q[-1, 2] == pytest.approx(-0.5 * G * 0.04, rel=1e-9)


def quadruped():
    """A body of 20 kg on four legs of 1 kg, each on a hip with dry friction that a hand could not turn."""
    body = rk.Link(
        "body",
        "base",
        rk.Joint("fly", "free"),
        rk.Placement(),
        rk.Inertia("com", 20, (0, 0, 0), (0.3, 0, 0, 0.8, 0, 1)),
    )
    links, frames = [body], []
    for i, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]):
        inertia = rk.Inertia("com", 1, (0, 0, -0.2), (0.02, 0, 0, 0.02, 0, 0.001))
        hip = rk.Joint(f"hip{i}", "revolute", (0, 1, 0), coulomb=80.0)
        links.append(rk.Link(f"leg{i}", "body", hip, rk.Placement((x, y, 0)), inertia))
        frames.append(rk.Frame(f"foot{i}", f"leg{i}", rk.Placement((0, 0, -0.4))))
    return rk.Robot("quadruped", tuple(links), tuple(frames))


@pytest.mark.parametrize(("push", "word"), [(0.0, "stick"), (100.0, "stick"), (130.0, "slip")])
def test_a_quadruped_with_stiff_hips_stands_is_pushed_and_slides(push, word):
    """Sixteen rows on ten freedoms; mu m g is 117.7 N."""
    robot = quadruped()
    system = ContactSystem(robot, [rk.Contact(f"foot{i}", rk.Plane(), 0.5) for i in range(4)])
    q, tau = np.array([0, 0, 0.4, 1, 0, 0, 0, 0, 0, 0, 0]), np.zeros(10)
    tau[0] = push
    chosen = select_mode(system, 0.0, q, np.zeros(10), tau)
    assert chosen.contact_modes == (*(word,) * 4, *("stick",) * 4)
    assert chosen.indeterminate
    assert not chosen.undecided  # hips without force stick
    assert np.allclose(chosen.f.sum(axis=0), [-min(push, 0.5 * 24 * G), 0, 24 * G], rtol=0, atol=1e-6)
    rubbing = np.hypot(chosen.f[:, 0], chosen.f[:, 1])
    assert (rubbing - 0.5 * np.array(chosen.f_n)).max() < 1e-7
    assert min(chosen.f_n) > 0


def test_dry_joints_at_rest_remain_so_where_feet_come_to_rest():
    """Rotating legs would hold the feet of a sliding trunk; hips at rest do not follow the last slow sliding.

    Talos repeated its events where they did: hips selected as moving stopped again at once.
    """
    body = rk.Inertia("com", 2.0, (0, 0, 0), (0.02, 0, 0, 0.02, 0, 0.02))
    leg = rk.Inertia("com", 0.5, (0, 0, -0.1), (0.002, 0, 0, 0.002, 0, 0.0005))
    links = [rk.Link("trunk", "base", rk.Joint("fly", "free"), rk.Placement(), body)]
    for i, (x, y) in enumerate(((0.2, 0.1), (0.2, -0.1), (-0.2, 0.0))):
        hip = rk.Joint(f"hip{i}", "revolute", (0, 1, 0), coulomb=0.5)
        links.append(rk.Link(f"leg{i}", "trunk", hip, rk.Placement((x, y, 0)), leg))
    feet = tuple(rk.Frame(f"foot{i}", f"leg{i}", rk.Placement((0, 0, -0.2))) for i in range(3))
    robot = rk.Robot("stool", tuple(links), feet)
    system = ContactSystem(robot, [rk.Contact(foot.name, rk.Plane(), friction=0.4) for foot in feet])
    q, slow = np.array([0, 0, 0.2, 1, 0, 0, 0, 0, 0, 0]), np.array([1e-7, 3e-8, 0, 0, 0, 0, 0, 0, 0])
    settled, removed, _ = velocity_at_rest(system, 0.0, q, slow, REST, 1e-6)
    assert np.abs(settled).max() < 1e-15  # no freedom is left: legs of 0.2 m would turn at 1e-7 / 0.2 rad/s
    assert removed == pytest.approx(robot.kinetic_energy(q, slow), rel=1e-12)
    motion = rk.simulate(robot, q, [0.3, 0.1, 0, 0, 0, 0.4, 0, 0, 0], duration=0.3, contacts=system)
    names = [name for event in motion.events for name in (event.name, *event.also)]
    assert motion.done
    assert len(names) == len(set(names)) >= 4
    assert not motion.v[-1].any()
