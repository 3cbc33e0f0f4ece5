"""A joint as data: its type, axes, limits, friction, rotor inertia and spring."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked_data
from rikigaku.core.errors import WrongValue
from rikigaku.core.validation import is_flag
from rikigaku.core.value_text import short
from rikigaku.model.formula_fields import FormulaLike, FormulaTriple, accept_plain
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.numbers.formula import ONE, ZERO, Formula

Z_AXIS = (ZERO, ZERO, ONE)
X_AXIS = (ONE, ZERO, ZERO)


@checked_data
@dataclass(frozen=True)
class Limits:
    """Bounds of a one-coordinate joint [rad or m, per second, N m or N]; None is unbounded."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None

    def __post_init__(self) -> None:
        for name, bound in vars(self).items():
            if bound is None:
                continue
            value = floats(f"The limit {name}", bound)
            if value.ndim or is_flag(bound):
                raise WrongValue(f"The limit {name} is one number, or None; {short(bound)} was given.")
            # 1 and 1.0, 0.0 and -0.0 are equal: written alike, equal robots have equal digests.
            object.__setattr__(self, name, float(value) + 0.0)


@checked_data
@dataclass(frozen=True)
class Joint:
    """How a link moves on its parent.

    Attributes:
        type: a name in `model.joints.joint_types.JOINT_TYPES`.
        axis: direction of a revolute, prismatic or helical axis, of the normal of a planar joint, and of the
            first axis of a universal one, in joint-frame coordinates; any length but zero.
        second_axis: second axis of a universal joint.
        pitch: advance of a helical joint [m/rad].
        viscous, coulomb: friction [N m s/rad, N m]; rotor: reflected rotor inertia [kg m^2]; one value serves
            every coordinate of the joint.
        stiffness, rest: of a spring in a joint of one coordinate [N m/rad, or N/m], and its position without
            force [rad, m].
    """

    name: str
    type: str = "revolute"
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

    if TYPE_CHECKING:  # numbers and texts become formulas in __post_init__

        def __init__(
            self,
            name: str,
            type: str = "revolute",
            axis: FormulaTriple = ...,
            second_axis: FormulaTriple = ...,
            pitch: FormulaLike = 0,
            actuated: bool = True,
            limits: Limits = ...,
            viscous: FormulaLike = 0,
            coulomb: FormulaLike = 0,
            rotor: FormulaLike = 0,
            stiffness: FormulaLike = 0,
            rest: FormulaLike = 0,
        ) -> None: ...

    def __post_init__(self) -> None:
        accept_plain(self, "axis", "second_axis", "pitch", "viscous", "coulomb", "rotor", "stiffness", "rest")

    @property
    def nq(self) -> int:
        """Coordinates of the joint in q."""
        return joint_type(self.type).nq

    @property
    def nv(self) -> int:
        """Coordinates of the joint in v."""
        return joint_type(self.type).nv
