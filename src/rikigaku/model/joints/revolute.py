"""The revolute joint: rotation about one axis. A `continuous` joint of URDF or SDF is one without bounds."""

from rikigaku.model.elementary_motions import Revolute
from rikigaku.model.joints.joint_type import ALL_AXES, PARALLEL_Z, CutJoint, JointType, Motion

REVOLUTE = JointType(
    "revolute",
    motions=(Motion(Revolute),),
    cut=CutJoint(ALL_AXES, PARALLEL_Z, aligned_axes=("z",), rotation_axes=("zS",)),
    urdf=("revolute", "continuous"),
    mjcf="hinge",
    sdf=("revolute", "continuous"),
    pinocchio="R",
)
