"""Inverse kinematics of closed loops: joints outside the frame's own chain from the loop closure.

Around a loop all joint motions and constant transforms multiply to the identity. With the known part on one
side, the rest is a serial chain with a known target.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from rikigaku.core.errors import NotSolvable
from rikigaku.laws.closed.loop_equations import equation_labels
from rikigaku.model.joint import Joint
from rikigaku.model.mechanism import WORLD, Closure, Mechanism
from rikigaku.model.robot_model import Link, RobotModel
from rikigaku.numbers.exact_number import Ring
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.inverse_kinematics.serial_chain import Axis, Chain, axis_of, canonical

_BACKWARD = Pose(((1, 0, 0), (0, -1, 0), (0, 0, -1)))  # rotation by pi about x: M(q)^-1 = X M(q) X
_CUTS = {"revolute": True, "prismatic": False}
_MOST_WAYS = 64


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
    constants, axes = _cycle(mechanism, closure, known)
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


class _Way:
    """A way over bodies and cut joints: constants and axes, one constant more than axes."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.constants: list[Pose] = [Pose()]
        self.axes: list[Axis] = []

    def constant(self, X: Pose) -> None:
        """A fixed displacement."""
        self.constants[-1] = self.constants[-1].compose(X)

    def axis(self, axis: Axis, forward: bool) -> None:
        """The motion of a joint, or its inverse."""
        if not forward:
            self.constant(_BACKWARD)
        self.axes.append(axis)
        self.constants.append(Pose() if forward else _BACKWARD)

    def outward(self, k: int) -> None:
        """From the parent of a body to the body."""
        body = self.mechanism.bodies[k]
        self.constant(body.placement)
        self.axis(axis_of(body), True)

    def inward(self, k: int) -> None:
        """From a body to its parent."""
        body = self.mechanism.bodies[k]
        self.axis(axis_of(body), False)
        self.constant(body.placement.inverse())

    def across(self, closure: Closure, forward: bool) -> None:
        """From the start of a cut joint to its end, or back."""
        if closure.joint not in (*_CUTS, "fixed"):
            raise NotSolvable(
                f"Loop {closure.name!r} is cut at a {closure.joint} joint; loops cut at revolute, prismatic "
                "or fixed joints are solved.",
                [closure.name],
            )
        first, last = (closure.start, closure.end) if forward else (closure.end, closure.start)
        self.constant(first[1])
        if closure.joint != "fixed":
            mechanism = self.mechanism
            index = [loop.name for loop in mechanism.loops].index(closure.name)
            place = mechanism.nq - len(mechanism.loops) + index
            self.axis(Axis(place, _CUTS[closure.joint]), forward)
        self.constant(last[1].inverse())


_Move = Callable[[_Way], None]


def _cycle(mechanism: Mechanism, closure: Closure, known: set[Axis]) -> tuple[list[Pose], list[Axis]]:
    """Constants and axes around the loop; one constant more than axes, the first before the first axis.

    A side whose joints are known comes last: the chain of the others then begins where the loop does.
    """
    there, back = (list(mechanism.support(end[0])) for end in (closure.start, closure.end))
    shared = set(there) & set(back)
    there, back = ([k for k in side if k not in shared] for side in (there, back))
    forward = not all(axis_of(mechanism.bodies[k]) in known for k in there)
    way = _Way(mechanism)
    for k in reversed(there if forward else back):
        way.outward(k)
    way.across(closure, forward)
    for k in back if forward else there:
        way.inward(k)
    return way.constants, way.axes


def chains_through_loops(mechanism: Mechanism, ring: Ring, body: int, on_body: Pose) -> list[Chain]:
    """Chains from the ground to a frame that pass cut joints; those of fewest joints first."""
    steps: dict[int, list[tuple[int, _Move]]] = defaultdict(list)
    for closure in mechanism.loops:
        start, end = closure.start[0], closure.end[0]
        steps[start].append((end, partial(_Way.across, closure=closure, forward=True)))
        steps[end].append((start, partial(_Way.across, closure=closure, forward=False)))
    for k, link in enumerate(mechanism.bodies):
        steps[link.parent].append((k, partial(_Way.outward, k=k)))
        steps[k].append((link.parent, partial(_Way.inward, k=k)))

    def ways(path: list[int], moves: list[_Move]) -> Iterator[list[_Move]]:
        if path[-1] == body:
            yield moves
            return
        for k, move in steps[path[-1]]:
            if k not in path:
                yield from ways([*path, k], [*moves, move])

    result = []
    for moves in islice(ways([WORLD], []), _MOST_WAYS):
        way = _Way(mechanism)
        for move in moves:
            move(way)
        way.constant(on_body)
        result.append(Chain(ring, tuple(way.axes), tuple(way.constants)))
    own = {axis_of(mechanism.bodies[k]) for k in mechanism.support(body)}
    return sorted((c for c in result if set(c.axes) != own), key=lambda chain: len(chain.axes))


def _neighbours(places: list[int]) -> list[tuple[int, int]]:
    """Each place with the next one around the cycle."""
    return list(zip(places, [*places[1:], places[0]], strict=True))
