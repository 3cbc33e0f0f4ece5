"""Robots on their feet beside MuJoCo: speed, penetration, creep and energy error of each.

Solo12 dropped and standing, and trotting in place by PD; Talos on eight sole points standing, pushed by a
force, and dropped with a sideways velocity (with and without dry friction in its joints), a box of eight
corners tumbling, a chain of ten dry joints. MuJoCo
runs the same model with its default settings (step 2 ms), and with the stiffest contacts and the step at
which it stays stable. `--quick` simulates a fifth of each duration, once.
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
from benchmarks.contact_steps import trot
from benchmarks.fresh import fresh_result
from benchmarks.harness import shortest
from benchmarks.options import Options

Array = Any

_LEAST_ENERGY = 0.1  # [J]: energy errors of robots at rest are relative to this
_PULSE = (0.0, 0.1, 0.2, 100.0)  # [s]: a push begins, is largest, ends


@dataclass(frozen=True)
class Scene:
    """A robot with PD control about its initial configuration, or a trajectory, and contact points."""

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
    trajectory: Any = None  # of the joints
    target: Array | None = None  # of PD control; the initial configuration if left out
    push: tuple[str, float] | None = None  # body, and the largest sideways force [N] of a pulse of 0.2 s

    @property
    def contacts(self) -> list[Any]:
        points = [rk.Contact(point, rk.Plane(), friction=self.friction) for point in self.points]
        joints = [j.name for j in self.robot.joints if j.nv == 1] if self.dry else []
        return [*points, *(rk.JointFriction(name, self.dry) for name in joints)]

    @property
    def torque(self) -> Any:
        if not self.stiffness:
            return None
        target = self.rest if self.trajectory is None else self.trajectory
        return rk.PD(self.robot, target, self.stiffness, self.damping, gravity=False)

    @property
    def wrenches(self) -> Any:
        if self.push is None:
            return None
        body, force = self.push
        wrenches = np.zeros((len(_PULSE), 6))
        wrenches[1, 1] = force
        return {body: rk.Data(_PULSE, wrenches)}

    @property
    def rest(self) -> Array:
        return self.q[-sum(j.nv == 1 for j in self.robot.joints) :] if self.target is None else self.target

    def feedforward(self, times: Array) -> Array | None:
        """Joint forces that move the target of springs and dampers about the initial configuration."""
        if self.trajectory is None:
            return None
        targets = [self.trajectory(t) for t in times]
        return np.array([self.stiffness * (x.q - self.rest) + self.damping * x.v for x in targets])


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


def trotting() -> Scene:
    """Solo12 lifts diagonal pairs of legs in turns, 0.1 s up and 0.1 s down."""
    scene = solo()
    q = np.array(scene.robot.neutral())
    q[7:] = [0.0, 0.8, -1.6] * 4
    q = _lowered(scene.robot, q, scene.points, 0.0)
    return replace(scene, name="Solo12 trotting", q=q, duration=2.0, still=(), trajectory=trot(q[7:], 10))


def talos(dry: float, how: str = "dropped") -> Scene:
    """Talos on the four corners of each sole: standing, pushed at its base, or dropped.

    It is dropped from 5 mm with a sideways velocity of 0.05 m/s; the push grows to 150 N within 0.1 s.
    """
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
    dropped = how == "dropped"
    q, v[1] = _lowered(robot, q, points, 0.005 if dropped else 0.0), 0.05 if dropped else 0.0
    name, push = f"Talos {how}{', dry' if dry else ''}", (robot.links[0].name, 150.0)
    scene = Scene(name, robot, q, v, 1000.0, 20.0, points, 0.6, dry, 2.0, points)
    if dropped:
        return scene
    balance = rk.ContactSystem(robot, scene.contacts).balanced(q)  # its joint forces are those of springs
    joints = len(scene.rest)
    scene = replace(scene, q=balance.q, target=balance.q[-joints:] + balance.tau[-joints:] / scene.stiffness)
    return replace(scene, push=push) if how == "pushed" else scene


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


SCENES: tuple[Callable[[], Scene], ...] = (
    solo, trotting, lambda: talos(0.0, "standing"), lambda: talos(0.0, "pushed"), lambda: talos(0.0),
    lambda: talos(1.0, "standing"), lambda: talos(1.0, "pushed"), lambda: talos(1.0), box, chain,
)  # fmt: skip


COLD_LIMITS = {"arm": 2.0, "solo": 4.0, "talos": 12.0}  # [s]


def cold_starts() -> dict[str, Any]:
    """Processor time of first simulations in fresh processes with an empty cache."""
    found = {}
    print("First simulation with an empty cache, processor time [s]: reading the robot, simulation, limit")
    for name, limit in COLD_LIMITS.items():
        with tempfile.TemporaryDirectory() as folder:
            cache = {"RIKIGAKU_CACHE": folder}
            found[name] = row = fresh_result("benchmarks.contact_start_child", name, environment=cache)
        print(f"{name:20}{row['read']:11.2f}{row['simulate']:11.2f}{limit:11.1f}", flush=True)
    return found


def run(options: Options) -> dict[str, Any]:
    """A table: simulated seconds per second, penetration [m], creep [m], energy error relative to kinetic."""
    results: dict[str, Any] = {"cold": cold_starts()}
    print(f"{'':20}{'':34}{'times real':>11}{'penetration':>13}{'creep':>10}{'energy':>10}")
    for make in SCENES:
        scene = make()
        if options.quick:
            scene = replace(scene, duration=0.2 * scene.duration)
        rows = {
            f"ours, rtol {rtol:g}": _ours(scene, rtol, 1 if options.quick else 3) for rtol in (1e-6, 1e-9)
        }
        rows["MuJoCo, 2 ms, default"] = _mujoco(scene, 2e-3, None)
        rows["MuJoCo, stiffest stable"] = _stiffest(scene)
        for name, row in rows.items():
            print(
                f"{scene.name:20}{name:34}{row['speed']:11.2f}{row['penetration']:13.1e}{row['creep']:10.1e}"
                f"{row['energy']:10.1e}",
                flush=True,
            )
        results[scene.name] = rows
    return results


def _ours(scene: Scene, rtol: float, rounds: int) -> dict[str, float]:
    def simulate() -> rk.Solution:
        return rk.simulate(
            scene.robot, scene.q, scene.v, scene.torque, duration=scene.duration, contacts=scene.contacts,
            rtol=rtol, atol=1e-3 * rtol, wrenches=scene.wrenches,
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
        "energy": motion.energy_audit().error / max(float(motion.kinetic_energy.max()), _LEAST_ENERGY),
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
    applied = scene.feedforward(step * np.arange(count))
    pushed, body, pulse = _pulse(scene, step, model)
    begin = time.process_time()
    for k in range(pushed):
        data.xfrc_applied[body, 1] = pulse[k]
        mujoco.mj_step(model, data)
    data.xfrc_applied[:] = 0.0
    if applied is None:
        mujoco.mj_step(model, data, count - pushed)
    else:
        for force in applied:
            data.qfrc_applied[-len(force) :] = force
            mujoco.mj_step(model, data)
    speed = scene.duration / max(time.process_time() - begin, 1e-9)
    mujoco.mj_resetData(model, data)
    data.qpos[:], data.qvel[:] = scene.q, scene.v
    low, tracks, work, largest, v = 0.0, [], 0.0, 0.0, data.qvel.copy()
    mujoco.mj_forward(model, data)
    start = float(data.energy.sum())
    for k in range(count):
        if applied is not None:
            data.qfrc_applied[-applied.shape[1] :] = applied[k]
        data.xfrc_applied[body, 1] = pulse[k] if k < pushed else 0.0
        before = float(data.xipos[body, 1])
        mujoco.mj_step(model, data)
        power = (data.qfrc_constraint + data.qfrc_damper + data.qfrc_applied) @ (0.5 * (v + data.qvel))
        work += float(data.xfrc_applied[body, 1] * (data.xipos[body, 1] - before))
        v, work = data.qvel.copy(), work + step * float(power)
        largest = max(largest, float(data.energy[1]))
        places = data.geom_xpos[spheres]
        low = min(low, float(places[:, 2].min(initial=0.0)))
        if k >= count // 2:
            tracks.append(places[:, :2].copy())
    mujoco.mj_forward(model, data)
    error = abs(float(data.energy.sum()) - start - work) / max(largest, _LEAST_ENERGY)
    moved = np.array(tracks)
    creep = _creep(list(moved.transpose(1, 0, 2))) if scene.still else 0.0
    return {"speed": speed, "penetration": -low, "creep": creep, "energy": error}


def _pulse(scene: Scene, step: float, model: Any) -> tuple[int, int, Array]:
    """Number of steps with a push, the body that is pushed, and the force in each of them [N]."""
    if scene.push is None:
        return 0, 0, np.zeros(0)
    body, force = scene.push
    times = step * np.arange(round(_PULSE[2] / step))
    return len(times), model.body(body).id, np.interp(times, _PULSE, (0.0, force, 0.0, 0.0))


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
    if scene.target is not None:
        model.qpos_spring[-len(scene.target) :] = scene.target
    return model, [model.geom(f"at {point}").id for point in scene.points]
