"""States converted to Pinocchio and MuJoCo: the same poses, energies, forces and motions come out there."""

from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from interop_reference import (
    KINDS,
    PUBLIC,
    ROBOTS,
    layouts,
    link_poses,
    mujoco_model,
    random_state,
    step,
    steps_pose,
)
from readers import parse_urdf, read_urdf

from rikigaku.formats.state_conversion import to_mujoco, to_pinocchio
from rikigaku.model.geometry import Placement
from rikigaku.robot import Robot


def without_shapes(text: str) -> str:
    root = ElementTree.fromstring(text)
    for link in root.findall("link"):
        for shape in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shape)
    return ElementTree.tostring(root, "unicode")


def assert_poses_agree_with_pinocchio(robot: Robot, model: pin.Model, seed: int) -> None:
    data, layout = model.createData(), to_pinocchio(robot, model)
    q, _, _ = random_state(robot, np.random.default_rng(seed))
    pin.framesForwardKinematics(model, data, layout.q(q))
    for name, pose in link_poses(robot, q).items():
        if model.existFrame(name, pin.FrameType.BODY):
            theirs = data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous
            np.testing.assert_allclose(pose, theirs, rtol=0, atol=1e-11, err_msg=name)


@pytest.mark.parametrize("file", PUBLIC)
@pytest.mark.parametrize("free", [False, True])
def test_converted_positions_put_every_link_where_pinocchio_puts_it(file: str, free: bool) -> None:
    path = ROBOTS / file
    root = (pin.JointModelFreeFlyer(),) if free else ()
    model = pin.buildModelFromUrdf(str(path), *root)
    assert_poses_agree_with_pinocchio(read_urdf(path, free_base=free), model, seed=3)


def composite_inertia(robot: Robot, q: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and tensor about it, world axes, of all links that move."""
    poses, parts = link_poses(robot, q), []
    for link in robot.links:
        if link.inertia is not None:
            X = poses[link.name] @ steps_pose(Placement(link.inertia.position, link.inertia.rpy).before())
            xx, xy, xz, yy, yz, zz = (float(x) for x in link.inertia.tensor)
            tensor = X[:3, :3] @ [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] @ X[:3, :3].T
            parts.append((float(link.inertia.m), X[:3, 3], tensor))
    m = sum(mass for mass, _, _ in parts)
    c = sum(mass * p for mass, p, _ in parts) / m
    shifted = [I + mass * ((p - c) @ (p - c) * np.eye(3) - np.outer(p - c, p - c)) for mass, p, I in parts]
    return m, c, sum(shifted)


@pytest.mark.parametrize("file", ["", *PUBLIC])
def test_the_inertia_of_the_whole_robot_is_pinocchios(file: str) -> None:
    text = KINDS if not file else (ROBOTS / file).read_text()
    robot = parse_urdf(text, free_base=True)
    root = (pin.JointModelFreeFlyer(),) if robot.joints[0].name == "free_base" else ()
    model = pin.buildModelFromXML(text, *root)
    data = model.createData()
    q, v, _ = random_state(robot, np.random.default_rng(12))
    layout = to_pinocchio(robot, model)
    pin.ccrba(model, data, layout.q(q), layout.v(q, v))
    m, c, tensor = composite_inertia(robot, q)
    assert m == pytest.approx(data.Ig.mass, rel=1e-12)
    np.testing.assert_allclose(c, data.com[0], rtol=0, atol=1e-11)
    np.testing.assert_allclose(tensor, data.Ig.inertia, rtol=1e-10, atol=1e-11)


def test_every_kind_of_joint_stands_where_pinocchio_and_mujoco_put_it(kinds) -> None:
    robot, model, other = kinds
    assert_poses_agree_with_pinocchio(robot, model, seed=4)
    data = mujoco.MjData(other)
    q, _, _ = random_state(robot, np.random.default_rng(5))
    data.qpos[:] = to_mujoco(robot, other).q(q)
    mujoco.mj_kinematics(other, data)
    poses = link_poses(robot, q)
    for name in "abcdef":
        np.testing.assert_allclose(poses[name][:3, 3], data.body(name).xpos, rtol=0, atol=1e-12)
        np.testing.assert_allclose(poses[name][:3, :3].ravel(), data.body(name).xmat, rtol=0, atol=1e-12)


@pytest.mark.parametrize("file", PUBLIC[:3])
def test_converted_positions_put_every_link_where_mujoco_puts_it(file: str) -> None:
    text = without_shapes((ROBOTS / file).read_text())
    robot, model = parse_urdf(text), mujoco_model(text)
    data = mujoco.MjData(model)
    q, _, _ = random_state(robot, np.random.default_rng(6))
    data.qpos[:] = to_mujoco(robot, model).q(q)
    mujoco.mj_kinematics(model, data)
    poses = link_poses(robot, q)
    compared = [model.body(i).name for i in range(1, model.nbody) if model.body(i).name in poses]
    assert len(compared) >= robot.nv
    for name in compared:
        np.testing.assert_allclose(poses[name][:3, 3], data.body(name).xpos, rtol=0, atol=1e-11)


def test_a_short_motion_is_the_one_pinocchio_and_mujoco_make(kinds) -> None:
    robot, model, other = kinds
    (pinocchio, mj), dt = layouts(kinds), 1e-6
    q, v, _ = random_state(robot, np.random.default_rng(7))
    after = step(robot, q, v, dt)
    theirs = pin.integrate(model, pinocchio.q(q), pinocchio.v(q, v) * dt)
    np.testing.assert_allclose(theirs, pinocchio.q(after), rtol=0, atol=10 * dt**2)
    qpos = mj.q(q)
    mujoco.mj_integratePos(other, qpos, mj.v(q, v), dt)
    np.testing.assert_allclose(qpos, mj.q(after), rtol=0, atol=10 * dt**2)
    assert np.abs(mj.q(after) - mj.q(q)).max() > 0.1 * dt  # the bound could fail


def test_accelerations_are_the_rates_of_the_converted_velocities(kinds) -> None:
    robot, dt = kinds[0], 1e-6
    q, v, a = random_state(robot, np.random.default_rng(8))
    for layout in layouts(kinds):
        before, after = (layout.v(step(robot, q, v, t), v + t * a) for t in (-dt, dt))
        np.testing.assert_allclose(layout.a(q, v, a), (after - before) / (2 * dt), rtol=0, atol=1e-8)


def test_pinocchio_and_mujoco_agree_on_energy_and_forces_through_our_layout(kinds) -> None:
    robot, model, other = kinds
    pinocchio, mj = layouts(kinds)
    np.testing.assert_array_equal(other.opt.gravity, model.gravity.linear)
    data, md = model.createData(), mujoco.MjData(other)
    q, v, a = random_state(robot, np.random.default_rng(9))
    tau = pin.rnea(model, data, pinocchio.q(q), pinocchio.v(q, v), pinocchio.a(q, v, a))
    md.qpos[:], md.qvel[:], md.qacc[:] = mj.q(q), mj.v(q, v), mj.a(q, v, a)
    mujoco.mj_inverse(other, md)
    ours = pinocchio.from_tau(q, tau)
    np.testing.assert_allclose(ours, mj.from_tau(q, md.qfrc_inverse), rtol=0, atol=1e-10)
    M = pin.crba(model, data, pinocchio.q(q))
    M = np.triu(M) + np.triu(M, 1).T
    T = pinocchio.velocity_map(q)
    energy = pin.computeKineticEnergy(model, data, pinocchio.q(q), pinocchio.v(q, v))
    assert 0.5 * v @ T.T @ M @ T @ v == pytest.approx(energy, rel=1e-12)
    full = np.zeros((other.nv, other.nv))
    mujoco.mj_fullM(other, md, full)
    S = mj.velocity_map(q)
    np.testing.assert_allclose(S.T @ full @ S, T.T @ M @ T, rtol=0, atol=1e-11)
