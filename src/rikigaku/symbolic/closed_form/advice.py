"""What else to do where no formula is found."""

from rikigaku.model.robot import Robot


def numeric_way(robot: Robot, frame: str, target: str | None) -> str:
    """How to find postures in numbers."""
    if not robot.loops:
        return "Use robot.inverse_kinematics(...), which is numeric."
    own = f" ({', '.join(robot.independent)})" * bool(robot.independent)
    pose = f"robot.pose(robot.assemble(x), {frame!r})"
    gap = f"{pose}[:3, 3] - p" if target == "position" else f"({pose} - T).ravel()"
    return (
        f"Search in numbers, over the independent coordinates{own}: "
        f"scipy.optimize.least_squares(lambda x: {gap}, x0)."
    )
