"""A URDF as Pinocchio reads it: the Python model all the Pinocchio measurements start from."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.robots import Subject
from benchmarks.states import Array, States

# Where our m, ms, Ixx, Ixy, Ixz, Iyy, Iyz, Izz stand in Pinocchio's m, ms, Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
PARAMETERS = (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)


@dataclass(frozen=True)
class PinocchioModel:
    """Pinocchio's model, the names of its one-number joints in its order, and the measured frame."""

    model: Any
    joints: tuple[str, ...]
    floating: bool
    frame: int

    def native_states(self, states: States) -> States:
        """The states in Pinocchio's joint order, quaternions as x, y, z, w."""
        ordered = states.in_order(self.joints)
        if not self.floating:
            return ordered
        q = ordered.q.copy()
        q[:, 3:7] = ordered.q[:, [4, 5, 6, 3]]
        return replace(ordered, q=q)

    def frame_in_body(self) -> tuple[str, Array]:
        """The joint whose body carries the measured frame, and the frame's origin in that body [m]."""
        frame = self.model.frames[self.frame]
        return self.model.names[frame.parentJoint], np.array(frame.placement.translation)


def pinocchio_model(subject: Subject) -> PinocchioModel:
    """The robot as Pinocchio's URDF reader gives it; joints that mimic another move freely."""
    path = str(Path(subject.path))
    if subject.floating:
        model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    else:
        model = pin.buildModelFromUrdf(path)
    joints = tuple(model.names)[1 + subject.floating :]
    return PinocchioModel(model, joints, subject.floating, model.getFrameId(subject.frame))
