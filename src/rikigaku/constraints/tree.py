"""The spanning tree of a closed robot as a robot of its own."""

import warnings
from dataclasses import replace

from rikigaku.errors import IgnoredWarning
from rikigaku.model.robot import Robot


def tree(robot: Robot) -> Robot:
    """The robot with its loops cut open and its gears out of mesh; itself if it has none."""
    if not robot.loops and not robot.couplings:
        return robot
    known = robot.__dict__.get("_tree")
    if known is None:
        known = robot.__dict__["_tree"] = replace(robot, loops=(), couplings=(), independent=())
    return known


def tell_gears_left_out(robot: Robot, law: str) -> None:
    """Warn that a law is the tree's: it moves the joints of gears each for itself.

    Forces of the tree are a choice (other programs read gears as free joints); accelerations that part the
    teeth of a gear are no motion of this robot.
    """
    gears = ", ".join(f"{one.joint} follows {one.reference}" for one in robot.couplings[:3])
    more = f" and {len(robot.couplings) - 3} others" if len(robot.couplings) > 3 else ""
    warnings.warn(
        f"{law} of robot {robot.name!r} is that of its tree, where gears do not hold ({gears}{more}): each "
        f"joint moves for itself. robot.reduced.{law} (independent joints), robot.loop_dynamics (all joints) "
        f"and rk.simulate know the gears; robot.tree.{law} is this law without the warning.",
        IgnoredWarning,
        stacklevel=3,
    )
