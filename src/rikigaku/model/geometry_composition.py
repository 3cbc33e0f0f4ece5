"""Composition of constant poses to one geometry: exact where the rotations allow it, else in floats."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.model.elementary_motions import Free, Helical, Prismatic, Spherical
from rikigaku.model.evaluated_parameters import EvaluatedParameters, plane_axes
from rikigaku.model.geometry import Axis, Geometry, Placement, Step, Steps
from rikigaku.model.joint import Z_AXIS, Joint
from rikigaku.model.joints.joint_type import Direction
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.numbers.formula import PI, ZERO, Formula
from rikigaku.numbers.number_kind import FLOATS, right_angle_multiple
from rikigaku.spatial import vector
from rikigaku.spatial.pose import axis_rotation, quaternion_rotation
from rikigaku.spatial.vector import IDENTITY, Matrix

Triple = tuple[Formula, Formula, Formula]

# Exact constants with more characters (products of many sines) are replaced by floats.
LONGEST_EXACT = 200
# Below this cosine of the pitch (gimbal lock) only the sum of roll and yaw is determined.
GIMBAL_LOCK = 1e-9

_ROTATIONS: tuple[Axis, ...] = ("rx", "ry", "rz")
_SHIFTS: tuple[Axis, ...] = ("tx", "ty", "tz")


def composed(*geometries: Geometry) -> Geometry:
    """One geometry for several, one after the other; a lone one is kept as it is."""
    moving = [g for g in geometries if g.before() or g.after()]
    if len(moving) <= 1:
        return moving[0] if moving else Placement()
    return placement_of([step for g in moving for step in (*g.before(), *g.after())])


def locked(geometry: Geometry, motion: Steps) -> Geometry:
    """The geometry with a constant motion at the joint; a DH row stays one if the motion is along its z."""
    if not isinstance(geometry, Placement) and {step.axis for step in motion} <= {"rz", "tz"}:
        angle = sum((step.amount for step in motion if step.axis == "rz"), ZERO)
        shift = sum((step.amount for step in motion if step.axis == "tz"), ZERO)
        return replace(geometry, theta=geometry.theta + angle, d=geometry.d + shift)
    return placement_of([*geometry.before(), *motion, *geometry.after()])


def placement_of(steps: Iterable[Step]) -> Placement:
    """The placement that a chain of rotations and translations makes.

    Raises:
        WrongValue: if angles with symbols do not add up to roll, pitch and yaw.
    """
    R: Matrix = IDENTITY
    p: vector.Vector = vector.ZERO
    rotations: list[Step] = []
    for axis, amount in steps:
        k = "xyz".index(axis[1])
        if axis in _SHIFTS:
            p = vector.add(p, vector.scale(amount, vector.transpose(R)[k]))
            continue
        if rotations and rotations[-1].axis == axis:
            amount = rotations.pop().amount + amount
        if amount:
            rotations.append(Step(axis, amount))
        R = _rotation(rotations)
    x, y, z = (_short(Formula.of(part)) for part in p)
    return Placement((x, y, z), _roll_pitch_yaw(rotations, R))


def motion_of(joint: Joint, value: object) -> Steps:
    """The motion of a joint at a position, as constant steps from joint frame to body frame.

    value: a number (or formula, or text) for one coordinate, a sequence of joint.nq of them otherwise.
    """
    q, steps = coordinates(joint, value), list[Step]()
    for elementary, direction in joint_type(joint.type).motions:
        own, q = q[: elementary.nq], q[elementary.nq :]
        if elementary is Spherical:
            steps += _quaternion_steps(own)
        elif elementary is Free:
            steps += (*_shift(own[:3]), *_quaternion_steps(own[3:]))
        else:
            axis = direction_of(joint, direction)
            steps += _about(axis, own[0]) if elementary is not Prismatic else ()
            steps += _along(_unit(axis), own[0]) if elementary is Prismatic else ()
            steps += _along(_unit(axis), joint.pitch * own[0]) if elementary is Helical else ()
    return tuple(steps)


def coordinates(joint: Joint, value: object) -> list[Formula]:
    """The joint's part of q as formulas, from a number or a sequence of them."""
    values = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if len(values) != joint.nq:
        size = f"has {joint.nq} coordinate{'s' * (joint.nq != 1)}"
        raise WrongSize(f"Joint {joint.name!r} ({joint.type}) {size}; {len(values)} are given.")
    return [Formula.of(x) for x in values]


def direction_of(joint: Joint, direction: Direction) -> Triple:
    """A direction of a joint in its joint frame; exact unless it is in the plane normal to a slanted axis."""
    if direction == "second_axis":
        return joint.second_axis
    if direction in ("plane_x", "plane_y"):
        return _formulas(plane_axes(EvaluatedParameters(FLOATS, {}), joint.axis)[direction])
    return Z_AXIS if direction == "frame_z" else joint.axis


def _rotation(rotations: Sequence[Step]) -> Matrix:
    R: Matrix = IDENTITY
    for axis, angle in rotations:
        R = vector.multiply(R, axis_rotation("xyz".index(axis[1]), angle.sin(), angle.cos()))
    return R


def _roll_pitch_yaw(rotations: list[Step], R: Matrix) -> Triple:
    """Roll, pitch and yaw of R = product of the rotations; exact where they come in the order z, y, x."""
    order = [_ROTATIONS.index(step.axis) for step in rotations]
    if order == sorted(set(order), reverse=True):
        angles = {step.axis: step.amount for step in rotations}
        return angles.get("rx", ZERO), angles.get("ry", ZERO), angles.get("rz", ZERO)
    if missing := sorted({name for step in rotations for name in step.amount.symbols}):
        shown = ", ".join(f"{axis} {amount}" for axis, amount in rotations)
        raise WrongValue(
            f"The rotations {shown} have no roll, pitch, yaw as a formula. Bind {', '.join(missing)} first."
        )
    return angles_of([[float(Formula.of(x)) for x in row] for row in R])


def angles_of(R: Sequence[Sequence[float]]) -> Triple:
    """Roll, pitch, yaw of a rotation matrix of floats; multiples of pi/2 are recognised."""
    across = math.hypot(R[0][0], R[1][0])
    pitch = math.atan2(-R[2][0], across)
    if across < GIMBAL_LOCK:
        roll, yaw = 0.0, math.atan2(-R[0][1], R[1][1])
    else:
        roll, yaw = math.atan2(R[2][1], R[2][2]), math.atan2(R[1][0], R[0][0])
    return _angle(roll), _angle(pitch), _angle(yaw)


def _angle(value: float) -> Formula:
    quarters = right_angle_multiple(value)
    return Formula.of(value) if quarters is None else PI * quarters / 2


def _short(formula: Formula) -> Formula:
    long = formula.is_number and len(str(formula)) > LONGEST_EXACT
    return Formula.of(float(formula)) if long else formula


def _unit(axis: Triple) -> Triple:
    """The axis with unit length, exactly."""
    if axis == Z_AXIS:
        return axis
    x, y, z = axis
    length = (x * x + y * y + z * z).sqrt()
    return x / length, y / length, z / length


def _about(axis: Triple, angle: Formula) -> Steps:
    """A rotation about an axis, as one step where it is x, y or z."""
    if unknown := sorted(frozenset().union(*(part.symbols for part in axis))):
        raise WrongValue(f"The direction of the axis depends on {', '.join(unknown)}. Bind it first.")
    along = [k for k in range(3) if axis[k]]
    if len(along) == 1:
        return (Step(_ROTATIONS[along[0]], angle if float(axis[along[0]]) > 0 else -angle),)
    if not angle.is_number:
        raise WrongValue(
            f"A rotation by {angle} about a slanted axis has no roll, pitch and yaw as a formula."
        )
    half = float(angle) / 2
    x, y, z = (float(part) * math.sin(half) for part in _unit(axis))
    return _zyx(quaternion_rotation(math.cos(half), x, y, z))


def _along(direction: Triple, distance: Formula) -> Steps:
    return _shift([part * distance for part in direction])


def _shift(offset: Sequence[Formula]) -> Steps:
    return tuple(Step(axis, part) for axis, part in zip(_SHIFTS, offset, strict=True) if part)


def _quaternion_steps(quaternion: Sequence[Formula]) -> Steps:
    """The rotation of a quaternion w x y z of any length but zero."""
    w, x, y, z = (float(part) for part in quaternion)
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if length == 0:
        raise WrongValue("The quaternion is zero; (1, 0, 0, 0) is the identity.")
    return _zyx(quaternion_rotation(w / length, x / length, y / length, z / length))


def _zyx(R: Sequence[Sequence[float]]) -> Steps:
    roll, pitch, yaw = angles_of(R)
    return (Step("rz", yaw), Step("ry", pitch), Step("rx", roll))


def _formulas(v: vector.Vector) -> Triple:
    return Formula.of(v[0]), Formula.of(v[1]), Formula.of(v[2])
