"""States converted to Pinocchio and MuJoCo: the same poses, energies, forces and motions come out there."""

import math
from importlib.metadata import distribution
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from rikigaku.errors import UnknownName, WrongSize, WrongValue
from rikigaku.model.geometry import Placement, Steps
from rikigaku.model.interop import Layout, to_mujoco, to_pinocchio
from rikigaku.model.joint import Joint
from rikigaku.model.robot import Link, Robot
from rikigaku.model.urdf import parse_urdf, read_urdf

ROBOTS = Path(
    str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
)
PUBLIC = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "solo_description/robots/solo12.urdf",
)
INERTIAL = """<inertial><origin xyz="0.1 -0.2 0.3" rpy="0.3 0.2 -0.4"/><mass value="1.5"/>
    <inertia ixx="0.4" ixy="0.01" ixz="0.02" iyy="0.5" iyz="-0.03" izz="0.6"/></inertial>"""
# Every kind of joint URDF has; the joints do not stand in the order of the tree.
KINDS = f"""<robot name="kinds">
  <link name="world"/>
  <link name="a">{INERTIAL}</link> <link name="b">{INERTIAL}</link> <link name="c">{INERTIAL}</link>
  <link name="d">{INERTIAL}</link> <link name="e">{INERTIAL}</link> <link name="f">{INERTIAL}</link>
  <joint name="slide" type="prismatic"><parent link="c"/><child link="d"/><axis xyz="1 2 2"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.5 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="float" type="floating"><parent link="world"/><child link="a"/></joint>
  <joint name="wheel" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 3 4"/>
    <origin xyz="0 0.2 0" rpy="0 0.7 0"/></joint>
  <joint name="floor" type="planar"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <origin xyz="0.3 0 0.1" rpy="0.2 -0.4 0.6"/></joint>
  <joint name="turn" type="revolute"><parent link="d"/><child link="e"/><axis xyz="0 0 -1"/>
    <origin xyz="0 0 0.4"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="spin" type="continuous"><parent link="a"/><child link="f"/><axis xyz="0 0 1"/>
    <origin xyz="-0.3 0 0"/></joint>
</robot>"""


# -- a reference that shares nothing with the package's laws -------------------------------------------------


def rotation_about(axis: object, angle: float) -> np.ndarray:
    x, y, z = np.asarray(axis, float) / np.linalg.norm(np.asarray(axis, float))
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def homogeneous(R: object = None, p: object = (0, 0, 0)) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3] = np.eye(3) if R is None else R
    X[:3, 3] = p
    return X


def steps_pose(steps: Steps) -> np.ndarray:
    X = np.eye(4)
    for step in steps:
        axis = np.eye(3)["xyz".index(step.axis[1])]
        amount = float(step.amount)
        turn = step.axis[0] == "r"
        X = X @ (homogeneous(rotation_about(axis, amount)) if turn else homogeneous(p=amount * axis))
    return X


def quaternion_matrix(w: float, x: float, y: float, z: float) -> np.ndarray:
    angle = 2 * math.atan2(math.hypot(x, y, z), w)
    return rotation_about((x, y, z), angle) if angle else np.eye(3)


def joint_pose(joint: Joint, q: np.ndarray) -> np.ndarray:
    axis = np.array([float(x) for x in joint.axis])
    match joint.type:
        case "fixed":
            return np.eye(4)
        case "revolute":
            return homogeneous(rotation_about(axis, q[0]))
        case "prismatic":
            return homogeneous(p=q[0] * axis / np.linalg.norm(axis))
        case "planar":
            return homogeneous(rotation_about((0, 0, 1), q[2]), (q[0], q[1], 0))
        case "free":
            return homogeneous(quaternion_matrix(*q[3:]), q[:3])
    raise AssertionError(joint.type)


def link_poses(robot: Robot, q: np.ndarray) -> dict[str, np.ndarray]:
    poses = {robot.base: np.eye(4)}
    waiting = list(robot.links)
    while waiting:
        link = next(link for link in waiting if link.parent in poses)
        waiting.remove(link)
        own = q[robot.q_slices.get(link.joint.name, slice(0, 0))]
        moved = joint_pose(link.joint, own) @ steps_pose(link.geometry.after())
        poses[link.name] = poses[link.parent] @ steps_pose(link.geometry.before()) @ moved
    return poses


def random_state(robot: Robot, rng: np.random.Generator, *batch: int) -> tuple[np.ndarray, ...]:
    q = rng.uniform(-2, 2, (*batch, robot.nq))
    for joint in robot.joints:
        if joint.type == "free":
            quaternion = q[..., robot.q_slices[joint.name]][..., 3:]
            quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    return q, rng.uniform(-1, 1, (*batch, robot.nv)), rng.uniform(-1, 1, (*batch, robot.nv))


def step(robot: Robot, q: np.ndarray, v: np.ndarray, dt: float) -> np.ndarray:
    """q after dt at the constant velocity v, to first order in position (quaternions exactly)."""
    after = q.copy()
    for joint in robot.joints:
        own_q, own_v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if joint.type != "free":
            after[own_q] = q[own_q] + dt * v[own_v]
            continue
        p, (w, *xyz), x = q[own_q][:3], q[own_q][3:], v[own_v]
        angle = np.linalg.norm(x[3:]) * dt
        s, u = math.cos(angle / 2), math.sin(angle / 2) * x[3:] / np.linalg.norm(x[3:])
        turned = np.array([w * s - u @ xyz, *(w * u + s * np.array(xyz) + np.cross(xyz, u))])
        after[own_q] = np.concatenate([p + dt * quaternion_matrix(w, *xyz) @ x[:3], turned])
    return after


# -- the models ----------------------------------------------------------------------------------------------


def without_shapes(text: str) -> str:
    root = ElementTree.fromstring(text)
    for link in root.findall("link"):
        for shape in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shape)
    return ElementTree.tostring(root, "unicode")


def mujoco_model(text: str) -> mujoco.MjModel:
    extension = '<mujoco><compiler fusestatic="false"/></mujoco>'
    model = mujoco.MjModel.from_xml_string(text.replace("</robot>", extension + "</robot>"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # random states lie beyond the limits
    return model


def same_up_to_whole_turns(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_allclose(np.exp(1j * one), np.exp(1j * other), rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def kinds() -> tuple[Robot, pin.Model, mujoco.MjModel]:
    return parse_urdf(KINDS, strict=True), pin.buildModelFromXML(KINDS), mujoco_model(KINDS)


def layouts(kinds: tuple[Robot, pin.Model, mujoco.MjModel]) -> tuple[Layout, Layout]:
    robot, model, other = kinds
    return to_pinocchio(robot, model), to_mujoco(robot, other)


def assert_poses_agree_with_pinocchio(robot: Robot, model: pin.Model, seed: int) -> None:
    data, layout = model.createData(), to_pinocchio(robot, model)
    q, _, _ = random_state(robot, np.random.default_rng(seed))
    pin.framesForwardKinematics(model, data, layout.q(q))
    for name, pose in link_poses(robot, q).items():
        if model.existFrame(name, pin.FrameType.BODY):
            theirs = data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous
            np.testing.assert_allclose(pose, theirs, rtol=0, atol=1e-11, err_msg=name)


# -- agreement -----------------------------------------------------------------------------------------------


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


# -- layouts -------------------------------------------------------------------------------------------------


def test_batches_come_back_as_they_went(kinds) -> None:
    robot = kinds[0]
    q, v, a = random_state(robot, np.random.default_rng(10), 4, 3)
    angles = [k for joint in robot.joints if joint.type == "revolute" for k in range(*_ends(robot, joint))]
    angles += [robot.q_slices["floor"].stop - 1]
    others = [k for k in range(robot.nq) if k not in angles]
    for layout in layouts(kinds):
        back = layout.from_q(layout.q(q))
        np.testing.assert_array_equal(back[..., others], q[..., others])
        same_up_to_whole_turns(back[..., angles], q[..., angles])
        np.testing.assert_allclose(layout.from_v(q, layout.v(q, v)), v, rtol=0, atol=1e-14)
        np.testing.assert_allclose(layout.from_tau(q, layout.tau(q, a)), a, rtol=0, atol=1e-14)
        np.testing.assert_allclose(layout.from_a(q, v, layout.a(q, v, a)), a, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(layout.q(q)[2, 1], layout.q(q[2, 1]))
        np.testing.assert_allclose(layout.a(q, v, a)[2, 1], layout.a(q[2, 1], v[2, 1], a[2, 1]), atol=1e-15)
        # one q may serve many v, and one v many q
        assert layout.a(q[0, 0], v, a).shape == layout.a(q, v[0, 0], a[0, 0]).shape == v.shape


def _ends(robot: Robot, joint: Joint) -> tuple[int, int]:
    return robot.q_slices[joint.name].start, robot.q_slices[joint.name].stop


def test_power_is_the_same_in_every_layout(kinds) -> None:
    q, v, tau = random_state(kinds[0], np.random.default_rng(11), 5)
    for layout in layouts(kinds):
        power = np.sum(layout.tau(q, tau) * layout.v(q, v), axis=-1)
        np.testing.assert_allclose(power, np.sum(tau * v, axis=-1), rtol=0, atol=1e-13)


def test_a_ball_joint_has_its_quaternion_last_in_pinocchio_and_first_in_mujoco() -> None:
    robot = Robot("ball", (Link("a", "base", Joint("ball", "spherical")),))
    model = pin.Model()
    model.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "ball")
    assert to_pinocchio(robot, model).q([1, 2, 3, 4]).tolist() == [2, 3, 4, 1]
    body = '<body><joint name="ball" type="ball"/><geom size="1"/></body>'
    other = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    layout = to_mujoco(robot, other)
    assert layout.q([1, 2, 3, 4]).tolist() == layout.from_q([1, 2, 3, 4]).tolist() == [1, 2, 3, 4]
    for kind in (to_pinocchio(robot, model), layout):
        assert kind.v([1, 0, 0, 0], [1, 2, 3]).tolist() == [1, 2, 3]


def test_a_universal_joint_is_two_angles_in_pinocchio() -> None:
    robot = Robot("cardan", (Link("a", "base", Joint("u", "universal")),))
    model = pin.Model()
    axes = np.array([0.0, 0, 1]), np.array([1.0, 0, 0])
    model.addJoint(0, pin.JointModelUniversal(*axes), pin.SE3.Identity(), "u")
    assert to_pinocchio(robot, model).q([0.1, 0.2]).tolist() == [0.1, 0.2]


HINGE = """<mujoco><worldbody><body>
    <joint name="{name}" ref="{ref}" axis="0 0 1"/><geom size="1"/>
</body></worldbody></mujoco>"""


def test_mujocos_reference_angle_is_our_zero() -> None:
    robot = Robot("hinge", (Link("a", "base", Joint("h")),))
    model = mujoco.MjModel.from_xml_string(HINGE.format(name="h", ref=90))
    layout, data = to_mujoco(robot, model), mujoco.MjData(model)
    data.qpos[:] = layout.q([0.3])
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(data.xmat[1].reshape(3, 3), rotation_about((0, 0, 1), 0.3), atol=1e-15)
    assert layout.from_q(layout.q([0.3])) == pytest.approx([0.3], abs=1e-15)


def test_joints_of_other_names_are_matched_as_told_and_a_floating_base_by_itself() -> None:
    robot = Robot("hinge", (Link("a", "base", Joint("h")),))
    model = mujoco.MjModel.from_xml_string(HINGE.format(name="scharnier", ref=0))
    assert to_mujoco(robot, model, names={"h": "scharnier"}).their_nq == 1
    path = ROBOTS / PUBLIC[0]
    floating = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    assert "root_joint" in floating.names
    assert to_pinocchio(read_urdf(path, free_base=True), floating).their_nq == floating.nq


# -- refusals ------------------------------------------------------------------------------------------------


def test_joints_without_counterpart_are_named(kinds) -> None:
    robot, model, other = kinds
    fewer = parse_urdf(KINDS.replace('name="turn" type="revolute"', 'name="turn" type="fixed"'))
    for convert, theirs in ((to_pinocchio, model), (to_mujoco, other)):
        with pytest.raises(UnknownName, match="no joint named 'turn'"):
            convert(fewer, theirs)
        with pytest.raises(UnknownName, match="no joint named 'trun'"):
            convert(robot, theirs, names={"turn": "trun"})
        with pytest.raises(UnknownName, match=r"no joint named 'trun'. Did you mean 'turn'"):
            convert(robot, theirs, names={"trun": "turn"})
        with pytest.raises(WrongValue, match="'turn' and another one are both matched with 'turn'"):
            convert(robot, theirs, names={"slide": "turn"})


def test_joints_that_move_otherwise_are_refused(kinds) -> None:
    _, model, other = kinds
    swapped = parse_urdf(KINDS.replace('name="turn" type="revolute"', 'name="turn" type="prismatic"'))
    with pytest.raises(WrongValue, match=r"'turn' is prismatic, but Pinocchio's 'turn' is R"):
        to_pinocchio(swapped, model)
    with pytest.raises(WrongValue, match=r"'turn' is prismatic, but MuJoCo's is a hinge joint"):
        to_mujoco(swapped, other)


def test_a_planar_joint_with_another_normal_is_refused(kinds) -> None:
    tilted = KINDS.replace('<child link="b"/><axis xyz="0 0 1"/>', '<child link="b"/><axis xyz="0 1 0"/>')
    robot = parse_urdf(tilted)
    with pytest.raises(WrongValue, match=r"'floor' has the normal \(0, 1, 0\)"):
        to_pinocchio(robot, pin.buildModelFromXML(tilted))
    with pytest.raises(WrongValue, match=r"'floor' has the normal \(0, 1, 0\)"):
        to_mujoco(robot, mujoco_model(tilted))


def test_arrays_of_the_wrong_size_are_refused(kinds) -> None:
    layout = layouts(kinds)[0]
    q = np.zeros(layout.nq)
    for call, name in (
        (lambda: layout.q(q[1:]), "q"),
        (lambda: layout.from_q(q), "their q"),
        (lambda: layout.v(q, [0.0]), "v"),
        (lambda: layout.tau(q, 1.0), "tau"),
        (lambda: layout.from_a(q, np.zeros(layout.nv), q), "their a"),
    ):
        with pytest.raises(WrongSize, match=rf"^{name} has the shape"):
            call()
