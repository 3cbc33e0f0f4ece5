"""Iterative inverse kinematics of other packages, on the same poses and limits."""

import re
import time
from pathlib import Path
from typing import Any

import numpy as np

from rikigaku.formats.urdf.urdf_writer import urdf_text

Array = Any
_TOLERANCE = 1e-4  # [m, rad] of the others: looser than ours, 1e-8


def example_urdf(path: str) -> Path:
    """A URDF of the package example-robot-data."""
    import cmeel

    site = Path(cmeel.__file__).parents[1]
    return site / "cmeel.prefix" / "share" / "example-robot-data" / "robots" / path


def _place(robot: Any, frame: str) -> tuple[str, Array]:
    """The link that a frame is fixed to, and its pose on it: URDF has links only."""
    link = next((f.link for f in robot.frames if f.name == frame), frame)
    q = robot.neutral()
    return link, np.linalg.inv(robot.pose(q, link)) @ robot.pose(q, frame)


def pinocchio(robot: Any, frame: str, targets: Array) -> tuple[float | None, float]:
    """Damped least squares as in Pinocchio's examples, with clipping at the limits and 20 restarts."""
    import pinocchio as pin

    model = pin.buildModelFromXML(urdf_text(robot)[0])
    body, on_body = _place(robot, frame)
    data, at = model.createData(), model.getFrameId(body)
    rng, good = np.random.default_rng(0), 0
    lower, upper = np.maximum(model.lowerPositionLimit, -np.pi), np.minimum(model.upperPositionLimit, np.pi)
    start = time.process_time()
    for T in targets:
        goal = pin.SE3(T @ np.linalg.inv(on_body))
        q = (lower + upper) / 2
        for _ in range(20):
            done = False
            for _ in range(100):
                pin.framesForwardKinematics(model, data, q)
                e = pin.log6(data.oMf[at].actInv(goal)).vector
                if np.abs(e).max() < _TOLERANCE:
                    done = True
                    break
                J = pin.computeFrameJacobian(model, data, q, at, pin.LOCAL)
                dq = J.T @ np.linalg.solve(J @ J.T + 1e-4 * np.eye(6), e)
                q = np.clip(pin.integrate(model, q, dq), lower, upper)
            if done:
                good += 1
                break
            q = rng.uniform(lower, upper)
    return good / len(targets), (time.process_time() - start) / len(targets)


def _kinematic_urdf(robot: Any) -> str:
    """The URDF for MuJoCo, every link a body; inertias, which kinematics do not need, are MuJoCo's least."""
    text = re.sub(r"<inertial>.*?</inertial>", "", urdf_text(robot)[0], flags=re.DOTALL)
    own = '<mujoco><compiler fusestatic="false" boundmass="0.001" boundinertia="0.000001"/></mujoco>'
    return re.sub(r"(<robot[^>]*>)", lambda head: head[0] + own, text, count=1)


def mink(robot: Any, frame: str, targets: Array) -> tuple[float | None, float]:
    """mink's differential inverse kinematics with its configuration limits, 100 steps, 5 restarts."""
    import mink as package
    import mujoco

    try:
        model = mujoco.MjModel.from_xml_string(_kinematic_urdf(robot))
        names = [model.body(k).name for k in range(model.nbody)]
        body, on_body = _place(robot, frame)
        if body not in names:
            return None, 0.0
    except ValueError:
        return None, 0.0
    task = package.FrameTask(body, "body", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
    limits = [package.ConfigurationLimit(model)]
    rng, good = np.random.default_rng(0), 0
    low = np.where(model.jnt_limited, model.jnt_range[:, 0], -np.pi)
    high = np.where(model.jnt_limited, model.jnt_range[:, 1], np.pi)
    few = targets[: max(1, len(targets) // 10)]
    start = time.process_time()
    for T in few:
        task.set_target(package.SE3.from_matrix(T @ np.linalg.inv(on_body)))
        q = (low + high) / 2
        for _ in range(5):
            configuration = package.Configuration(model, q)
            done = False
            for _ in range(100):
                v = package.solve_ik(configuration, [task], 0.5, "daqp", limits=limits)
                configuration.integrate_inplace(v, 0.5)
                if np.abs(task.compute_error(configuration)).max() < _TOLERANCE:
                    done = True
                    break
            if done:
                good += 1
                break
            q = rng.uniform(low, high)
    return good / len(few), (time.process_time() - start) / len(few)


def ikpy(robot: Any, frame: str, targets: Array) -> tuple[float | None, float]:
    """ikpy's optimisation of position and orientation."""
    import tempfile

    from ikpy.chain import Chain

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(urdf_text(robot)[0])
        try:
            chain = Chain.from_urdf_file(str(path), base_elements=[robot.base])
        except Exception:  # of ikpy's reader: trees with several ends
            return None, 0.0
    few, good = targets[: max(1, len(targets) // 10)], 0
    home = chain.forward_kinematics([0.0] * len(chain.links))
    body, on_body = _place(robot, frame)
    if np.abs(home - robot.pose(robot.neutral(), body)).max() > 1e-6:
        return None, 0.0  # its chain ends at another link
    start = time.process_time()
    for T in few:
        goal = T @ np.linalg.inv(on_body)
        q = chain.inverse_kinematics_frame(goal, orientation_mode="all")
        good += bool(np.abs(chain.forward_kinematics(q) - goal).max() < 1e-3)
    return good / len(few), (time.process_time() - start) / len(few)


PEERS = (pinocchio, mink, ikpy)
