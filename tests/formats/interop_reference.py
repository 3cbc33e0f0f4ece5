"""Robots for tests of conversion, and their poses and short motions by plain matrices, without our laws."""

import math
from importlib.metadata import distribution
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
from readers import parse_urdf

from rikigaku.formats.state_conversion import Layout, to_mujoco, to_pinocchio
from rikigaku.model.geometry import Steps
from rikigaku.model.joint import Joint
from rikigaku.robot import Robot

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


def mujoco_model(text: str) -> mujoco.MjModel:
    extension = '<mujoco><compiler fusestatic="false"/></mujoco>'
    model = mujoco.MjModel.from_xml_string(text.replace("</robot>", extension + "</robot>"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # random states lie beyond the limits
    return model


def layouts(kinds: tuple[Robot, pin.Model, mujoco.MjModel]) -> tuple[Layout, Layout]:
    robot, model, other = kinds
    return to_pinocchio(robot, model), to_mujoco(robot, other)


def every_kind() -> tuple[Robot, pin.Model, mujoco.MjModel]:
    return parse_urdf(KINDS, strict=True), pin.buildModelFromXML(KINDS), mujoco_model(KINDS)
