"""Fixed steps with contacts beside MuJoCo at equal models: speed, penetration, creep, energy made.

Scenes: Solo12 dropped and standing, Solo12 trotting in place by PD, Talos standing on eight points, a box
that tumbles on its eight corners. Contact points are spheres of 1 mm in MuJoCo. MuJoCo with its default
contacts, and with the stiffest ones that its step allows (solref 2 h, impratio 100, elliptic cones).
Energy made: the largest rise of energy less work of the actuators. Soft contacts store energy and return it,
which appears here, too.
"""

import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import rikigaku as rk
from rikigaku import trajectory

ROBOTS = Path(
    str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
)
FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
RADIUS = 1e-3


@dataclass(frozen=True)
class Scene:
    """A robot, its start, contact points and PD control; rest: when it stands still [s], for the creep."""

    name: str
    robot: rk.Robot
    q: Any
    v: Any
    points: tuple[str, ...]
    mu: float
    duration: float
    target: Any = None
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float | None = None

    @cached_property
    def contacts(self) -> rk.ContactSystem:
        return rk.ContactSystem(self.robot, [rk.Contact(point, rk.Plane(), self.mu) for point in self.points])

    @property
    def control(self) -> Any:
        if self.target is None:
            return None
        return rk.PD(self.robot, self.target, self.stiffness, self.damping, gravity=False)

    def desired(self, t: float) -> Any:
        return np.asarray(self.target(t).q if callable(self.target) else self.target)


@dataclass(frozen=True)
class Row:
    """Speed [simulated s per s of processor time], penetration [m], creep [m/s], energy made [J]."""

    speed: float
    penetration: float
    creep: float
    energy: float

    def __str__(self) -> str:
        creep = "       -" if np.isnan(self.creep) else f"{self.creep:8.1e}"
        return f"{self.speed:7.0f} x, {self.penetration:8.1e} m, {creep} m/s, {self.energy:8.1e} J"


def scenes() -> list[Scene]:
    """The four scenes."""
    return [_solo_drop(), _solo_trot(), _talos(), _box()]


def run(quick: bool = False) -> dict[str, Any]:
    """All scenes: ours at 1 and 2 ms, MuJoCo at its default step of 2 ms and stiff at 1 ms."""
    print("Fixed steps: simulated seconds per second, penetration, creep at rest, energy made by the scheme")
    results: dict[str, Any] = {}
    for scene in scenes():
        if quick:
            scene = replace(scene, duration=0.2 * scene.duration, rest=None)
        print(scene.name, flush=True)
        rows = {f"ours, step {h:g} s": _ours(scene, h) for h in (1e-3, 2e-3)}
        rows |= {f"MuJoCo, step {h:g} s, {how}": _mujoco(scene, h, how == "stiff")
                 for h, how in ((2e-3, "default"), (1e-3, "default"), (1e-3, "stiff"))}  # fmt: skip
        for name, row in rows.items():
            print(f"    {name:30} {row}")
        results[scene.name] = {name: vars(row) for name, row in rows.items()}
    return results


def _measured(scene: Scene, t: Any, heights: Any, places: Any, balance: Any, speed: float) -> Row:
    """heights: lowest point at each time; places: of the points at each time (m, k, 2)."""
    creep = np.nan
    if scene.rest is not None:
        still = t >= scene.rest
        creep = float(np.ptp(places[still], axis=0).max() / (t[-1] - scene.rest))
    made = float((np.maximum.accumulate(balance[::-1])[::-1] - balance).max())
    return Row(speed, max(0.0, -float(heights.min())), creep, made)


def _ours(scene: Scene, h: float) -> Row:
    def simulate(output: float) -> rk.Solution:
        return rk.simulate(
            scene.robot, scene.q, scene.v, scene.control, duration=scene.duration, contacts=scene.contacts,
            method="time_stepping", step=h, output=output,
        )  # fmt: skip

    motion = simulate(h)
    spent = _seconds(lambda: simulate(10 * h))
    points = np.stack([scene.robot.pose(motion.q, point)[:, :3, 3] for point in scene.points], axis=1)
    balance = motion.energy - motion.work  # contacts take energy, so that this falls
    return _measured(
        scene, motion.t, points[..., 2].min(axis=1), points[..., :2], balance, scene.duration / spent
    )


def _mujoco(scene: Scene, h: float, stiff: bool) -> Row:
    model = scene_model(scene, h, stiff)
    count = round(scene.duration / h)
    targets = None
    if scene.target is not None:
        targets = np.array([scene.desired(k * h) for k in range(count)])
    data = mujoco.MjData(model)
    sites = [model.geom(f"point {k}").id for k in range(len(scene.points))]

    def start() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = scene.q
        data.qvel[:] = scene.v
        mujoco.mj_forward(model, data)

    def steps() -> None:
        if targets is None or not callable(scene.target):
            data.ctrl[:] = 0 if targets is None else targets[0]
            mujoco.mj_step(model, data, count)
        else:
            for k in range(count):
                data.ctrl[:] = targets[k]
                mujoco.mj_step(model, data)

    start()
    spent = _seconds(steps)
    start()
    places, balance, work = np.zeros((count, len(sites), 3)), np.zeros(count), 0.0
    for k in range(count):
        if targets is not None:
            data.ctrl[:] = targets[k]
        before = data.qvel.copy()
        mujoco.mj_step(model, data)
        work += h * float(data.qfrc_actuator @ (0.5 * (before + data.qvel)))
        mujoco.mj_forward(model, data)
        places[k], balance[k] = data.geom_xpos[sites], float(data.energy.sum()) - work
    t = h * np.arange(1, count + 1)
    return _measured(scene, t, places[..., 2].min(axis=1), places[..., :2], balance, scene.duration / spent)


def scene_model(scene: Scene, h: float, stiff: bool) -> Any:
    """Our MJCF with small balls at the points, a floor 1 mm below, and position actuators."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # limits of velocity, which MuJoCo does not have
        path = Path(folder) / "robot.xml"
        scene.robot.save(path)
        spec = mujoco.MjSpec.from_string(path.read_text("utf-8"))
    option = spec.option
    option.timestep, option.integrator = h, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    touch: dict[str, Any] = {"condim": 3, "friction": [scene.mu, 0, 0]}
    if stiff:
        option.cone, option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 100
        touch |= {"solref": [2 * h, 1], "solimp": [0.99, 0.9999, 1e-4, 0.5, 2]}
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    ball, plane = mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_PLANE
    named = {frame.name: frame for frame in scene.robot.frames}
    q = scene.robot.neutral()
    for k, point in enumerate(scene.points):
        link = named[point].link if point in named else point
        body = next((b for b in spec.bodies if b.name == link), None)
        while body is None:  # links on fixed joints are merged into their parents
            link = scene.robot.link(link).parent
            body = next((b for b in spec.bodies if b.name == link), None)
        at = np.linalg.inv(scene.robot.pose(q, link)) @ scene.robot.pose(q, point)
        body.add_geom(
            name=f"point {k}", type=ball, size=[RADIUS, 0, 0], pos=at[:3, 3], mass=0, contype=1,
            conaffinity=2, **touch,
        )  # fmt: skip
    spec.worldbody.add_geom(
        type=plane, size=[0, 0, 1], pos=[0, 0, -RADIUS], contype=2, conaffinity=1, **touch
    )
    for motor in list(spec.actuators):
        spec.delete(motor)
    if scene.target is not None:
        for joint in (j.name for j in scene.robot.joints if j.nv == 1):
            actuator = spec.add_actuator(
                name=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT, target=joint,
                gaintype=mujoco.mjtGain.mjGAIN_FIXED, biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            )  # fmt: skip
            actuator.gainprm[0] = scene.stiffness
            actuator.biasprm[1], actuator.biasprm[2] = -scene.stiffness, -scene.damping
    model = spec.compile()
    model.jnt_limited[:] = 0
    return model


def _seconds(call: Callable[[], Any]) -> float:
    best = np.inf
    for _ in range(3):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return best


def _solo() -> tuple[rk.Robot, Any]:
    robot = rk.load(ROBOTS / "solo_description/robots/solo12.urdf", free_base=True)
    q = np.array(robot.neutral())
    q[7:] = [0.0, 0.8, -1.6] * 4
    q[2] -= min(robot.pose(q, foot)[2, 3] for foot in FEET)
    return robot, q


def _solo_drop() -> Scene:
    robot, q = _solo()
    start = q.copy()
    start[2] += 0.1
    return Scene("Solo12 dropped from 0.1 m, then standing", robot, start, np.zeros(robot.nv), FEET, 0.6, 3.0,
                 q[7:], 20.0, 0.5, rest=2.0)  # fmt: skip


def standing_quadruped() -> Scene:
    """Solo12 with its four feet on the floor."""
    robot, q = _solo()
    return Scene("Solo12 standing", robot, q, np.zeros(robot.nv), FEET, 0.6, 1.0, q[7:], 20.0, 0.5)


def _solo_trot() -> Scene:
    """Diagonal pairs of legs alternately, 0.1 s up and 0.1 s down."""
    robot, q = _solo()
    return Scene("Solo12 trotting in place by PD", robot, q, np.zeros(robot.nv), FEET, 0.6, 2.0,
                 trot(q[7:], 10), 20.0, 0.5)  # fmt: skip


def trot(stand: Any, steps: int) -> trajectory.Sequence:
    """Diagonal pairs of four legs lifted alternately, 0.1 s up and 0.1 s down each."""
    lift, pairs = np.array([0.0, 0.25, -0.5]), [(0, 3), (1, 2)]
    motions = []
    for k in range(steps):
        raised = stand.reshape(4, 3).copy()
        raised[list(pairs[k % 2])] += lift
        motions += [
            trajectory.quintic(stand, raised.ravel(), 0.1),
            trajectory.quintic(raised.ravel(), stand, 0.1),
        ]
    return trajectory.Sequence(motions)


def _talos() -> Scene:
    robot = rk.load(ROBOTS / "talos_data/robots/talos_reduced.urdf", free_base=True)
    corners = [(x, y) for x in (0.1, -0.1) for y in (0.06, -0.06)]
    frames = tuple(
        rk.Frame(f"{side}{k}", f"{side}_sole_link", rk.Placement((x, y, 0)))
        for side in ("left", "right")
        for k, (x, y) in enumerate(corners)
    )
    robot = replace(robot, frames=(*robot.frames, *frames))
    q = np.array(robot.neutral())
    for side in ("left", "right"):
        for number, angle in ((3, -0.4), (4, 0.8), (5, -0.4)):
            q[robot.q_slices[f"leg_{side}_{number}_joint"]] = angle
    q[2] -= min(robot.pose(q, frame.name)[2, 3] for frame in frames)
    return Scene("Talos standing on eight points", robot, q, np.zeros(robot.nv),
                 tuple(frame.name for frame in frames), 0.7, 2.0, q[7:], 3000.0, 100.0, rest=1.0)  # fmt: skip


def _box() -> Scene:
    x, y, z, mass = 0.1, 0.1, 0.05, 2.0
    I = [mass / 3 * (b * b + c * c) for b, c in ((y, z), (x, z), (x, y))]
    inertia = rk.Inertia("com", mass, (0, 0, 0), (I[0], 0, 0, I[1], 0, I[2]))
    link = rk.Link("box", "base", rk.Joint("fly", "free"), rk.Placement(), inertia)
    corners = [(sx * x, sy * y, sz * z) for sx in (1, -1) for sy in (1, -1) for sz in (1, -1)]
    frames = tuple(rk.Frame(f"c{k}", "box", rk.Placement(p)) for k, p in enumerate(corners))
    q = np.array([0, 0, 0.5, 0.9, 0.3, 0.2, 0.24])
    q[3:] /= np.linalg.norm(q[3:])
    v, points = np.array([0.5, 0.2, 0, 3, 2, 1.0]), tuple(f.name for f in frames)
    robot = rk.Robot("box", (link,), frames)
    return Scene("Box tumbling on eight corners", robot, q, v, points, 0.5, 3.0, rest=2.5)
