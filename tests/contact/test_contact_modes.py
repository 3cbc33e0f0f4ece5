"""Which mode holds: stick, slide, leave, both feet or one, and where rigid contact has no answer."""

import numpy as np
import pytest
from simple_bodies import block, particle, rod, slider

from rikigaku.contact import Contact, ContactSystem, Friction, JointFriction, Plane, Surface
from rikigaku.contact.mode_selection import select_mode
from rikigaku.contact.selected_mode import SwitchHint
from rikigaku.core.errors import NoConsistentMode, WrongValue
from rikigaku.simulation.simulate import simulate

G = 9.81


def on_incline(angle, mu, static=None):
    normal = (0, -np.sin(angle), np.cos(angle))
    return ContactSystem(particle(), [Contact("mass", Plane(normal), Friction(mu, static))])


@pytest.mark.parametrize(("mu", "word"), [(0.6, "stick"), (0.3, "slip")])
def test_a_point_on_an_incline_of_20_degrees_holds_or_slides_down(mu, word):
    angle = np.radians(20)
    system = on_incline(angle, mu)
    chosen = select_mode(system, 0.0, np.zeros(3), np.zeros(3))
    assert chosen.contact_modes == (word,)
    result = system.forces(chosen.constraints, np.zeros(3), np.zeros(3), directions=chosen.directions)
    down = np.array([0, -np.cos(angle), -np.sin(angle)])
    expected = 0.0 if word == "stick" else G * (np.sin(angle) - mu * np.cos(angle))
    assert np.allclose(result.a, expected * down, rtol=0, atol=1e-12)
    assert np.allclose(chosen.f, result.f, rtol=0, atol=1e-9)


def test_a_contact_at_rest_holds_up_to_static_friction_and_a_sliding_one_has_kinetic():
    angle = np.radians(25)  # tan = 0.466
    system = on_incline(angle, 0.3, 0.6)
    assert select_mode(system, 0.0, np.zeros(3), np.zeros(3)).contact_modes == ("stick",)
    down = np.array([0, -np.cos(angle), -np.sin(angle)])
    moving = select_mode(system, 0.0, np.zeros(3), 0.1 * down)
    a = system.forces(moving.constraints, np.zeros(3), 0.1 * down).a
    assert a @ down == pytest.approx(G * (np.sin(angle) - 0.3 * np.cos(angle)), rel=1e-12)
    lost = select_mode(system, 0.0, np.zeros(3), np.zeros(3), hint=SwitchHint(slipping=("mass",)))
    assert lost.contact_modes == ("slip",)


def test_in_space_the_force_at_rest_lies_in_the_cone_and_sliding_is_against_it():
    system = ContactSystem(particle(), [Contact("mass", Plane(), 0.5)])
    for push, word in (((3.0, 3.0, 0.0), "stick"), ((3.0, 5.0, 0.0), "slip")):  # 0.5 m g = 4.905
        chosen = select_mode(system, 0.0, np.zeros(3), np.zeros(3), push)
        assert chosen.contact_modes == (word,)
        tangential = np.linalg.norm(chosen.f[0, :2])
        assert tangential == pytest.approx(min(np.hypot(*push[:2]), 0.5 * G), rel=1e-12)
        against = -np.array(push[:2]) / np.hypot(*push[:2])
        assert np.allclose(chosen.f[0, :2] / tangential, against, rtol=0, atol=1e-9)


def test_a_contact_that_is_pulled_up_opens_and_a_bilateral_one_pulls():
    up = np.array([0, 0, 20.0])
    free = ContactSystem(particle(), [Contact("mass", Plane(), 0.5)])
    assert select_mode(free, 0.0, np.zeros(3), np.zeros(3), up).contact_modes == ("free",)
    held = ContactSystem(particle(), [Contact("mass", Plane(), 0.5, bilateral=True)])
    chosen = select_mode(held, 0.0, np.zeros(3), np.zeros(3), up + np.array([3.0, 0, 0]))
    assert chosen.contact_modes == ("stick",)
    assert chosen.f[0, 2] == pytest.approx(G - 20)
    sliding = select_mode(held, 0.0, np.zeros(3), np.array([1.0, 0, 0]), up)
    assert held.forces(sliding.constraints, np.zeros(3), np.array([1.0, 0, 0]), up).f[0, 0] == pytest.approx(
        -0.5 * (20 - G)
    )


def test_a_block_rests_on_two_corners_and_the_shared_friction_is_reported():
    robot = block()
    system = ContactSystem(robot, [Contact("left", Plane(), 0.5), Contact("right", Plane(), 0.5)])
    q = np.array([0, 0.05, 0])
    chosen = select_mode(system, 0.0, q, np.zeros(3), [4.0, 0, 0])
    assert chosen.contact_modes == ("stick", "stick")
    assert chosen.indeterminate
    assert len(chosen.constraints.contacts) == 3  # the fourth follows
    total = chosen.f.sum(axis=0)
    assert np.allclose(total, [0, -4, 2 * G], rtol=0, atol=1e-9)
    # the push acts at the height of the centre: moments about it balance
    assert np.allclose(
        system.forces(chosen.constraints, q, np.zeros(3), [4.0, 0, 0]).a, 0, rtol=0, atol=1e-12
    )


def test_a_block_pushed_at_its_top_tips_about_one_corner():
    system = ContactSystem(block(), [Contact("left", Plane(), 0.9), Contact("right", Plane(), 0.9)])
    q = np.array([0, 0.05, 0])
    # about x, negative turns y+ down: the right corner carries
    chosen = select_mode(system, 0.0, q, np.zeros(3), [0, 0, -2.5])
    assert chosen.contact_modes == ("free", "stick")
    assert select_mode(system, 0.0, q, np.zeros(3), [0, 0, -1.5]).contact_modes == ("stick", "stick")


def test_joints_stick_and_slide_by_their_own_dry_friction():
    system = ContactSystem(slider(coulomb=3.0))
    rest = np.zeros(1)
    assert select_mode(system, 0.0, rest, rest, [2.9]).contact_modes == ("stick",)
    slides = select_mode(system, 0.0, rest, rest, [3.5])
    assert slides.contact_modes == ("slip+",)
    assert system.forces(slides.constraints, rest, rest, [3.5]).a[0] == pytest.approx(0.5)
    assert select_mode(system, 0.0, rest, np.array([-1.0]), [2.0]).contact_modes == ("slip-",)
    strong = ContactSystem(slider(), joints=[JointFriction("x", 3.0, static=5.0)])
    assert select_mode(strong, 0.0, rest, rest, [4.5]).contact_modes == ("stick",)
    with pytest.raises(WrongValue, match="less than Coulomb"):
        JointFriction("x", 3.0, static=2.0)


def test_viscous_and_stribeck_friction_follow_their_curves():
    law = Friction(0.2, static=0.4, viscous=1.5, stribeck=0.1)
    system = ContactSystem(particle(), [Contact("mass", Plane(), law)])
    for speed in (0.05, 0.1, 2.0):
        v = np.array([0, speed, 0])
        chosen = select_mode(system, 0.0, np.zeros(3), v)
        expected = -(0.2 + 0.2 / (1 + (speed / 0.1) ** 2)) * G - 1.5 * speed
        result = system.forces(chosen.constraints, np.zeros(3), v)
        assert result.a[1] == pytest.approx(expected, rel=1e-12)
        assert chosen.f[0, 1] == pytest.approx(expected + 1.5 * speed, rel=1e-12)  # viscous force is apart
        assert result.power == pytest.approx(-expected * speed, rel=1e-12)


def test_a_belt_drags_what_lies_on_it():
    system = ContactSystem(particle(), [Contact("mass", Surface("z", belt=(0.5, 0, 0)), 0.3)])
    chosen = select_mode(system, 0.0, np.zeros(3), np.zeros(3))
    assert system.forces(chosen.constraints, np.zeros(3), np.zeros(3)).a[0] == pytest.approx(0.3 * G)
    riding = select_mode(system, 0.0, np.zeros(3), np.array([0.5, 0, 0]))
    assert riding.contact_modes == ("stick",)


def painleve(mu, spin=0.0):
    """The rod sliding on its end, leaning with the motion so that friction presses it in."""
    angle = np.radians(30)
    system = ContactSystem(rod(), [Contact("end", Plane(), mu)])
    q = np.array([0, 0.5 * np.cos(angle), angle])
    end = 0.5 * np.array([np.cos(angle), np.sin(angle)])  # velocity of the end per rate, (y, z)
    for way in (1.0, -1.0):
        v = np.array([way - end[0] * spin, -end[1] * spin, spin])
        yield system, q, v


def test_beyond_painleves_limit_the_situation_is_reported():
    # A = (1 + 3 sin^2 - 3 mu sin cos)/m for a thin rod: zero at mu = 4/(3 sin cos) (1/4 + 3/4 sin^2) = 1.347
    s, c = 0.5, np.sqrt(3) / 2
    limit = (1 + 3 * s * s) / (3 * s * c)
    below = [select_mode(system, 0.0, q, v) for system, q, v in painleve(0.99 * limit)]
    assert all(not chosen.painleve for chosen in below)
    selected, refused = [], []
    for spin in (0.0, 8.0):
        for system, q, v in painleve(1.2 * limit, spin):
            try:
                selected.append((spin, select_mode(system, 0.0, q, v)))
            except NoConsistentMode as error:
                refused.append(error)
    (error,) = refused  # without rotation: pressed in by its weight, whatever the normal force
    assert error.painleve == ("end",)
    assert "Painleve" in str(error)
    # Rotating fast it leaves the floor or slides on, both fit: sliding is unstable.
    assert [mode.contact_modes for spin, mode in selected if spin] == [("free",), ("free",)]


def test_beyond_painleves_limit_a_contact_that_may_open_opens_as_in_fixed_steps():
    system, q, v = next(iter(painleve(1.65, 8.0)))
    motion = simulate(system.robot, q, v, duration=0.05, contacts=system)
    steps = simulate(
        system.robot, q, v, duration=0.05, contacts=system, method="time_stepping", step=1e-5, output=0.05
    )
    assert motion.modes[0] == "end free"
    assert np.abs(steps.q[-1] - motion.q[-1]).max() < 1e-5


def test_a_mode_is_chosen_with_the_viscous_force_of_what_slides():
    """A leaning rod slides on its end: the drag turns it and so presses the end, as the law has it."""
    angle = 0.5
    system = ContactSystem(rod(), [Contact("end", Plane(), Friction(0.1, viscous=4.0))])
    q, v = np.array([0, 0.5 * np.cos(angle), angle]), np.array([0.6, 0, 0])
    chosen = select_mode(system, 0.0, q, v)
    forces = system.forces(chosen.constraints, q, v)
    assert chosen.f_n == pytest.approx(forces.f_n, rel=1e-12)
    smooth = ContactSystem(rod(), [Contact("end", Plane(), 0.1)])
    assert abs(chosen.f_n[0] - smooth.forces(chosen.constraints, q, v).f_n[0]) > 0.5
