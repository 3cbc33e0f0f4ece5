"""The fixed joint: no motion. Its link is merged with the parent's body in the mechanism."""

from rikigaku.model.joints.joint_type import ALL_AXES, NO_ROTATION, CutJoint, JointType

FIXED = JointType(
    "fixed",
    motions=(),
    coordinate_suffixes=(),
    cut=CutJoint(ALL_AXES, NO_ROTATION, aligned_axes=ALL_AXES),
    urdf=("fixed",),
    sdf=("fixed",),
)
