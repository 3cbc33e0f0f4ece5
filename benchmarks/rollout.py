"""Rollouts without contacts beside `mujoco.rollout`: steps a second on one core, same model and step."""

import tempfile
import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout as mujoco_rollout

import rikigaku as rk
from benchmarks.harness import shortest
from benchmarks.options import Options
from benchmarks.robots import SUBJECTS, Subject
from rikigaku.formats.state_conversion import to_mujoco

WORLDS, STEPS, DT = 2048, 100, 1e-3
THEIR_WORLDS = 64  # MuJoCo computes world after world: its rate does not depend on their number
METHODS = {"euler": mujoco.mjtIntegrator.mjINT_EULER, "rk4": mujoco.mjtIntegrator.mjINT_RK4}
ROBOTS = ("panda", "talos")


def run(options: Options) -> dict[str, Any]:
    """Steps a second of processor time, on one thread: final states, and all states."""
    print(f"Rollouts of {WORLDS} worlds over {STEPS} steps of {DT:g} s, one thread: million steps a second")
    results = {}
    for name in (name for name in ROBOTS if name in options.robots):
        for method in METHODS:
            row = results[f"{name} {method}"] = measured(SUBJECTS[name], method)
            print(
                f"{name:8} {method:6} final states {row['ours'] / 1e6:6.2f}, all states "
                f"{row['ours, all states'] / 1e6:6.2f}; mujoco.rollout {row['mujoco'] / 1e6:7.4f}; ratio "
                f"{row['ours, all states'] / row['mujoco']:.0f}; difference of q {row['difference']:.1e}"
            )
    return results


def measured(subject: Subject, method: str) -> dict[str, float]:
    """Steps a second of both, and the difference of their final configurations."""
    robot = rk.load(subject.path, free_base=subject.floating)
    model = _model(robot, method)
    rng = np.random.default_rng(0)
    q = np.tile(robot.neutral(), (WORLDS, 1))
    joints = slice(robot.nq - robot.nv + 6, None) if subject.floating else slice(None)
    q[:, joints] += rng.uniform(-0.5, 0.5, q[:, joints].shape)
    v = rng.uniform(-0.5, 0.5, (WORLDS, robot.nv))
    if subject.floating:
        v[:, :6] = 0.0
    tau = rng.uniform(-1, 1, (STEPS, WORLDS, robot.nv))
    if subject.floating:
        tau[..., :6] = 0.0
    outs = [(np.empty((WORLDS, robot.nq)), np.empty((WORLDS, robot.nv)))]
    outs += [(np.empty((STEPS, WORLDS, robot.nq)), np.empty((STEPS, WORLDS, robot.nv)))]

    def ours(every: int) -> Any:
        return robot.rollout(
            q, v, tau, steps=STEPS, dt=DT, method=method, every=every, out=outs[every], threads=1
        )

    few = slice(THEIR_WORLDS)
    layout = to_mujoco(robot, model)
    begin = layout.q(q[few]), layout.v(q[few], v[few])
    start = np.concatenate([np.zeros((THEIR_WORLDS, 1)), *begin], axis=1)
    control = np.ascontiguousarray(np.swapaxes(layout.tau(q[few], tau[:, few]), 0, 1))
    data, spec = [mujoco.MjData(model)], int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)

    def theirs() -> Any:
        return mujoco_rollout.rollout(model, data, start, control, nstep=STEPS, control_spec=spec)[0]

    states = theirs()
    found = layout.q(ours(1).q[-1, few])
    row = {"difference": float(np.abs(found - states[:, -1, 1 : 1 + robot.nq]).max())}
    row["ours"] = WORLDS * STEPS / shortest(lambda: ours(0), 3)
    row["ours, all states"] = WORLDS * STEPS / shortest(lambda: ours(1), 3)
    row["mujoco"] = THEIR_WORLDS * STEPS / shortest(theirs, 3)
    return row


def _model(robot: rk.Robot, method: str) -> Any:
    """The robot's MJCF without limits, contacts and implicit damping."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # limits of velocity, which MuJoCo does not have
        path = Path(folder) / "robot.xml"
        robot.save(path)
        spec = mujoco.MjSpec.from_string(path.read_text("utf-8"))
    for motor in list(spec.actuators):
        spec.delete(motor)
    model = spec.compile()
    off = mujoco.mjtDisableBit
    model.opt.timestep, model.opt.integrator = DT, METHODS[method]
    model.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_EULERDAMP
    model.dof_frictionloss[:] = 0.0
    return model
