"""Shipped robots written to files and read back, and their forces in either order of joints."""

import warnings
from pathlib import Path

import numpy as np
from mujoco_reference import tree_law

import rikigaku as rk
from rikigaku.core.errors import IgnoredWarning, UnphysicalInertiaWarning
from rikigaku.robot import Robot

TOLERANCE = 1e-9  # what is promised; found: 1e-14
CLOSED = ("four_bar", "five_bar", "three_rrr", "stewart", "slider_crank", "delta", "sr400", "cassie_leg")


def shipped(name: str) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        robot = rk.load(name)
    return robot.bind(**robot.declared_values)


def saved(robot: Robot, path: Path) -> Robot:
    """The robot written to that file and read back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredWarning)
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        robot.save(path)
        return rk.load(path)


def reordered(robot: Robot, back: Robot, x: np.ndarray, of: str) -> np.ndarray:
    """Numbers of q or v in the order of the robot that was read back."""
    ours = getattr(robot, of)
    parts = []
    for joint in back.joints:
        if joint.name in ours:
            parts.append(x[ours[joint.name]])
        else:
            # "hinge_2" is the second angle of "hinge", "base_TY" the second coordinate of a planar joint
            name, which = joint.name.rsplit("_", 1)
            k = ("TX", "TY", "RZ").index(which) if which[0] in "TR" else int(which) - 1
            start = ours[name].start
            parts.append(x[start + k : start + k + 1])
    return np.concatenate(parts)


def forces(robot: Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray, **options: object) -> np.ndarray:
    return tree_law(robot, "inverse_dynamics", q, v, a, **options)
