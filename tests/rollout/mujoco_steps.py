"""States of MuJoCo's own fixed steps for a robot without contacts: the reference of `robot.rollout`."""

import tempfile
import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout as mujoco_rollout

import rikigaku as rk


def mujoco_model(robot: rk.Robot, dt: float, method: str) -> Any:
    """The robot's MJCF without limits and contacts."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "robot.xml"
        robot.save(path)
        spec = mujoco.MjSpec.from_string(path.read_text("utf-8"))
    for motor in list(spec.actuators):
        spec.delete(motor)
    model = spec.compile()
    euler = mujoco.mjtIntegrator.mjINT_EULER
    kinds = {"euler": euler, "implicit": euler, "rk4": mujoco.mjtIntegrator.mjINT_RK4}
    off = mujoco.mjtDisableBit
    model.opt.timestep, model.opt.integrator = dt, kinds[method]
    model.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_LIMIT
    if method != "implicit":  # MuJoCo's Euler takes the damping of joints implicitly unless switched off
        model.opt.disableflags |= off.mjDSBL_EULERDAMP
    return model


def mujoco_states(robot: rk.Robot, q: Any, v: Any, steps: int, dt: float, method: str) -> tuple[Any, Any]:
    """q and v after each step, (steps, worlds, n)."""
    model = mujoco_model(robot, dt, method)
    start = np.concatenate([np.zeros((len(q), 1)), q, v], axis=1)
    states, _ = mujoco_rollout.rollout(model, [mujoco.MjData(model)], start, nstep=steps)
    states = np.swapaxes(states, 0, 1)[..., 1:]
    return states[..., : robot.nq], states[..., robot.nq :]
