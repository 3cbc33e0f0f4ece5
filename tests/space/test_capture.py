"""Capture: momentum goes from one to the other, energy is lost, the two move as one."""

from dataclasses import replace

import numpy as np
import pytest

import rikigaku as rk
from rikigaku import space
from rikigaku.core.errors import WrongValue
from rikigaku.model.float_poses import quaternion_matrix

START = [0.2, 0.5, -0.3, 0.3, 0.9, 0.1]


@pytest.fixture(scope="module")
def meeting():
    """Hand and grip at one place (3 mm apart), each with a velocity of its own."""
    sat, target = rk.load("space_arm_6"), rk.load("space_target")
    q = sat.neutral()
    q[7:] = START
    rng = np.random.default_rng(4)
    v = sat.space.floating_velocity(q, 0.05 * rng.normal(size=6), 10 * rng.normal(size=6))
    hand = sat.pose(q, "hand")
    hand[:3, 3] += [0.003, 0, 0]
    body = hand @ np.linalg.inv(target.pose(target.neutral(), "grip"))
    p = space.coordinates_of(body)
    return sat, q, v, target, p, 0.05 * rng.normal(size=6)


@pytest.fixture(scope="module")
def caught(meeting) -> space.Captured:
    sat, q, v, target, p, w = meeting
    return space.capture(sat, q, v, "hand", target, p, w, "grip")


def test_momentum_of_both_does_not_change(meeting, caught: space.Captured) -> None:
    sat, q, v, target, p, w = meeting
    before = sat.momentum(q, v, about="world") + target.momentum(p, w, about="world")
    after = caught.robot.momentum(caught.q, caught.v, about="world")
    assert np.abs(after - before).max() < 1e-10 * np.abs(before).max()


def test_what_the_target_loses_the_robot_gets(meeting, caught: space.Captured) -> None:
    sat, q, v, *_ = meeting
    center = caught.robot.center_of_mass(caught.q)
    gained = sat.momentum(q, caught.v, about="world") - sat.momentum(q, v, about="world")
    about = gained[3:] - np.cross(center, gained[:3])
    assert np.abs(np.concatenate([gained[:3], about]) - caught.momentum_transfer).max() < 1e-9


def test_energy_is_lost_and_the_joined_robot_has_what_is_left(meeting, caught: space.Captured) -> None:
    sat, q, v, target, p, w = meeting
    before = sat.kinetic_energy(q, v) + target.kinetic_energy(p, w)
    after = caught.robot.kinetic_energy(caught.q, caught.v)
    assert caught.energy_loss > 0
    assert before - after == pytest.approx(caught.energy_loss, rel=1e-9)


def test_a_common_velocity_of_an_orbit_takes_no_digits_from_the_energy_lost(meeting, caught) -> None:
    """At 7.5 km/s both have 1e11 times the energy that is lost: their difference would keep few digits."""
    sat, q, v, target, p, w = meeting
    orbit = np.array([7000.0, -2000.0, 1800.0])
    fast, fast_w = v.copy(), w.copy()
    fast[:3] += sat.pose(q, "satellite")[:3, :3].T @ orbit
    fast_w[:3] += quaternion_matrix(p[3:]).T @ orbit
    found = space.capture(sat, q, fast, "hand", target, p, fast_w, "grip")
    assert found.energy_loss == pytest.approx(caught.energy_loss, rel=1e-8)


def test_motors_give_no_impulse(meeting, caught: space.Captured) -> None:
    """The joined robot's generalized momentum along the joints is that of the two apart, seen through J."""
    sat, q, v, *_ = meeting
    J = sat.jacobian(q, "hand")
    assert np.abs(sat.mass_matrix(q) @ (caught.v - v) - J.T @ caught.impulse).max() < 1e-9


def test_the_joined_robot_is_both(meeting, caught: space.Captured) -> None:
    sat, _, _, target, p, _ = meeting
    joined = caught.robot
    assert joined.nv == sat.nv
    assert joined.mass_matrix(caught.q)[0, 0] == pytest.approx(2646 + 150)
    assert np.abs(joined.pose(caught.q, "target_grip") - target.pose(p, "grip")).max() < 1e-12
    assert np.abs(joined.pose(caught.q, "target_target") - target.pose(p, "target")).max() < 1e-12


def test_after_capture_the_two_move_as_one(caught: space.Captured) -> None:
    brake = np.array([400.0, 400.0, 300.0, 80.0, 80.0, 40.0])
    motion = space.floating_motion(
        caught.robot, caught.q, caught.v, 5.0, lambda t, q, v: -brake * v[6:], tolerance=1e-9
    )
    assert np.ptp(motion.momentum, axis=0).max() < 1e-11 * np.abs(motion.momentum).max()
    assert np.abs(motion.energy - motion.energy[0] - motion.work).max() < 1e-9 * motion.energy[0]
    assert motion.energy[-1] < motion.energy[0]


def test_equal_motion_gives_no_impact(meeting) -> None:
    sat, q, v, target, p, _ = meeting
    twist = sat.velocity(q, v, "hand")
    grip = target.pose(p, "grip")
    twist[:3] += np.cross(twist[3:], grip[:3, 3] - sat.pose(q, "hand")[:3, 3])
    w = np.linalg.solve(target.jacobian(p, "grip"), twist)
    found = space.capture(sat, q, v, "hand", target, p, w, "grip")
    assert np.abs(found.impulse).max() < 1e-9
    assert abs(found.energy_loss) < 1e-12


def test_a_target_with_joints_of_its_own_keeps_them(meeting) -> None:
    sat, q, v, target, p, w = meeting
    inertia = rk.Inertia("com", 5, (0.5, 0, 0), (0.1, 0, 0, 0.4, 0, 0.4))
    panel = rk.Link("panel", "target", rk.Joint("hinge"), rk.Placement(("0.5", 0, 0)), inertia)
    winged = replace(target, links=(*target.links, panel))
    found = space.capture(
        sat, q, v, "hand", winged, np.append(p, 0.3), np.append(w, 0.1), "grip", prefix="dead_"
    )
    assert found.robot.nv == sat.nv + 1
    assert found.q[-1] == 0.3
    before = sat.momentum(q, v, about="world") + winged.momentum(
        np.append(p, 0.3), np.append(w, 0.1), about="world"
    )
    after = found.robot.momentum(found.q, found.v, about="world")
    assert np.abs(after - before).max() < 1e-10 * np.abs(before).max()


def test_the_distance_of_a_hand_that_is_not_there_is_reported(meeting) -> None:
    sat, q, v, target, p, w = meeting
    away = p.copy()
    away[0] += 0.1
    with pytest.raises(WrongValue, match=r"0\.103 m and 0 rad apart"):
        space.capture(sat, q, v, "hand", target, away, w, "grip")


def test_measures_of_a_configuration() -> None:
    sat = rk.load("space_dual_arm")
    q, v, _ = sat.random_state(3)
    J = sat.space.generalized_jacobian(q, "left_hand")
    s = np.linalg.svd(J, compute_uv=False)
    found = space.dynamic_singularity(sat, q, "left_hand")
    assert found.smallest == pytest.approx(s[-1])
    assert found.condition == pytest.approx(s[0] / s[-1])
    assert np.abs(J @ found.v - found.smallest * found.direction).max() < 1e-12
    basis = space.reaction_null_space(sat, q)
    assert basis.shape == (15, 12)
    assert np.abs(sat.space.coupling_inertia(q) @ basis).max() < 1e-10
    held = space.reaction_null_space(sat, q, translation=True)
    assert held.shape == (15, 9)
    for column in held.T:
        assert np.abs(sat.space.base_motion(q, column, np.zeros(6))).max() < 1e-12
    whole = np.linalg.norm(sat.momentum(q, v)[:3]), np.linalg.norm(sat.momentum(q, v)[3:])
    assert (space.link_momenta(sat, q, v) >= whole).all()
