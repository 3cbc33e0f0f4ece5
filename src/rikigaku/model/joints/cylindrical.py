"""The cylindrical joint, as a cut joint only: translation along and rotation about z of the start frame.

In the tree it is a prismatic and a revolute joint about the same axis.
"""

from rikigaku.model.joints.joint_type import PARALLEL_Z, CutJoint

CYLINDRICAL_CUT = CutJoint(
    ("xS", "yS"), PARALLEL_Z, aligned_axes=("z",), rotation_axes=("zS",), translation_axes=("zS",)
)
