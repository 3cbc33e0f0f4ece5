"""The free (floating) joint: any motion; q = (position, unit quaternion), v the twist in body axes."""

from rikigaku.model.elementary_motions import Free
from rikigaku.model.joints.joint_type import JointType, Motion

FREE = JointType(
    "free",
    motions=(Motion(Free, "frame_z"),),
    coordinate_suffixes=("_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz"),
    velocity_suffixes=("_vx", "_vy", "_vz", "_wx", "_wy", "_wz"),
    placement_optional=True,
    urdf=("floating",),
    mjcf="free",
    pinocchio="FreeFlyer",
)
