"""Capture of a floating body: impulse of the contact, momentum transfer, and the joined robot.

The contact is a perfectly inelastic impact of rigid bodies: after it the two frames move alike. Actuators
exert no impulse, so joint velocities jump. Linear and angular momentum of the two robots together are
conserved; kinetic energy is lost.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.laws.space.free_base import arm_coordinates
from rikigaku.model.editing import join, lock
from rikigaku.model.states import as_position
from rikigaku.robot import Robot
from rikigaku.space.frame_targets import coordinates_of
from rikigaku.space.space_arguments import as_velocity

# Largest distance and angle between the two frames at contact.
_DISTANCE = 1e-2  # [m]
_ANGLE = 5e-2  # [rad]


@dataclass(frozen=True, eq=False)
class Captured:
    """The joined robot and its state after contact.

    robot: the capturing robot with the target fixed to its frame; names of the target have a prefix.
    q, v: of the joined robot, just after contact.
    impulse: contact impulse on the capturing frame, at its origin, world axes [N s, N m s].
    relative_twist: of the target relative to that frame before contact, at its origin, world axes.
    energy_loss: kinetic energy lost in the impact [J].
    momentum_transfer: from the target to the robot: linear, and angular about the common centre of mass.
    """

    robot: Robot
    q: Array
    v: Array
    impulse: Array
    relative_twist: Array
    energy_loss: float
    momentum_transfer: Array


@checked
def capture(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    frame: str,
    target: Robot,
    target_q: ArrayLike,
    target_v: ArrayLike,
    grip: str,
    prefix: str = "target_",
) -> Captured:
    """Impact in which `frame` of the robot seizes `grip` of the target, and the robot that joins both.

    The impulse is p = (J M^-1 J^T + G N^-1 G^T)^-1 (relative twist), with M, N the mass matrices and J, G the
    Jacobians of robot and target.

    Args:
        q, v: of the robot. frame: of the robot.
        target: another robot with a free base (one body, or with joints of its own); target_q, target_v: its
            state. grip: frame of the target.
        prefix: of the target's names in the joined robot.
    Raises:
        WrongValue: if the frames are further apart than 0.01 m or 0.05 rad. A smaller gap is kept: the target
            is fixed where it is.
        NoFreeBase: if one of the two has a fixed base.
    """
    for one in (robot, target):
        joint = one.joint(_base_joint(one))
        if joint.type != "free":
            raise WrongValue(
                f"Robot {one.name!r} is on a {joint.type} joint; both robots of a capture need a free one."
            )
    q, v = as_position(robot, q), as_velocity(robot, v)
    target_q, target_v = as_position(target, target_q), as_velocity(target, target_v)
    pose, grip_pose = robot.pose(q, frame), target.pose(target_q, grip)
    _check_distance(pose, grip_pose, frame, grip)
    J, G = robot.jacobian(q, frame), target.jacobian(target_q, grip).copy()
    # of the target's point at the frame's origin
    G[:3] += np.cross(G[3:].T, pose[:3, 3] - grip_pose[:3, 3]).T
    relative_twist = G @ target_v - J @ v
    M_inverse, N_inverse = robot.inverse_mass_matrix(q), target.inverse_mass_matrix(target_q)
    delassus = J @ M_inverse @ J.T + G @ N_inverse @ G.T
    impulse: Array = np.linalg.solve(delassus, relative_twist).astype(np.float64)
    v_after, target_v_after = v + M_inverse @ J.T @ impulse, target_v - N_inverse @ G.T @ impulse
    joined, joined_q = _joined(robot, q, target, target_q, frame, pose, prefix)
    base = target.v_slices[_base_joint(target)]
    target_joints = np.delete(target_v_after, np.arange(target.nv)[base])
    lever = pose[:3, 3] - joined.center_of_mass(joined_q)
    transfer = np.concatenate([impulse[:3], impulse[3:] + np.cross(lever, impulse[:3])])
    return Captured(
        joined,
        joined_q,
        np.concatenate([v_after, target_joints]),
        impulse,
        relative_twist,
        float(relative_twist @ impulse) / 2,  # exact; the difference of two energies would cancel
        transfer,
    )


def _joined(
    robot: Robot, q: Array, target: Robot, target_q: Array, frame: str, pose: Array, prefix: str
) -> tuple[Robot, Array]:
    """The robot with the target fixed to its frame (at that pose), and the q of both."""
    name = _base_joint(target)
    (link,) = (link for link in target.links if link.joint.name == name)
    on_frame = np.linalg.solve(pose, target.pose(target_q, link.name))
    fixed = lock(target, name, coordinates_of(on_frame).tolist())
    fixed = fixed.with_gravity([float(g) for g in robot.gravity])
    joined = join(robot, fixed, frame, prefix, name=f"{robot.name}_with_{target.name}")
    base = np.arange(target.nq)[target.q_slices[name]]
    return joined, np.concatenate([q, np.delete(target_q, base)])


def _base_joint(robot: Robot) -> str:
    arm = set(arm_coordinates(robot))
    (name,) = (joint.name for joint in robot.joints if joint.name not in arm)
    return name


def _check_distance(pose: Array, grip_pose: Array, frame: str, grip: str) -> None:
    distance = float(np.linalg.norm(pose[:3, 3] - grip_pose[:3, 3]))
    cosine = (np.trace(pose[:3, :3].T @ grip_pose[:3, :3]) - 1) / 2
    angle = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
    if distance > _DISTANCE or angle > _ANGLE:
        raise WrongValue(
            f"Frame {frame!r} and grip {grip!r} are {distance:.3g} m and {angle:.3g} rad apart; a capture "
            f"requires less than {_DISTANCE:g} m and {_ANGLE:g} rad. Bring the frame there first "
            "(space.Approach, space.follow)."
        )
