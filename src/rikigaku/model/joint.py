"""A joint as data: its type, axis, limits and what its drive adds to the motion."""

from dataclasses import dataclass
from typing import Literal, get_args

from rikigaku.model.plain_fields import accept_plain
from rikigaku.numbers.formula import ONE, ZERO, Formula

JointType = Literal["revolute", "prismatic", "fixed", "helical", "universal", "spherical", "planar", "free"]
JOINT_TYPES: tuple[str, ...] = get_args(JointType)

# What a joint that closes a loop may be. A helix is none: its equation is not one in sines and cosines (cut
# another joint of that loop). A cylindrical joint needs no coordinates here, so it is known.
ClosingType = Literal["revolute", "prismatic", "fixed", "universal", "spherical", "planar", "cylindrical"]
CLOSING_TYPES: tuple[str, ...] = get_args(ClosingType)

# Sizes of a joint's part of q and of v. Quaternions have four numbers and three rates.
POSITION_SIZE = {
    "revolute": 1,
    "prismatic": 1,
    "fixed": 0,
    "helical": 1,
    "universal": 2,
    "spherical": 4,
    "planar": 3,
    "free": 7,
}
VELOCITY_SIZE = POSITION_SIZE | {"spherical": 3, "free": 6}

Z_AXIS = (ZERO, ZERO, ONE)
X_AXIS = (ONE, ZERO, ZERO)


@dataclass(frozen=True)
class Limits:
    """Bounds of a one-coordinate joint [rad or m, per second, N m or N]; None is unbounded."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None

    def __post_init__(self) -> None:
        # 1 and 1.0, 0.0 and -0.0 are equal: written alike, equal robots have equal digests.
        for name, bound in vars(self).items():
            if isinstance(bound, int | float):
                object.__setattr__(self, name, float(bound) + 0.0)


@dataclass(frozen=True)
class Joint:
    """How a link moves on its parent.

    axis: direction of a revolute, prismatic or helical axis, of the normal of a planar joint, and of the
        first axis of a universal one, in joint-frame coordinates; unit length is not required of the writer.
    second_axis: second axis of a universal joint.
    pitch: advance of a helical joint [m/rad].
    viscous, coulomb: friction [N m s/rad, N m]; rotor: reflected rotor inertia [kg m^2]; one value serves
        every coordinate of the joint.
    stiffness, rest: of a spring in a joint of one coordinate [N m/rad, or N/m], and where it is relaxed
        [rad, m].
    """

    name: str
    type: JointType = "revolute"
    axis: tuple[Formula, Formula, Formula] = Z_AXIS
    second_axis: tuple[Formula, Formula, Formula] = X_AXIS
    pitch: Formula = ZERO
    actuated: bool = True
    limits: Limits = Limits()
    viscous: Formula = ZERO
    coulomb: Formula = ZERO
    rotor: Formula = ZERO
    stiffness: Formula = ZERO
    rest: Formula = ZERO

    def __post_init__(self) -> None:
        accept_plain(self, "axis", "second_axis", "pitch", "viscous", "coulomb", "rotor", "stiffness", "rest")

    @property
    def nq(self) -> int:
        """Numbers this joint adds to q."""
        return POSITION_SIZE[self.type]

    @property
    def nv(self) -> int:
        """Numbers this joint adds to v."""
        return VELOCITY_SIZE[self.type]
