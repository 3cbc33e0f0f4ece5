"""The spanning tree of a closed robot as a robot of its own."""

from dataclasses import replace

from rikigaku.model.robot import Robot


def tree(robot: Robot) -> Robot:
    """The robot with its loops cut open and its gears out of mesh; itself if it has none."""
    if not robot.loops and not robot.couplings:
        return robot
    known = robot.__dict__.get("_tree")
    if known is None:
        known = robot.__dict__["_tree"] = replace(robot, loops=(), couplings=(), independent=())
    return known
