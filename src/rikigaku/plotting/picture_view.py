"""From where a robot is seen, and where the ground of its picture is."""

import numpy as np

from rikigaku.core.types import Array
from rikigaku.model.robot_model import RobotModel
from rikigaku.plotting.skeleton import Skeleton

_FLAT = 0.12  # a robot thinner than this part of its width is flat


def has_ground(robot: RobotModel) -> bool:
    """Whether the picture shows the ground: not for robots that float without gravity."""
    floats = robot.joints and robot.joints[0].type == "free"
    return not (floats and not any(robot.gravity))


def ground_height(drawn: Skeleton, robot: RobotModel) -> float:
    """z of the ground [m]: just below the robot, and not above the origin of a fixed base."""
    low = float(drawn.points[:, 2].min()) if len(drawn.points) else 0.0
    bottom = low if robot.joints and robot.joints[0].type == "free" else min(0.0, low)
    return bottom - 0.012 * drawn.size


def view_angles(points: Array) -> tuple[float, float]:
    """Elevation and azimuth of the camera [degrees]; flat robots are seen from their flat side."""
    elevation, azimuth = 20.0, -52.0
    if len(points) > 2:
        _, sizes, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
        normal = axes[2]
        if sizes[2] < _FLAT * sizes[1]:
            if abs(normal[2]) > 0.8:
                elevation, azimuth = 58.0, -70.0
            elif abs(normal[2]) < 0.2:
                normal = normal if normal[0] - normal[1] > 0 else -normal
                elevation, azimuth = 14.0, float(np.degrees(np.arctan2(normal[1], normal[0]))) - 22.0
    return elevation, azimuth
