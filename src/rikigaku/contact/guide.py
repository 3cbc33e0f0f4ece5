"""A guide as data: a bilateral, frictionless constraint on part of a frame's pose."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import check_fields, checked, checked_data
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.value_text import short
from rikigaku.laws.contact.guide_equations import GuideConstraint
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.robot import Robot

_ROTATIONS = ("fixed", "x", "y", "z", "free")


@checked_data
@dataclass(frozen=True, eq=False)
class Guide:
    """`Guide("hand", keep="z", rotation="fixed")`: the frame "hand" stays at height 0 with fixed orientation.

    A guide is bilateral and has no friction; a contact at the same frame adds friction.

    Args:
        keep: axes of the guide along which the frame's origin is fixed: "z" a plane, "xy" the line along z,
            "xyz" a point, "" none.
        rotation: "fixed" (its axes stay parallel to the guide's), "x", "y" or "z" (it may rotate about that
            axis), "free".
        pose: pose of the guide in the world (4 x 4); identity if left out. `Guide.here` takes the frame's
            pose at a configuration.
        translation: translation of the guide in the world [m]: three formulas of t.
    """

    frame: str
    keep: str = ""
    rotation: str = "free"
    pose: Any = field(default=None)
    translation: Any = (ZERO, ZERO, ZERO)

    def __post_init__(self) -> None:
        check_fields(self)
        if set(self.keep) - set("xyz") or len(set(self.keep)) != len(self.keep):
            raise WrongValue(f"keep names axes of x, y, z, as in 'xy'; {self.keep!r} was given.")
        object.__setattr__(self, "keep", "".join(sorted(self.keep)))
        if self.rotation not in _ROTATIONS:
            raise WrongValue(f"rotation is one of {', '.join(_ROTATIONS)}; {self.rotation!r} was given.")
        if not self.keep and self.rotation == "free":
            raise WrongValue(
                f"The guide of {self.frame!r} constrains nothing: name axes to keep, or a rotation."
            )
        X = np.eye(4) if self.pose is None else floats("The pose of a guide", self.pose).copy()
        if X.shape != (4, 4):
            raise WrongSize(f"The pose of a guide is a matrix (4, 4); shape {X.shape} was given.")
        R = X[:3, :3]
        if not np.isfinite(X).all() or np.abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0:
            raise WrongValue(
                f"The pose of the guide of {self.frame!r} is not valid: its axes are not orthonormal."
            )
        object.__setattr__(self, "pose", X)
        if not isinstance(self.translation, tuple | list) or len(self.translation) != 3:
            raise WrongValue(
                f"The translation of a guide is three formulas of t; {short(self.translation)} was given."
            )
        object.__setattr__(self, "translation", tuple(Formula.of(x) for x in self.translation))
        if unknown := sorted({name for x in self.translation for name in x.symbols} - {"t"}):
            raise WrongValue(
                f"The translation of a guide is three formulas of t alone; it uses {', '.join(unknown)}."
            )

    @classmethod
    @checked
    def here(
        cls,
        robot: Robot,
        q: ArrayLike,
        frame: str,
        keep: str = "",
        rotation: str = "free",
        translation: Any = (ZERO,) * 3,
    ) -> "Guide":
        """The guide whose pose is that of the frame at configuration q, translated by `translation`."""
        return cls(frame, keep, rotation, robot.pose(floats("q", q), frame), translation)

    @property
    def constraint(self) -> GuideConstraint:
        """The guide for the laws."""
        R = tuple((float(a), float(b), float(c)) for a, b, c in self.pose[:3, :3])
        x, y, z = (float(x) for x in self.pose[:3, 3])
        return GuideConstraint(self.frame, self.keep, self.rotation, R, (x, y, z), self.translation)
