"""Gears (mimic joints) in elastic meshes: two joints with one number, in vibration, bending and motion."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import random_chain, with_sections
from random_robots import random_robot
from stabilization_study import closed_motion

import rikigaku as rk

Q = np.array([0.3, 0.6])
HINGES = ["integration", "released"]


def geared(**stiffness: float) -> rk.Robot:
    """An arm whose elbow turns twice as far as its shoulder, which is driven."""
    arm = rk.load("planar_2r")
    arm = replace(arm.bind(**arm.declared_values), couplings=(rk.Coupling("q2", "q1", 2.0),))
    return with_sections(arm.with_actuated(["q1"]), **(stiffness or {"EA": 1e8, "EI": 1e6}))


@pytest.mark.parametrize("hinges", HINGES)
def test_a_gear_takes_a_freedom_and_an_actuated_joint_holds_both_of_its_joints(hinges):
    elastic = geared().fem().elastic(elements=2, hinges=hinges)
    assert geared().fem().mobility(Q) == elastic.mobility(Q) == 1
    held = [elastic.modes(Q, locked=x).frequencies for x in ("motors", "all", ["q1"], ["q2"])]
    assert held[0][0] > 1
    for other in held[1:]:
        assert other == pytest.approx(held[0], rel=1e-9)


@pytest.mark.parametrize("hinges", HINGES)
@pytest.mark.parametrize("joint", ["q1", "q2"])
def test_a_compliant_transmission_swings_the_inertia_both_joints_have_through_the_gear(joint, hinges):
    elastic = geared().fem().elastic(elements=2, hinges=hinges, joint_stiffness={joint: 50.0})
    rates = np.array([1.0, 2.0])  # of both joints for a unit of the first
    stiffness = 50.0 * rates[["q1", "q2"].index(joint)] ** 2
    inertia = rates @ geared().tree.mass_matrix(Q) @ rates
    for locked in ("none", "motors", "all"):
        lowest = elastic.modes(Q, count=1, locked=locked).frequencies[0]
        assert lowest == pytest.approx(np.sqrt(stiffness / inertia) / (2 * np.pi), rel=2e-3)


@pytest.mark.parametrize("hinges", HINGES)
def test_the_null_space_of_random_mechanisms_with_gears_is_their_mobility(hinges):
    tree = random_robot(3, 6, ("revolute", "prismatic"))
    names = [joint.name for joint in tree.joints if joint.nv == 1]
    chain, q = random_chain(1, True, links=8)
    tied = rk.Coupling("q4", "q2", -0.7, q[4] + 0.7 * q[2])
    for robot, at in (
        (replace(tree, couplings=(rk.Coupling(names[3], names[1], 1.5),)), np.zeros(tree.nq)),
        (replace(chain, couplings=(tied,)), q),
    ):
        expected = robot.nv - np.linalg.matrix_rank(robot.loop_jacobian(at), tol=1e-8)
        assert robot.fem().elastic(elements=2, hinges=hinges).mobility(at) == expected


def test_a_stiff_geared_arm_falls_as_the_rigid_one():
    robot = geared()
    found = robot.fem().elastic(elements=2).simulate(Q, [1.0, 2.0], duration=0.1, step=2e-3, rho=0.8)
    exact = closed_motion(robot, Q, np.array([1.0, 2.0]), 0.1)
    assert found.q[-1] == pytest.approx(exact.q[-1], abs=1e-4)
    assert found.q[:, 1] == pytest.approx(2 * found.q[:, 0], abs=1e-12)
