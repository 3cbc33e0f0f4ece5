"""The universal (Cardan) joint: rotation about `axis`, then about `second_axis`, which moves with the first.

As a cut joint it rotates about z of the start frame and x of the end frame.
"""

from rikigaku.model.elementary_motions import Revolute
from rikigaku.model.joints.joint_type import ALL_AXES, CutJoint, JointType, Motion

UNIVERSAL = JointType(
    "universal",
    motions=(Motion(Revolute), Motion(Revolute, "second_axis")),
    coordinate_suffixes=("_1", "_2"),
    cut=CutJoint(ALL_AXES, (((1, "z", "x"),),), rotation_axes=("zS", "xE")),
    sdf=("universal", "revolute2"),
    pinocchio="Universal",
)
