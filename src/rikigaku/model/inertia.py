"""The ten inertial parameters of a link, kept as they were entered."""

from dataclasses import dataclass
from typing import Literal

from rikigaku.model.plain_fields import accept_plain
from rikigaku.numbers.formula import ZERO, Formula

PARAMETER_NAMES = ("m", "msx", "msy", "msz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")

Triple = tuple[Formula, Formula, Formula]
Sextuple = tuple[Formula, Formula, Formula, Formula, Formula, Formula]


@dataclass(frozen=True)
class Inertia:
    """Mass [kg], where it sits, and the tensor Ixx Ixy Ixz Iyy Iyz Izz [kg m^2] (elements: Ixy = -sum m x y).

    about="origin": position holds the first moments m*c [kg m], tensor is about the link's origin, link axes.
    about="com":    position holds the centre of mass c [m], tensor is about c, in axes turned by rpy [rad].
    """

    about: Literal["origin", "com"]
    m: Formula
    position: Triple = (ZERO, ZERO, ZERO)
    tensor: Sextuple = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
    rpy: Triple = (ZERO, ZERO, ZERO)

    def __post_init__(self) -> None:
        accept_plain(self, "m", "position", "tensor", "rpy")
