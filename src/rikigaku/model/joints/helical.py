"""The helical joint (screw): rotation about one axis and translation along it by `pitch` [m/rad].

It cannot close a loop: its equation is no polynomial in sines, cosines and lengths.
"""

from rikigaku.model.elementary_motions import Helical
from rikigaku.model.joints.joint_type import JointType, Motion

HELICAL = JointType("helical", motions=(Motion(Helical),), sdf=("screw",), pinocchio="H")
