"""Arms for the tests, by rows of modified DH, and their forward kinematics on plain floats."""

import numpy as np

from rikigaku.laws.kinematics import pose
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.joint import Joint
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Frame, Link, Robot
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.kind import FLOATS


def arm(types, rows, hand=(0, 0, 0, 0)):
    """R and P joints q1, q2, ... with rows (alpha, a, theta, d), and a frame "hand"."""
    links, parent = [], "base"
    for k, (letter, row) in enumerate(zip(types, rows, strict=True), 1):
        joint = Joint(f"q{k}", "revolute" if letter == "R" else "prismatic")
        links.append(Link(f"l{k}", parent, joint, ModifiedDH(*map(Formula.of, row))))
        parent = f"l{k}"
    return Robot(f"arm {types}", tuple(links), (Frame("hand", parent, ModifiedDH(*map(Formula.of, hand))),))


def poses(robot, q, frame="hand", **symbols):
    """Poses (..., 4, 4) of a frame at postures (..., nq)."""
    mechanism = instantiate(robot, FLOATS, {**robot.declared_values, **symbols})
    T = pose(mechanism, [q[..., k] for k in range(robot.nq)], frame)
    full = [[np.broadcast_to(x, q.shape[:-1]) for x in row] for row in T]
    return np.moveaxis(np.array(full, float), (0, 1), (-2, -1))


def distance(robot, q, p):
    """Largest difference between postures, angles as points of the circle."""
    gap = np.abs(q - p)
    for joint in robot.joints:
        if joint.type == "revolute":
            k = robot.q_slices[joint.name].start
            gap[..., k] = np.abs(np.exp(1j * q[..., k]) - np.exp(1j * p[..., k]))
    return gap.max(axis=-1)


SYMBOLIC_PUMA = arm(
    "RRRRRR",
    [
        (0, 0, 0, "d1"),
        ("-pi/2", 0, 0, "d2"),
        (0, "a2", 0, "d3"),
        ("-pi/2", "a3", 0, "d4"),
        ("pi/2", 0, 0, 0),
        ("-pi/2", 0, 0, 0),
    ],
    (0, 0, 0, "d6"),
)
