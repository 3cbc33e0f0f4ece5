"""The ten inertial parameters of a link, kept as they were entered."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rikigaku.core.checked_calls import checked_data
from rikigaku.model.angle_units import rpy_angles, warn_of_large_angles
from rikigaku.model.formula_fields import FormulaLike, FormulaTriple, accept_plain
from rikigaku.numbers.formula import ZERO, Formula

PARAMETER_NAMES = ("m", "msx", "msy", "msz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")

Triple = tuple[Formula, Formula, Formula]
Sextuple = tuple[Formula, Formula, Formula, Formula, Formula, Formula]


@checked_data
@dataclass(frozen=True)
class Inertia:
    """Mass [kg], its position, and the tensor Ixx Ixy Ixz Iyy Iyz Izz [kg m^2] (elements: Ixy = -sum m x y).

    about="origin": position holds the first moments m*c [kg m], tensor is about the link's origin, link axes.
    about="com":    position holds the centre of mass c [m], tensor is about c, in axes rotated by rpy [rad].
    regrouped: the values are base parameters or estimates, of which masses may be negative; a robot with any
    other negative mass is refused.
    """

    about: Literal["origin", "com"]
    m: Formula
    position: Triple = (ZERO, ZERO, ZERO)
    tensor: Sextuple = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
    rpy: Triple = (ZERO, ZERO, ZERO)
    regrouped: bool = field(default=False, repr=False, compare=False)

    if TYPE_CHECKING:  # numbers and texts become formulas in __post_init__

        def __init__(
            self,
            about: Literal["origin", "com"],
            m: FormulaLike,
            position: FormulaTriple = ...,
            tensor: FormulaTriple = ...,
            rpy: FormulaTriple = ...,
            regrouped: bool = False,
        ) -> None: ...

    def __post_init__(self) -> None:
        typed = not all(isinstance(x, Formula) for x in self.rpy)
        accept_plain(self, "m", "position", "tensor", "rpy")
        if typed:
            warn_of_large_angles("Inertia", rpy_angles(self))
