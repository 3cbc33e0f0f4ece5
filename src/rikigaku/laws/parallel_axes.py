"""Parallel axes in a row: bodies that turn, by a sum of angles, against the one body that carries them all.

Where that carrier turns about an axis square to theirs (as the column of most arms does), its motion has one
component less than that of the bodies between, so it is cheaper to take it from there: in turned axes by sine
and cosine of theta2 + theta3, which the addition theorems give from those of the angles.
"""

from dataclasses import dataclass

from rikigaku.model.elementary import Revolute
from rikigaku.model.mechanism import Body
from rikigaku.numbers.functions import is_constant, is_zero
from rikigaku.numbers.kind import Number
from rikigaku.spatial.vector import Matrix, Vector, transform, transpose


@dataclass(frozen=True)
class Run:
    """A body in a run of parallel axes, seen from the carrier of the run.

    Run axes are the carrier's, turned so that the axes of the run lie along z: as the joint frame of this
    body is when all angles of the run are zero.
    """

    s: Number  # sine and cosine of the angle from run axes to body axes
    c: Number
    rate: Number  # of that angle
    omega: Vector  # of the carrier, in run axes
    alpha: Vector
    first: bool  # carried by the carrier itself

    @property
    def saves(self) -> bool:
        """Whether the carrier's motion is worth going back to."""
        flat = (self.omega[:2], self.alpha[:2])
        return not self.first and all(is_zero(x) != is_zero(y) for x, y in flat)

    def inward(self, x: Vector) -> Vector:
        """A vector of body axes, square to the axis, in run axes."""
        return (self.c * x[0] - self.s * x[1], self.s * x[0] + self.c * x[1], 0)

    def outward(self, x: Vector) -> Vector:
        """What of a vector in run axes is square to the axis, in body axes."""
        return (self.c * x[0] + self.s * x[1], self.c * x[1] - self.s * x[0], 0)


def run_of(
    body: Body, turn: Matrix, rate: Number, carrier: tuple[Vector, Vector], before: Run | None
) -> Run | None:
    """The run the body is in: its parent's, if their axes are parallel, else a new one; None if it slides.

    Args:
        turn: its joint's rotation; rate: its joint's rate.
        carrier: angular velocity and acceleration of its parent.
        before: the run of its parent.
    """
    if not isinstance(body.joint, Revolute):
        return None
    K = body.placement.R
    back = transpose(K)
    s, c = turn[1][0], turn[0][0]
    if before is None or not _along(K):
        omega, alpha = (transform(back, x) for x in carrier)
        return Run(s, c, rate, omega, alpha, first=True)
    sense = K[2][2]  # -1 where the axis points the other way
    S, C = sense * before.s, before.c
    return Run(
        S * c + C * s,
        C * c - S * s,
        sense * before.rate + rate,
        transform(back, before.omega),
        transform(back, before.alpha),
        first=False,
    )


def _along(K: Matrix) -> bool:
    """Whether the axis stays parallel, and x and y go to x and y: then zeros stay zeros."""
    right = all(any(is_constant(x, value) for value in (-1, 0, 1)) for row in K for x in row)
    return right and not is_zero(K[2][2])
