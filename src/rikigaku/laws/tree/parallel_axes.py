"""Runs of parallel revolute axes: a pass over the mechanism before the recursions.

A body of a run rotates against the body that carries the run (its base) by the sum of the run's joint angles.
The angular velocity of the base often has one component less perpendicular to the axes than that of
the bodies between; the vertical column of most arms is such a base. Then motion perpendicular to the axes is
taken from the base, and moments perpendicular to the axes are summed in axes fixed to the base. Sine and
cosine of theta2 + theta3 follow from those of the angles by the addition theorems.
"""

from dataclasses import dataclass

from rikigaku.model.elementary_motions import Revolute
from rikigaku.model.mechanism import WORLD, Body, Mechanism
from rikigaku.numbers.elementary_functions import is_constant, is_zero
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import ZERO, Matrix, Vector, transform, transpose

Pattern = tuple[bool, bool, bool]  # which components of a vector are not structural zeros

_NO_COMPONENT: Pattern = (False, False, False)


@dataclass(frozen=True)
class ParallelRun:
    """A body's place in a run of parallel axes.

    Run axes of a body are fixed to the base of the run: they are the body's axes when all angles of the run
    are zero, so the joint axis lies along z.

    Attributes:
        base: index of the body that carries the first joint of the run.
        rotations: constant rotations from run axes to the base's axes, the one next to the base first.
        s, c: sine and cosine of the angle from run axes to body axes; rate: its time derivative.
        omega, alpha: nonzero components of the base's angular velocity and acceleration, in run axes.
    """

    base: int
    rotations: tuple[Matrix, ...]
    s: Number
    c: Number
    rate: Number
    omega: Pattern
    alpha: Pattern

    @property
    def saves(self) -> bool:
        """Whether the motion of the base takes less work than that of the parent."""
        return len(self.rotations) > 1 and all(x != y for x, y, _ in (self.omega, self.alpha))

    def perpendicular_motion(self, omega: Vector, alpha: Vector) -> tuple[Vector, Vector]:
        """Angular velocity and acceleration perpendicular to the joint axis, in body axes.

        The acceleration is that without the accelerations of the run's joints, which act along the axis.
        omega, alpha: of the base, in its axes.
        """
        for K in self.rotations:
            omega, alpha = transform(transpose(K), omega), transform(transpose(K), alpha)
        w = self._to_body(omega)
        return w, vector.add(self._to_body(alpha), vector.cross(w, (0, 0, self.rate)))

    def to_run(self, x: Vector) -> Vector:
        """The part of a vector perpendicular to the joint axis: from body axes to run axes."""
        return (self.c * x[0] - self.s * x[1], self.s * x[0] + self.c * x[1], 0)

    def _to_body(self, x: Vector) -> Vector:
        """The part of a vector perpendicular to the joint axis: from run axes to body axes."""
        return (self.c * x[0] + self.s * x[1], self.c * x[1] - self.s * x[0], 0)


@dataclass(frozen=True)
class SubtreeWrench:
    """Force and moment a joint transmits to its body and all bodies beyond it, about the body's origin.

    Attributes:
        force, moment: in body axes.
        run_moment: a further moment perpendicular to the joint axis, in run axes; not zero in runs only.
    """

    force: Vector
    moment: Vector
    run_moment: Vector = ZERO

    def plus(self, other: "SubtreeWrench") -> "SubtreeWrench":
        """Sum of two wrenches on the same body."""
        return SubtreeWrench(
            vector.add(self.force, other.force),
            vector.add(self.moment, other.moment),
            vector.add(self.run_moment, other.run_moment),
        )

    def power(self, direction: Twist) -> Number:
        """Force along a free direction of the body's joint; `run_moment` has none along a revolute axis."""
        return Wrench(self.force, self.moment).power(direction)


def parallel_runs(mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers) -> list[ParallelRun | None]:
    """For each body its place in a run of parallel axes, None if its joint is not revolute.

    A body with a parallel parent is in the parent's run; else it begins a run on its parent.
    """
    patterns = _angular_patterns(mechanism, q, v, a)
    result: list[ParallelRun | None] = []
    for body in mechanism.bodies:
        if not isinstance(body.joint, Revolute):
            result.append(None)
            continue
        K, R, rate = body.placement.R, body.moved(q).R, v[body.v.start]
        s, c = R[1][0], R[0][0]
        before = None if body.parent == WORLD else result[body.parent]
        if before is None or not _keeps_axis(K):
            omega, alpha = (_rotated(K, x) for x in patterns[body.parent])
            result.append(ParallelRun(body.parent, (K,), s, c, rate, omega, alpha))
            continue
        sense = K[2][2]  # -1 where the axes are antiparallel
        S, C = sense * before.s, before.c
        result.append(
            ParallelRun(
                before.base,
                (*before.rotations, K),
                S * c + C * s,
                C * c - S * s,
                sense * before.rate + rate,
                _rotated(K, before.omega),
                _rotated(K, before.alpha),
            )
        )
    return result


def _keeps_axis(K: Matrix) -> bool:
    """Whether a constant rotation permutes coordinate axes (with signs) and maps z to z or -z."""
    permutes = all(any(is_constant(x, value) for value in (-1, 0, 1)) for row in K for x in row)
    return permutes and not is_zero(K[2][2])


def _angular_patterns(
    mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers
) -> dict[int, tuple[Pattern, Pattern]]:
    """Nonzero components of each body's angular velocity and acceleration, in body axes; WORLD is at rest."""
    result = {WORLD: (_NO_COMPONENT, _NO_COMPONENT)}
    for i, body in enumerate(mechanism.bodies):
        R = body.moved(q).R
        omega, alpha = (_rotated(R, _rotated(body.placement.R, x)) for x in result[body.parent])
        v_joint, a_joint = _joint_pattern(body, v), _joint_pattern(body, a)
        alpha = _either(_either(alpha, _cross(omega, v_joint)), a_joint)
        result[i] = _either(omega, v_joint), alpha
    return result


def _joint_pattern(body: Body, rates: Numbers) -> Pattern:
    """Pattern of the joint's angular velocity (or acceleration), in body axes."""
    total = _NO_COMPONENT
    for direction, k in zip(body.joint.directions(), body.v, strict=True):
        if not is_zero(rates[k]):
            x, y, z = (not is_zero(component) for component in direction.angular)
            total = _either(total, (x, y, z))
    return total


def _rotated(R: Matrix, x: Pattern) -> Pattern:
    """Pattern of R^T x."""
    first, second, third = (
        any(nonzero and not is_zero(row[i]) for nonzero, row in zip(x, R, strict=True)) for i in range(3)
    )
    return (first, second, third)


def _cross(a: Pattern, b: Pattern) -> Pattern:
    """Pattern of a x b."""
    return (a[1] & b[2] | a[2] & b[1], a[2] & b[0] | a[0] & b[2], a[0] & b[1] | a[1] & b[0])


def _either(a: Pattern, b: Pattern) -> Pattern:
    """Pattern of a + b."""
    return (a[0] | b[0], a[1] | b[1], a[2] | b[2])
