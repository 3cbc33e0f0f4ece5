"""Balls, discs and boxes on planes and on each other: closed forms, energy, momentum."""

import numpy as np
import pytest
from bodies_in_contact import balance, ball
from scipy.optimize import brentq

import rikigaku as rk

G = 9.81
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def upright(angle):
    """Quaternion of a rotation about y."""
    return [np.cos(angle / 2), 0, np.sin(angle / 2), 0]


@pytest.mark.parametrize(("mu", "rolls"), [(0.5, True), (0.05, False)])
def test_a_ball_rolls_or_slides_down_an_incline(mu, rolls):
    r, slope = 0.1, 0.3
    incline = rk.Plane((np.sin(slope), 0, np.cos(slope)))
    start = [r * np.sin(slope), 0, r * np.cos(slope), 1, 0, 0, 0]
    contact = rk.Contact("ball", incline, mu, shape=rk.Ball(r))
    solution = rk.simulate(rk.Robot("ball", (ball(),)), start, duration=2, contacts=[contact], **TIGHT)
    acceleration = 5 / 7 * G * np.sin(slope) if rolls else G * (np.sin(slope) - mu * np.cos(slope))
    path = np.linalg.norm(solution.q[:, :3] - solution.q[0, :3], axis=1)
    assert path == pytest.approx(acceleration * solution.t**2 / 2, abs=1e-9)
    assert balance(solution) < 1e-10
    assert np.linalg.norm(solution.v[-1, 3:]) == pytest.approx(
        acceleration * 2 / r if rolls else 2.5 * mu * G * np.cos(slope) * 2 / r, rel=1e-9
    )


def test_a_billiard_ball_slides_until_it_rolls_at_five_sevenths_of_its_speed():
    """Side spin about the vertical does not matter; it stays."""
    contact = rk.Contact("ball", rk.Plane(), 0.2, shape=rk.Ball(0.1))
    start, v = [0, 0, 0.1, 1, 0, 0, 0], [1, 0.2, 0, 0, 0, 3]
    solution = rk.simulate(rk.Robot("ball", (ball(),)), start, v, duration=1, contacts=[contact], **TIGHT)
    speed = np.hypot(1, 0.2)
    assert [event.name for event in solution.events] == ["ball stops"]
    assert solution.events[0].t == pytest.approx(2 * speed / (7 * 0.2 * G), abs=1e-8)
    assert np.linalg.norm(solution.v[-1, :3]) == pytest.approx(5 / 7 * speed, abs=1e-9)
    assert balance(solution) < 1e-10
    R = np.asarray(solution.robot.pose(solution.q[-1], "ball"))[:3, :3]
    assert (R @ solution.v[-1, 3:])[2] == pytest.approx(3, abs=1e-9)


def test_a_ball_oscillates_in_a_bowl_as_a_pendulum_of_seven_fifths_of_its_length():
    """A rolling ball in a hollow sphere, small amplitude and exact energy."""
    R, r, angle = 1.0, 0.1, 1e-3
    bowl = rk.Contact("ball", rk.Sphere(R, inside=True), 0.8, shape=rk.Ball(r))
    start = [(R - r) * np.sin(angle), 0, -(R - r) * np.cos(angle), 1, 0, 0, 0]
    period = 2 * np.pi * np.sqrt(7 * (R - r) / (5 * G))
    solution = rk.simulate(rk.Robot("ball", (ball(),)), start, duration=period, contacts=[bowl], **TIGHT)
    assert solution.q[-1, 0] == pytest.approx(start[0], rel=1e-9)
    assert balance(solution) < 1e-8  # of a kinetic energy of 1e-6 J beside a potential energy of 20 J


def steady_disc(r, m, lean, precession):
    """Spin of a thin disc whose axis leans by an angle from the vertical and precesses steadily on a circle.

    Euler's equation about the centre: Om z x L = r d x F, F = m (g z - Om^2 X x), and rolling: v = -w x r d.
    """
    A, C = m * r * r / 4, m * r * r / 2
    n, e = np.array([0, 0, 1.0]), np.array([np.sin(lean), 0, np.cos(lean)])
    d = np.array([np.cos(lean), 0, -np.sin(lean)])

    def motion(spin):
        w = precession * n + spin * e
        v = -np.cross(w, r * d)
        along = w @ e
        L = A * (w - along * e) + C * along * e
        F = m * np.array([-precession * v[1], 0, G])
        return (precession * np.cross(n, L) - np.cross(r * d, F))[1], v, w, F

    return motion(brentq(lambda x: motion(x)[0], -400, 400, xtol=1e-14))


def test_a_disc_rolls_in_steady_precession():
    r, m, lean, precession = 0.1, 1.0, 1.2, 4.0
    disc = rk.free_body("disc", rk.SolidCylinder(r), m)
    _, v, w, F = steady_disc(r, m, lean, precession)
    start = np.array([v[1] / precession, 0, r * np.sin(lean), *upright(lean)])
    R = np.asarray(disc.pose(start, "disc"))[:3, :3]
    contact = rk.Contact("disc", rk.Plane(), 0.8, shape=rk.Rim(r))
    solution = rk.simulate(disc, start, [*R.T @ v, *R.T @ w], duration=3, contacts=[contact], **TIGHT)
    assert np.ptp(solution.q[:, 2]) < 1e-10
    turned = precession * solution.t
    circle = start[0] * np.stack([np.cos(turned), np.sin(turned)], axis=1)
    assert solution.q[:, :2] == pytest.approx(circle, abs=1e-9)
    across = [F[0] * np.cos(turned), F[0] * np.sin(turned), np.full_like(turned, F[2])]
    assert solution.forces["forces"][:, :3] == pytest.approx(np.stack(across, axis=1), abs=1e-7)
    assert balance(solution) < 1e-11


@pytest.mark.parametrize("mu", [0.0, 0.1, 3.0])
def test_eulers_disc_keeps_its_energy_balance(mu):
    r, lean, w = 0.1, 0.4, np.array([0.0, 0, 12])
    disc = rk.free_body("disc", rk.SolidCylinder(r), 1.0)
    start = np.array([0, 0, r * np.sin(lean), *upright(lean)])
    R = np.asarray(disc.pose(start, "disc"))[:3, :3]
    rolling = -np.cross(w, r * np.array([np.cos(lean), 0, -np.sin(lean)])) if mu > 1 else np.zeros(3)
    contact = rk.Contact("disc", rk.Plane(), mu, shape=rk.Rim(r))
    solution = rk.simulate(disc, start, [*R.T @ rolling, *R.T @ w], duration=1, contacts=[contact], **TIGHT)
    assert solution.status == "done"
    assert np.ptp(solution.q[:, 2]) > 0.01  # it wobbles
    assert balance(solution) < 1e-9
    if mu == 0:
        assert np.ptp(solution.kinetic_energy + solution.potential_energy) < 1e-9
        assert np.abs(solution.q[:, :2]).max() < 1e-12  # without friction the centre moves along the vertical


def test_a_wheel_with_a_round_edge_rolls_straight():
    """Upright, without slip: v = omega (radius + edge)."""
    wheel = rk.free_body("wheel", rk.SolidCylinder(0.3, 0.1, "y"), 5.0)
    contact = rk.Contact("wheel", rk.Plane(), 0.7, shape=rk.Rim(0.3, "y", edge=0.02))
    start, v = [0, 0, 0.32, 1, 0, 0, 0], [0.64, 0, 0, 0, 2, 0]
    solution = rk.simulate(wheel, start, v, duration=2, contacts=[contact], **TIGHT)
    assert not solution.events
    assert solution.q[-1, :3] == pytest.approx([1.28, 0, 0.32], abs=1e-10)


def test_a_cylinder_rolls_on_both_rims_and_on_no_other_point():
    shape = rk.SolidCylinder(0.1, 0.3, "y")
    contacts = rk.shape_contacts("log", shape, rk.Plane(), friction=0.3)
    solution = rk.simulate(
        rk.free_body("log", shape, 1.0),
        [0, 0, 0.1, 1, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
        duration=1,
        contacts=contacts,
    )
    stop = 1 / (3 * 0.3 * G)  # v - mu g t = 2 mu g t
    assert [event.t for event in solution.events] == pytest.approx([stop], abs=1e-8)
    assert solution.q[-1, 0] == pytest.approx(stop - 0.3 * G * stop**2 / 2 + 2 / 3 * (1 - stop), abs=1e-8)
    assert balance(solution) < 1e-9


def test_a_tilted_disc_falls_on_its_face():
    lean = 0.3
    disc, contacts = (
        rk.free_body("disc", rk.SolidCylinder(0.1), 1.0),
        rk.shape_contacts("disc", rk.SolidCylinder(0.1), rk.Plane(), friction=0.3),
    )
    start = [0, 0, 0.1 * np.sin(lean), *upright(lean)]
    solution = rk.simulate(disc, start, duration=0.5, contacts=contacts, **TIGHT)
    assert solution.status == "done"
    assert np.abs(solution.v[-1]).max() == 0
    assert abs(solution.q[-1, 2]) < 1e-8
    assert balance(solution) < 1e-9


def test_a_disc_falls_flat_and_lies_on_three_points_of_its_rim():
    disc = rk.free_body("disc", rk.SolidCylinder(0.1), 1.0)
    contacts = rk.shape_contacts("disc", rk.SolidCylinder(0.1), rk.Plane(), friction=0.5)
    solution = rk.simulate(disc, [0, 0, 0.05, 1, 0, 0, 0], duration=1, contacts=contacts)
    assert solution.status == "done"
    assert solution.q[-1, :3] == pytest.approx([0, 0, 0], abs=1e-9)
    assert np.abs(solution.v[-1]).max() < 1e-9
    assert solution.forces["forces"][-1].reshape(-1, 4)[:, 2].sum() == pytest.approx(G)
