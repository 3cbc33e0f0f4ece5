"""Stick-slip motion: our contact modes beside SciPy + Pinocchio at equal accuracy, and MuJoCo's steps."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import pi, sin
from pathlib import Path
from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks.harness import shortest
from benchmarks.hybrid_peer import PinocchioContact
from benchmarks.options import Options

Array = Any
WANTED = 1e-4  # error of positions [rad, m] at which all are compared


@dataclass(frozen=True)
class Case:
    """A robot, its initial state, its actuation, and the contact point on the floor."""

    name: str
    robot: Any
    q: Array
    v: Array
    drive: Any
    push: Callable[[float], Array] | None  # the same for the peers: forces over time,
    stiffness: Array  # springs to the initial configuration,
    damping: Array  # viscous friction included
    frame: str
    kinetic: float
    static: float
    duration: float
    bilateral: bool = False

    def torque(self, t: float, q: Array, v: Array) -> Array:
        """All joint forces, for a peer that takes functions."""
        force = self.stiffness * (self.q - q) - self.damping * v
        return force if self.push is None else force + self.push(t)

    @property
    def contact(self) -> rk.Contact:
        friction = rk.Friction(self.kinetic, static=self.static)
        return rk.Contact(self.frame, rk.Plane(), friction, bilateral=self.bilateral)


def three_links() -> Case:
    """Case (ii) of the constrained arm: 3 sin(2 pi t/10) on all joints, 10 s."""
    arm = rk.load("planar_3r")
    arm = arm.bind(**arm.declared_values)
    t = np.linspace(0, 10, 201)
    wave = rk.Data(t, np.repeat(3 * np.sin(2 * np.pi * t / 10)[:, None], 3, axis=1), between="cubic")
    q = np.array([-np.pi / 6, -np.pi / 3, -np.pi / 3])

    def push(t: float) -> Array:
        return 3 * sin(2 * pi * t / 10)

    none, viscous = np.zeros(3), np.full(3, 3.0)
    return Case("3 links, 10 s", arm, q, none, wave, push, none, viscous, "hand", 0.2, 0.2, 10.0, True)


def humanoid() -> Case:
    """17 links with springs and a periodic force: the foot slides back and forth and sticks, 2 s."""
    whole = rk.load("humanoid_feet").lock("q1")
    plain = [replace(link, joint=replace(link.joint, viscous=rk.Formula.of(0))) for link in whole.links]
    robot = replace(whole, links=tuple(plain))
    q, v = robot.neutral(), np.zeros(robot.nv)
    for name, angle in (("q5", 0.5), ("q6", -0.8), ("q7", 0.3)):
        q[robot.q_slices[name]] = angle
    for name, rate in (("q2", 0.6), ("q3", -2), ("q4", 1.5), ("q5", 2), ("q6", -3), ("q11", 1), ("q14", 3)):
        v[robot.v_slices[name]] = rate
    stiffness, damping = np.full(18, 3000.0), np.full(18, 5.0)
    stiffness[:2] = damping[:2] = 0.0
    stiffness[11:], damping[11:] = 60.0, 0.3
    drive = rk.PD(robot, q, stiffness, damping, gravity=False)
    return Case("humanoid, 2 s", robot, q, v, drive, None, stiffness, damping, "sole", 0.1, 0.12, 2.0)


def run(options: Options) -> dict[str, Any]:
    """Processor time, error against a fine solution, real-time factor."""
    results = {}
    for case in (three_links(), humanoid()):
        results[case.name] = row = measured(case, 2 if options.quick else 5)
        print(
            f"{case.name}: ours {row['ours']:.4f} s (error {row['our error']:.0e}, "
            f"{row['changes']} changes of mode, {case.duration / row['ours']:.0f} times real time); "
            f"SciPy + Pinocchio {row['scipy']:.2f} s (error {row['their error']:.0e}): "
            f"ratio {row['scipy'] / row['ours']:.0f}"
        )
        print(f"  {row['mujoco says']}")
    return results


def measured(case: Case, rounds: int) -> dict[str, Any]:
    import pinocchio as pin

    def ours(rtol: float) -> Any:
        return rk.simulate(
            case.robot, case.q, case.v, case.drive, duration=case.duration, contacts=[case.contact],
            rtol=rtol, atol=1e-3 * rtol,
        )  # fmt: skip

    fine = ours(1e-11)
    row: dict[str, Any] = {"changes": fine.statistics["changes of mode"], "status": fine.status}
    n = case.robot.nq
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        case.robot.save(path)
        model = pin.buildModelFromUrdf(str(path))
        _with_frame(model, case)
        peer = PinocchioContact(model, case.frame, case.torque, case.kinetic, case.static)
        for rtol in (1e-4, 1e-5, 1e-6, 1e-7):
            row["our error"] = float(np.abs(ours(rtol).q[-1] - fine.q[-1]).max())
            if row["our error"] < WANTED:
                break
        row["ours"] = shortest(lambda: ours(rtol), rounds)
        for other in (1e-4, 1e-5, 1e-6, 1e-7):
            end, _ = peer.moved(case.q, case.v, case.duration, other, 1e-3 * other)
            row["their error"] = float(np.abs(end[:n] - fine.q[-1]).max())
            if row["their error"] < WANTED:
                break
        start = case.q, case.v, case.duration
        row["scipy"] = shortest(lambda: peer.moved(*start, other, 1e-3 * other), rounds)
    from benchmarks.hybrid_mujoco import stepped

    row["mujoco says"] = stepped(case, fine.q[-1], WANTED)
    return row


def _with_frame(model: Any, case: Case) -> None:
    """Adds the contact point as a frame: URDF has links only."""
    import pinocchio as pin

    frame = next(frame for frame in case.robot.frames if frame.name == case.frame)
    zero = np.zeros(case.robot.nq)
    X = np.linalg.inv(case.robot.pose(zero, frame.link)) @ case.robot.pose(zero, frame.name)
    on = model.frames[model.getFrameId(frame.link)]
    place = on.placement * pin.SE3(X[:3, :3], X[:3, 3])
    model.addFrame(pin.Frame(frame.name, on.parentJoint, place, pin.FrameType.OP_FRAME))
