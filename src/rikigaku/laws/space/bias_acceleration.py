"""Bias acceleration of a free-floating robot: velocity terms of all its laws, by one Newton-Euler pass."""

from collections.abc import Mapping
from dataclasses import dataclass

from rikigaku.laws.space.floating_state import FloatingState
from rikigaku.laws.tree.kinematics import known_frame
from rikigaku.laws.tree.newton_euler import applied_wrenches, joint_forces
from rikigaku.laws.tree.simplified_mechanism import BodyMotion, outward_motion, simplified
from rikigaku.model.mechanism import WORLD
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import cross, transform


@dataclass(frozen=True)
class Bias:
    """Newton-Euler pass at zero joint accelerations, with the base's origin not accelerating.

    v: velocities of all coordinates. motions: of all bodies, without the translation of the base.
    forces: generalized forces of this motion, external wrenches subtracted.
    reaction: wrench on the base this motion would take, about G in joint axes. No actuator supplies it, so
        the base accelerates.
    """

    v: Numbers
    motions: list[BodyMotion]
    forces: list[Number]
    reaction: Wrench

    def base_acceleration(self, state: FloatingState) -> Twist:
        """The base's acceleration at G, joint axes."""
        return state.base_response(self.reaction)

    def frame_acceleration(self, state: FloatingState, frame: str) -> list[Number]:
        """A frame's acceleration, world axes, linear first."""
        i, on_body = known_frame(state.mechanism, frame)
        if i == WORLD:
            return [0] * 6
        m, R, K = self.motions[i], state.poses[i].R, state.base.placement
        p = vector.add(state.poses[i].p, transform(R, on_body.p))
        linear = transform(R, vector.add(m.acceleration, transform(m.U, on_body.p)))
        base = self.base_acceleration(state)
        linear = vector.add(linear, vector.add(base.linear, cross(base.angular, p)))
        return [*transform(K, linear), *transform(K, vector.add(transform(R, m.alpha), base.angular))]

    def frame_velocity(self, state: FloatingState, frame: str) -> list[Number]:
        """A frame's velocity, world axes, linear first."""
        i, on_body = known_frame(state.mechanism, frame)
        if i == WORLD:
            return [0] * 6
        X, K = state.poses[i], state.base.placement
        angular = transform(X.R, self.motions[i].velocity.angular)
        origin, omega = state.base.twist(self.v)
        linear = vector.add(origin, cross(omega, state.center))  # of the base's point at G
        for j in state.mechanism.support(i):
            for k in state.mechanism.bodies[j].v:
                if k in state.directions:
                    linear = vector.add(linear, vector.scale(self.v[k], state.directions[k].linear))
        p = vector.add(X.p, transform(X.R, on_body.p))
        return [*transform(K, vector.add(linear, cross(angular, p))), *transform(K, angular)]


def bias(state: FloatingState, q: Numbers, v: Numbers, wrenches: Mapping[str, Numbers] | None = None) -> Bias:
    """The pass at velocities v of all coordinates, in joint axes."""
    mechanism = state.mechanism
    rotating, rest = state.base.without_translation(v), [0] * mechanism.nv
    bodies = simplified(mechanism, q, rotating, rest)
    motions = list(outward_motion(bodies, rotating, rest, vector.ZERO))
    needed = [body.wrench(m) for body, m in zip(bodies, motions, strict=True)]
    for i, wrench in applied_wrenches(mechanism, q, wrenches or {}):
        needed[i] = needed[i].minus(wrench)
    forces = joint_forces(bodies, needed)
    return Bias(v, motions, forces, state.about_center(state.base.wrench(forces)))
