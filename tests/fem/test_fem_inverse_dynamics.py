"""Torques by [L][T]{P} against statics on paper, Pinocchio with a projection, and the closed laws."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import LENGTH, MASS, TILT, configuration, moving_state, portal, random_chain, tilting
from pinocchio_tree import Tree
from random_robots import random_robot

import rikigaku as rk
from rikigaku.fem import Motion, Ratio, Weighted
from rikigaku.trajectory import quintic

G = 9.81


def one_state(robot, q, v, a):
    return Motion(robot, np.zeros(1), *(np.asarray(x, dtype=float)[None] for x in (q, v, a)))


@pytest.mark.parametrize("tilt", [0.0, TILT])
@pytest.mark.parametrize("part", [0.5, 0.8, 1.0, 0.0])
def test_the_portal_frame_at_rest_has_the_torques_of_statics(part, tilt):
    robot, load = portal(), 1.0
    still = one_state(robot, configuration(robot, tilt), np.zeros(6), np.zeros(6))
    found = robot.fem(masses={"top": load}).inverse_dynamics(still, sharing=part)
    l, m, s = LENGTH, MASS, np.sin(tilt)
    for names, share, sign in (
        (("joint3", "joint2", "joint1"), part, -1),
        (("joint4", "joint5", "joint6"), 1 - part, 1),
    ):
        corner = sign * G * (l * m / 2 + l * share * load)
        knee = corner - G * s * (l * m / 2 + l * (m + share * load))
        foot = knee - G * s * (l * m / 2 + l * (2 * m + share * load))
        for name, expected in zip(names, (corner, knee, foot), strict=True):
            assert found.torque(name)[0] == pytest.approx(expected, abs=1e-10)


def test_the_passive_node_at_the_right_corner_moves_load_to_the_left():
    middle, corner = portal(), portal(left=4)
    torques = [
        robot.fem(masses={"top": 1.0}).inverse_dynamics(tilting(robot, 10.0), sharing=0.5)
        for robot in (middle, corner)
    ]
    first, second = (np.abs(found.torque("joint3")).max() for found in torques)
    assert second > 2 * first  # the lever is twice as long
    # joint 4 of the longer arm holds its own link and half the load
    assert torques[1].torque("joint4")[0] == pytest.approx(-G * (LENGTH * MASS / 2 + LENGTH * 0.5), rel=2e-2)


def test_any_sharing_is_in_equilibrium_and_scaling_torques_is_not():
    robot = portal()
    mesh, path = robot.fem(masses={"top": 1.0}), tilting(robot, 1.0)
    loaded = replace(  # the same mass on the left link of the cut
        robot,
        links=tuple(
            replace(
                link,
                inertia=rk.Inertia(
                    "origin", MASS + 1, (0, 0, 0.25 + 0.5), (0.25 / 3 + 0.25, 0, 0, 0.25 / 3 + 0.25, 0, 0)
                ),
            )
            if link.name == "link3"
            else link
            for link in robot.links
        ),
    )
    t = np.linspace(0, 1, 7)
    state = path(t)
    tree = loaded.tree.inverse_dynamics(*state)
    free = np.array([np.linalg.svd(J)[2][np.linalg.matrix_rank(J) :] for J in robot.loop_jacobian(state.q)])
    for sharing in (0.0, 0.3, 0.8, lambda t: t, "least_norm", Weighted({"joint1": 7.0})):
        found = mesh.inverse_dynamics(path, t, sharing=sharing).torques
        # virtual work of all motions the loop allows
        assert np.abs(np.einsum("tij,tj->ti", free, found - tree)).max() < 1e-11
    half, whole = (mesh.inverse_dynamics(path, t, sharing=x).torques for x in (0.5, 0.8))
    scaled = half * np.where(np.arange(6) < 3, 1.6, 0.4)
    assert np.abs(np.einsum("tij,tj->ti", free, scaled - tree)).max() > 1
    assert np.abs(half - whole).max() > 1


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_least_norm_and_weighted_torques_are_those_of_pinocchio_with_the_loops_projected(seed, spatial):
    robot, q = random_chain(seed, spatial, passive=seed % 3)
    v, a = moving_state(robot, q, seed)
    tree = Tree(robot)
    needed = tree.forces(q, v, a) + 0.1 * v  # viscous friction of all joints
    J = tree.loop_jacobian(q)
    rank = np.linalg.matrix_rank(J, tol=1e-9)
    P = np.linalg.svd(J)[2][rank:]
    driven = np.array([joint.actuated for joint in robot.joints])
    for weights in (np.ones(robot.nv), np.linspace(1, 3, robot.nv)):
        W = np.diag(1 / weights[driven])
        A = P[:, driven]
        expected = np.zeros(robot.nv)
        expected[driven] = W @ A.T @ np.linalg.solve(A @ W @ A.T, P @ needed)
        rule = Weighted(dict(zip((j.name for j in robot.joints), weights, strict=True)))
        found = robot.fem().inverse_dynamics(one_state(robot, q, v, a), sharing=rule).torques[0]
        assert found == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "three_rrr", "stewart", "delta", "rosam_loop"])
def test_shipped_closed_robots_need_what_their_compiled_laws_say(name):
    robot = rk.load(name)
    robot = robot.bind(**robot.declared_values) if robot.free_symbols else robot
    q = robot.closure().samples[0]
    v, a = moving_state(robot, q, 0)
    found = robot.fem().inverse_dynamics(one_state(robot, q, v, a), sharing="least_norm").torques[0]
    expected = robot.actuation_forces(q, v, a).tau
    driven = list(robot.closure().structure.actuated)
    assert found[driven] == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    passive = np.setdiff1d(np.arange(robot.nv), driven)
    assert np.abs(found[passive]).max(initial=0) < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("seed", range(3))
def test_the_matrices_of_the_paper_give_the_torques_of_random_trees(seed):
    robot = random_robot(seed, 8, ("revolute", "prismatic", "spherical", "universal"))
    q, v, a = robot.random_state(seed)
    L, T, P = robot.fem().matrices(q, v, a)
    expected = robot.inverse_dynamics(q, v, a, friction=False)
    rotor = np.concatenate([np.full(j.nv, float(j.rotor)) for j in robot.joints])
    assert L @ (T @ P) + rotor * a == pytest.approx(expected, abs=1e-11 * np.abs(expected).max())


def test_the_matrix_of_lengths_of_a_planar_chain_is_the_one_of_the_paper():
    robot = rk.Robot("chain", portal().links[:3])
    L, T, P = robot.fem().matrices([0.3, 0.1, 0.2], np.zeros(3), np.zeros(3))
    L = L.toarray()
    # rows of joints 1 to 3, columns of [F, N] of links 1 to 3: zero below the diagonal
    assert np.abs(L[1, :6]).max() == 0
    assert np.abs(L[2, :12]).max() == 0
    # l_C times the transverse force, 1 times the moment, l times the sum beyond
    # (link axes: along, across, hinge)
    for k in range(3):
        assert L[k, 6 * k : 6 * k + 6] == pytest.approx([0, LENGTH / 2, 0, 0, 0, 1])
    assert L[0, 18:21] == pytest.approx([0, LENGTH, 0])
    assert T.shape == (len(P), len(P))


def test_gyroscopic_moments_are_there_in_space():
    spun = rk.load("panda").with_gravity((0, 0, 0))
    q, v, a = np.array([0.2, 0.4, -0.3, -0.9, 0.5, 0.7, 0.1]), np.full(7, 3.0), np.zeros(7)
    found = spun.fem().inverse_dynamics(one_state(spun, q, v, a), friction=False).torques[0]
    assert found == pytest.approx(spun.inverse_dynamics(q, v, a, friction=False), abs=1e-11)
    assert np.abs(found).max() > 1


def test_wrenches_act_as_in_the_laws():
    robot = rk.load("panda")
    q, v, a = robot.random_state(3)
    w = np.array([10.0, -5, 3, 1, 2, -1])
    found = robot.fem().inverse_dynamics(one_state(robot, q, v, a), wrenches={"hand": w}).torques[0]
    assert found == pytest.approx(robot.inverse_dynamics(q, v, a, wrenches={"hand": w}), abs=1e-10)


def test_paths_of_points_are_followed_and_the_rest_is_assembled():
    robot = rk.load("five_bar")
    path = quintic([0.0, 0.55], [0.1, 0.6], 1.0)
    found = robot.fem().inverse_dynamics({"hand": path}, samples=21)
    motion = found.motion
    hand = np.array([robot.pose(q, "hand")[:3, 3] for q in motion.q])
    assert hand[:, 1:] == pytest.approx(path(motion.t).q, abs=1e-11)
    assert np.abs(robot.loop_residual(motion.q)).max() < 1e-11
    assert motion.v == pytest.approx(np.gradient(motion.q, motion.t, axis=0), abs=0.05)
    expected = robot.inverse_dynamics(motion.q, motion.v, motion.a)
    driven = list(robot.closure().structure.actuated)
    assert found.torques[:, driven] == pytest.approx(expected, abs=1e-9)


def test_equation_three_is_off_as_the_analysis_says():
    robot = portal()
    mesh = robot.fem(masses={"top": 1.0})
    path = quintic(configuration(robot, 0.0), configuration(robot, TILT), 1.0)
    errors = {}
    for count in (101, 201):
        t = np.linspace(0, 1, count)
        exact = mesh.inverse_dynamics(path, t, sharing=0.5).torques
        for method in ("newmark", "recursive"):
            errors[method, count] = np.abs(
                mesh.inverse_dynamics(path, t, sharing=0.5, method=method).torques - exact
            ).max()
    assert errors["newmark", 101] / errors["newmark", 201] == pytest.approx(2, rel=0.1)  # jerk dt / 3
    assert errors["recursive", 201] > 0.9 * errors["recursive", 101] > 5  # does not shrink


def test_a_ratio_that_follows_time_is_at_each_instant_the_constant_one():
    robot = portal()
    mesh, path = robot.fem(masses={"top": 1.0}), tilting(robot, 1.0)
    t = np.linspace(0, 1, 5)
    moving = mesh.inverse_dynamics(path, t, sharing=Ratio({"top": lambda t: 0.5 + 0.3 * t})).torques
    for k, part in enumerate(0.5 + 0.3 * t):
        assert moving[k] == pytest.approx(mesh.inverse_dynamics(path, t, sharing=part).torques[k], abs=1e-12)


def test_springs_of_joints_are_pulled_as_in_the_laws():
    robot = rk.load("planar_2r")
    robot = robot.bind(**robot.declared_values)
    links = tuple(
        replace(link, joint=replace(link.joint, stiffness=3.0, rest=0.2, coulomb=0.5)) for link in robot.links
    )
    robot = replace(robot, links=links)
    q, v, a = robot.random_state(1)
    found = robot.fem().inverse_dynamics(one_state(robot, q, v, a)).torques[0]
    assert found == pytest.approx(robot.inverse_dynamics(q, v, a), abs=1e-12)
    bare = robot.fem().inverse_dynamics(one_state(robot, q, v, a), friction=False).torques[0]
    assert bare == pytest.approx(robot.inverse_dynamics(q, v, a, friction=False), abs=1e-12)


def test_a_chain_of_a_thousand_links_and_many_samples_at_once_need_what_the_laws_say():
    links = [
        rk.Link(
            f"l{k}",
            f"l{k - 1}" if k else "base",
            rk.Joint(
                f"q{k}", "prismatic" if k % 7 == 3 else "revolute", axis=(1, 0, 0) if k % 2 else (0, 0, 1)
            ),
            rk.Placement((0.01, 0, 0.02)),
            rk.Inertia("com", 0.1, (0.01, 0, 0.01), (1e-4, 0, 0, 2e-4, 0, 2e-4)),
        )
        for k in range(1000)
    ]
    short, long = (rk.Robot("chain", tuple(links[:count])) for count in (12, 1000))
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 5, 12))
    motion = Motion(short, np.arange(5.0), q, v, a)
    found = short.fem().inverse_dynamics(motion, friction=False).torques
    assert found == pytest.approx(short.inverse_dynamics(q, v, a, friction=False), abs=1e-12)
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 1000))
    mesh = long.fem()
    found = mesh.inverse_dynamics(one_state(long, q, v, a), friction=False).torques[0]
    L, T, P = mesh.matrices(q, v, a)  # the dense way: a product of matrices
    assert found == pytest.approx(L @ (T @ P), abs=1e-10 * np.abs(found).max())
