"""The prismatic joint: translation along one axis."""

from rikigaku.model.elementary_motions import Prismatic
from rikigaku.model.joints.joint_type import ALL_AXES, NO_ROTATION, CutJoint, JointType, Motion

PRISMATIC = JointType(
    "prismatic",
    motions=(Motion(Prismatic),),
    cut=CutJoint(("xS", "yS"), NO_ROTATION, aligned_axes=ALL_AXES, translation_axes=("zS",)),
    urdf=("prismatic",),
    mjcf="slide",
    sdf=("prismatic",),
    pinocchio="P",
)
