"""How every body moves: one outward pass in body axes, from which the laws take what they need.

The acceleration of a body's origin is the one an accelerometer would read: gravity enters as an upward
acceleration of the ground, so weights need no further thought.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rikigaku.laws.parallel_axes import Run, run_of
from rikigaku.model.mechanism import WORLD, Body, Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.twist import NO_TWIST, Twist
from rikigaku.spatial.vector import ZERO, Matrix, Vector, cross, transform

Numbers = Sequence[Number]

# A constant rotation with more inexact entries than a plane rotation has is merged with the joint's own.
_PLANE_ROTATION_ENTRIES = 4


@dataclass(frozen=True)
class Passage:
    """The way between a parent's axes and a body's: rotations applied one after the other, cheapest first."""

    rotations: tuple[Matrix, ...]  # each body to parent, outermost (parent side) first
    p: Vector  # the body's origin in the parent's frame
    run: Run | None = None  # how to go past the parent, where that is shorter

    def inward(self, x: Vector) -> Vector:
        """A vector given in body axes, in the parent's."""
        for R in reversed(self.rotations):
            x = transform(R, x)
        return x

    def outward(self, x: Vector) -> Vector:
        """A vector given in the parent's axes, in the body's."""
        for R in self.rotations:
            x = transform(vector.transpose(R), x)
        return x


def passage(body: Body, q: Numbers) -> Passage:
    """The passage of a body at the positions q."""
    K, own = body.placement.R, [q[k] for k in body.q]
    R = body.joint.turn(own)
    p = vector.add(body.placement.p, transform(K, body.joint.shift(own)))
    inexact = sum(not _is_unit(x) for row in K for x in row)
    rotations = (K, R) if inexact <= _PLANE_ROTATION_ENTRIES else (vector.multiply(K, R),)
    return Passage(rotations, p)


@dataclass(frozen=True)
class BodyMotion:
    """Velocity and acceleration of one body, in its own axes."""

    passage: Passage
    velocity: Twist  # of its origin
    alpha: Vector  # angular acceleration
    acceleration: Vector  # of its origin as felt: gravity included
    spin: Matrix  # U = [alpha x] + [omega x][omega x]: acceleration of a point r is acceleration + U r


def motion(
    mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, gravity: Vector | None = None
) -> Iterator[BodyMotion]:
    """The motion of every body, parents before children, one at a time.

    A law that finishes with each body as it comes keeps few numbers alive, which is what registers like.

    Args:
        q: joint positions (nq); v, a: joint velocities and accelerations (nv).
        gravity: acceleration of free fall in the world frame [m/s^2]; the mechanism's own if None.
    """
    g = mechanism.gravity if gravity is None else gravity
    ground = BodyMotion(Passage((), ZERO), NO_TWIST, ZERO, vector.neg(g), ((0, 0, 0),) * 3)
    result: list[BodyMotion] = []
    for body in mechanism.bodies:
        parent = ground if body.parent == WORLD else result[body.parent]
        result.append(_carried(body, parent, q, v, a))
        yield result[-1]


def _carried(body: Body, parent: BodyMotion, q: Numbers, v: Numbers, a: Numbers) -> BodyMotion:
    way = passage(body, q)
    rate, push = joint_twist(body, v), joint_twist(body, a)
    turn = body.joint.turn([q[k] for k in body.q])
    run = run_of(body, turn, rate.angular[2], (parent.velocity.angular, parent.alpha), parent.passage.run)
    way = replace(way, run=run)
    carried = way.outward(parent.velocity.angular)  # the parent's angular velocity in body axes
    turned = vector.add(way.outward(parent.alpha), cross(carried, rate.angular))
    if run is not None and run.saves:  # the same, square to the axis, from the carrier of all parallel axes
        flat = run.outward(run.omega)
        carried = (flat[0], flat[1], carried[2])
        flat = vector.add(run.outward(run.alpha), cross(flat, (0, 0, run.rate)))
        turned = (flat[0], flat[1], turned[2])
    omega = vector.add(carried, rate.angular)
    alpha = vector.add(turned, push.angular)
    linear = way.outward(vector.add(parent.velocity.linear, cross(parent.velocity.angular, way.p)))
    acceleration = way.outward(vector.add(parent.acceleration, transform(parent.spin, way.p)))
    coriolis = cross(vector.add(carried, omega), rate.linear)
    acceleration = vector.add(acceleration, vector.add(coriolis, push.linear))
    velocity = Twist(vector.add(linear, rate.linear), omega)
    return BodyMotion(way, velocity, alpha, acceleration, spin_matrix(omega, alpha))


def joint_twist(body: Body, rates: Numbers) -> Twist:
    """The twist of a joint across itself, in body axes."""
    total = NO_TWIST
    for direction, k in zip(body.joint.directions(), body.v, strict=True):
        total = total.plus(direction.times(rates[k]))
    return total


def spin_matrix(w: Vector, alpha: Vector) -> Matrix:
    """U = [alpha x] + [w x][w x]."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return (
        (-(yy + zz), xy - alpha[2], xz + alpha[1]),
        (xy + alpha[2], -(xx + zz), yz - alpha[0]),
        (xz - alpha[1], yz + alpha[0], -(xx + yy)),
    )


def _is_unit(x: Number) -> bool:
    return isinstance(x, (int, float)) and x in (-1, 0, 1)
