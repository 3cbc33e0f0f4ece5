"""The free base of a robot in space: where it stands in the tree, and what it lets the base do.

A base is free (a satellite) or planar (a satellite on a table, or a robot drawn in a plane). Its own motion
is written in *joint axes*: those of the frame its joint starts from, which stand still in the world.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rikigaku.errors import NoFreeBase, WrongValue
from rikigaku.model.elementary import Free, Prismatic, Revolute
from rikigaku.model.mechanism import WORLD, Body, Mechanism
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import IDENTITY, Matrix, Vector, transform

Numbers = Sequence[Number]

FREE_TYPES = ("free", "planar")


@dataclass(frozen=True)
class FreeBase:
    """The base's body, its places in v, those of all other coordinates, and how its motion is written."""

    body: int
    own: tuple[int, ...]  # places in v
    arm: tuple[int, ...]  # all others: of arms, wheels, anything that moves on the base
    planar: bool
    turn: Matrix  # base axes to joint axes
    placement: Matrix  # joint axes to world axes, constant

    @property
    def angular(self) -> tuple[int, ...]:
        """The axes the base can turn about."""
        return (2,) if self.planar else (0, 1, 2)

    def allowed(self, linear: Vector) -> Vector:
        """What is left of a linear motion, in joint axes: a planar base stays in its plane."""
        return (linear[0], linear[1], 0) if self.planar else linear

    def rates(self, twist: Twist) -> list[Number]:
        """The base's part of v from its motion at its origin, joint axes."""
        if self.planar:
            return [twist.linear[0], twist.linear[1], twist.angular[2]]
        to_base = vector.transpose(self.turn)
        return [*transform(to_base, twist.linear), *transform(to_base, twist.angular)]

    def twist(self, v: Numbers) -> Twist:
        """The base's motion at its origin, joint axes, from v of all coordinates."""
        own = [v[k] for k in self.own]
        if self.planar:
            return Twist((own[0], own[1], 0), (0, 0, own[2]))
        return Twist(
            transform(self.turn, (own[0], own[1], own[2])), transform(self.turn, (own[3], own[4], own[5]))
        )

    def turning(self, v: Numbers) -> list[Number]:
        """v without the base's linear motion: steady motion of the whole asks for no forces."""
        shifts = self.own[: len(self.own) - len(self.angular)]
        return [0 if k in shifts else x for k, x in enumerate(v)]

    def forces(self, tau: Numbers) -> Wrench:
        """Force, and moment about the base's origin, in joint axes, of forces along its coordinates."""
        own = [tau[k] for k in self.own]
        if self.planar:
            return Wrench((own[0], own[1], 0), (0, 0, own[2]))
        return Wrench(
            transform(self.turn, (own[0], own[1], own[2])), transform(self.turn, (own[3], own[4], own[5]))
        )

    def whole(self, own: Numbers, arm: Numbers) -> list[Number]:
        """Numbers of base and arm as those of all coordinates."""
        result: list[Number] = [0] * (len(self.own) + len(self.arm))
        for places, values in ((self.own, own), (self.arm, arm)):
            for k, x in zip(places, values, strict=True):
                result[k] = x
        return result


def free_base(mechanism: Mechanism, q: Numbers) -> FreeBase:
    """The free base of a mechanism.

    Raises:
        NoFreeBase: if no free or planar joint carries all the rest.
    """
    roots = [i for i, body in enumerate(mechanism.bodies) if body.parent == WORLD]
    chain = _chain(mechanism, roots[0]) if len(roots) == 1 else []
    if not chain:
        raise NoFreeBase(mechanism.name, [mechanism.bodies[i].name for i in roots])
    own = tuple(k for body in chain for k in body.v)
    last = chain[-1]
    placement: Matrix = IDENTITY
    for body in chain:
        placement = vector.multiply(placement, body.placement.R)
    return FreeBase(
        roots[0] + len(chain) - 1,
        own,
        tuple(k for k in range(mechanism.nv) if k not in own),
        len(chain) > 1,
        last.joint.turn([q[k] for k in last.q]),
        placement,
    )


def arm_coordinates(robot: Robot) -> tuple[str, ...]:
    """Names of the coordinates that are not the base's, in the order of v; several of one joint share its.

    Raises:
        NoFreeBase: if no free or planar joint carries all the rest.
    """
    ground, roots = {robot.base}, []
    waiting = list(robot.links)
    while ready := [link for link in waiting if link.parent in ground]:
        ground.update(link.name for link in ready if link.joint.type == "fixed")
        roots += [link for link in ready if link.joint.type != "fixed"]
        waiting = [link for link in waiting if link not in ready]
    if len(roots) != 1 or roots[0].joint.type not in FREE_TYPES:
        raise NoFreeBase(robot.name, [link.name for link in roots])
    places = sorted(
        (robot.v_slices[joint.name].start, joint.name, joint.nv)
        for joint in robot.joints
        if joint.name != roots[0].joint.name
    )
    return tuple(name for _, name, size in places for _ in range(size))


def weightless(robot: Robot) -> None:
    """Look whether the robot is in orbit.

    Raises:
        WrongValue: if it has gravity.
    """
    if any(not g.is_number or float(g) for g in robot.gravity):
        raise WrongValue(
            f"Robot {robot.name!r} has gravity: nothing floats there. robot.with_gravity((0, 0, 0)) is the "
            "robot in orbit, where everything falls alike."
        )


def _chain(mechanism: Mechanism, root: int) -> list[Body]:
    """The bodies of a free or planar joint that starts there, the base last; none if it is another joint."""
    bodies = mechanism.bodies
    if isinstance(bodies[root].joint, Free):
        return [bodies[root]]
    chain = [body for body in bodies[root : root + 3] if body.name == bodies[root].name]
    planar = (Prismatic, Prismatic, Revolute)
    same = len(chain) == 3 and all(isinstance(b.joint, t) for b, t in zip(chain, planar, strict=True))
    return chain if same else []
