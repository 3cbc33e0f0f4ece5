"""Rollouts of a quadruped on four feet beside MuJoCo: steps a second, penetration, creep.

Solo12 under PD control, released 1 mm above the floor with random joint angles and a push, comes to rest on
its four feet. MuJoCo with its default contacts, and with the stiffest ones that its step allows; its
penetration and creep are those of the same first worlds.
"""

from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mujoco_batch
from mujoco import rollout as mujoco_rollout

from benchmarks.contact_steps import FEET, scene_model, standing_quadruped
from benchmarks.harness import best_seconds
from benchmarks.report import table

WORLDS, THEIR_WORLDS, STEPS, DT = 128, 32, 1000, 1e-3
STILL = 200  # last steps, over which the creep is measured


def run(rounds: int) -> dict[str, Any]:
    """Prints and returns a row for each engine."""
    scene = standing_quadruped()
    robot, rng = scene.robot, np.random.default_rng(0)
    q = np.tile(scene.q, (WORLDS, 1))
    q[:, 7:] += rng.uniform(-0.05, 0.05, (WORLDS, robot.nv - 6))
    q[:, 2] += 1e-3 - np.min([robot.pose(q, foot)[:, 2, 3] for foot in FEET], axis=0)
    v = np.zeros((WORLDS, robot.nv))
    v[:, :2] = rng.uniform(-0.2, 0.2, (WORLDS, 2))

    def ours(every: int) -> Any:
        return robot.rollout(
            q, v, scene.control, steps=STEPS, dt=DT, contacts=scene.contacts, every=every, threads=1
        )

    few = slice(THEIR_WORLDS)
    quality = {"ours": _quality(robot, ours(1).q)}
    runs: dict[str, Any] = {"ours": lambda: ours(0)}
    start = np.concatenate([np.zeros((THEIR_WORLDS, 1)), q[few], v[few]], axis=1)
    target = np.broadcast_to(scene.target, (THEIR_WORLDS, STEPS, len(scene.target))).copy()
    for how in ("default", "stiff"):
        model = scene_model(scene, DT, how == "stiff")
        data, batch = [mujoco.MjData(model)], mujoco_batch.Batch(model, THEIR_WORLDS, 1)

        def rolled(model: Any = model, data: Any = data) -> Any:
            return mujoco_rollout.rollout(model, data, start, target, nstep=STEPS)[0]

        def batched(batch: Any = batch) -> None:
            batch.qpos, batch.qvel, batch.ctrl = q[few], v[few], scene.target
            batch.step(nstep=STEPS)

        runs |= {f"mujoco.rollout, {how} contacts": rolled, f"mujoco.batch, {how} contacts": batched}
        found = np.swapaxes(rolled()[..., 1 : 1 + robot.nq], 0, 1)
        quality[f"mujoco.rollout, {how} contacts"] = _quality(robot, found)
    seconds = best_seconds(runs, max(rounds // 2, 2))
    record, rows = {}, []
    for name in runs:
        rate = (WORLDS if name == "ours" else THEIR_WORLDS) * STEPS / seconds[name]
        record[name] = {"steps a second": rate}
        measured = quality.get(name)  # mujoco.batch returns no trajectory
        if measured is not None:
            record[name] |= {"penetration": measured[0], "creep": measured[1]}
        ratio = record["ours"]["steps a second"] / rate
        shown = ("-", "-") if measured is None else (f"{x:.1e}" for x in measured)
        rows.append([name, f"{rate / 1e3:.1f}", f"{ratio:.1f}", *shown])
    title = f"Solo12 on four feet, {STEPS} steps of {DT:g} s, one core: thousand steps a second"
    print(table(title, ("", "rate", "ours / theirs", "penetration [m]", "creep [m/s]"), rows))
    return record


def _quality(robot: Any, q: Any) -> tuple[float, float]:
    """Deepest penetration of a foot; largest speed at which a foot creeps at the end."""
    feet = np.stack([robot.pose(q, foot)[..., :3, 3] for foot in FEET])
    moved = feet[:, -1, :, :2] - feet[:, -STILL, :, :2]
    creep = float(np.linalg.norm(moved, axis=-1).max() / ((STILL - 1) * DT))
    return max(0.0, -float(feet[..., 2].min())), creep
