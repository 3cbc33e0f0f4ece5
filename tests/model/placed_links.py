"""Links at slanted places, and where everything that has a name is in a configuration."""

import numpy as np

from rikigaku.model.geometry import ModifiedDH, Placement, StandardDH
from rikigaku.model.joint import Joint
from rikigaku.model.joints.joint_types import JOINT_TYPES
from rikigaku.model.mechanism import WORLD, instantiate
from rikigaku.model.robot_model import Coupling, Frame, Link
from rikigaku.numbers.formula import ONE, Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.spatial.pose import Pose

F = Formula.of
ROUNDING = 1e-13  # a few products of rotations
SLANTED = Placement((F("0.1"), F("-0.2"), F("0.3")), (F("0.4"), F("-0.5"), F("0.6")))
ROW = ModifiedDH(alpha=F("0.3"), a=F("0.2"), theta=F("0.7"), d=F("-0.1"), beta=F("0.2"), b=F("0.05"))
STANDARD_ROW = StandardDH(theta=F("0.3"), d=F("0.2"), a=F("0.7"), alpha=F("-0.1"))


def frames(robot: Robot, q) -> dict[str, np.ndarray]:
    """World pose of everything that has a name, as 4x4 matrices."""
    mechanism = instantiate(robot, FLOATS, {})
    poses: dict[int, Pose] = {WORLD: Pose()}
    for i, body in enumerate(mechanism.bodies):
        part = [float(q[k]) for k in body.q]
        moved = Pose(body.joint.rotation(part), body.joint.translation(part))
        poses[i] = poses[body.parent].compose(body.placement).compose(moved)
    return {
        name: np.array(poses[body].compose(pose).matrix(), float)
        for name, (body, pose) in mechanism.frames.items()
    }


def position(type_: str, rng: np.random.Generator) -> np.ndarray:
    q = rng.uniform(-1, 1, JOINT_TYPES[type_].nq)
    if type_ in ("spherical", "free"):
        q[-4:] /= np.linalg.norm(q[-4:])
    return q


def arm(joint: Joint, geometry=SLANTED) -> Robot:
    hand = Link("hand", "moved", Joint("last"), SLANTED)
    return Robot(
        "arm", (Link("moved", "base", joint, geometry), hand), frames=(Frame("tip", "hand", SLANTED),)
    )


def gripper() -> Robot:
    links = tuple(Link(f"finger{i}", "base", Joint(f"f{i}", "prismatic")) for i in (1, 2, 3))
    couplings = (Coupling("f2", "f1", F(-2), F("0.1")), Coupling("f3", "f2", ONE))
    return Robot("gripper", links, couplings=couplings, independent=("f1",))
