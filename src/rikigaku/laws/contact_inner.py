"""Forces and moments inside a robot in contact: what each joint transmits besides what it drives.

Contact forces, guides and the two sides of every cut joint load the bodies; `joint_wrenches` carries that to
the ground. A joint's share along its own free direction is its drive less friction.
"""

from collections.abc import Sequence
from dataclasses import replace

from rikigaku.laws.contact import ModePlan, contact_motion
from rikigaku.laws.contact_geometry import Limit, Numbers
from rikigaku.laws.joint_wrenches import joint_wrenches
from rikigaku.laws.kinematics import world_poses
from rikigaku.laws.loops import ROWS
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, cross


def contact_joint_wrenches(
    mechanism: Mechanism, q: Numbers, v: Numbers, tau: Numbers, given: Numbers, plan: ModePlan
) -> list[list[Number]]:
    """Force and moment through the joint of each link that moves on its parent, on the link at its origin,
    world axes; links in the order of `moving_links`."""
    moved = contact_motion(mechanism, q, v, tau, given, plan)
    loads: list[tuple[tuple[int, Pose], Sequence[Number]]] = []
    for i, point in enumerate(plan.points):
        if isinstance(point, Limit):  # it acts within the joint
            continue
        loads.append((mechanism.frames[point.frame], [*moved.forces[4 * i : 4 * i + 3], 0, 0, 0]))
    at = 4 * len(plan.points) + len(plan.joints)
    for hold in plan.guides:
        loads.append((mechanism.frames[hold.frame], moved.forces[at : at + 6]))
        at += 6
    loads += loop_loads(mechanism, q, dict(zip(plan.loops, moved.always, strict=False)))
    frames = {f"load {k}": place for k, (place, _) in enumerate(loads)}
    wrenches = {f"load {k}": load for k, (_, load) in enumerate(loads)}
    through = joint_wrenches(replace(mechanism, frames=frames), q, v, moved.a, wrenches=wrenches)
    poses, last = world_poses(mechanism, q), {body.name: i for i, body in enumerate(mechanism.bodies)}
    result = []
    for name in moving_links(mechanism):
        i, on_body = mechanism.frames[name]
        force, moment = tuple(through[last[name]][:3]), tuple(through[last[name]][3:])
        arm = vector.neg(vector.transform(poses[i].R, on_body.p))
        result.append([*force, *vector.add(moment, cross(arm, force))])
    return result


def moving_links(mechanism: Mechanism) -> list[str]:
    """Links that move on their parents, parents first."""
    return list(dict.fromkeys(body.name for body in mechanism.bodies))


def loop_loads(
    mechanism: Mechanism, q: Numbers, f: dict[int, Number]
) -> list[tuple[tuple[int, Pose], list[Number]]]:
    """((body, place on it), force and moment there in world axes) of both ends of every loop; f: by row."""
    poses = world_poses(mechanism, q)
    loads: list[tuple[tuple[int, Pose], list[Number]]] = []
    row = 0
    for loop in mechanism.loops:
        S, E = (_placed(poses, body, on_it) for body, on_it in (loop.start, loop.end))
        shared = set(mechanism.support(loop.start[0])) & set(mechanism.support(loop.end[0]))
        carrier = max(shared, default=WORLD)
        standing = Pose() if carrier == WORLD else poses[carrier]
        on_start: Vector = vector.ZERO
        moment: Vector = vector.ZERO
        for axis in ROWS[loop.joint].gaps:
            u = vector.scale(f.get(row, 0), _axis(S if axis.endswith("S") else standing, axis[0]))
            on_start = vector.add(on_start, u)
            row += 1
        for turn in ROWS[loop.joint].turns:
            for sign, i, j in turn:
                m = cross(_axis(S, i), _axis(E, j))
                moment = vector.add(moment, vector.scale(sign * f.get(row, 0), m))
            row += 1
        arm = vector.sub(E.p, S.p)  # both forces act at the end's origin: along S's axes it may stand apart
        loads.append((loop.start, [*on_start, *vector.add(moment, cross(arm, on_start))]))
        loads.append((loop.end, [*vector.neg(on_start), *vector.neg(moment)]))
    return loads


def _placed(poses: Sequence[Pose], body: int, on_it: Pose) -> Pose:
    return on_it if body == WORLD else poses[body].compose(on_it)


def _axis(X: Pose, name: str) -> Vector:
    k = "xyz".index(name)
    return (X.R[0][k], X.R[1][k], X.R[2][k])
