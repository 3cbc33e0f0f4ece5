"""Arms for the tests, by rows of modified DH, and their forward kinematics on plain floats."""

import numpy as np

from rikigaku.laws.tree.kinematics import pose
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.joint import Joint
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import Frame, Link
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot


def arm(types, rows, hand=(0, 0, 0, 0)):
    """R and P joints q1, q2, ... with rows (alpha, a, theta, d), and a frame "hand"."""
    links, parent = [], "base"
    for k, (letter, row) in enumerate(zip(types, rows, strict=True), 1):
        joint = Joint(f"q{k}", "revolute" if letter == "R" else "prismatic")
        links.append(Link(f"l{k}", parent, joint, ModifiedDH(*map(Formula.of, row))))
        parent = f"l{k}"
    return Robot(f"arm {types}", tuple(links), (Frame("hand", parent, ModifiedDH(*map(Formula.of, hand))),))


def poses(robot, q, frame="hand", **symbols):
    """Poses (..., 4, 4) of a frame at configurations (..., nq)."""
    mechanism = instantiate(robot, FLOATS, {**robot.declared_values, **symbols})
    T = pose(mechanism, [q[..., k] for k in range(robot.nq)], frame)
    full = [[np.broadcast_to(x, q.shape[:-1]) for x in row] for row in T]
    return np.moveaxis(np.array(full, float), (0, 1), (-2, -1))


def distance(robot, q, p):
    """Largest difference between configurations, angles as points of the circle."""
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


PUMA_VALUES = {"d1": 0.6, "d2": 0.2, "a2": 0.43, "d3": -0.09, "a3": -0.02, "d4": 0.43, "d6": 0.056}
SHIPPED = {"puma560": 8, "stanford": 8, "ur5": 8, "rx90": 8, "scara": 2}


def random_configurations(robot, count, seed=0, size=2.0):
    return np.random.default_rng(seed).uniform(-size, size, (count, robot.nq))


def found(robot, formulas, q, **values):
    """Distance from each configuration to the nearest branch at its pose; all answers must reach the pose."""
    T = poses(robot, q, formulas.frame, **values)
    answer = formulas.solve(T, **values)
    there = poses(robot, answer.q, formulas.frame, **values)
    wanted = np.broadcast_to(T[..., None, :, :], there.shape)
    rows = slice(0, 3) if formulas.target != "position" else (slice(0, 3), slice(3, 4))
    gap = np.abs(there - wanted)[answer.valid][(slice(None), *np.index_exp[rows])]
    assert gap.max() < 1e-9
    return np.nanmin(distance(robot, answer.q, q[..., None, :]), axis=-1), answer
