"""The same motions in MuJoCo: soft contacts with shorter and shorter steps, until the error is small."""

import time
from typing import Any

import numpy as np

STEPS = (2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5)


def stepped(case: Any, exact: Any, wanted: float) -> str:
    """A sentence: the longest step that meets the error and its time, or the smallest error reached."""
    import mujoco

    best = (np.inf, 0.0, 0.0)
    for step in STEPS:
        model = _model(case, step)
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = case.q, case.v
        begin = time.process_time()
        count = round(case.duration / step)
        if case.push is None:
            mujoco.mj_step(model, data, count)
        else:
            for _ in range(count):
                data.qfrc_applied[:] = case.push(data.time)
                mujoco.mj_step(model, data)
        spent = time.process_time() - begin
        error = float(np.abs(data.qpos - exact).max())
        best = min(best, (error, step, spent))
        if error < wanted:
            return f"MuJoCo: error {error:.0e} at a step of {step:g} s, {spent:.2f} s"
    error, step, spent = best
    return (
        f"MuJoCo does not reach an error of {wanted:g} by steps down to {STEPS[-1]:g} s: "
        f"at best {error:.0e} at {step:g} s, {spent:.2f} s (its contacts are soft, its friction creeps)"
    )


def _model(case: Any, step: float) -> Any:
    """Our MJCF with a small ball at the point and a floor; friction and masses are the case's."""
    import tempfile
    from pathlib import Path

    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        case.robot.save(path)
        spec = mujoco.MjSpec.from_string(path.read_text("utf-8"))
    spec.option.timestep = step
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    frame = next((f for f in case.robot.frames if f.name == case.frame), None)
    body = spec.body(case.frame if frame is None else frame.link)
    at = np.zeros(3) if frame is None else _place(case, frame)
    friction = [case.kinetic, 0, 0]
    ball, plane = mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_PLANE
    touch = {"condim": 3, "friction": friction}
    body.add_geom(type=ball, size=[1e-3, 0, 0], pos=at, mass=0, contype=1, conaffinity=2, **touch)
    ground = {"size": [0, 0, 1], "pos": [0, 0, -1e-3]}
    spec.worldbody.add_geom(type=plane, contype=2, conaffinity=1, **ground, **touch)
    model = spec.compile()
    model.dof_damping[:], model.jnt_stiffness[:], model.qpos_spring[:] = case.damping, case.stiffness, case.q
    return model


def _place(case: Any, frame: Any) -> Any:
    zero = np.zeros(case.robot.nq)
    link, point = case.robot.pose(zero, frame.link), case.robot.pose(zero, frame.name)
    return (np.linalg.inv(link) @ point)[:3, 3]
