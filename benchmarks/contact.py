"""Stick and slip beside MuJoCo and Pinocchio in one run: an oscillator with dry friction, a box on a slope.

MuJoCo by its own steps and solver (soft contacts). Pinocchio's mass matrices and Jacobians under Moreau's
steps with Gauss-Seidel sweeps, and under SciPy with friction smoothed: what one would write around it.
"""

import time
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

import rikigaku as rk
from benchmarks import contact_steps
from benchmarks.options import Options

STOPS, PLACE = 17 * np.pi / 10, 0.02  # of m = 1 kg, k = 100 N/m, F = 3 N, x0 = 1 m: after 17 half cycles
ANGLE, MU = np.radians(20), 0.6

_SLIDER = """<mujoco><option timestep="{step}" gravity="0 0 0" integrator="implicitfast"/><worldbody><body>
<joint name="x" type="slide" axis="1 0 0" stiffness="100" frictionloss="3"/>
<geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>"""
_BOX = """<mujoco><option timestep="{step}" gravity="{gravity}" cone="elliptic"/><worldbody>
<geom type="plane" size="5 5 1" friction="0.6 0 0"/><body pos="0 0 0.05"><freejoint/>
<geom type="box" size="0.1 0.1 0.05" mass="2" friction="0.6 0 0"/></body></worldbody></mujoco>"""


def run(options: Options) -> dict[str, Any]:
    """Both problems; errors against closed forms, speeds that should be zero, seconds of processor time."""
    print("Oscillator with dry friction: comes to rest at t = 5.340708 s, x = 0.02 m")
    oscillator = {"ours": _our_oscillator(), "SciPy + Pinocchio, tanh(v/1e-4)": _smoothed_oscillator()}
    oscillator |= {f"MuJoCo, step {step:g} s": _mujoco_oscillator(step) for step in (2e-3, 1e-4)}
    for name, row in oscillator.items():
        print(
            f"{name:34} x error {row['place']:.1e} m, time error {row['time']:.1e} s, {row['seconds']:.4f} s"
        )
    print(f"Box on an incline of 20 degrees, mu = {MU}: it must not move")
    box = {"ours, one hour": _our_box(), "Pinocchio under Moreau's steps of 1e-3 s": _moreau_box()}
    box |= {f"MuJoCo, step {step:g} s": _mujoco_box(step) for step in (2e-3, 1e-4)}
    for name, row in box.items():
        print(
            f"{name:42} speed at the end {row['speed']:.1e} m/s, moved {row['moved']:.1e} m in "
            f"{row['duration']:g} s, {row['seconds']:.4f} s"
        )
    return {"oscillator": oscillator, "box": box, "fixed steps": contact_steps.run(options.quick)}


def _timed(call: Any) -> tuple[Any, float]:
    begin = time.process_time()
    return call(), time.process_time() - begin


def _our_oscillator() -> dict[str, float]:
    joint = rk.Joint("x", "prismatic", (1, 0, 0), coulomb=3, stiffness=100)
    mass = rk.Inertia("com", 1, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    robot = rk.Robot("slider", (rk.Link("mass", "base", joint, rk.Placement(), mass),))
    robot = robot.with_gravity((0, 0, 0))

    def simulate() -> rk.Solution:
        return rk.simulate(robot, [1.0], duration=6.0, contacts=[], rtol=1e-12, atol=1e-14)

    simulate()  # compiled once
    motion, seconds = _timed(simulate)
    stop = [event.t for event in motion.events if event.name == "x stops"][-1]
    return {"place": abs(motion.q[-1, 0] - PLACE), "time": abs(stop - STOPS), "seconds": seconds}


def _smoothed_oscillator() -> dict[str, float]:
    model = pin.Model()
    model.addJoint(0, pin.JointModelPX(), pin.SE3.Identity(), "x")
    model.appendBodyToJoint(1, pin.Inertia(1.0, np.zeros(3), 0.01 * np.eye(3)), pin.SE3.Identity())
    model.gravity = pin.Motion.Zero()
    data = model.createData()

    def field(t: float, y: Any) -> Any:
        force = np.array([-100 * y[0] - 3 * np.tanh(y[1] / 1e-4)])
        return [y[1], pin.aba(model, data, y[:1], y[1:], force)[0]]

    answer, seconds = _timed(
        lambda: solve_ivp(field, (0, 6), [1.0, 0.0], "LSODA", rtol=1e-9, atol=1e-12, dense_output=True)
    )
    return {
        "place": abs(answer.y[0, -1] - PLACE),
        "time": _last_stop(answer.t, answer.y[1]),
        "seconds": seconds,
    }


def _last_stop(t: Any, v: Any) -> float:
    """How far the last moment of visible motion is from the true stop."""
    moving = np.flatnonzero(np.abs(v) > 1e-3)
    return float(abs(t[moving[-1]] - STOPS))


def _mujoco_oscillator(step: float) -> dict[str, float]:
    model = mujoco.MjModel.from_xml_string(_SLIDER.format(step=step))
    data = mujoco.MjData(model)
    data.qpos[0] = 1.0
    count = round(6 / step)
    states = np.zeros((count, 2))

    def steps() -> None:
        for k in range(count):
            mujoco.mj_step(model, data)
            states[k] = data.qpos[0], data.qvel[0]

    _, seconds = _timed(steps)
    t = step * np.arange(1, count + 1)
    return {"place": abs(states[-1, 0] - PLACE), "time": _last_stop(t, states[:, 1]), "seconds": seconds}


def _our_box() -> dict[str, float]:
    inertia = rk.Inertia("com", 2, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    link = rk.Link("box", "base", rk.Joint("free", "free"), rk.Placement(), inertia)
    corners = [(x, y) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    frames = tuple(
        rk.Frame(f"c{k}", "box", rk.Placement(xyz=(x, y, -0.05))) for k, (x, y) in enumerate(corners)
    )
    down = (float(9.81 * np.sin(ANGLE)), 0, float(-9.81 * np.cos(ANGLE)))  # the floor is tilted, not the axes
    robot = rk.Robot("box", (link,), frames).with_gravity(down)
    contacts = [rk.Contact(frame.name, rk.Plane(), MU) for frame in frames]
    start = np.array([0, 0, 0.05, 1, 0, 0, 0])

    def simulate() -> rk.Solution:
        return rk.simulate(robot, start, duration=3600.0, contacts=contacts)

    simulate()
    motion, seconds = _timed(simulate)
    moved = float(np.abs(motion.q[-1] - start).max())
    return {"speed": float(np.abs(motion.v).max()), "moved": moved, "duration": 3600.0, "seconds": seconds}


def _mujoco_box(step: float) -> dict[str, float]:
    gravity = f"{9.81 * np.sin(ANGLE)} 0 {-9.81 * np.cos(ANGLE)}"
    model = mujoco.MjModel.from_xml_string(_BOX.format(step=step, gravity=gravity))
    data = mujoco.MjData(model)
    for _ in range(round(1 / step)):  # let it settle into its soft contacts
        mujoco.mj_step(model, data)
    start, duration = data.qpos[0], 5.0

    def steps() -> None:
        for _ in range(round(duration / step)):
            mujoco.mj_step(model, data)

    _, seconds = _timed(steps)
    speed, moved = float(abs(data.qvel[0])), float(abs(data.qpos[0] - start))
    return {"speed": speed, "moved": moved, "duration": duration, "seconds": seconds}


def _moreau_box() -> dict[str, float]:
    """A free body with four corners: Pinocchio's kinematics and M, Gauss-Seidel sweeps over the corners."""
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "box")
    model.appendBodyToJoint(joint, pin.Inertia(2.0, np.zeros(3), 0.01 * np.eye(3)), pin.SE3.Identity())
    model.gravity = pin.Motion(np.array([9.81 * np.sin(ANGLE), 0, -9.81 * np.cos(ANGLE)]), np.zeros(3))
    for k, (x, y) in enumerate((x, y) for x in (-0.1, 0.1) for y in (-0.1, 0.1)):
        place = pin.SE3(np.eye(3), np.array([x, y, -0.05]))
        model.addFrame(pin.Frame(f"c{k}", joint, 0, place, pin.FrameType.OP_FRAME))
    data, h, duration = model.createData(), 1e-3, 5.0
    q, v = pin.neutral(model), np.zeros(6)
    q[2] = 0.05
    frames = range(model.nframes - 4, model.nframes)

    def steps() -> tuple[Any, Any]:
        nonlocal q, v
        for _ in range(round(duration / h)):
            M = pin.crba(model, data, q)
            inverse = np.linalg.inv(np.triu(M) + np.triu(M, 1).T)
            v = v - h * inverse @ pin.rnea(model, data, q, v, np.zeros(6))
            J = [pin.computeFrameJacobian(model, data, q, f, pin.LOCAL_WORLD_ALIGNED)[:3] for f in frames]
            P = np.zeros((4, 3))
            for _ in range(20):
                for k in range(4):
                    rate = J[k] @ v
                    A = J[k] @ inverse @ J[k].T
                    normal = max(P[k, 2] - rate[2] / A[2, 2], 0.0)
                    along = P[k, :2] - rate[:2] / np.diag(A)[:2]
                    size = np.linalg.norm(along)
                    new = np.array([*(along * min(1.0, MU * normal / size) if size > 0 else along), normal])
                    v = v + inverse @ J[k].T @ (new - P[k])
                    P[k] = new
            q = pin.integrate(model, q, h * v)
        return q, v

    (q, v), seconds = _timed(steps)
    return {"speed": float(abs(v[0])), "moved": float(abs(q[0])), "duration": duration, "seconds": seconds}
