"""The humanoid of the tests: on a flat foot as in the paper, or with few joints left free."""

from dataclasses import replace

import numpy as np
import pinocchio as pin

import rikigaku as rk

# Degrees and rad/s: sticks, slips back, slips forward, sticks again, all above the floor.
START = {
    "q2": (15, 2), "q3": (5, -7), "q4": (-20, 5), "q5": (25, 6), "q6": (-105, -9), "q7": (80, 3),
    "q8": (-15, -2), "q11": (-25, 3), "q14": (5, 9),
}  # fmt: skip
KINETIC, STATIC = 0.15, 0.21


def smooth(robot: rk.Robot) -> rk.Robot:
    """Without viscous friction in the joints, as in the paper's experiments."""
    plain = [replace(link, joint=replace(link.joint, viscous=rk.Formula.of(0))) for link in robot.links]
    return replace(robot, links=tuple(plain))


def configuration(robot: rk.Robot, start=START) -> tuple[np.ndarray, np.ndarray]:
    q, v = robot.neutral(), np.zeros(robot.nv)
    for name, (angle, rate) in start.items():
        q[robot.q_slices[name]], v[robot.v_slices[name]] = np.radians(angle), rate
    return q, v


def pinocchio(robot: rk.Robot, folder) -> pin.Model:
    path = folder / f"{robot.name}.urdf"
    robot.save(path)
    model = pin.buildModelFromUrdf(str(path))
    assert list(model.names[1:]) == [joint.name for joint in robot.joints]
    return model


def as_pinocchio(model: pin.Model, q) -> np.ndarray:
    """Joints without limits are cosine and sine there."""
    parts = [
        [x] if joint.nq == 1 else [np.cos(x), np.sin(x)] for joint, x in zip(model.joints[1:], q, strict=True)
    ]
    return np.concatenate(parts)
