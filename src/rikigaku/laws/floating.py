"""A free-floating robot at a posture: what momentum does to its base, from which all space laws are taken.

Everything is seen from the centre of mass G of the whole. About G the momenta of linear and angular motion
separate: unit rate of coordinate k gives the whole the momentum (f_k, n_k), and the base answers with the
motion of G-fixed points -f_k / w and the turning -I_s^-1 n_k, w the mass and I_s the inertia of the whole.
Reference: Y. Umetani, K. Yoshida, Resolved motion rate control of space manipulators with generalized
Jacobian matrix (1989); Part X by Umetani, Yoshida, Kurazume, eqs 4-7, 42; composite bodies: [Walker1982].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rikigaku.laws import ltdl
from rikigaku.laws.root_axes import own_composites
from rikigaku.laws.space_base import FreeBase, free_base
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.inertia import SpatialInertia, rotate_symmetric
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import IDENTITY, Matrix, Vector, cross, transform

Numbers = Sequence[Number]


@dataclass(frozen=True)
class Floating:
    """The robot seen from its centre of mass, in joint axes of the base (or in base axes).

    axes: base axes to the axes used: the base's turn, or no turn at all.
    poses: of the base and everything on it, by body; origin at the centre of mass.
    center: the centre of mass, from the base's origin.
    directions, momenta: by coordinate of v (those of the arm): its motion, and the momentum of all it moves,
        per unit rate.
    """

    mechanism: Mechanism
    base: FreeBase
    axes: Matrix
    mass: Number
    center: Vector
    inertia: Matrix  # I_s, about the centre of mass
    poses: dict[int, Pose]
    directions: dict[int, Twist]
    momenta: dict[int, Wrench]

    def answer(self, momentum: Wrench) -> Twist:
        """The base's motion, seen from G, that has the opposite momentum."""
        linear = vector.scale(-1 / self.mass, self.base.allowed(momentum.force))
        places = self.base.angular
        turning = self._factors.solve([momentum.moment[k] for k in places])
        x, y, z = (-turning[places.index(k)] if k in places else 0 for k in range(3))
        return Twist(linear, (x, y, z))

    @cached_property
    def answers(self) -> dict[int, Twist]:
        """The base's motion, seen from G, per unit rate of each coordinate of the arm at zero momentum."""
        return {k: self.answer(momentum) for k, momentum in self.momenta.items()}

    @cached_property
    def _factors(self) -> ltdl.Factors:
        places = self.base.angular
        entries = {
            (i, j): self.inertia[k][l] for i, k in enumerate(places) for j, l in enumerate(places) if j <= i
        }
        return ltdl.factorize(entries, list(range(-1, len(places) - 1)))

    def at_origin(self, twist: Twist) -> Twist:
        """A motion seen from G, at the base's origin."""
        return Twist(vector.sub(twist.linear, cross(twist.angular, self.center)), twist.angular)

    def from_origin(self, wrench: Wrench) -> Wrench:
        """A wrench about the base's origin, about G."""
        return Wrench(wrench.force, vector.sub(wrench.moment, cross(self.center, wrench.force)))

    def total(self, rates: Numbers) -> Wrench:
        """Momentum of the arm's motion while the base rests."""
        force, moment = vector.ZERO, vector.ZERO
        for (f, n), rate in zip(self.momenta.values(), rates, strict=True):
            force = vector.add(force, vector.scale(rate, f))
            moment = vector.add(moment, vector.scale(rate, n))
        return Wrench(force, moment)

    def base_twist(self, rates: Numbers, momentum: Numbers) -> Twist:
        """The base's motion at its origin, joint axes; momentum in world axes about G."""
        to_joint = vector.transpose(self.base.placement)
        P, L = transform(to_joint, tuple(momentum[:3])), transform(to_joint, tuple(momentum[3:]))
        return self.at_origin(self.answer(self.total(rates).minus(Wrench(P, L))))


def floating(mechanism: Mechanism, q: Numbers, in_base_axes: bool = False) -> Floating:
    """The robot at q, seen from its centre of mass; in joint axes, or in the base's own."""
    base = free_base(mechanism, q)
    axes = IDENTITY if in_base_axes else base.turn
    whole = own_composites(mechanism, q)
    m, h, I = whole[base.body]
    center = vector.scale(1 / m, h)
    about_center = SpatialInertia(-m, vector.ZERO, ((0, 0, 0),) * 3).shifted(center)  # what G is nearer by
    inertia = rotate_symmetric(axes, vector.matrix_add(I, about_center.I))
    center = transform(axes, center)
    poses = {base.body: Pose(axes, vector.neg(center))}
    directions: dict[int, Twist] = {}
    momenta: dict[int, Wrench] = {}
    for i in range(base.body + 1, len(mechanism.bodies)):
        body = mechanism.bodies[i]
        X = poses[i] = poses[body.parent].compose(body.placement).compose(body.moved(q))
        for k, direction in zip(body.v, body.joint.directions(), strict=True):
            angular = transform(X.R, direction.angular)
            linear = vector.add(transform(X.R, direction.linear), cross(X.p, angular))
            directions[k] = Twist(linear, angular)
            force, moment = whole[i].times(direction)
            force = transform(X.R, force)
            momenta[k] = Wrench(force, vector.add(transform(X.R, moment), cross(X.p, force)))
    # by place in v: bodies may stand in another order
    directions, momenta = dict(sorted(directions.items())), dict(sorted(momenta.items()))
    return Floating(mechanism, base, axes, m, center, inertia, poses, directions, momenta)
