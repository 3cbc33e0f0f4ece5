"""The record of a joint type: motions, names of coordinates, loop-closure equations, names in file formats.

A joint type is a chain of elementary motions (`model.elementary_motions`) along directions of `Joint`.
Sizes of q and v, the motion subspace, integration, difference and pictures follow from the chain.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.value_text import short
from rikigaku.model.elementary_motions import ANGLE, LENGTH, QUATERNION, ElementaryJoint, Helical, Prismatic

# Directions in the joint frame: the joint's axis or second axis, the frame's own z, and right-handed axes of
# the plane normal to the joint's axis (plane_z is that axis with unit length).
Direction = Literal["axis", "second_axis", "frame_z", "plane_x", "plane_y", "plane_z"]


class Motion(NamedTuple):
    """An elementary motion of a joint, along or about one direction of the joint frame."""

    elementary: type[ElementaryJoint]
    direction: Direction = "axis"


# One rotation equation: a sum of terms sign * (axis of the start frame) . (axis of the end frame).
DotProducts = tuple[tuple[int, str, str], ...]

ALL_AXES = ("x", "y", "z")
PARALLEL_Z: tuple[DotProducts, ...] = (((1, "x", "z"),), ((1, "y", "z"),))
NO_ROTATION: tuple[DotProducts, ...] = (
    ((1, "y", "z"), (-1, "z", "y")),
    ((1, "z", "x"), (-1, "x", "z")),
    ((1, "x", "y"), (-1, "y", "x")),
)


@dataclass(frozen=True)
class CutJoint:
    """Loop-closure equations of a joint that closes a loop, between its start frame S and its end frame E.

    Attributes:
        translations: components of p_S - p_E that must vanish: along axes of the start frame ("xS"), or of
            the body that carries both branches of the loop ("x").
        rotations: sums of dot products of axes that must vanish.
        aligned_axes: axes of S and E that are parallel, not antiparallel, in the intended assembly mode.
        rotation_axes, translation_axes: the free motions, by axes of S ("zS") or E ("xE"); three rotation
            axes allow any rotation.
    """

    translations: tuple[str, ...]
    rotations: tuple[DotProducts, ...]
    aligned_axes: tuple[str, ...] = ()
    rotation_axes: tuple[str, ...] = ()
    translation_axes: tuple[str, ...] = ()


@dataclass(frozen=True)
class JointType:
    """A type of joint as data.

    Attributes:
        motions: elementary motions from the parent link outward; none for a fixed joint.
        coordinate_suffixes: what follows the joint's name in the name of each coordinate of q.
        velocity_suffixes: likewise of each quasi-velocity of v; none where v = dq/dt.
        cut: its equations where it closes a loop; None where it cannot.
        placement_optional: whether a file may leave out the link's placement, because q holds the position.
        urdf, sdf: names of the type in these formats, the one that is written first; mjcf: its name in MJCF;
            pinocchio: first letters of the names of Pinocchio's joint models. Empty where a format has none.
    """

    name: str
    motions: tuple[Motion, ...]
    coordinate_suffixes: tuple[str, ...] = ("",)
    velocity_suffixes: tuple[str, ...] = ()
    cut: CutJoint | None = None
    placement_optional: bool = False
    urdf: tuple[str, ...] = ()
    mjcf: str = ""
    sdf: tuple[str, ...] = ()
    pinocchio: str = ""

    def __post_init__(self) -> None:
        for motion in self.motions:
            if not (isinstance(motion, Motion) and hasattr(motion.elementary, "coordinates")):
                raise WrongValue(
                    f"Joint type {self.name!r} has the motion {short(motion)}. Give Motion(Revolute), "
                    "Motion(Prismatic), ... of model.elementary_motions."
                )
            if motion.direction not in get_args(Direction):
                raise UnknownName(
                    "direction", motion.direction, get_args(Direction), f"joint type {self.name!r}"
                )
        suffixes, size = self.coordinate_suffixes, self.nq
        if len(suffixes) != size or len(set(suffixes)) != size:
            raise WrongSize(
                f"Joint type {self.name!r} has {size} coordinates; its coordinate_suffixes {suffixes} must "
                "be as many, and differ."
            )
        if self.velocity_suffixes and len(self.velocity_suffixes) != self.nv:
            raise WrongSize(
                f"Joint type {self.name!r} has {self.nv} velocities; its velocity_suffixes "
                f"{self.velocity_suffixes} must be as many, or none where v = dq/dt."
            )

    @cached_property
    def nq(self) -> int:
        """Coordinates in q."""
        return sum(motion.elementary.nq for motion in self.motions)

    @cached_property
    def nv(self) -> int:
        """Coordinates in v."""
        return sum(motion.elementary.nv for motion in self.motions)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Kinds of the coordinates of q (angle, screw angle, length, part of a quaternion)."""
        return tuple(kind for motion in self.motions for kind in motion.elementary.coordinates)

    @cached_property
    def lengths(self) -> tuple[bool, ...]:
        """For each coordinate of q whether it is a length [m]."""
        return tuple(kind == LENGTH for kind in self.coordinates)

    @cached_property
    def linear_velocities(self) -> tuple[bool, ...]:
        """For each coordinate of v whether it is linear [m/s], its force [N]; else angular [rad/s], [N m]."""
        return tuple(flag for motion in self.motions for flag in motion.elementary.linear_velocities)

    @cached_property
    def angles(self) -> tuple[int, ...]:
        """Coordinates of q whose whole revolutions lead back to the same configuration."""
        return tuple(k for k, kind in enumerate(self.coordinates) if kind == ANGLE)

    @cached_property
    def quaternion(self) -> int | None:
        """Index of a unit quaternion w x y z among the coordinates of q; None without one."""
        return self.coordinates.index(QUATERNION) if QUATERNION in self.coordinates else None

    @cached_property
    def neutral(self) -> tuple[float, ...]:
        """q of the joint where it does not displace its link (zeros, and the unit quaternion)."""
        return tuple(1.0 if k == self.quaternion else 0.0 for k in range(self.nq))

    @cached_property
    def axis_fields(self) -> tuple[Literal["axis", "second_axis"], ...]:
        """The fields of `Joint` that hold its directions."""
        directions = {motion.direction for motion in self.motions}
        first: tuple[Literal["axis"], ...] = ("axis",) if directions - {"frame_z", "second_axis"} else ()
        return (*first, "second_axis") if "second_axis" in directions else first

    @cached_property
    def has_pitch(self) -> bool:
        """Whether it is a screw, which needs a pitch [m/rad]."""
        return any(motion.elementary is Helical for motion in self.motions)

    @cached_property
    def translates_only(self) -> bool:
        """Whether all of its motions are translations."""
        return all(motion.elementary is Prismatic for motion in self.motions)

    @cached_property
    def dh_column(self) -> str:
        """The column of a DH row that holds the variable of a joint about z: theta, d, or none."""
        if len(self.motions) != 1 or self.motions[0].direction != "axis":
            return ""
        return "d" if self.translates_only else "theta"
