"""Contacts whose forces the motion does not decide: what is closed holds as long as any forces within
friction carry it, and the least of these are reported."""

import numpy as np
import pytest
from tables import (
    CORNERS,
    HEIGHT,
    INERTIA,
    MASS,
    MU,
    STANDING,
    G,
    assert_sound,
    floor,
    forces_of,
    growing,
    steady,
    table,
)

import rikigaku as rk
from rikigaku.contact import ContactSystem
from rikigaku.contact.mode_selection import select_mode

WEIGHT = MASS * G


@pytest.fixture(scope="module")
def box():
    return table()


@pytest.mark.parametrize("push", [8.0, 8.82, 8.84, 9.0, 12.0])
def test_a_box_on_four_corners_slides_as_a_block_does(box, push):
    motion = rk.simulate(box, STANDING, torque=steady(push, 0, 0, 0, 0, 0), duration=0.5, contacts=floor())
    assert motion.done
    assert motion.events == ()
    speed = max(push - MU * WEIGHT, 0) / MASS * 0.5
    assert np.allclose(motion.v[-1], [speed, 0, 0, 0, 0, 0], rtol=0, atol=1e-9)
    assert_sound(motion, floor())
    f, _ = forces_of(motion)
    assert np.allclose(f.sum(axis=1)[-1], [-min(push, MU * WEIGHT), 0, WEIGHT], rtol=0, atol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 0.9])
def test_a_box_pushed_harder_and_harder_slips_where_all_of_its_friction_is_used(box, angle):
    push = 12 * np.array([np.cos(angle), np.sin(angle)])
    motion = rk.simulate(box, STANDING, torque=growing(1, *push, 0, 0, 0, 0), duration=0.8, contacts=floor())
    (event,) = motion.events
    assert event.t == pytest.approx(MU * WEIGHT / 12, abs=1e-9)
    assert {event.name, *event.also} == {f"c{i} slips" for i in range(4)}
    assert_sound(motion, floor())
    after = 0.8 - MU * WEIGHT / 12
    assert np.allclose(motion.v[-1, :2], 0.5 * after**2 * push / MASS, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("axis", "sign", "arm"), [(3, 1, 0.15), (3, -1, 0.15), (4, 1, 0.2), (4, -1, 0.2)])
def test_a_box_tips_over_its_edge_where_the_moment_outweighs_it(box, axis, sign, arm):
    end = WEIGHT * arm / 20
    moment = np.zeros(6)
    moment[axis] = sign * 20
    motion = rk.simulate(
        box, STANDING, torque=growing(1, *moment), duration=end + 0.05, contacts=floor(), rtol=1e-12
    )
    (event,) = motion.events
    assert event.t == pytest.approx(end, abs=1e-9)
    side = np.array(CORNERS)[:, 4 - axis] * (1 if axis == 3 else -1) * sign > 0
    assert {event.name, *event.also} == {f"c{i} lifts off" for i in np.flatnonzero(side)}
    assert_sound(motion, floor())
    assert sign * motion.v[-1, axis] > 0.1


def test_a_box_pushed_high_above_rough_ground_tips_instead_of_sliding(box):
    """Push P at the height h of the centre: it tips where P h = m g b, long before 3 m g."""
    rough = floor(mu=3.0)
    motion = rk.simulate(
        box, STANDING, torque=growing(1, 100, 0, 0, 0, 0, 0), duration=0.62, contacts=rough, rtol=1e-12
    )
    (event,) = motion.events
    assert event.t == pytest.approx(WEIGHT * 0.2 / HEIGHT / 100, abs=1e-9)
    assert {event.name, *event.also} == {"c2 lifts off", "c3 lifts off"}
    assert_sound(motion, rough, 3.0)


def test_a_box_is_twisted_loose_where_friction_at_its_corners_has_no_more_moment(box):
    reach = np.hypot(0.2, 0.15)
    motion = rk.simulate(box, STANDING, torque=growing(1, 0, 0, 0, 0, 0, 4), duration=0.7, contacts=floor())
    (event,) = motion.events
    assert event.t == pytest.approx(MU * WEIGHT * reach / 4, abs=1e-9)
    assert_sound(motion, floor())
    spin = 0.5 * 4 * (0.7 - event.t) ** 2 / INERTIA[2]
    assert np.allclose(motion.v[-1], [0, 0, 0, 0, 0, spin], rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("mu", "down"), [(0.6, 0.0), (0.2, G * (np.sin(np.radians(20)) - 0.2 * np.cos(np.radians(20))))]
)
def test_a_table_on_a_slope_has_forces_that_push_within_friction(box, mu, down):
    slope = np.radians(20)
    normal = np.array([np.sin(slope), 0, np.cos(slope)])
    ground = floor(mu=mu, normal=tuple(normal))
    half = np.array([np.cos(slope / 2), 0, np.sin(slope / 2), 0])
    q = np.array([*(HEIGHT * normal), *half])
    motion = rk.simulate(box, q, duration=0.3, contacts=ground, output=0.1)
    assert motion.done
    f, f_n = forces_of(motion)
    assert f_n.min() > 1.0
    rubbing = np.linalg.norm(f - f_n[:, :, None] * normal, axis=2)
    assert (rubbing - mu * f_n).max() < 1e-9
    along = np.array([np.cos(slope), 0, -np.sin(slope)])
    accelerated = MASS * down * along + [0, 0, WEIGHT]
    assert np.allclose(f.sum(axis=1), accelerated, rtol=0, atol=1e-9)
    assert motion.v[-1, 0] == pytest.approx(0.3 * down, abs=1e-9)
    chosen = select_mode(ContactSystem(box, ground), 0.0, q, np.zeros(6), np.zeros(6))
    assert chosen.indeterminate
    assert np.allclose(chosen.f, f[0], rtol=0, atol=1e-8)


def sliding_rates(t, y, points):
    """A flat body that slides and spins, its normal forces the least of those that keep it flat, by hand."""
    angle, *v = y[2:]
    c, s = np.cos(angle), np.sin(angle)
    arms = np.array([[c * px - s * py, s * px + c * py, -HEIGHT] for px, py in points])
    slip = np.array([[v[0] - v[2] * r[1], v[1] + v[2] * r[0], 0] for r in arms])
    pull = np.array([0, 0, 1]) - MU * slip / np.linalg.norm(slip, axis=1)[:, None]
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    inertia = turn @ np.diag(INERTIA) @ turn.T
    W = np.vstack([pull.T / MASS, np.linalg.solve(inertia, np.cross(arms, pull).T)])  # accelerations a force
    moment = -np.cross([0, 0, v[2]], inertia @ [0, 0, v[2]])
    free = np.array([0, 0, -G, *np.linalg.solve(inertia, moment)])
    keep = [np.array([0, 0, 1, r[1], -r[0], 0]) for r in arms]
    f = np.linalg.lstsq(np.array(keep) @ W, -np.array(keep) @ free, rcond=1e-10)[0]
    a = free + W @ f
    return [*v, a[0], a[1], a[5]]


@pytest.mark.parametrize("count", [3, 4, 8])
def test_bodies_on_several_points_slide_and_spin_as_the_least_normal_forces_make_them(count):
    from scipy.integrate import solve_ivp

    angles = 0.3 + 2 * np.pi * np.arange(count) / count
    points = [(0.2 * np.cos(a), 0.15 * np.sin(a)) for a in angles]
    robot, v0 = table(points), [0.7, 0.2, 3.0]
    motion = rk.simulate(
        robot,
        STANDING,
        [*v0[:2], 0, 0, 0, v0[2]],
        duration=0.12,
        contacts=floor(count),
        rtol=1e-11,
    )
    exact = solve_ivp(
        sliding_rates, (0, 0.12), [0, 0, 0, *v0], "DOP853", rtol=1e-12, atol=1e-14, args=(points,)
    ).y[:, -1]
    assert motion.done
    assert_sound(motion, floor(count))
    angle = 2 * np.arctan2(motion.q[-1, 6], motion.q[-1, 3])
    assert np.allclose([*motion.q[-1, :2], angle], exact[:3], rtol=0, atol=1e-9)
    assert motion.v[-1, 5] == pytest.approx(exact[5], abs=1e-8)


def test_a_moving_joint_s_dry_friction_counts_in_the_friction_margin():
    """A slider on a box of four corners drags the box along: it slips where push + drag = mu (m + m_s) g."""
    heavy, light, drag, push = 3.0, 0.5, 4.0, 12.0
    box = rk.Inertia("com", heavy, (0, 0, 0), (0.02, 0, 0, 0.03, 0, 0.04))
    body = rk.Inertia("com", light, (0, 0, 0), (1e-3, 0, 0, 1e-3, 0, 1e-3))
    slide = rk.Joint("slide", "prismatic", axis=(1, 0, 0))
    links = (
        rk.Link("box", "base", rk.Joint("fly", "free"), rk.Placement(), box),
        rk.Link("slider", "box", slide, rk.Placement(), body),
    )
    places = [rk.Placement((x, y, -HEIGHT)) for x, y in CORNERS]
    frames = tuple(rk.Frame(f"c{i}", "box", place) for i, place in enumerate(places))
    robot = rk.Robot("tray", links, frames)
    contacts = [rk.Contact(frame.name, rk.Plane(), MU) for frame in frames]
    v = np.zeros(robot.nv)
    v[-1] = 5.0
    torque = [f"{push}*t", *["0"] * (robot.nv - 1)]
    contacts.append(rk.JointFriction("slide", drag))
    start = [0, 0, HEIGHT, 1, 0, 0, 0, -0.5]
    motion = rk.simulate(robot, start, v, torque, duration=0.6, contacts=contacts)
    assert motion.done
    assert motion.events[0].t == pytest.approx((MU * (heavy + light) * G - drag) / push, abs=1e-9)
    assert "slips" in motion.events[0].name
