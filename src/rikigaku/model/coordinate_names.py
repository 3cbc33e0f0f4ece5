"""Names of the coordinates of v."""

from rikigaku.model.robot_model import RobotModel


def coordinate_names(robot: RobotModel) -> tuple[str, ...]:
    """A name for each coordinate of v: the joint's, with a number where it has several."""
    return tuple(
        joint.name if joint.nv == 1 else f"{joint.name}[{k}]"
        for joint in robot.joints
        for k in range(joint.nv)
    )
