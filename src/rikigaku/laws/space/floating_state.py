"""A free-floating robot at a configuration, seen from its centre of mass G: momenta and base response.

About G linear and angular momentum separate. Unit velocity of coordinate k gives the robot the momentum
(f_k, n_k). At zero total momentum the base responds with the velocity -f_k / w of the points fixed to it at G
and the angular velocity -I_s^-1 n_k, where w is the total mass and I_s the inertia of the robot about G.
All laws of free-floating robots use these quantities.
Reference: Y. Umetani, K. Yoshida, Resolved motion rate control of space manipulators with generalized
Jacobian matrix (1989); Part X by Umetani, Yoshida, Kurazume, eqs 4-7, 42; composite bodies: [Walker1982].
"""

from dataclasses import dataclass
from functools import cached_property

from rikigaku.laws.space.free_base import FreeBase, free_base
from rikigaku.laws.tree import ltdl_factorization
from rikigaku.laws.tree.root_axes import composite_inertias
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.rigid_inertia import SpatialInertia, rotate_symmetric
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import IDENTITY, Matrix, Vector, cross, transform


@dataclass(frozen=True)
class FloatingState:
    """The robot at q seen from its centre of mass G, in joint axes of the base (or in base axes).

    axes: rotation from base axes to the axes used.
    mass, inertia: of the robot; the inertia I_s is about G, 3 x 3.
    center: G from the base's origin.
    poses: of the base and of the bodies it carries, by body index, relative to G.
    directions, momenta: by index in v of the arm's coordinates: twist, and momentum of the bodies moved, per
        unit velocity.
    """

    mechanism: Mechanism
    base: FreeBase
    axes: Matrix
    mass: Number
    center: Vector
    inertia: Matrix
    poses: dict[int, Pose]
    directions: dict[int, Twist]
    momenta: dict[int, Wrench]

    def base_response(self, momentum: Wrench) -> Twist:
        """The base's twist at G that gives the robot the opposite momentum."""
        linear = vector.scale(-1 / self.mass, self.base.translation(momentum.force))
        axes = self.base.angular
        angular = self._factors.solve([momentum.moment[k] for k in axes])
        x, y, z = (-angular[axes.index(k)] if k in axes else 0 for k in range(3))
        return Twist(linear, (x, y, z))

    @cached_property
    def base_responses(self) -> dict[int, Twist]:
        """The base's twist at G per unit velocity of each coordinate of the arm, at zero momentum."""
        return {k: self.base_response(momentum) for k, momentum in self.momenta.items()}

    @cached_property
    def _factors(self) -> ltdl_factorization.Factors:
        axes = self.base.angular
        entries = {
            (i, j): self.inertia[k][l] for i, k in enumerate(axes) for j, l in enumerate(axes) if j <= i
        }
        return ltdl_factorization.factorize(entries, list(range(-1, len(axes) - 1)))

    def at_origin(self, twist: Twist) -> Twist:
        """The twist at the base's origin, from that at G."""
        return Twist(vector.sub(twist.linear, cross(twist.angular, self.center)), twist.angular)

    def about_center(self, wrench: Wrench) -> Wrench:
        """The wrench about G, from that about the base's origin."""
        return Wrench(wrench.force, vector.sub(wrench.moment, cross(self.center, wrench.force)))

    def arm_momentum(self, v: Numbers) -> Wrench:
        """Momentum about G of the arm's motion, base at rest; v: of the arm."""
        force, moment = vector.ZERO, vector.ZERO
        for (f, n), rate in zip(self.momenta.values(), v, strict=True):
            force = vector.add(force, vector.scale(rate, f))
            moment = vector.add(moment, vector.scale(rate, n))
        return Wrench(force, moment)

    def base_twist(self, v: Numbers, momentum: Numbers) -> Twist:
        """The base's twist at its origin, joint axes; v: of the arm; momentum: about G, world axes."""
        to_joint = vector.transpose(self.base.placement)
        P, L = transform(to_joint, tuple(momentum[:3])), transform(to_joint, tuple(momentum[3:]))
        return self.at_origin(self.base_response(self.arm_momentum(v).minus(Wrench(P, L))))


def floating_state(mechanism: Mechanism, q: Numbers, in_base_axes: bool = False) -> FloatingState:
    """The robot at q seen from its centre of mass, in joint axes of the base or in base axes."""
    base = free_base(mechanism, q)
    axes = IDENTITY if in_base_axes else base.rotation
    composites = composite_inertias(mechanism, q)
    m, h, I = composites[base.body]
    center = vector.scale(1 / m, h)
    to_center = SpatialInertia(-m, vector.ZERO, ((0, 0, 0),) * 3).shifted(center)  # parallel-axis theorem
    inertia = rotate_symmetric(axes, vector.matrix_add(I, to_center.I))
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
            force, moment = composites[i].times(direction)
            force = transform(X.R, force)
            momenta[k] = Wrench(force, vector.add(transform(X.R, moment), cross(X.p, force)))
    # sorted by index in v, since bodies may be listed in another order
    directions, momenta = dict(sorted(directions.items())), dict(sorted(momenta.items()))
    return FloatingState(mechanism, base, axes, m, center, inertia, poses, directions, momenta)
