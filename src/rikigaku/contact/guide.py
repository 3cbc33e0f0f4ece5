"""A guide as data: a frame held in some directions of its pose, as a hand along a wall or on a handle."""

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from rikigaku.errors import WrongSize, WrongValue
from rikigaku.laws.contact_guides import Hold
from rikigaku.model.robot import Robot
from rikigaku.numbers.formula import ZERO, Formula

_TURNS = ("fixed", "x", "y", "z", "free")


@dataclass(frozen=True, eq=False)
class Guide:
    """`Guide("hand", keep="z", turn="fixed")`: the hand stays at the height 0 and does not turn.

    Nothing rubs along a guide, and it holds both ways: a contact beside it brings friction.

    Args:
        keep: axes of the place along which the frame's origin stays: "z" a plane, "xy" the line along z,
            "xyz" a point, "" none.
        turn: "fixed" (its axes stay parallel to the place's), "x", "y" or "z" (it may turn about that axis),
            "free".
        place: pose in the world (4 x 4); the world's own axes if left out. `Guide.here` takes the pose at a
            posture.
        way: how the place moves in the world without turning [m]: three formulas of t.
    """

    frame: str
    keep: str = ""
    turn: str = "free"
    place: Any = field(default=None)
    way: Any = (ZERO, ZERO, ZERO)

    def __post_init__(self) -> None:
        if set(self.keep) - set("xyz") or len(set(self.keep)) != len(self.keep):
            raise WrongValue(f"keep names axes of x, y, z, as in 'xy'; {self.keep!r} was given.")
        object.__setattr__(self, "keep", "".join(sorted(self.keep)))
        if self.turn not in _TURNS:
            raise WrongValue(f"turn is one of {', '.join(_TURNS)}; {self.turn!r} was given.")
        if not self.keep and self.turn == "free":
            raise WrongValue(f"The guide of {self.frame!r} holds nothing: name axes to keep, or a turn.")
        X = np.eye(4) if self.place is None else np.array(self.place, dtype=np.float64)
        if X.shape != (4, 4):
            raise WrongSize(f"The place of a guide is a pose (4, 4); shape {X.shape} was given.")
        R = X[:3, :3]
        if not np.isfinite(X).all() or np.abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0:
            raise WrongValue(f"The place of the guide of {self.frame!r} is no pose: its axes are not square.")
        object.__setattr__(self, "place", X)
        if isinstance(self.way, str) or len(self.way) != 3:
            raise WrongValue(f"The way of a guide is three formulas of t; {self.way!r} was given.")
        object.__setattr__(self, "way", tuple(Formula.of(x) for x in self.way))
        if unknown := sorted({name for x in self.way for name in x.symbols} - {"t"}):
            raise WrongValue(
                f"The way of a guide is three formulas of t alone; it uses {', '.join(unknown)}."
            )

    @classmethod
    def here(
        cls, robot: Robot, q: Any, frame: str, keep: str = "", turn: str = "free", way: Any = (ZERO,) * 3
    ) -> "Guide":
        """Held where the frame is at q, along and about its own axes there; moving along `way` from there."""
        return cls(frame, keep, turn, cast(Any, robot).pose(np.asarray(q, dtype=np.float64), frame), way)

    @property
    def hold(self) -> Hold:
        """The guide for the laws."""
        R = tuple((float(a), float(b), float(c)) for a, b, c in self.place[:3, :3])
        x, y, z = (float(x) for x in self.place[:3, 3])
        return Hold(self.frame, self.keep, self.turn, R, (x, y, z), self.way)
