"""Simulated experiments of the SR400 with its loop and of a quadruped on a free base."""

import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin
from scipy.spatial.transform import Rotation
from simulated_experiments import motion

import rikigaku as rk

FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
_MODELS = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"
BODY = rk.Inertia("com", 2.0, (0.05, 0.02, 0.03), (0.1, 0, 0, 0.12, 0, 0.09))


@cache
def sr400():
    """The SR400 with bodies, friction and rotors; its loop has two passive joints."""
    arm = rk.load("sr400")
    arm = arm.bind(**arm.declared_values)
    links = []
    for k, link in enumerate(arm.links):
        joint = replace(link.joint, viscous=1.0 / (k + 1), coulomb=1.0 / (k + 1), rotor=0.1 / (k + 1))
        links.append(replace(link, inertia=BODY, joint=joint))
    return replace(arm, links=tuple(links))


@cache
def sr400_motion(duration=20.0, rate=250.0):
    """t, positions of the drives, and torques of the drives."""
    arm = sr400()
    t, q, v, a = motion(6, duration, rate, seed=3)
    scale = np.array([1.0, 0.3, 1.0, 1.0, 1.0, 0.3])
    q, v, a = q * scale + np.array([0, -1.5, 0, 0, 0, 0]), v * scale, a * scale
    path = arm.assemble(q[::50], path=True)
    near = np.stack([np.interp(t, t[::50], x) for x in path.T], axis=1)
    full = arm.assemble(q, near=near)
    tau = arm.inverse_dynamics(full, *arm.complete(full, v, a))
    return t, q, np.asarray(tau)


@cache
def quadruped():
    """Solo12 on a free base, with friction and rotors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = rk.load(_MODELS / "solo_description/robots/solo12.urdf", free_base=True)
        links = [
            replace(link, joint=replace(link.joint, viscous=0.1, coulomb=0.05, rotor=0.005))
            if link.joint.type == "revolute"
            else link
            for link in robot.links
        ]
        return replace(robot, links=tuple(links)).check_inertias(repair="nearest")


@cache
def quadruped_motion(duration=20.0, rate=250.0):
    """t, q, joint torques and foot forces [N] of a free motion whose foot forces carry the base."""
    robot = quadruped()
    dt = 1 / rate
    t = np.arange(0, duration, dt)
    rng = np.random.default_rng(4)
    w = 2 * np.pi * 0.2 * np.arange(1, 6)

    def series(time):
        s, c = np.sin(time[:, None] * w), np.cos(time[:, None] * w)
        x = s @ (amplitudes[0] / w).T - c @ (amplitudes[1] / w).T
        return x * scale

    amplitudes = rng.normal(size=(2, 18, 5))
    scale = 1.0
    sizes = np.array([0.1] * 3 + [0.3] * 3 + [0.8] * 12)
    scale = sizes / np.abs(series(t)).max(axis=0)

    def configuration(time):
        x = series(time)
        turned = Rotation.from_euler("zyx", x[:, 3:6]).as_quat(scalar_first=True)
        return np.column_stack([x[:, :3] + [0, 0, 0.3], turned, x[:, 6:]])

    def velocity(time):
        h = 1e-4
        before, after = configuration(time - h), configuration(time + h)
        return np.asarray(robot.difference(before, after)) / (2 * h)

    q, v = configuration(t), velocity(t)
    a = (velocity(t + 1e-4) - velocity(t - 1e-4)) / 2e-4
    tau = np.asarray(robot.inverse_dynamics(q, v, a))
    J = np.concatenate([np.asarray(robot.jacobian(q, foot))[:, :3] for foot in FEET], axis=1)
    f = np.linalg.pinv(np.swapaxes(J[:, :, :6], 1, 2)) @ tau[:, :6, None]
    joints = (tau - np.einsum("nij,ni->nj", J, f[:, :, 0]))[:, 6:]
    return t, q, joints, {foot: f[:, 3 * k : 3 * k + 3, 0] for k, foot in enumerate(FEET)}


def truth(result, robot):
    """True parameters of the measurement model; offsets are zero."""
    own = robot.parameters(joint_parameters=True)
    base = result.model.regrouping @ [own[name] for name in result.model.parameters]
    return np.append(base, np.zeros(len(result.names) - len(base)))


def visible_truth(result, robot):
    """The same with what the data do not separate added to the parameters that are kept."""
    true, kept = truth(result, robot), result.estimate.observed
    R = result.estimate.factor
    D = np.linalg.lstsq(R[:, kept], R[:, ~kept], rcond=None)[0]
    return true[kept] + D @ true[~kept]
