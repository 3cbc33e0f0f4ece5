"""States of a robot in the layout of Pinocchio or MuJoCo, and back.

Both models must describe the same robot (read from the same file); joints are matched by name. The other
library is not imported: only the joints of its model object are read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.value_text import short
from rikigaku.formats.joint_conversion import (
    Array,
    CosSin,
    FreeWorldLinear,
    PlanarBodyAxes,
    Reorder,
    Rule,
    Same,
)
from rikigaku.model.elementary_motions import ANGLE
from rikigaku.model.joint import Joint
from rikigaku.model.joints.joint_type import JointType
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import RobotModel

# MuJoCo's joint types in the order of its enumeration mjtJoint, with their sizes (nq, nv).
_MUJOCO_SIZES = {"free": (7, 6), "ball": (4, 3), "slide": (1, 1), "hinge": (1, 1)}
_MUJOCO_NAMES = tuple(_MUJOCO_SIZES)
# MuJoCo reads a planar joint of a URDF as three joints with these endings.
_PLANAR_ENDINGS = {"_TX": "prismatic", "_TY": "prismatic", "_RZ": "revolute"}


@dataclass(frozen=True)
class Block:
    """The slices of one joint in both layouts, and its rule."""

    q: slice
    v: slice
    their_q: slice
    their_v: slice
    rule: Rule


@dataclass(frozen=True)
class Layout:
    """Converts (..., n) arrays of a robot's states; q in every argument but `from_q`'s is ours."""

    nq: int
    nv: int
    their_nq: int
    their_nv: int
    blocks: tuple[Block, ...]

    def q(self, q: ArrayLike) -> Array:
        """Their positions."""
        ours = _sized(q, self.nq, "q")
        theirs = np.zeros((*ours.shape[:-1], self.their_nq))
        for block in self.blocks:
            theirs[..., block.their_q] = block.rule.position(ours[..., block.q])
        return theirs

    def from_q(self, q: ArrayLike) -> Array:
        """Our positions from theirs; angles kept as cosine and sine come back in (-pi, pi]."""
        theirs = _sized(q, self.their_nq, "their q")
        ours = np.zeros((*theirs.shape[:-1], self.nq))
        for block in self.blocks:
            ours[..., block.q] = block.rule.position_back(theirs[..., block.their_q])
        return ours

    def velocity_map(self, q: ArrayLike) -> Array:
        """T(q), (..., nv, nv), orthogonal: v' = T v, tau' = T tau, J' = J T^T, M' = T M T^T."""
        ours = _sized(q, self.nq, "q")
        T = np.zeros((*ours.shape[:-1], self.their_nv, self.nv))
        for block in self.blocks:
            size = block.v.stop - block.v.start
            T[..., block.their_v, block.v] = block.rule.velocity_map(ours[..., block.q], size)
        return T

    def v(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Their velocities."""
        return _times(self.velocity_map(q), _sized(v, self.nv, "v"))

    def from_v(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Our velocities from theirs, at our q."""
        return _times(np.swapaxes(self.velocity_map(q), -1, -2), _sized(v, self.their_nv, "their v"))

    def tau(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Their generalised forces; tau . v is the same power in both layouts."""
        return _times(self.velocity_map(q), _sized(tau, self.nv, "tau"))

    def from_tau(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Our generalised forces from theirs, at our q."""
        return _times(np.swapaxes(self.velocity_map(q), -1, -2), _sized(tau, self.their_nv, "their tau"))

    def a(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Their accelerations, the rates of their v: T a + dT/dt v."""
        return _times(self.velocity_map(q), _sized(a, self.nv, "a")) + self._map_rate(q, v)

    def from_a(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Our accelerations from theirs, at our q and v."""
        theirs = _sized(a, self.their_nv, "their a") - self._map_rate(q, v)
        return _times(np.swapaxes(self.velocity_map(q), -1, -2), theirs)

    def _map_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        position, velocity = _sized(q, self.nq, "q"), _sized(v, self.nv, "v")
        batch = np.broadcast_shapes(position.shape[:-1], velocity.shape[:-1])
        position = np.broadcast_to(position, (*batch, self.nq))
        velocity = np.broadcast_to(velocity, (*batch, self.nv))
        rate = np.zeros((*batch, self.their_nv))
        for block in self.blocks:
            rate[..., block.their_v] = block.rule.velocity_map_rate(
                position[..., block.q], velocity[..., block.v]
            )
        return rate


@checked
def to_pinocchio(robot: RobotModel, model: Any, names: Mapping[str, str] | None = None) -> Layout:
    """The layout of a `pinocchio.Model` of the same robot, built with `mimic=False`.

    Args:
        names: our joint name -> theirs, where they differ; a single free joint is found by its type.
    Raises:
        UnknownName: if a joint has no counterpart. WrongValue: if its counterpart moves otherwise.
    """
    if not hasattr(model, "njoints"):
        raise WrongValue(f"The model is a pinocchio.Model; {short(model)} was given.")
    theirs = {str(model.names[i]): model.joints[i] for i in range(1, model.njoints)}
    free = [name for name, joint in theirs.items() if joint.shortname() == "JointModelFreeFlyer"]
    blocks = []
    for joint, name in _pairs(robot, theirs, free, names or {}, "the Pinocchio model"):
        other = theirs[name]
        shortname = str(other.shortname()).removeprefix("JointModel")
        rule = _pinocchio_rule(joint_type(joint.type), shortname, int(other.nq))
        if rule is None:
            theirs_is = f"Pinocchio's {name!r} is {shortname} with {other.nq} positions"
            advice = "Read both models from the same file, Pinocchio's with mimic=False."
            raise WrongValue(f"Joint {joint.name!r} is {joint.type}, but {theirs_is}. {advice}")
        _require_z(joint)
        their_q, their_v = (
            slice(other.idx_q, other.idx_q + other.nq),
            slice(other.idx_v, other.idx_v + other.nv),
        )
        blocks.append(Block(robot.q_slices[joint.name], robot.v_slices[joint.name], their_q, their_v, rule))
    return Layout(robot.nq, robot.nv, model.nq, model.nv, tuple(blocks))


def _pinocchio_rule(type_: JointType, shortname: str, their_nq: int) -> Rule | None:
    """How Pinocchio's coordinates of such a joint follow from ours; None if its joint is of another type."""
    if not type_.pinocchio or not shortname.startswith(type_.pinocchio):
        return None
    if type_.name == "planar":
        return PlanarBodyAxes() if their_nq == 4 else None
    if their_nq == 2 and type_.coordinates == (ANGLE,):
        return CosSin()
    if their_nq != type_.nq:
        return None
    if (w := type_.quaternion) is not None:  # w x y z here, x y z w there
        return Reorder((*range(w), w + 1, w + 2, w + 3, w))
    return Same()


@checked
def to_mujoco(robot: RobotModel, model: Any, names: Mapping[str, str] | None = None) -> Layout:
    """The layout (qpos, qvel) of a `mujoco.MjModel` of the same robot.

    A planar joint is three joints there, as MuJoCo reads it from a URDF. Arguments and errors as
    `to_pinocchio`; helical and universal joints have no counterpart.
    """
    if not hasattr(model, "njnt"):
        raise WrongValue(f"The model is a mujoco.MjModel; {short(model)} was given.")
    index = {str(model.joint(i).name): i for i in range(model.njnt)}
    free = [name for name, i in index.items() if model.jnt_type[i] == _MUJOCO_NAMES.index("free")]
    parts = _planar_parts(robot, set(index))
    whole = [name for name in index if name not in {part for three in parts.values() for part in three}]
    blocks = []
    for joint, name in _pairs(robot, [*whole, *parts], free, names or {}, "the MuJoCo model"):
        q, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if joint.type != "planar":
            blocks.append(_mujoco_block(model, index[name], joint.type, q, v, joint.name))
            continue
        _require_z(joint)
        for k, (part, kind) in enumerate(zip(parts[name], _PLANAR_ENDINGS.values(), strict=True)):
            one_q, one_v = slice(q.start + k, q.start + k + 1), slice(v.start + k, v.start + k + 1)
            blocks.append(_mujoco_block(model, index[part], kind, one_q, one_v, joint.name))
    return Layout(robot.nq, robot.nv, int(model.nq), int(model.nv), tuple(blocks))


def _mujoco_block(model: Any, i: int, kind: str, q: slice, v: slice, name: str) -> Block:
    theirs = _MUJOCO_NAMES[int(model.jnt_type[i])]
    if joint_type(kind).mjcf != theirs:
        advice = "Read both models from the same file."
        raise WrongValue(f"Joint {name!r} is {kind}, but MuJoCo's is a {theirs} joint. {advice}")
    nq, nv = _MUJOCO_SIZES[theirs]
    start_q, start_v = int(model.jnt_qposadr[i]), int(model.jnt_dofadr[i])
    their_q, their_v = slice(start_q, start_q + nq), slice(start_v, start_v + nv)
    # qpos0 of a hinge or slide is what MuJoCo calls the angle of the position drawn in the file, our zero.
    shift = float(model.qpos0[start_q]) if nq == 1 else 0.0
    rule: Rule = FreeWorldLinear() if kind == "free" else Same(shift)
    return Block(q, v, their_q, their_v, rule)


def _planar_parts(robot: RobotModel, known: set[str]) -> dict[str, list[str]]:
    """The three MuJoCo joints of each planar joint that has them."""
    planar = (joint.name for joint in robot.joints if joint.type == "planar")
    parts = {name: [name + ending for ending in _PLANAR_ENDINGS] for name in planar}
    return {name: three for name, three in parts.items() if known.issuperset(three)}


def _pairs(
    robot: RobotModel, theirs: Iterable[str], free: list[str], names: Mapping[str, str], where: str
) -> list[tuple[Joint, str]]:
    """Our joints with the names of theirs, one to one."""
    known = list(theirs)
    for name in names:
        robot.joint(name)  # refuses a name that is none of ours
    ours_free = [joint.name for joint in robot.joints if joint.type == "free"]
    pairs: list[tuple[Joint, str]] = []
    for joint in robot.joints:
        name = names.get(joint.name, joint.name)
        if name not in known and ours_free == [joint.name] and len(free) == 1:
            name = free[0]  # every library calls the floating base otherwise
        if name not in known:
            raise UnknownName("joint", name, known, where)
        if name in (taken for _, taken in pairs):
            raise WrongValue(
                f"Joint {joint.name!r} and another one are both matched with {name!r} of {where}."
            )
        pairs.append((joint, name))
    if left := sorted(set(known).difference(name for _, name in pairs)):
        raise UnknownName("joint", left[0], [joint.name for joint in robot.joints], f"robot {robot.name!r}")
    return pairs


def _require_z(joint: Joint) -> None:
    """Refuse a planar joint whose normal is not z: there x and y differ, and Pinocchio ignores the axis."""
    if joint.type == "planar" and not (joint.axis[0] == 0 == joint.axis[1] and float(joint.axis[2]) > 0):
        axis = ", ".join(str(x) for x in joint.axis)
        advice = "Only the normal (0, 0, 1) converts: rotate the joint's frame."
        raise WrongValue(f"Planar joint {joint.name!r} has the normal ({axis}). {advice}")


def _sized(x: ArrayLike, size: int, name: str) -> Array:
    array = floats(name, x)
    if array.ndim == 0 or array.shape[-1] != size:
        raise WrongSize(f"{name} has the shape {array.shape}; give (..., {size}).")
    return array


def _times(matrix: Array, x: Array) -> Array:
    product: Array = np.matmul(matrix, x[..., None])[..., 0]
    return product
