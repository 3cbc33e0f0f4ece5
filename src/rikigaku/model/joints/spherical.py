"""The spherical (ball) joint: any rotation; q is a unit quaternion, v the angular velocity in body axes."""

from rikigaku.model.elementary_motions import Spherical
from rikigaku.model.joints.joint_type import ALL_AXES, CutJoint, JointType, Motion

SPHERICAL = JointType(
    "spherical",
    motions=(Motion(Spherical, "frame_z"),),
    coordinate_suffixes=("_qw", "_qx", "_qy", "_qz"),
    velocity_suffixes=("_wx", "_wy", "_wz"),
    cut=CutJoint(ALL_AXES, (), rotation_axes=("xS", "yS", "zS")),
    mjcf="ball",
    sdf=("ball",),
    pinocchio="Spherical",
)
