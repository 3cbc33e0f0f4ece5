"""Impacts against closed forms: balls, rods, corners; no law of restitution makes energy."""

import numpy as np
import pytest
from simple_bodies import block, corner_box, particle, rod

from rikigaku.contact import Contact, ContactSystem, Plane, Surface
from rikigaku.contact.impacts import impact
from rikigaku.core.errors import NoConsistentMode

LAWS = ["newton", "poisson", "moreau"]


@pytest.mark.parametrize("law", LAWS)
def test_a_ball_leaves_with_its_restitution(law):
    system = ContactSystem(particle(2.0), [Contact("mass", Plane(), 0.0, restitution=0.7)], restitution=law)
    hit = impact(system, 0.0, np.zeros(3), np.array([0.3, 0, -2.0]))
    assert np.allclose(hit.v, [0.3, 0, 1.4], rtol=0, atol=1e-12)
    assert np.allclose(hit.impulses, [[0, 0, 2 * 3.4]], rtol=0, atol=1e-12)
    assert hit.dissipated == pytest.approx(0.5 * 2 * 4 * (1 - 0.49))


@pytest.mark.parametrize("law", ["newton", "poisson"])
@pytest.mark.parametrize("slide", [0.3, 3.0])
def test_friction_stops_the_sliding_or_takes_mu_times_the_impulse(law, slide):
    contact = Contact("mass", Plane(), 0.4, restitution=0.5)
    system = ContactSystem(particle(), [contact], restitution=law)
    hit = impact(system, 0.0, np.zeros(3), np.array([0, slide, -2.0]))
    left = max(slide - 0.4 * 3.0, 0.0)  # impulse 2 (1 + 0.5)
    assert np.allclose(hit.v, [0, left, 1.0], rtol=0, atol=1e-9)


def test_a_rod_that_falls_on_its_end_turns_as_the_textbook_says():
    system = ContactSystem(rod(), [Contact("end", Plane(), 0.0)])
    angle = 0.6
    q = np.array([0, 0.5 * np.cos(angle), angle])
    hit = impact(system, 0.0, q, np.array([0, -1.0, 0]))
    s = np.sin(angle)
    impulse = 1 / (1 + 3 * s * s)  # 1/m + (l sin/2)^2 / (m l^2/12)
    assert hit.impulses[0, 2] == pytest.approx(impulse, rel=1e-12)
    assert hit.v[1] == pytest.approx(-1 + impulse, rel=1e-12)


def test_a_block_that_lands_flat_stops_on_both_corners_at_once():
    system = ContactSystem(block(), [Contact("left", Plane(), 0.3), Contact("right", Plane(), 0.3)])
    hit = impact(system, 0.0, np.array([0, 0.05, 0]), np.array([0.0, -1.5, 0]))
    assert np.allclose(hit.v, 0, rtol=0, atol=1e-12)
    assert np.allclose(hit.impulses.sum(axis=0), [0, 0, 3.0], rtol=0, atol=1e-12)
    assert hit.dissipated == pytest.approx(0.5 * 2 * 1.5**2)


@pytest.mark.parametrize("law", LAWS)
def test_no_law_makes_energy_and_momentum_balances(law):
    """Newton's law with friction alone makes energy in some of these (T. R. Kane's paradox)."""
    rng = np.random.default_rng(4)
    robot, reduced = rod(), 0
    for _ in range(150):
        angle, mu, e = rng.uniform(-1.2, 1.2), rng.uniform(0, 2), rng.uniform(0.8, 1)
        system = ContactSystem(robot, [Contact("end", Plane(), mu, restitution=e)], restitution=law)
        q, v = np.array([0, 0.5 * np.cos(angle), angle]), rng.normal(size=3)
        if system.state(q, v).approach[0] >= -1e-3:
            continue
        hit = impact(system, 0.0, q, v)
        assert hit.dissipated >= -1e-12
        M = robot.mass_matrix(q)
        assert hit.dissipated == pytest.approx(0.5 * (v @ M @ v - hit.v @ M @ hit.v), abs=1e-12)
        assert system.state(q, hit.v).approach[0] >= -1e-9
        gained = robot.mass_matrix(q)[:2, :2] @ (hit.v - v)[:2]
        assert np.allclose(gained, hit.impulses[0, 1:], rtol=0, atol=1e-9)
        if law == "newton" and hit.factor == 1:
            before = system.state(q, v).approach[0]
            assert system.state(q, hit.v).approach[0] == pytest.approx(-e * before, abs=1e-12)
        reduced += hit.factor < 1
        if hit.factor < 1:  # the largest factor: no energy is made, nor any lost
            assert hit.dissipated == pytest.approx(0, abs=1e-8)
    assert bool(reduced) == (law == "newton")


def test_moreaus_law_reflects_sliding_that_friction_ends():
    """(v' + e v) / (1 + e) is that of the inelastic impact: zero where it sticks."""
    system = ContactSystem(particle(), [Contact("mass", Plane(), 1.0, restitution=0.5)], restitution="moreau")
    hit = impact(system, 0.0, np.zeros(3), np.array([0, 0.4, -2.0]))
    assert np.allclose(hit.v, [0, -0.2, 1.0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("corners", [4, 8])
def test_boxes_that_land_on_a_face_always_have_impulses(law, corners):
    """Of four redundant corners some stick and some slide: 1 of 20 such impacts was refused."""
    rng = np.random.default_rng(corners)
    for e in (0.0, 0.8):
        mu = rng.uniform(0.2, 1)
        box, contacts = corner_box(rng.uniform(0.1, 0.5, 3), corners, mu, e)
        system = ContactSystem(box, contacts, restitution=law)
        q = np.array([0, 0, 0, 1.0, 0, 0, 0])
        q[2] -= system.state(q, np.zeros(6)).gap.min()
        for _ in range(20):
            v = rng.normal(size=6) * ([1, 1, 1] + [rng.choice([0, 1, 5])] * 3)
            v[2] = -abs(v[2])
            hit = impact(system, 0.0, q, v)
            assert system.state(q, hit.v).approach[:4].min() > -1e-10
            assert hit.dissipated > -1e-10
            f_n = hit.impulses[:, 2]
            assert f_n.min() > -1e-9
            assert (np.hypot(*hit.impulses[:, :2].T) <= mu * f_n + 1e-8).all()


def test_two_surfaces_that_squeeze_a_body_have_no_impulses():
    floor, lid = Contact("mass", Plane()), Contact("mass", Surface("-z - 0.5*t"))
    with pytest.raises(NoConsistentMode, match="squeeze"):
        impact(ContactSystem(particle(), [floor, lid]), 0.0, np.zeros(3), np.array([0, 0, -1.0]))


def test_nothing_happens_where_nothing_approaches():
    system = ContactSystem(particle(), [Contact("mass", Plane(), 0.4)])
    v = np.array([1.0, 0, 0.5])
    assert np.array_equal(impact(system, 0.0, np.zeros(3), v).v, v)
