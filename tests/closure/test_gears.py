"""Gears without loops (URDF's mimic): reduced laws beside Pinocchio's and MuJoCo's; the tree's law warns."""

import warnings
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import rikigaku as rk
from rikigaku.core.errors import IgnoredWarning, UnphysicalInertiaWarning

ROBOTS = Path(
    str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
)
PANDA = ROBOTS / "panda_description/urdf/panda.urdf"


def test_reduced_laws_of_a_geared_robot_are_those_of_pinocchios_mimic_joints() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        robot = rk.load(PANDA)
    model = pin.buildModelFromUrdf(str(PANDA), mimic=True)
    data, plan = model.createData(), robot.closure()
    assert plan.mobility == model.nv == robot.nv - 1
    own = list(plan.structure.independent)
    assert [model.joints[model.getJointId(name)].idx_v for name in plan.independent] == list(range(model.nv))
    q, v, a = robot.random_state(0)
    tau = pin.rnea(model, data, q[own], v[own], a[own])
    forces = robot.reduced.inverse_dynamics(q, v[own], a[own], friction=False)
    np.testing.assert_allclose(forces, tau, atol=1e-11)
    M = pin.crba(model, data, q[own])
    np.testing.assert_allclose(robot.reduced.mass_matrix(q), np.triu(M) + np.triu(M, 1).T, atol=1e-12)
    found = robot.reduced.forward_dynamics(q, v[own], tau, friction=False)
    np.testing.assert_allclose(found, a[own], atol=1e-10)


def geared_arm() -> rk.Robot:
    """The first joints of an arm, the third following the second, the fourth the third."""
    body = rk.Inertia("com", 1.5, (0.1, 0.02, 0.03), (0.02, 0.001, 0, 0.03, 0, 0.04))
    X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    joints = [rk.Joint(name, axis=axis) for name, axis in zip("abcd", (Z, Y, Y, X), strict=True)]
    links = tuple(
        rk.Link(f"l{joint.name}", parent, joint, rk.Placement((0.3, 0, 0.1)), body)
        for joint, parent in zip(joints, ("base", "la", "lb", "lc"), strict=True)
    )
    gears = (rk.Coupling("c", "b", -1.5, 0.2), rk.Coupling("d", "c", 2.0))
    return rk.Robot("geared", links, couplings=gears).with_actuated(["a", "b"])


def test_accelerations_of_geared_robots_are_those_of_mujocos_joint_equalities(tmp_path: Path) -> None:
    robot = geared_arm()
    robot.save(tmp_path / "geared.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "geared.xml"))
    model.eq_solimp[:] = (0.9999, 0.9999, 0.001, 0.5, 2.0)  # as hard as MuJoCo allows
    data = mujoco.MjData(model)
    q, v, _ = robot.random_state(3)
    tau = np.array([0.7, -1.3])
    data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, tau
    mujoco.mj_forward(model, data)
    M = np.zeros((4, 4))
    mujoco.mj_fullM(model, data, M)
    J = data.efc_J.reshape(-1, 4)[:2]
    forces = np.array([*tau, 0.0, 0.0])
    whole = np.block([[M, J.T], [J, np.zeros((2, 2))]])
    exact = np.linalg.solve(whole, np.concatenate([forces - data.qfrc_bias, np.zeros(2)]))[:4]
    a = robot.loop_dynamics(q, v, forces)
    np.testing.assert_allclose(a, exact, atol=1e-10)
    assert np.abs(data.qacc - exact).max() < 1e-2 * np.abs(exact).max()  # MuJoCo's is compliant
    np.testing.assert_allclose(robot.reduced.forward_dynamics(q, v[:2], tau), a[:2], atol=1e-11)


def test_forward_dynamics_of_the_tree_says_that_gears_do_not_hold_in_it() -> None:
    robot = geared_arm()
    with pytest.warns(IgnoredWarning, match=r"c follows b, d follows c\).*robot\.reduced\.forward_dynamics"):
        law = robot.forward_dynamics
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again, tree = robot.forward_dynamics, robot.tree.forward_dynamics  # warned once
        inverse, loops = robot.inverse_dynamics, replace(robot, couplings=()).forward_dynamics
    q, v, a = robot.random_state(3)
    tau = inverse(q, v, a)
    assert np.array_equal(law(q, v, 0 * tau), tree(q, v, 0 * tau))
    assert np.array_equal(again(q, v, 0 * tau), loops(q, v, 0 * tau))
    told = law.status(np.stack([q, q]), v, np.stack([tau, 0 * tau]))
    assert list(told) == [
        "ok",
        "the gears do not hold in this law: robot.loop_dynamics and robot.reduced include them",
    ]
    assert "robot.reduced.forward_dynamics includes the gear" in law.__doc__
    assert "includes the gear" not in tree.__doc__
