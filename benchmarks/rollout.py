"""Section: rollouts without contacts beside MuJoCo, and with contacts, in float32, and their memory.

Steps a second on one core, same model and step, in interleaved rounds by processor time. MuJoCo by
`mujoco.rollout` (torques of each step, all states recorded) and by `mujoco.batch` (all steps in one call, its
fastest way). MJX on the processor runs in the interpreter that the variable MJX_PYTHON names, if it is set.
"""

import json
import os
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mujoco_batch
from mujoco import rollout as mujoco_rollout

import rikigaku as rk
from benchmarks import rollout_contacts, rollout_single
from benchmarks.fresh import fresh_result
from benchmarks.harness import best_seconds, one_core
from benchmarks.options import Options
from benchmarks.report import table
from benchmarks.robots import SUBJECTS, Subject
from rikigaku.formats.state_conversion import to_mujoco

WORLDS, STEPS, DT = 2048, 100, 1e-3
THEIR_WORLDS = 32  # MuJoCo computes world after world: its rate does not depend on their number
METHODS = {"euler": mujoco.mjtIntegrator.mjINT_EULER, "rk4": mujoco.mjtIntegrator.mjINT_RK4}
ROBOTS = ("panda", "talos")
# `mujoco.rollout` records all states, `mujoco.batch` has the final ones.
RATIOS = (("all states", "mujoco.rollout"), ("final states", "mujoco.batch"))
ORDERS = {"euler": 1, "rk4": 4}


def run(options: Options) -> dict[str, Any]:
    """All tables: without contacts, agreement, contacts, single precision, memory."""
    rounds = 3 if options.quick else 9
    with one_core():
        smooth = {
            f"{name} {method}": measured(SUBJECTS[name], method, rounds)
            for name in ROBOTS
            if name in options.robots
            for method in METHODS
        }
        columns = ("final states", "all states", "mujoco.rollout", "mujoco.batch")
        rows = [
            [name, *(f"{row[c] / 1e6:.3f}" for c in columns)]
            + [f"{row[own] / row[c]:.1f}" for own, c in RATIOS]
            + [f"{row['difference']:.0e}"]
            for name, row in smooth.items()
        ]
        header = ("", *columns, "ratio, rollout", "ratio, batch", "difference of q")
        title = f"{WORLDS} worlds, {STEPS} steps of {DT:g} s, one core: million steps a second"
        print(table(title, header, rows))
        mjx = _mjx()
        if mjx is not None:
            rate, compiled = mjx["steps a second"], mjx["compiled"]
            print(f"MJX on the same core, Panda, 4 worlds, Euler, float32: {rate:.0f} steps a second,")
            print(f"after {compiled:.0f} s of compilation, both by processor time\n")
        agreement = _agreement()
        contacts = rollout_contacts.run(rounds)
        single = rollout_single.run(rounds)
    return {
        "smooth": smooth, "mjx": mjx, "agreement": agreement, "contacts": contacts, "float32": single,
        "memory": _memory(),
    }  # fmt: skip


def measured(subject: Subject, method: str, rounds: int) -> dict[str, float]:
    """Steps a second of each, and the difference of final configurations from those of `mujoco.rollout`."""
    robot = rk.load(subject.path, free_base=subject.floating)
    model = _model(robot, method)
    rng = np.random.default_rng(0)
    q = np.tile(robot.neutral(), (WORLDS, 1))
    joints = slice(robot.nq - robot.nv + 6, None) if subject.floating else slice(None)
    q[:, joints] += rng.uniform(-0.5, 0.5, q[:, joints].shape)
    v = rng.uniform(-0.5, 0.5, (WORLDS, robot.nv))
    tau = rng.uniform(-1, 1, (STEPS, WORLDS, robot.nv))
    if subject.floating:
        v[:, :6] = tau[..., :6] = 0.0
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
    batch = mujoco_batch.Batch(model, THEIR_WORLDS, 1)

    def theirs() -> Any:
        return mujoco_rollout.rollout(model, data, start, control, nstep=STEPS, control_spec=spec)[0]

    def batched() -> None:
        batch.qpos, batch.qvel = begin
        batch.step(nstep=STEPS)

    found = layout.q(ours(1).q[-1, few])
    difference = float(np.abs(found - theirs()[:, -1, 1 : 1 + robot.nq]).max())
    runs = {
        "final states": (lambda: ours(0), WORLDS), "all states": (lambda: ours(1), WORLDS),
        "mujoco.rollout": (theirs, THEIR_WORLDS), "mujoco.batch": (batched, THEIR_WORLDS),
    }  # fmt: skip
    seconds = best_seconds({name: call for name, (call, _) in runs.items()}, rounds)
    rates = {name: count * STEPS / seconds[name] for name, (_, count) in runs.items()}
    return {**rates, "difference": difference}


def _agreement() -> dict[str, Any]:
    """Errors against the adaptive integrator for steps halved twice, and the order they fall with."""
    robot = rk.load("panda")
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-0.5, 0.5, (2, 7))
    exact = rk.simulate(robot, q, v, duration=0.2, rtol=1e-12, atol=1e-13)
    record, rows = {}, []
    for method, order in ORDERS.items():
        errors = [
            float(
                np.abs(
                    robot.rollout(q, v, steps=n, dt=0.2 / n, method=method, every=0).q[0] - exact.q[-1]
                ).max()
            )
            for n in (50, 100, 200)
        ]
        found = float(np.log2(errors[0] / errors[2]) / 2)
        record[method] = {"errors": errors, "order": found}
        rows.append([method, *(f"{e:.1e}" for e in errors), f"{found:.2f}", str(order)])
    header = ("Panda, 0.2 s", "4 ms", "2 ms", "1 ms", "order found", "order")
    print(table("Largest difference of q from the adaptive integrator [rad]", header, rows))
    return record


def _memory() -> dict[str, Any]:
    """A million worlds in new processes: arrays, and growth of the resident memory."""
    found, rows = {}, []
    for precision in ("float64", "float32"):
        for torques in ([], ["torques"]):
            name = ", ".join([precision, *torques])
            found[name] = x = fresh_result("benchmarks.rollout_memory_child", precision, *torques)
            rows += [
                [f"{name}, {way}", *(f"{y[key] / 1e6:.1f}" for key in ("inputs", "new", "peak"))]
                for way, y in x.items()
            ]
    header = ("Panda, 10 steps", "inputs", "new arrays", "growth, peak")
    print(table("A million worlds, resident memory in MB", header, rows))
    return found


def _mjx() -> dict[str, float] | None:
    """Steps a second of MJX on this core, and its compilation [s]; None without its interpreter."""
    python = os.environ.get("MJX_PYTHON")
    if not python:
        return None
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "robot.xml"
        rk.load("panda").save(path)
        child = Path(__file__).with_name("mjx_child.py")
        try:
            done = subprocess.run(
                [python, str(child), str(path)], capture_output=True, text=True, check=True, timeout=600
            )
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            print(f"MJX gave no result: {error}\n")
            return None
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


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
