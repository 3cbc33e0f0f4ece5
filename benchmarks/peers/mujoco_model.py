"""A URDF as MuJoCo reads it, and conversion between its free joint and ours.

MuJoCo's free joint: velocity and acceleration of the origin in world axes, rotation in body axes. Ours (and
Pinocchio's): both in body axes. With T = diag(R, 1, ...): v' = T v, a' = T a + (R (w x v), 0), tau = T' tau'.
"""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from benchmarks.errors import BenchmarkError
from benchmarks.robots import Subject
from benchmarks.states import Array, States, rotations

ROOT_JOINT = "root_joint"


@dataclass(frozen=True)
class MujocoModel:
    """MuJoCo's model and data, and the names of its one-number joints in its order."""

    model: Any
    data: Any
    joints: tuple[str, ...]

    def native_states(self, states: States) -> States:
        """The states in MuJoCo's joint order and with its velocities."""
        ordered = states.in_order(self.joints)
        if not states.floating:
            return ordered
        R = rotations(ordered.q[:, 3:7])
        v, a, tau = ordered.v.copy(), ordered.a.copy(), ordered.tau.copy()
        v[:, :3] = _turn(R, v[:, :3])
        a[:, :3] = _turn(R, a[:, :3] + np.cross(ordered.v[:, 3:6], ordered.v[:, :3]))
        tau[:, :3] = _turn(R, tau[:, :3])
        return replace(ordered, v=v, a=a, tau=tau)


def in_our_velocities(law: str, answer: Array, q: Array, v: Array) -> Array:
    """A result for a floating robot, from MuJoCo's velocities of the free joint to ours.

    Args:
        answer: (N, ...) in MuJoCo's joint order; changed in place.
        q, v: the states in our layout.
    """
    R = rotations(q[:, 3:7])
    back = np.swapaxes(R, 1, 2)
    if law in ("inverse_dynamics", "forward_dynamics"):
        answer[:, :3] = _turn(back, answer[:, :3])
        if law == "forward_dynamics":
            answer[:, :3] -= np.cross(v[:, 3:6], v[:, :3])
        return answer
    answer[:, :, :3] = answer[:, :, :3] @ R
    if law == "mass_matrix":
        answer[:, :3, :] = back @ answer[:, :3, :]
    return answer


def mujoco_model(subject: Subject) -> MujocoModel:
    """The robot by MuJoCo's URDF reader, without shapes (it would place and bound them at every state)."""
    model = mujoco.MjModel.from_xml_string(_bare_urdf(subject.path, subject.floating))
    names = [model.joint(i).name for i in range(model.njnt)]
    if subject.floating and names[0] != ROOT_JOINT:
        raise BenchmarkError(
            f"MuJoCo put {names[0]} before the free joint of {subject.name}; rename one of them."
        )
    return MujocoModel(model, mujoco.MjData(model), tuple(names[1:] if subject.floating else names))


def _bare_urdf(path: Path, floating: bool) -> str:
    """The URDF with links, joints and inertias only, and a floating root joint on request."""
    root = ET.parse(path).getroot()
    for child in list(root):
        if child.tag not in ("link", "joint"):
            root.remove(child)
            continue
        for part in list(child):
            if part.tag in ("visual", "collision", "mimic", "safety_controller", "calibration"):
                child.remove(part)
    if floating:
        children = {j.find("child").get("link") for j in root.iter("joint")}  # type: ignore[union-attr]
        base = next(link.get("name", "") for link in root.iter("link") if link.get("name") not in children)
        ET.SubElement(root, "link", name="world")
        joint = ET.SubElement(root, "joint", name=ROOT_JOINT, type="floating")
        ET.SubElement(joint, "parent", link="world")
        ET.SubElement(joint, "child", link=base)
    extension = ET.SubElement(root, "mujoco")
    ET.SubElement(extension, "compiler", fusestatic="true")
    return ET.tostring(root, encoding="unicode")


def _turn(R: Array, vectors: Array) -> Array:
    """Each vector rotated by its own rotation matrix."""
    return np.einsum("nij,nj->ni", R, vectors)
