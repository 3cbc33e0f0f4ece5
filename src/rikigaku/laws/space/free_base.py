"""The floating base of a free-floating robot: its place in the tree and the coordinates of its motion.

The base joint is free (a satellite, six coordinates) or planar (a satellite in a plane, three). The motion of
the base is written in *joint axes*: those of the frame in which its joint starts, fixed in the world.
"""

from dataclasses import dataclass

from rikigaku.core.errors import NoFreeBase, WrongValue
from rikigaku.model.elementary_motions import Free, Prismatic, Revolute
from rikigaku.model.mechanism import WORLD, Body, Mechanism
from rikigaku.model.robot_model import Link, RobotModel
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import IDENTITY, Matrix, Vector, transform

FREE_TYPES = ("free", "planar")


@dataclass(frozen=True)
class FreeBase:
    """The base body and the indices of its coordinates in v.

    body: index of the base among the bodies. base, arm: indices in v of the base's coordinates, and of all
    others (arms, reaction wheels). rotation: base axes to joint axes. placement: joint axes to world axes.
    """

    body: int
    base: tuple[int, ...]
    arm: tuple[int, ...]
    planar: bool
    rotation: Matrix
    placement: Matrix

    @property
    def angular(self) -> tuple[int, ...]:
        """The axes (0, 1, 2) about which the base can rotate."""
        return (2,) if self.planar else (0, 1, 2)

    def translation(self, linear: Vector) -> Vector:
        """The part of a linear motion that the base joint allows, joint axes (its plane if planar)."""
        return (linear[0], linear[1], 0) if self.planar else linear

    def velocities(self, twist: Twist) -> list[Number]:
        """The base's part of v from its twist at its origin, joint axes."""
        if self.planar:
            return [twist.linear[0], twist.linear[1], twist.angular[2]]
        to_base = vector.transpose(self.rotation)
        return [*transform(to_base, twist.linear), *transform(to_base, twist.angular)]

    def twist(self, v: Numbers) -> Twist:
        """The base's twist at its origin, joint axes, from v of all coordinates."""
        x = [v[k] for k in self.base]
        if self.planar:
            return Twist((x[0], x[1], 0), (0, 0, x[2]))
        return Twist(
            transform(self.rotation, (x[0], x[1], x[2])), transform(self.rotation, (x[3], x[4], x[5]))
        )

    def without_translation(self, v: Numbers) -> list[Number]:
        """v with the base's linear velocity set to zero: a uniform translation takes no forces."""
        translations = self.base[: len(self.base) - len(self.angular)]
        return [0 if k in translations else x for k, x in enumerate(v)]

    def wrench(self, tau: Numbers) -> Wrench:
        """Force, and moment about the base's origin, in joint axes, of the generalized forces on the base."""
        x = [tau[k] for k in self.base]
        if self.planar:
            return Wrench((x[0], x[1], 0), (0, 0, x[2]))
        return Wrench(
            transform(self.rotation, (x[0], x[1], x[2])), transform(self.rotation, (x[3], x[4], x[5]))
        )

    def all_coordinates(self, base: Numbers, arm: Numbers) -> list[Number]:
        """Values of the base's and of the arm's coordinates in the order of v."""
        result: list[Number] = [0] * (len(self.base) + len(self.arm))
        for indices, values in ((self.base, base), (self.arm, arm)):
            for k, x in zip(indices, values, strict=True):
                result[k] = x
        return result


def free_base(mechanism: Mechanism, q: Numbers) -> FreeBase:
    """The floating base of a mechanism at q.

    Raises:
        NoFreeBase: if the tree does not start with one free or planar joint.
    """
    roots = [i for i, body in enumerate(mechanism.bodies) if body.parent == WORLD]
    chain = _base_chain(mechanism, roots[0]) if len(roots) == 1 else []
    if not chain:
        raise NoFreeBase(mechanism.name, [mechanism.bodies[i].name for i in roots])
    base = tuple(k for body in chain for k in body.v)
    last = chain[-1]
    placement: Matrix = IDENTITY
    for body in chain:
        placement = vector.multiply(placement, body.placement.R)
    return FreeBase(
        roots[0] + len(chain) - 1,
        base,
        tuple(k for k in range(mechanism.nv) if k not in base),
        len(chain) > 1,
        last.joint.rotation([q[k] for k in last.q]),
        placement,
    )


def arm_coordinates(robot: RobotModel) -> tuple[str, ...]:
    """Joint names of the arm's coordinates (all but the base's) in the order of v.

    The name of a joint with several coordinates is repeated.

    Raises:
        NoFreeBase: if the tree does not start with one free or planar joint.
    """
    roots = _first_moving_links(robot)
    if len(roots) != 1 or roots[0].joint.type not in FREE_TYPES:
        raise NoFreeBase(robot.name, [link.name for link in roots])
    joints = sorted(
        (robot.v_slices[joint.name].start, joint.name, joint.nv)
        for joint in robot.joints
        if joint.name != roots[0].joint.name
    )
    return tuple(name for _, name, size in joints for _ in range(size))


def is_free_floating(robot: RobotModel) -> bool:
    """Whether the laws of free-floating robots apply: one free or passive planar joint carries all links.

    That joint has neither friction nor rotor inertia, and the robot has no loops. An actuated planar joint
    on the ground is a gantry or a mobile platform; a planar joint further out is part of an arm.
    """
    roots = _first_moving_links(robot)
    if len(roots) != 1 or robot.loops:
        return False
    joint = roots[0].joint
    is_free = joint.type in FREE_TYPES and not (joint.type == "planar" and joint.actuated)
    return is_free and not (joint.viscous or joint.coulomb or joint.rotor)


def require_weightless(robot: RobotModel) -> None:
    """Check that the robot has no gravity.

    Raises:
        WrongValue: if it has.
    """
    if any(not g.is_number or float(g) for g in robot.gravity):
        raise WrongValue(
            f"Robot {robot.name!r} has gravity: nothing floats there. robot.with_gravity((0, 0, 0)) is the "
            "robot in orbit, where everything falls alike."
        )


def _first_moving_links(robot: RobotModel) -> list[Link]:
    """Links that move on the ground; links fixed to the ground belong to it."""
    ground, roots = {robot.base}, []
    remaining = list(robot.links)
    while attached := [link for link in remaining if link.parent in ground]:
        ground.update(link.name for link in attached if link.joint.type == "fixed")
        roots += [link for link in attached if link.joint.type != "fixed"]
        remaining = [link for link in remaining if link not in attached]
    return roots


def _base_chain(mechanism: Mechanism, root: int) -> list[Body]:
    """The bodies of the free or planar joint at the root, the base last; empty for another joint."""
    bodies = mechanism.bodies
    if isinstance(bodies[root].joint, Free):
        return [bodies[root]]
    chain = [body for body in bodies[root : root + 3] if body.name == bodies[root].name]
    planar = (Prismatic, Prismatic, Revolute)
    same = len(chain) == 3 and all(isinstance(b.joint, t) for b, t in zip(chain, planar, strict=True))
    return chain if same else []
