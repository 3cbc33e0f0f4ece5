"""Inverse kinematics of robots whose loops are linear relations of angles (parallelograms).

Joints outside the frame's own chain follow from those on it: theta7 = theta2 + theta3 - pi/2. A palletizer
also has a relation on the chain: its wrist keeps a constant angle to the column, theta2 + theta3 + theta4 =
constant. Three parallel axes then only translate the wrist, in a plane. The chain is solved with two
displacements x, y in their place, and the first two angles from x, y as those of a planar arm of two links.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from rikigaku.model.evaluated_parameters import aligned
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link, RobotModel
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.formula import PI, ZERO, Formula
from rikigaku.numbers.number_kind import Number
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.inverse_kinematics.serial_chain import Axis, Chain
from rikigaku.symbolic.loops.linear_substitution import LinearSubstitution

VIRTUAL = 2  # displacements x, y, after the robot's coordinates
_ALONG_X, _ALONG_Y = Pose(aligned((1, 0, 0))), Pose(aligned((0, 1, 0)))


@dataclass(frozen=True)
class AngleSum:
    """q[place] = sum of slopes * q + pi * offset."""

    place: int
    slopes: Mapping[int, int]
    offset: Fraction

    def number(self, ring: Ring) -> Any:
        """The angle as a number of the ring."""
        total: Any = ring.variable("pi") * self.offset if self.offset else 0
        for k, n in self.slopes.items():
            total = total + ring.variable(f"q[{k}]") * n
        return total

    def sin_cos(self, ring: Ring) -> tuple[Number, Number]:
        """Sine and cosine as polynomials in those of the other joints."""
        x = self.number(ring)
        if isinstance(x, Exact):
            return x.sin(), x.cos()
        return ring.constant_sin_cos(Formula.of(x))

    def formula(self, names: Mapping[int, str]) -> Formula:
        """The sum in the names of the joints."""
        total = sum((Formula.symbol(names[k]) * n for k, n in self.slopes.items()), ZERO)
        return total + PI * self.offset


def angle_sums(linear: LinearSubstitution, wanted: Sequence[int]) -> dict[int, AngleSum]:
    """Relations solved for wanted coordinates in terms of the others, where that takes whole numbers."""
    rows = [([*linear.gradient(k)], linear.offsets[k]) for k in linear.slopes]
    found: dict[int, tuple[list[Fraction], Fraction]] = {}
    for k in wanted:
        pick = next((row for row in rows if row[0][k]), None)
        if pick is None:
            continue
        rows.remove(pick)
        scale = pick[0][k]
        own = [x / scale for x in pick[0]], pick[1] / scale
        rows = [_less(row, own, k) for row in rows]
        found = {j: _less(row, own, k) for j, row in found.items()} | {k: own}
    result = {}
    for k, (row, offset) in found.items():
        rest = {i: -x for i, x in enumerate(row) if x and i != k}
        if all(x.denominator == 1 for x in rest.values()) and not set(rest) & set(wanted):
            slopes = {i: int(x) for i, x in rest.items()}
            result[k] = AngleSum(k, slopes, 1 - (1 - offset) % 2)
    return result


def _less(row: Any, own: Any, k: int) -> Any:
    factor = row[0][k]
    return [x - factor * y for x, y in zip(row[0], own[0], strict=True)], row[1] - factor * own[1]


def with_displacements(robot: RobotModel) -> RobotModel:
    """The robot with two more prismatic joints, last in q."""
    more = [Link(f"level {x}", robot.base, Joint(f"level {x}", "prismatic")) for x in "xy"]
    return replace(robot, links=(*robot.links, *more), independent=())


@dataclass(frozen=True)
class LevelWrist:
    """Three parallel axes of a chain that translate a wrist.

    chain: with two displacements in their place. arm: the first two axes, whose point is the wrist's.
    height: of the wrist along the axes. angle: the third joint's.
    """

    chain: Chain
    arm: Chain
    height: Number
    angle: AngleSum

    @property
    def target(self) -> list[Number]:
        """The position of the wrist in the axes before the first joint, and a rotation that is not used."""
        x, y = (self.chain.ring.variable(axis.variable) for axis in self.displacements)
        return [x, y, self.height, *(int(i == j) for i in range(3) for j in range(3))]

    @property
    def displacements(self) -> tuple[Axis, ...]:
        """The axes of x and y."""
        return tuple(axis for axis in self.chain.axes if not axis.revolute)[-VIRTUAL:]


def level_wrist(chain: Chain, linear: LinearSubstitution, size: int) -> LevelWrist | None:
    """The level wrist of a chain; None if it has none. size: of q without the displacements."""
    places = [axis.place for axis in chain.axes]
    outside = [k for k in range(size) if k not in places]
    for third in range(2, len(places)):
        found = angle_sums(linear, [*outside, places[third]]).get(places[third])
        run = chain.axes[third - 2 : third + 1]
        if found is None or set(found.slopes) != {axis.place for axis in run[:2]}:
            continue
        if not all(axis.revolute for axis in run):
            continue
        ring = chain.ring
        between, behind = chain.constants[third - 1], chain.constants[third]
        s, c = found.sin_cos(ring)
        last = Pose(((c, -s, 0), (s, c, 0), (0, 0, 1)))
        moved = run[0].moved(ring).compose(between).compose(run[1].moved(ring)).compose(behind).compose(last)
        if any(isinstance(x, Exact) and _moves(x) for row in moved.R for x in row) or _moves(moved.p[2]):
            continue
        virtual = (Axis(size, False), Axis(size + 1, False))
        first, after = chain.constants[third - 2], chain.constants[third + 1]
        rest = Pose(moved.R, (0, 0, moved.p[2])).compose(after)
        constants = (
            *chain.constants[: third - 2],
            first.compose(_ALONG_X),
            _ALONG_X.inverse().compose(_ALONG_Y),
            _ALONG_Y.inverse().compose(rest),
            *chain.constants[third + 2 :],
        )
        axes = (*chain.axes[: third - 2], *virtual, *chain.axes[third + 1 :])
        arm = Chain(ring, run[:2], (Pose(), between, Pose(p=behind.p)))
        return LevelWrist(Chain(ring, axes, constants), arm, moved.p[2], found)
    return None


def _moves(x: Number) -> bool:
    """Whether a number depends on a coordinate."""
    if is_zero(x) or not isinstance(x, Exact):
        return False
    degrees = x.polynomial.degrees()
    return any(n and "q[" in name for name, n in zip(x.ring.names, degrees, strict=True))
