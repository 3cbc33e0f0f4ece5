"""Every force and moment inside a robot: what each joint transmits, free directions and locked ones alike."""

from collections.abc import Mapping

from rikigaku.laws.kinematics import world_poses
from rikigaku.laws.motion import motion
from rikigaku.laws.newton_euler import Numbers, applied_wrenches, body_wrench
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.kind import Number
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
    """For each moving body force and moment through its joint, on the body from its carrier.

    At the origin of the body, world axes; bodies in the order of `mechanism.bodies`. The part along the
    joint's free directions is tau less friction and rotor inertia.
    """
    poses = world_poses(mechanism, q)
    carried = [
        body_wrench(body.inertia, m)
        for body, m in zip(mechanism.bodies, motion(mechanism, q, v, a, gravity), strict=True)
    ]
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
