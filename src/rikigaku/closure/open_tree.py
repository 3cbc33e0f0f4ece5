"""The spanning tree of a closed robot as a robot of its own."""

from dataclasses import replace

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import IgnoredWarning
from rikigaku.model.robot_model import ModelT, RobotModel


def tree(robot: ModelT) -> ModelT:
    """The robot without its loops and gears; itself if it has none."""
    if not robot.loops and not robot.couplings:
        return robot
    known: ModelT | None = robot.__dict__.get("_tree")
    if known is None:
        known = robot.__dict__["_tree"] = replace(robot, loops=(), couplings=(), independent=())
    return known


def warn_of_open_gears(robot: RobotModel, law: str) -> None:
    """Warn that a law is that of the tree, in which the joints of gears move independently.

    Forces of the tree may be wanted (other programs read gears as free joints); its accelerations violate
    the gear ratios.
    """
    gears = ", ".join(f"{one.joint} follows {one.reference}" for one in robot.couplings[:3])
    more = f" and {len(robot.couplings) - 3} others" if len(robot.couplings) > 3 else ""
    warn_caller(
        f"{law} of robot {robot.name!r} is that of its tree, where gears do not hold ({gears}{more}): each "
        f"joint moves independently. robot.reduced.{law} (independent joints), robot.loop_dynamics (all "
        f"joints) and rk.simulate include the gears; robot.tree.{law} is this law without the warning.",
        IgnoredWarning,
    )
