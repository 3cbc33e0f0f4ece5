"""Structure of a contact system found once: joints with Coulomb friction, independent guide equations."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rikigaku.closure.open_tree import tree
from rikigaku.contact.contact_point import Contact, plane_of_motion
from rikigaku.contact.friction_law import JointFriction
from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.contact.joint_stop import JointStop
from rikigaku.contact.surfaces import Surface
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.laws.contact.contact_geometry import Limit
from rikigaku.laws.contact.contact_shapes import Vertex
from rikigaku.laws.contact.relative_motion import Point
from rikigaku.model.states import random_state
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot

if TYPE_CHECKING:
    from rikigaku.contact.contact_system import ContactSystem


def frame_jacobians(robot: Robot, states: Array, frame: str) -> Array:
    """Jacobians of a frame at many states (m, 6, nv).

    Raises:
        UnknownName, WrongValue: for an unknown frame, or one that cannot move.
    """
    robot.frame(frame)  # raises UnknownName, with a suggestion
    J = np.asarray(tree(robot).jacobian(states, frame))
    if not np.abs(J).max(initial=0.0):
        raise WrongValue(f"The frame {frame!r} is fixed to the ground: it cannot be in contact.")
    return J


def relative_jacobians(robot: Robot, states: Array, contact: Contact) -> Array:
    """Jacobians (m, 3, columns) of a contact's shape relative to its surface, in the axes of the surface.

    Of a point those of its velocity (nv columns); of other shapes, and with torsional friction, also those
    of three points beside its centre.

    Raises:
        UnknownName, WrongValue: for an unknown frame, or two bodies that do not move relative to each other.
    """
    frame, body, shape = contact.frame, contact.surface.body, contact.shape
    rotates = not (shape is None or isinstance(shape, Vertex)) or contact.torsional_friction is not None
    if shape is None and body is None and not rotates:
        return frame_jacobians(robot, states, frame)[:, :3]
    own = tree(robot)
    robot.frame(frame)  # raises UnknownName, with a suggestion
    J, X = np.array(own.jacobian(states, frame)), np.asarray(own.pose(states, frame))
    at = X[:, :3, :3] @ np.array((0.0, 0.0, 0.0) if shape is None else shape.at)
    J[:, :3] += _crossed(J[:, 3:], at)
    if body is not None:
        robot.frame(body)
        K, Y = np.asarray(own.jacobian(states, body)), np.asarray(own.pose(states, body))
        J[:, :3] -= K[:, :3] + _crossed(K[:, 3:], X[:, :3, 3] + at - Y[:, :3, 3])
        J[:, 3:] -= K[:, 3:]
        R = Y[:, :3, :3].transpose(0, 2, 1)
        J = np.concatenate([R @ J[:, :3], R @ J[:, 3:]], axis=1)
    if np.abs(J).max(initial=0.0) < 1e-12:
        what = "the ground" if body is None else repr(body)
        raise WrongValue(f"The frame {frame!r} is fixed to {what}: it cannot be in contact with it.")
    if not rotates:
        return np.asarray(J[:, :3])
    beside = [_crossed(J[:, 3:], np.broadcast_to(e, (len(J), 3))) for e in np.eye(3)]
    return np.concatenate([J[:, :3], *beside], axis=2)


def _crossed(angular: Array, arms: Array) -> Array:
    """angular x arm, column by column: (m, 3, nv) of (m, 3)."""
    return np.asarray(np.cross(angular, arms[..., :, None], axis=1))


def independent_guide_equations(system: "ContactSystem", plan: ActiveConstraints) -> tuple[int, ...]:
    """Guide equations that are independent of the loops and of the guide equations before them.

    A planar arm has few: most equations of a guide hold at every configuration.
    """
    q = random_state(system.robot, 1, 4).q
    for guide in system.guides:
        frame_jacobians(system.robot, q, guide.frame)
    J_guides = system.law("guide_jacobian", plan)(q, np.zeros((4, 1)))
    rows = np.concatenate(list(J_guides), axis=1)
    if plan.loop_equations:
        J = system.robot.loop_jacobian(q)[:, list(plan.loop_equations)]
        rows = np.concatenate([np.concatenate(list(J), axis=1), rows])
    first, kept = len(plan.loop_equations), list(range(len(plan.loop_equations)))
    for i in range(first, len(rows)):
        if np.linalg.matrix_rank(rows[[*kept, i]], tol=1e-9 * np.abs(rows).max()) == len(kept) + 1:
            kept.append(i)
    return tuple(i - first for i in kept[first:])


def _normal(plane: Surface) -> Array:
    """The unit normal of a plane at t = 0, in the axes of its body."""
    n = np.array([float(x.evaluate(FLOATS, {"t": 0.0})) for x in plane.gradient])
    return np.asarray(n / np.linalg.norm(n))


def coulomb_joints(robot: Robot) -> tuple[JointFriction, ...]:
    """Coulomb friction of the robot's joints, where its value is known."""
    values = robot.declared_values
    found = []
    for joint in robot.joints:
        if joint.nv == 1 and joint.coulomb and joint.coulomb.symbols <= values.keys():
            force = float(joint.coulomb.evaluate(FLOATS, values))
            if force > 0:
                found.append(JointFriction(joint.name, force))
    return tuple(found)


def contact_points(robot: Robot, contacts: Sequence[Contact]) -> tuple[Point | Limit, ...]:
    """Contacts as data of the laws, with the plane of motion of each point that moves in a plane."""
    states = random_state(robot, 0, 8).q
    found: list[Point | Limit] = []
    for contact in contacts:
        if isinstance(contact, JointStop):
            found.append(contact.limit(robot))
            continue
        if isinstance(contact, FrictionMoment):
            own = found[contact.owner]
            assert isinstance(own, Point)
            if contact.about == "spin" and own.plane is not None:
                raise WrongValue(
                    f"The contact at {contact.frame!r} moves in a plane, without rotation about its "
                    "normal: leave out torsional_friction."
                )
            found.append(replace(own, about=contact.about, owner=contact.owner))
            continue
        J = relative_jacobians(robot, states, contact)
        plane = contact.surface
        if isinstance(plane, Surface) and plane.is_plane and not np.abs(_normal(plane) @ J).max() > 1e-12:
            raise WrongValue(
                f"The contact at {contact.frame!r} never moves along the normal of its plane: its gap does "
                "not change, and its normal force is not determined. Leave it out; rk.JointFriction is the "
                "friction of a guided joint."
            )
        moves = plane_of_motion(J)
        found.append(Point(contact.frame, contact.surface, moves, contact.shape, bilateral=contact.bilateral))
    return tuple(found)
