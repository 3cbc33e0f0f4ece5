"""Inverse kinematics of closed loops: joints outside the frame's own chain from the loop closure.

Around a loop all joint motions and constant transforms multiply to the identity. With the known part on one
side, the rest is a serial chain with a known target.
"""

from dataclasses import replace

from rikigaku.core.errors import NotSolvable
from rikigaku.laws.closed.loop_equations import equation_labels
from rikigaku.model.joint import Joint
from rikigaku.model.mechanism import Closure, Mechanism
from rikigaku.model.robot_model import Link, RobotModel
from rikigaku.numbers.exact_number import Ring
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.inverse_kinematics.serial_chain import Axis, Chain, axis_of, canonical

_BACKWARD = Pose(((1, 0, 0), (0, -1, 0), (0, 0, -1)))  # rotation by pi about x: M(q)^-1 = X M(q) X
_CUTS = {"revolute": True, "prismatic": False}


def with_cut_joints(robot: RobotModel) -> RobotModel:
    """The robot with one more joint for each loop, last in q: the motion of the cut joint."""
    cut_joints = []
    for k, loop in enumerate(robot.loops):
        kind = "prismatic" if loop.joint == "prismatic" else "revolute"
        cut_joints.append(Link(f"cut joint {k}", robot.base, Joint(f"cut joint {k}", kind)))
    return replace(robot, links=(*robot.links, *cut_joints), independent=())


def loop_chain(
    mechanism: Mechanism, ring: Ring, closure: Closure, known: set[Axis]
) -> tuple[Chain, Pose] | None:
    """The unsolved part of a loop as a chain, and the known rest: chain times rest is the identity.

    None where all its joints are known.
    """
    constants, axes = _cycle(mechanism, closure)
    unknown = [k for k, axis in enumerate(axes) if axis not in known]
    if not [k for k in unknown if axes[k].place < mechanism.nq - len(mechanism.loops)]:
        return None
    # Start behind the longest run of known joints, so that the chain is short.
    n = len(axes)
    gaps = [((b - a - 1) % n if len(unknown) > 1 else n - 1, b) for a, b in _neighbours(unknown)]
    start = max(gaps)[1]
    axes = axes[start:] + axes[:start]
    before, after = constants[start], constants[0]
    if start:
        between = [*constants[start + 1 : -1], constants[-1].compose(after), *constants[1:start]]
        last = before
    else:
        between, last = constants[1:-1], constants[-1].compose(after)
    count = max(k for k, axis in enumerate(axes) if axis not in known) + 1
    chain = Chain(ring, tuple(axes[:count]), (Pose(), *between[: count - 1], Pose()))
    chain = canonical(chain)
    outside = chain_rest(ring, axes[count:], between[count - 1 :], last)
    # `canonical` may have changed the outer constants: they belong to the known part.
    first, *inner, end = chain.constants
    outside = end.compose(outside).compose(first)
    return Chain(ring, chain.axes, (Pose(), *inner, Pose())), outside


def loop_supports(mechanism: Mechanism) -> list[set[int]]:
    """For each row of the loop residual the coordinates of its loop; robots without gears."""
    result = []
    for closure in mechanism.loops:
        there, back = (set(mechanism.support(end[0])) for end in (closure.start, closure.end))
        places = {k for body in there ^ back for k in mechanism.bodies[body].q}
        result += [places] * len(equation_labels(closure.joint))
    return result


def chain_rest(ring: Ring, axes: list[Axis], between: list[Pose], last: Pose) -> Pose:
    """The pose of the known part, from the last unknown joint around to the first."""
    pose = Pose()
    for X, axis in zip(between, axes, strict=True):
        pose = pose.compose(X).compose(axis.moved(ring))
    return pose.compose(last)


def loop_pose(outside: Pose) -> list[Number]:
    """The twelve elements of the pose the chain has to reach."""
    T = outside.inverse()
    return [*T.p, *(x for row in T.R for x in row)]


def _cycle(mechanism: Mechanism, closure: Closure) -> tuple[list[Pose], list[Axis]]:
    """Constants and axes around the loop; one constant more than axes, the first before the first axis."""
    if closure.joint not in (*_CUTS, "fixed"):
        raise NotSolvable(
            f"Loop {closure.name!r} is cut at a {closure.joint} joint; loops cut at revolute, prismatic or "
            "fixed joints are solved.",
            [closure.name],
        )
    (start, S), (end, E) = closure.start, closure.end
    there, back = list(mechanism.support(start)), list(mechanism.support(end))
    shared = set(there) & set(back)
    constants, axes = [Pose()], []
    for k in reversed([k for k in there if k not in shared]):
        body = mechanism.bodies[k]
        constants[-1] = constants[-1].compose(body.placement)
        axes.append(axis_of(body))
        constants.append(Pose())
    constants[-1] = constants[-1].compose(S)
    if closure.joint != "fixed":
        index = [loop.name for loop in mechanism.loops].index(closure.name)
        place = mechanism.nq - len(mechanism.loops) + index
        axes.append(Axis(place, _CUTS[closure.joint]))
        constants.append(Pose())
    constants[-1] = constants[-1].compose(E.inverse())
    for k in [k for k in back if k not in shared]:
        body = mechanism.bodies[k]
        constants[-1] = constants[-1].compose(_BACKWARD)
        axes.append(axis_of(body))
        constants.append(_BACKWARD.compose(body.placement.inverse()))
    return constants, axes


def _neighbours(places: list[int]) -> list[tuple[int, int]]:
    """Each place with the next one around the cycle."""
    return list(zip(places, [*places[1:], places[0]], strict=True))
