"""The planar joint: two translations normal to `axis`, rotation about it; q = (x, y, theta), v = dq/dt."""

from rikigaku.model.elementary_motions import Prismatic, Revolute
from rikigaku.model.joints.joint_type import PARALLEL_Z, CutJoint, JointType, Motion

PLANAR = JointType(
    "planar",
    motions=(Motion(Prismatic, "plane_x"), Motion(Prismatic, "plane_y"), Motion(Revolute, "plane_z")),
    coordinate_suffixes=("_x", "_y", "_theta"),
    cut=CutJoint(
        ("zS",), PARALLEL_Z, aligned_axes=("z",), rotation_axes=("zS",), translation_axes=("xS", "yS")
    ),
    placement_optional=True,
    urdf=("planar",),
    pinocchio="Planar",
)
