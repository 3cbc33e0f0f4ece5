"""Where a joint sits on its parent: modified DH, standard DH, or an explicit placement.

Each way of describing it is data that answers one question: which elementary rotations and translations
lie *before* the joint's motion (parent link frame to joint frame) and which *after* it (joint frame to
link frame). Nothing downstream asks which way was used.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from rikigaku.model.plain_fields import accept_plain
from rikigaku.numbers.formula import ZERO, Formula

Axis = Literal["rx", "ry", "rz", "tx", "ty", "tz"]


class Step(NamedTuple):
    """An elementary rotation (rad) or translation (m) along one axis of the moving frame."""

    axis: Axis
    amount: Formula


Steps = tuple[Step, ...]


@dataclass(frozen=True)
class Placement:
    """Explicit position xyz [m] and fixed-axis roll, pitch, yaw rpy [rad]: R = Rz(yaw) Ry(pitch) Rx(roll)."""

    xyz: tuple[Formula, Formula, Formula] = (ZERO, ZERO, ZERO)
    rpy: tuple[Formula, Formula, Formula] = (ZERO, ZERO, ZERO)

    def __post_init__(self) -> None:
        accept_plain(self, "xyz", "rpy")

    def before(self) -> Steps:
        (x, y, z), (roll, pitch, yaw) = self.xyz, self.rpy
        return _nonzero(
            Step("tx", x), Step("ty", y), Step("tz", z), Step("rz", yaw), Step("ry", pitch), Step("rx", roll)
        )

    def after(self) -> Steps:
        return ()


@dataclass(frozen=True)
class ModifiedDH:
    """Khalil-Kleinfinger: T = Rz(beta) Tz(b) Rx(alpha) Tx(a) Rz(theta) Tz(d).

    theta and d hold the constant parts; the joint's variable is added to theta (revolute) or d (prismatic).
    beta and b are zero except on the first link of a branch.
    """

    alpha: Formula = ZERO
    a: Formula = ZERO
    theta: Formula = ZERO
    d: Formula = ZERO
    beta: Formula = ZERO
    b: Formula = ZERO

    def __post_init__(self) -> None:
        accept_plain(self, "alpha", "a", "theta", "d", "beta", "b")

    def before(self) -> Steps:
        return _nonzero(
            Step("rz", self.beta),
            Step("tz", self.b),
            Step("rx", self.alpha),
            Step("tx", self.a),
            Step("rz", self.theta),
            Step("tz", self.d),
        )

    def after(self) -> Steps:
        return ()


@dataclass(frozen=True)
class StandardDH:
    """Denavit-Hartenberg's own order: T = Rz(theta) Tz(d) Tx(a) Rx(alpha); the link frame at its far end."""

    theta: Formula = ZERO
    d: Formula = ZERO
    a: Formula = ZERO
    alpha: Formula = ZERO

    def __post_init__(self) -> None:
        accept_plain(self, "theta", "d", "a", "alpha")

    def before(self) -> Steps:
        return _nonzero(Step("rz", self.theta), Step("tz", self.d))

    def after(self) -> Steps:
        return _nonzero(Step("tx", self.a), Step("rx", self.alpha))


Geometry = Placement | ModifiedDH | StandardDH


def _nonzero(*steps: Step) -> Steps:
    return tuple(step for step in steps if step.amount != ZERO)
