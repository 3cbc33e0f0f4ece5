"""Rows of a task one by one, springs of the arm, drift of the whole, and times where a target jumps."""

from dataclasses import replace

import numpy as np
import pytest
from planar_arms import planar_3r
from random_robots import random_state
from random_satellites import random_satellite

import rikigaku as rk
from benchmarks.space_operations import general_arm
from rikigaku import space
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.laws.space.generalized_jacobian import ROWS
from rikigaku.space.frame_targets import Target
from rikigaku.space.target_following import pose_error

CURLED = np.array([0, 0, 0, 2.2, -1.4, -0.9])
BENT = np.array([0, 0, 0, 2.2, -2.0])


def test_torques_of_arms_with_springs_give_back_the_accelerations() -> None:
    sat = random_satellite(8, (4,))
    sprung = replace(
        sat,
        links=tuple(
            replace(link, joint=replace(link.joint, stiffness=30)) if link.joint.type == "revolute" else link
            for link in sat.links
        ),
    )
    q, v, a = random_state(sprung, np.random.default_rng(2))
    torques = sprung.space.floating_inverse_dynamics(q, v, a[6:])
    assert np.abs(sprung.space.floating_forward_dynamics(q, v, torques)[6:] - a[6:]).max() < 1e-9
    assert np.abs(torques - sat.space.floating_inverse_dynamics(q, v, a[6:])).max() > 1


def turning_line(robot: rk.Robot, q: np.ndarray, rate: float) -> Target:
    """Along a line while the hand turns about z, from rest: x'' = a, angle'' = rate."""
    first, push = robot.pose(q, "hand"), np.array([0.2, -0.3, 0, 0, 0, rate])

    def at(t: float) -> space.TargetState:
        X, angle = first.copy(), rate * t * t / 2
        c, s = np.cos(angle), np.sin(angle)
        X[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ X[:3, :3]
        X[:3, 3] += push[:3] * t * t / 2
        return space.TargetState(space.coordinates_of(X), push * t, push)

    return at


@pytest.mark.parametrize("controller", ["acceleration", "rate"])
def test_three_joints_in_the_plane_follow_a_point_and_a_rotation(controller: str) -> None:
    robot = planar_3r()
    target = turning_line(robot, CURLED, 0.5)
    found = space.follow(
        robot, CURLED, target, "hand", 1.0, rows="planar", controller=controller, times=[0.0, 0.5, 1.0]
    )
    assert found.status == "ok"
    ended = space.coordinates_of(found.pose[-1])
    wanted = target(1.0).pose
    assert np.abs(ended[:3] - wanted[:3]).max() < 1e-8
    assert abs(ended[3:] @ wanted[3:]) == pytest.approx(1, abs=1e-14)
    assert max(found.position_error.max(), found.orientation_error.max()) < 1e-8
    twist = robot.velocity(found.motion.q[-1], found.motion.v[-1], "hand")
    assert np.abs(twist - target(1.0).twist).max() < 1e-7


def test_a_hand_with_prescribed_rotation_rotates_and_translates_freely() -> None:
    sat = rk.load("space_arm_6")
    q = sat.neutral()
    q[7:] = [0.3, -0.5, 0.8, 0.4, 0.9, -0.2]
    target = turning_line(sat, q, 0.6)
    found = space.follow(sat, q, target, "hand", 1.0, rows="angular", times=[0.0, 0.5, 1.0], tolerance=1e-8)
    assert found.status == "ok"
    ended = space.coordinates_of(found.pose[-1])
    assert abs(ended[3:] @ target(1.0).pose[3:]) == pytest.approx(1, abs=1e-13)
    assert found.orientation_error.max() < 1e-7
    assert found.position_error.tolist() == [0, 0, 0]  # no row counts it
    assert np.linalg.norm(ended[:3] - target(1.0).pose[:3]) > 0.05


def test_the_end_of_a_line_is_seen_from_where_the_centre_of_mass_drifts_to() -> None:
    """20 kg with 6 N s: the end is in reach from where the whole starts, and out of it when it is time."""
    light = rk.load("space_planar_2r").bind(m0=10, m1=6, m2=4, l1=0.9, l2=0.7, b=0, I0=0.5)
    q = np.array([0, 0, 0, 0.4, -1.2])
    drift = np.array([-0.3, 0.0, 0.0])
    start, center = light.pose(q, "hand"), light.center_of_mass(q)
    line = space.line(start, start[:3, 3] + [0.1, 0.4, 0], velocity=0.2, acceleration=0.2)
    away = np.linalg.norm(line(line.duration).pose[:3] - center - line.duration * drift)
    assert np.linalg.norm(line(line.duration).pose[:3] - center) < 1.215 < away
    v = light.space.floating_velocity(q, np.zeros(2), [20 * drift[0], 0, 0, 0, 0, 0])
    found = space.follow(light, q, line, "hand", line.duration, v=v, rows="xy", tolerance=1e-7)
    assert f"the target ends {away:.4g} m from the centre of mass of the whole" in found.status
    assert found.motion.t[-1] < line.duration


@pytest.mark.parametrize("controller", ["acceleration", "rate"])
def test_steps_end_where_the_acceleration_of_a_line_jumps(controller: str) -> None:
    robot = rk.load("space_planar_2r")
    start = robot.pose(BENT, "hand")
    line = space.line(start, start[:3, 3] + [0, -0.6, 0], velocity=0.8, acceleration=0.9)
    run = space.follow(robot, BENT, line, "hand", line.duration, rows="xy", controller=controller)
    assert run.status == "ok"
    assert set(line.breaks) <= set(run.motion.t)


def test_the_transposed_jacobian_pulls_arms_with_fewer_joints_than_rows() -> None:
    """It is J*^T times the pull in the rows named, and no rows are too many for a product."""
    robot = rk.load("space_planar_2r")
    v = np.array([0.1, -0.2, 0.3, 0.5, -0.4])
    goal = space.coordinates_of(robot.pose(BENT + 0.2, "hand"))
    J, rotation = robot.space.generalized_jacobian(BENT, "hand"), robot.pose(BENT, "hand")
    pull = -3.0 * robot.velocity(BENT, v, "hand") + 7.0 * pose_error(rotation, goal)
    for rows in ("all", "linear", "planar", "xy"):
        places = list(ROWS[rows])
        found = robot.space.transposed_jacobian(BENT, v, goal, np.zeros(6), [3.0, 7.0], "hand", rows=rows)
        assert np.abs(found - J[places].T @ pull[places]).max() < 1e-12 * np.abs(pull).max() * np.abs(J).max()
    with pytest.raises(WrongValue, match="Rows 'some' are not known"):
        robot.space.transposed_jacobian(BENT, v, goal, np.zeros(6), [3.0, 7.0], "hand", rows="some")


def test_a_hand_follows_by_the_transposed_jacobian_with_more_rows_than_its_arm_has_joints() -> None:
    robot = rk.load("space_planar_2r")
    here = space.coordinates_of(robot.pose(BENT, "hand"))
    goal = space.coordinates_of(robot.pose(BENT + np.array([0, 0, 0, 0.1, -0.1]), "hand"))

    def target(t: float) -> space.TargetState:
        return space.TargetState(goal, np.zeros(6), np.zeros(6))

    found = space.follow(robot, BENT, target, "hand", 3.0, controller="transposed", gains=(30.0, 40.0))
    assert found.status == "ok"
    assert found.position_error[-1] < 0.5 * np.linalg.norm((goal - here)[:3])
    assert (found.manipulability == 0).all()  # six rows, two joints
    with pytest.raises(WrongValue, match="Rows 'some' are not known"):
        space.follow(robot, BENT, target, "hand", 3.0, rows="some", controller="transposed")
    with pytest.raises(UnknownName, match="hand"):
        space.follow(robot, BENT, target, "hnd", 3.0, controller="transposed")
    with pytest.raises(WrongValue, match="2 coordinates"):
        space.follow(robot, BENT, target, "hand", 3.0)


def test_matrices_of_a_satellite_without_arm_have_two_axes_of_none() -> None:
    body = rk.Inertia("com", 3, (0.1, 0, 0), (0.1, 0, 0, 0.1, 0, 0.15))
    bare = rk.Robot("bare", (), base_inertia=body).on_free_base().with_gravity((0, 0, 0))
    q = bare.neutral()
    assert bare.space.generalized_inertia(q).shape == (0, 0)
    assert bare.space.generalized_coriolis(np.stack([q, q]), np.zeros(0)).shape == (2, 0, 0)
    assert bare.space.generalized_jacobian(q, "base").shape == (6, 0)


def test_the_projector_is_the_basis_where_turning_has_full_rank_and_the_basis_is_known_elsewhere() -> None:
    sat = random_satellite(8, (4,))
    q, _, _ = random_state(sat, np.random.default_rng(1))
    basis = space.reaction_null_space(sat, q)
    assert basis.shape[1] >= 1
    assert np.abs(basis @ basis.T - sat.space.reaction_projector(q)).max() < 1e-10
    few = general_arm(2)
    q, _, _ = random_state(few, np.random.default_rng(1))
    with pytest.raises(WrongValue, match="no velocities are left over"):
        few.space.reaction_projector(q)
    assert space.reaction_null_space(few, q).shape == (2, 0)
