"""Forces and moments transmitted by the joints of a robot in contact.

Contacts, guides and the two ends of every cut joint load the bodies; `joint_wrenches` accumulates these loads
towards the ground. Along a joint's own degree of freedom the wrench is the actuator force less friction.
"""

from collections.abc import Sequence
from dataclasses import replace

from rikigaku.laws.closed.loop_equations import JOINT_EQUATIONS
from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.laws.contact.contact_geometry import Limit, Numbers
from rikigaku.laws.contact.relative_motion import ContactSides
from rikigaku.laws.tree.joint_wrenches import joint_wrenches
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, cross


def contact_joint_wrenches(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    contact_forces: Numbers,
    time: Numbers,
    plan: ActiveConstraints,
) -> list[list[Number]]:
    """Force and moment through the joint of each moving link, on the link at its origin, world axes (n, 6).

    Links in the order of `moving_links`. contact_forces: for each contact its force (or the moment of its
    torsional or rolling friction) in world axes (3) and its normal component; friction of each joint; force
    and moment of each guide (6); multipliers of the loops.
    """
    loads: list[tuple[tuple[int, Pose], Sequence[Number]]] = []
    poses = world_poses(mechanism, q)
    for i, point in enumerate(plan.points):
        if isinstance(point, Limit):  # its force is internal to the joint
            continue
        x, y, z = contact_forces[4 * i : 4 * i + 3]
        if point.shape is None and point.surface.body is None and not point.about:
            loads.append((mechanism.frames[point.frame], [x, y, z, 0, 0, 0]))
        else:
            loads += ContactSides(mechanism, poses, point, time[0]).loads((x, y, z))
    at = 4 * len(plan.points) + len(plan.joints)
    for guide in plan.guides:
        loads.append((mechanism.frames[guide.frame], contact_forces[at : at + 6]))
        at += 6
    multipliers = contact_forces[at : at + len(plan.loop_equations)]
    loads += loop_loads(mechanism, q, dict(zip(plan.loop_equations, multipliers, strict=True)))
    frames = {f"load {k}": place for k, (place, _) in enumerate(loads)}
    wrenches = {f"load {k}": load for k, (_, load) in enumerate(loads)}
    through = joint_wrenches(replace(mechanism, frames=frames), q, v, a, wrenches=wrenches)
    last = {body.name: i for i, body in enumerate(mechanism.bodies)}
    result = []
    for name in moving_links(mechanism):
        i, on_body = mechanism.frames[name]
        force, moment = tuple(through[last[name]][:3]), tuple(through[last[name]][3:])
        arm = vector.neg(vector.transform(poses[i].R, on_body.p))
        result.append([*force, *vector.add(moment, cross(arm, force))])
    return result


def moving_links(mechanism: Mechanism) -> list[str]:
    """Links that move relative to their parents, parents first."""
    return list(dict.fromkeys(body.name for body in mechanism.bodies))


def loop_loads(
    mechanism: Mechanism, q: Numbers, f: dict[int, Number]
) -> list[tuple[tuple[int, Pose], list[Number]]]:
    """((body, pose on it), force and moment there in world axes) at both ends of every loop.

    f: multipliers by equation of the loop residual.
    """
    poses = world_poses(mechanism, q)
    loads: list[tuple[tuple[int, Pose], list[Number]]] = []
    equation = 0
    for loop in mechanism.loops:
        S, E = (_world_pose(poses, body, on_it) for body, on_it in (loop.start, loop.end))
        shared = set(mechanism.support(loop.start[0])) & set(mechanism.support(loop.end[0]))
        ancestor = max(shared, default=WORLD)
        common = Pose() if ancestor == WORLD else poses[ancestor]
        on_start: Vector = vector.ZERO
        moment: Vector = vector.ZERO
        for axis in JOINT_EQUATIONS[loop.joint].translations:
            u = vector.scale(f.get(equation, 0), _axis(S if axis.endswith("S") else common, axis[0]))
            on_start = vector.add(on_start, u)
            equation += 1
        for terms in JOINT_EQUATIONS[loop.joint].rotations:
            for sign, i, j in terms:
                m = cross(_axis(S, i), _axis(E, j))
                moment = vector.add(moment, vector.scale(sign * f.get(equation, 0), m))
            equation += 1
        arm = vector.sub(E.p, S.p)  # both forces act at the end's origin, which may lie off S
        loads.append((loop.start, [*on_start, *vector.add(moment, cross(arm, on_start))]))
        loads.append((loop.end, [*vector.neg(on_start), *vector.neg(moment)]))
    return loads


def _world_pose(poses: Sequence[Pose], body: int, on_it: Pose) -> Pose:
    return on_it if body == WORLD else poses[body].compose(on_it)


def _axis(X: Pose, name: str) -> Vector:
    k = "xyz".index(name)
    return (X.R[0][k], X.R[1][k], X.R[2][k])
