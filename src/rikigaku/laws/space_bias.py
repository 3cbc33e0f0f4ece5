"""How a free-floating robot accelerates while its joints do not: the velocity terms of all space laws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rikigaku.laws.floating import Floating
from rikigaku.laws.kinematics import known_frame
from rikigaku.laws.motion import BodyMotion, motion
from rikigaku.laws.newton_euler import applied_wrenches, body_wrench, joint_forces
from rikigaku.model.mechanism import WORLD
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import cross, transform

Numbers = Sequence[Number]


@dataclass(frozen=True)
class Bias:
    """One Newton-Euler pass at zero accelerations, the base's origin at rest.

    v: of all coordinates; motions: of all bodies, but for the steady motion of the base's origin;
    forces: what it asks of every coordinate, outer wrenches taken off;
    reaction: what it asks of the base, about G in joint axes, and no one gives.
    """

    v: Numbers

    motions: list[BodyMotion]
    forces: list[Number]
    reaction: Wrench

    def base(self, state: Floating) -> Twist:
        """The base's acceleration, seen from G, joint axes."""
        return state.answer(self.reaction)

    def hand(self, state: Floating, frame: str) -> list[Number]:
        """A frame's acceleration, world axes."""
        i, on_body = known_frame(state.mechanism, frame)
        if i == WORLD:
            return [0] * 6
        m, R, K = self.motions[i], state.poses[i].R, state.base.placement
        p = vector.add(state.poses[i].p, transform(R, on_body.p))
        linear = transform(R, vector.add(m.acceleration, transform(m.spin, on_body.p)))
        base = self.base(state)
        linear = vector.add(linear, vector.add(base.linear, cross(base.angular, p)))
        return [*transform(K, linear), *transform(K, vector.add(transform(R, m.alpha), base.angular))]

    def hand_velocity(self, state: Floating, frame: str) -> list[Number]:
        """A frame's velocity, world axes."""
        i, on_body = known_frame(state.mechanism, frame)
        if i == WORLD:
            return [0] * 6
        X, K = state.poses[i], state.base.placement
        angular = transform(X.R, self.motions[i].velocity.angular)
        origin, turning = state.base.twist(self.v)
        linear = vector.add(origin, cross(turning, state.center))  # of G, were it fixed to the base
        for j in state.mechanism.support(i):
            for k in state.mechanism.bodies[j].v:
                if k in state.directions:
                    linear = vector.add(linear, vector.scale(self.v[k], state.directions[k].linear))
        p = vector.add(X.p, transform(X.R, on_body.p))
        return [*transform(K, vector.add(linear, cross(angular, p))), *transform(K, angular)]


def bias(state: Floating, q: Numbers, v: Numbers, wrenches: Mapping[str, Numbers] | None = None) -> Bias:
    """The pass at velocities v of all coordinates, in joint axes."""
    mechanism = state.mechanism
    motions = list(motion(mechanism, q, state.base.turning(v), [0] * mechanism.nv, vector.ZERO))
    asked = [body_wrench(body.inertia, m) for body, m in zip(mechanism.bodies, motions, strict=True)]
    for i, wrench in applied_wrenches(mechanism, q, wrenches or {}):
        asked[i] = asked[i].minus(wrench)
    forces = joint_forces(mechanism, [m.passage for m in motions], asked)
    return Bias(v, motions, forces, state.from_origin(state.base.forces(forces)))
