"""Impacts against closed forms: balls, rods, corners; energy never gained by Poisson's law."""

import numpy as np
import pytest
from simple_bodies import block, particle, rod

from rikigaku.contact import Contact, ContactSystem, Plane
from rikigaku.contact.impacts import impact


@pytest.mark.parametrize("law", ["newton", "poisson"])
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


def test_poissons_law_never_gains_energy_and_momentum_balances():
    rng = np.random.default_rng(4)
    robot = rod()
    for _ in range(40):
        angle, mu, e = rng.uniform(-1.2, 1.2), rng.uniform(0, 0.6), rng.uniform(0, 1)
        system = ContactSystem(robot, [Contact("end", Plane(), mu, restitution=e)], restitution="poisson")
        q, v = np.array([0, 0.5 * np.cos(angle), angle]), rng.normal(size=3)
        if system.state(q, v).approach[0] >= -1e-3:
            continue
        hit = impact(system, 0.0, q, v)
        assert hit.dissipated >= -1e-12
        assert system.state(q, hit.v).approach[0] >= -1e-9
        gained = robot.mass_matrix(q)[:2, :2] @ (hit.v - v)[:2]
        assert np.allclose(gained, hit.impulses[0, 1:], rtol=0, atol=1e-9)


def test_nothing_happens_where_nothing_approaches():
    system = ContactSystem(particle(), [Contact("mass", Plane(), 0.4)])
    v = np.array([1.0, 0, 0.5])
    assert np.array_equal(impact(system, 0.0, np.zeros(3), v).v, v)
