"""Robots on their feet beside MuJoCo: speed, penetration, creep and energy error of each.

Solo12 dropped and standing, Talos on eight sole points dropped and pushed (with and without dry friction in
its joints), a box of eight corners tumbling, a chain of ten dry joints. MuJoCo runs the same model with its
default settings (step 2 ms), and with the stiffest contacts and the step at which it stays stable.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks.harness import shortest
from benchmarks.options import Options

Array = Any


@dataclass(frozen=True)
class Scene:
    """A robot with PD control about its initial configuration, and contact points."""

    name: str
    robot: Any
    q: Array
    v: Array
    stiffness: float
    damping: float
    points: tuple[str, ...]
    friction: float
    dry: float
    duration: float
    still: tuple[str, ...] = ()  # points that should not move in the last half of the motion

    @property
    def contacts(self) -> list[Any]:
        points = [rk.Contact(point, rk.Plane(), friction=self.friction) for point in self.points]
        joints = [j.name for j in self.robot.joints if j.nv == 1] if self.dry else []
        return [*points, *(rk.JointFriction(name, self.dry) for name in joints)]

    @property
    def torque(self) -> Any:
        if not self.stiffness:
            return None
        rest = self.q[-sum(j.nv == 1 for j in self.robot.joints) :]
        return rk.PD(self.robot, rest, self.stiffness, self.damping, gravity=False)


def _public(path: str) -> Any:
    folder = "cmeel.prefix/share/example-robot-data/robots"
    whole = Path(str(distribution("example-robot-data").locate_file(folder))) / path
    robot = rk.load(whole, free_base=True)
    plain = [replace(link, joint=replace(link.joint, coulomb=rk.Formula.of(0))) for link in robot.links]
    return replace(robot, links=tuple(plain))


def _lowered(robot: Any, q: Array, points: tuple[str, ...], height: float) -> Array:
    q = q.copy()
    q[2] += height - min(float(robot.pose(q, point)[2, 3]) for point in points)
    return q


def solo() -> Scene:
    """Solo12 dropped from 2 cm, tilted: 26 changes of mode, then it stands."""
    robot = _public("solo_description/robots/solo12.urdf")
    feet = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
    q = np.array(robot.neutral())
    q[7:], half = [0.0, 0.8, -1.6] * 4, np.array([0.025, 0.015, 0.0])
    q[3], q[4:7] = np.sqrt(1 - half @ half), half
    q = _lowered(robot, q, feet, 0.02)
    return Scene("Solo12", robot, q, np.zeros(robot.nv), 20.0, 0.5, feet, 0.6, 0.0, 5.0, feet)


def talos(dry: float) -> Scene:
    """Talos on the four corners of each sole, dropped from 5 mm and pushed sideways at 0.05 m/s."""
    robot = _public("talos_data/robots/talos_reduced.urdf")
    zero, frames = np.array(robot.neutral()), []
    for side in ("left", "right"):
        sole = f"{side}_sole_link"
        own = next((f for f in robot.frames if f.name == sole), None)
        link = sole if own is None else own.link
        X = np.linalg.inv(robot.pose(zero, link)) @ robot.pose(zero, sole)
        for k, (x, y) in enumerate(((0.1, 0.06), (0.1, -0.06), (-0.1, 0.06), (-0.1, -0.06))):
            place = X[:3, :3] @ [x, y, 0] + X[:3, 3]
            frames.append(rk.Frame(f"{side}_{k}", link, rk.Placement(tuple(float(c) for c in place))))
    robot = replace(robot, frames=(*robot.frames, *frames))
    q, v = np.array(robot.neutral()), np.zeros(robot.nv)
    for joint in robot.joints:
        if joint.name.startswith("leg_"):
            number = int(joint.name.split("_")[2])
            q[robot.q_slices[joint.name]] = {3: -0.41, 4: 0.86, 5: -0.45}.get(number, 0.0)
    points = tuple(f.name for f in frames)
    q, v[1] = _lowered(robot, q, points, 0.005), 0.05
    name = "Talos, dry joints" if dry else "Talos"
    return Scene(name, robot, q, v, 1000.0, 20.0, points, 0.6, dry, 2.0, points)


def box() -> Scene:
    """A box of eight corners thrown: it tumbles and comes to rest."""
    body = rk.Inertia("com", 3.0, (0, 0, 0), (0.0325, 0, 0, 0.05, 0, 0.0625))
    corners = [(x, y, z) for x in (0.2, -0.2) for y in (0.15, -0.15) for z in (0.1, -0.1)]
    link = rk.Link("box", "base", rk.Joint("fly", "free"), rk.Placement(), body)
    frames = tuple(rk.Frame(f"c{i}", "box", rk.Placement(p)) for i, p in enumerate(corners))
    robot = rk.Robot("box", (link,), frames)
    q = np.array([0, 0, 0.5, 0.9, 0.3, 0.2, 0.25])
    q[3:] /= np.linalg.norm(q[3:])
    v, points = np.array([1.0, 0, 0, 2, 3, 1]), tuple(f.name for f in frames)
    return Scene("box, 8 corners", robot, q, v, 0.0, 0.0, points, 0.5, 0.0, 3.0)


def chain() -> Scene:
    """Ten links that hang and swing, with dry friction in all joints, until they rest."""
    links, parent = [], "base"
    for i in range(10):
        joint = rk.Joint(f"j{i}", "revolute", (0, 1, 0))
        body = rk.Inertia("com", 0.5, (0, 0, -0.1), (0.002, 0, 0, 0.002, 0, 0.0005))
        links.append(rk.Link(f"l{i}", parent, joint, rk.Placement((0, 0, -0.2 if i else 0.0)), body))
        parent = f"l{i}"
    robot = rk.Robot("chain", tuple(links))
    return Scene("ten dry joints", robot, np.full(10, 0.25), np.zeros(10), 0.0, 0.0, (), 0.0, 0.15, 5.0)


SCENES: tuple[Callable[[], Scene], ...] = (solo, lambda: talos(0.0), lambda: talos(1.0), box, chain)


def run(options: Options) -> dict[str, Any]:
    """A table: simulated seconds per second, penetration [m], creep [m], energy error relative to kinetic."""
    results = {}
    print(f"{'':20}{'':34}{'times real':>11}{'penetration':>13}{'creep':>10}{'energy':>10}")
    for make in SCENES:
        scene = make()
        rows = {
            f"ours, rtol {rtol:g}": _ours(scene, rtol, 1 if options.quick else 3) for rtol in (1e-6, 1e-9)
        }
        rows["MuJoCo, 2 ms, default"] = _mujoco(scene, 2e-3, None)
        rows["MuJoCo, stiffest stable"] = _stiffest(scene)
        for name, row in rows.items():
            print(
                f"{scene.name:20}{name:34}{row['speed']:11.2f}{row['penetration']:13.1e}{row['creep']:10.1e}"
                f"{row['energy']:10.1e}"
            )
        results[scene.name] = rows
    return results


def _ours(scene: Scene, rtol: float, rounds: int) -> dict[str, float]:
    def simulate() -> rk.Solution:
        return rk.simulate(
            scene.robot, scene.q, scene.v, scene.torque, duration=scene.duration, contacts=scene.contacts,
            rtol=rtol, atol=1e-3 * rtol,
        )  # fmt: skip

    motion = simulate()  # compiled once
    seconds = shortest(simulate, rounds)
    times = np.linspace(0, scene.duration, 400)
    q = motion.at(times[times <= motion.t[-1]]).q
    low = min((float(scene.robot.pose(q, p)[:, 2, 3].min()) for p in scene.points), default=0.0)
    return {
        "speed": motion.t[-1] / seconds,
        "penetration": max(-low, 0.0),
        "creep": _creep([scene.robot.pose(q[len(q) // 2 :], p)[:, :2, 3] for p in scene.still]),
        "energy": motion.energy_audit().relative,
    }


def _creep(tracks: list[Array]) -> float:
    return max((float(np.abs(track[-1] - track[0]).max()) for track in tracks), default=0.0)


def _stiffest(scene: Scene) -> dict[str, float]:
    """The stiffest contacts, time constant 2 steps, at the longest step with a penetration below 1 mm."""
    for step in (1e-3, 5e-4, 2e-4, 1e-4):
        row = _mujoco(scene, step, 2 * step)
        if np.isfinite(row["energy"]) and row["penetration"] < 1e-3:
            break
    return row


def _mujoco(scene: Scene, step: float, constant: float | None) -> dict[str, float]:
    import mujoco

    model, spheres = _model(scene, step, constant)
    data = mujoco.MjData(model)
    count = round(scene.duration / step)
    data.qpos[:], data.qvel[:] = scene.q, scene.v
    begin = time.process_time()
    mujoco.mj_step(model, data, count)
    speed = scene.duration / max(time.process_time() - begin, 1e-9)
    mujoco.mj_resetData(model, data)
    data.qpos[:], data.qvel[:] = scene.q, scene.v
    low, tracks, work, largest, v = 0.0, [], 0.0, 0.0, data.qvel.copy()
    mujoco.mj_forward(model, data)
    start = float(data.energy.sum())
    for k in range(count):
        mujoco.mj_step(model, data)
        power = (data.qfrc_constraint + data.qfrc_damper) @ (0.5 * (v + data.qvel))
        v, work = data.qvel.copy(), work + step * float(power)
        largest = max(largest, float(data.energy[1]))
        places = data.geom_xpos[spheres]
        low = min(low, float(places[:, 2].min(initial=0.0)))
        if k >= count // 2:
            tracks.append(places[:, :2].copy())
    mujoco.mj_forward(model, data)
    error = abs(float(data.energy.sum()) - start - work) / max(largest, 1e-9)
    moved = np.array(tracks)
    creep = _creep(list(moved.transpose(1, 0, 2))) if scene.still else 0.0
    return {"speed": speed, "penetration": -low, "creep": creep, "energy": error}


def _model(scene: Scene, step: float, constant: float | None) -> tuple[Any, list[int]]:
    """Our MJCF with small balls at the points, a floor, springs for PD control, and dry friction."""
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        scene.robot.save(path)
        spec = mujoco.MjSpec.from_string(path.read_text("utf-8"))
    spec.option.timestep, spec.option.enableflags = step, mujoco.mjtEnableBit.mjENBL_ENERGY
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    touch = {"condim": 3, "friction": [scene.friction, 0, 0]}
    if constant is not None:
        touch["solref"], touch["solimp"] = [constant, 1.0], [0.9999, 0.9999, 1e-6, 0.5, 2]
    zero = np.array(scene.robot.neutral())
    for point in scene.points:
        frame = next((f for f in scene.robot.frames if f.name == point), None)
        link = point if frame is None else frame.link
        at = (np.linalg.inv(scene.robot.pose(zero, link)) @ scene.robot.pose(zero, point))[:3, 3]
        body = spec.body(link)
        ball = {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [1e-3, 0, 0], "mass": 0}
        body.add_geom(name=f"at {point}", pos=at, contype=1, conaffinity=2, **ball, **touch)
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    spec.worldbody.add_geom(type=plane, size=[0, 0, 1], pos=[0, 0, -1e-3], contype=2, conaffinity=1, **touch)
    model = spec.compile()
    hinged = [int(model.jnt_dofadr[k]) for k in range(model.njnt) if model.jnt_type[k] >= 2]
    model.dof_damping[:], model.dof_frictionloss[:] = 0.0, 0.0
    model.dof_damping[hinged], model.dof_frictionloss[hinged] = scene.damping, scene.dry
    model.jnt_stiffness[model.jnt_type >= 2] = scene.stiffness
    model.qpos_spring[:] = scene.q
    return model, [model.geom(f"at {point}").id for point in scene.points]
