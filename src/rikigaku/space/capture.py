"""Capture of a floating body: the blow at contact, what momentum goes where, and the joined robot.

Both bodies are rigid and the hand holds at once: an inelastic impact. The impulse makes the two frames move
alike; motors give no impulse, so joints give way. Linear and angular momentum of the two together do not
change; energy is lost.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.laws.space_base import arm_coordinates
from rikigaku.model.edit import join, lock
from rikigaku.model.robot import Robot
from rikigaku.space.places import as_velocity
from rikigaku.space.targets import coordinates_of
from rikigaku.states import as_position

Array = NDArray[np.float64]

# How far apart hand and grip may be, and still be said to meet.
_GAP = 1e-2  # [m]
_TURN = 5e-2  # [rad]


@dataclass(frozen=True, eq=False)
class Captured:
    """The joined robot and its state after contact.

    robot: the one that captured, with the target fixed on its hand; names of the target have a prefix.
    q, v: of it, just after contact. impulse: on the hand, at its origin, world axes [N s, N m s].
    slip: twist of the target against the hand before contact, at the hand's origin, world axes.
    lost: kinetic energy lost in the impact [J].
    transferred: momentum the target gave to the robot: linear, and angular about the centre of mass of both.
    """

    robot: Robot
    q: Array
    v: Array
    impulse: Array
    slip: Array
    lost: float
    transferred: Array


def capture(
    robot: Robot,
    q: Any,
    v: Any,
    frame: str,
    target: Robot,
    target_q: Any,
    target_v: Any,
    grip: str,
    prefix: str = "target_",
) -> Captured:
    """Close the hand: `frame` of the robot holds `grip` of the target from now on.

    Args:
        q, v: of the robot; target_q, target_v: of the target, another robot with a free base (one body, or
            with joints of its own).
    Raises:
        WrongValue: if hand and grip are further apart than 0.01 m or 0.05 rad. What is left between them is
            kept: the target is held as it is, not moved into the hand.
        NoFreeBase: if one of the two stands on the ground.
    """
    ours, theirs = cast(Any, robot), cast(Any, target)
    for one in (robot, target):
        joint = one.joint(_base_joint(one))
        if joint.type != "free":
            raise WrongValue(
                f"Robot {one.name!r} is carried by a {joint.type} joint; captures are between free ones."
            )
    q, v = as_position(robot, q), as_velocity(robot, v)
    p, w = as_position(target, target_q), as_velocity(target, target_v)
    hand, grip_pose = ours.pose(q, frame), theirs.pose(p, grip)
    _check_together(hand, grip_pose, frame, grip)
    J, G = ours.jacobian(q, frame), theirs.jacobian(p, grip).copy()
    G[:3] += np.cross(G[3:].T, hand[:3, 3] - grip_pose[:3, 3]).T  # of the target's point that is at the hand
    slip = G @ w - J @ v
    ours_inverse, theirs_inverse = ours.inverse_mass_matrix(q), theirs.inverse_mass_matrix(p)
    softness = J @ ours_inverse @ J.T + G @ theirs_inverse @ G.T
    impulse = np.linalg.solve(softness, slip)
    v_after, w_after = v + ours_inverse @ J.T @ impulse, w - theirs_inverse @ G.T @ impulse
    joined, joined_q = _joined(robot, q, target, p, frame, hand, prefix)
    base = target.v_slices[_base_joint(target)]
    rest = np.delete(w_after, np.arange(target.nv)[base])
    center = cast(Any, joined).center_of_mass(joined_q)
    lever = hand[:3, 3] - center
    given = np.concatenate([impulse[:3], impulse[3:] + np.cross(lever, impulse[:3])])
    return Captured(
        joined,
        joined_q,
        np.concatenate([v_after, rest]),
        impulse,
        slip,
        float(slip @ impulse) / 2,  # as much as takes the slip away: no difference of large energies
        given,
    )


def _joined(
    robot: Robot, q: Array, target: Robot, p: Array, frame: str, hand: Array, prefix: str
) -> tuple[Robot, Array]:
    """The target fixed on the hand where it is now."""
    name = _base_joint(target)
    (link,) = (link for link in target.links if link.joint.name == name)
    on_hand = np.linalg.solve(hand, cast(Any, target).pose(p, link.name))
    fixed = lock(target, name, coordinates_of(on_hand).tolist())
    fixed = cast(Any, fixed).with_gravity([float(g) for g in robot.gravity])
    joined = join(robot, fixed, frame, prefix, name=f"{robot.name}_with_{target.name}")
    places = np.arange(target.nq)[target.q_slices[name]]
    return joined, np.concatenate([q, np.delete(p, places)])


def _base_joint(target: Robot) -> str:
    arm = set(arm_coordinates(target))
    (name,) = (joint.name for joint in target.joints if joint.name not in arm)
    return name


def _check_together(hand: Array, grip: Array, frame: str, name: str) -> None:
    gap = float(np.linalg.norm(hand[:3, 3] - grip[:3, 3]))
    cosine = (np.trace(hand[:3, :3].T @ grip[:3, :3]) - 1) / 2
    turn = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
    if gap > _GAP or turn > _TURN:
        raise WrongValue(
            f"Frame {frame!r} and grip {name!r} are {gap:.3g} m and {turn:.3g} rad apart; a capture "
            f"takes less than {_GAP:g} m and {_TURN:g} rad. Bring the hand there first "
            "(space.Approach, space.follow)."
        )
