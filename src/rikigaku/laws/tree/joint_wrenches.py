"""Force and moment that every joint transmits, along its free and its constrained directions."""

from collections.abc import Mapping

from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.laws.tree.newton_euler import applied_wrenches
from rikigaku.laws.tree.simplified_mechanism import outward_motion, simplified
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Wrench
from rikigaku.spatial.vector import Vector, cross, transform


def joint_wrenches(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
) -> list[list[Number]]:
    """Force and moment that each joint exerts on its body, about the body's origin, world axes.

    Along the joint's free directions they are tau without friction and rotor inertia.

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
        wrenches: force and moment on the robot at the origin of each named frame [N, N m], world axes.
    Returns: (bodies, 6), force [N] first, then moment [N m], in the order of `mechanism.bodies`.
    Reference: [Luh1980], with the true inertias of the bodies.
    """
    poses = world_poses(mechanism, q)
    g = mechanism.gravity if gravity is None else gravity
    bodies = simplified(mechanism, q, v, a)
    carried = [body.wrench(m) for body, m in zip(bodies, outward_motion(bodies, v, a, g), strict=True)]
    for i, wrench in applied_wrenches(mechanism, q, wrenches or {}):
        carried[i] = carried[i].minus(wrench)
    world = [
        Wrench(transform(X.R, w.force), transform(X.R, w.moment)) for X, w in zip(poses, carried, strict=True)
    ]
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        if body.parent != WORLD:
            arm = vector.sub(poses[i].p, poses[body.parent].p)
            moment = vector.add(world[i].moment, cross(arm, world[i].force))
            world[body.parent] = world[body.parent].plus(Wrench(world[i].force, moment))
    return [[*w.force, *w.moment] for w in world]
