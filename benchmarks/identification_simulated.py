"""Simulated experiments with coloured noise: coverage of 95 % intervals, bias, feasibility.

Puma (repaired inertias), Panda, SR400 with its loop (drives measured), Solo12 on a free base (foot forces
measured, and projected out).
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.signal import lfilter
from scipy.spatial.transform import Rotation

import rikigaku as rk

FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
_MODELS = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"
_RATE = 250.0  # [1/s]


@dataclass(frozen=True)
class Study:
    """A robot, one experiment without noise, sizes of noise, and options of identify."""

    name: str
    robot: Any
    data: rk.Experiment
    noise: float
    options: dict[str, Any]


def run_studies(count: int, names: tuple[str, ...]) -> dict[str, Any]:
    """Coverage and bias of each study; prints them."""
    makers: dict[str, Callable[[], Study]] = {
        "puma560": lambda: _arm("puma560"),
        "panda": lambda: _arm("panda"),
        "sr400": _sr400,
        "solo12, foot forces measured": lambda: _solo12(True),
        "solo12, foot forces projected out": lambda: _solo12(False),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: _intervals(makers[name](), count) for name in names or tuple(makers)}


def _intervals(study: Study, count: int) -> dict[str, float]:
    deviations, shifts, infeasible, start = [], [], 0, time.process_time()
    for seed in range(count):
        rng = np.random.default_rng(seed)
        x = study.data
        forces = {frame: f + _noise(rng, np.shape(f), study.noise) for frame, f in x.forces.items()}
        noisy = replace(x, tau=x.tau + _noise(rng, x.tau.shape, study.noise), forces=forces)
        found = rk.identify(study.robot, noisy, held_out=0, **study.options)
        kept = found.estimate.observed
        true = _visible_truth(found, study.robot)
        errors = np.sqrt(np.diag(found.estimate.covariance)[kept])
        deviations.append((found.estimate.theta[kept] - true) / errors)
        shifts.append((found.theta_consistent - _truth(found, study.robot))[kept] / errors)
        try:
            found.robot.check_inertias(strict=True)
        except rk.errors.UnphysicalInertia:
            infeasible += 1
    z, c = np.array(deviations), np.array(shifts)
    inside = np.abs(z) < 1.96
    by_parameter = inside.mean(axis=0)
    record = {
        "parameters": z.shape[1],
        "coverage": float(inside.mean()),
        "bias": float(np.abs(z.mean(axis=0)).max()),
        "bias_expected": float(np.sqrt(2 * np.log(2 * z.shape[1]) / count)),
        "consistent_bias": float(np.median(np.abs(c.mean(axis=0)))),
        "infeasible": infeasible,
    }
    print(
        f"{study.name}: {record['coverage']:.1%} of {z.shape[1]} true values within 95 % intervals over "
        f"{count} experiments (by parameter {by_parameter.min():.0%} to {by_parameter.max():.0%}); largest "
        f"mean deviation {record['bias']:.2f} standard errors (chance alone: about "
        f"{record['bias_expected']:.2f}); "
        f"consistent parameters: {infeasible} of {len(c)} infeasible, median bias "
        f"{record['consistent_bias']:.2f} standard errors, towards the file's values; "
        f"{(time.process_time() - start) / count:.2f} s an experiment\n",
        flush=True,
    )
    return record


def _noise(rng: np.random.Generator, shape: tuple[int, ...], size: float) -> Any:
    return size * lfilter([1.0], [1.0, -0.9], rng.normal(size=shape), axis=0)


def _truth(found: Any, robot: Any) -> Any:
    own = robot.parameters(joint_parameters=True)
    base = found.model.regrouping @ [own[name] for name in found.model.parameters]
    return np.append(base, np.zeros(len(found.names) - len(base)))


def _visible_truth(found: Any, robot: Any) -> Any:
    """True values; what the motion does not separate is added to the parameters that are kept."""
    true, kept = _truth(found, robot), found.estimate.observed
    R = found.estimate.factor
    return true[kept] + np.linalg.lstsq(R[:, kept], R[:, ~kept], rcond=None)[0] @ true[~kept]


def with_friction(found: Any, body: Any = None) -> Any:
    """The robot with friction, rotors and feasible inertias; body: of links that have none."""
    links = [replace(link, inertia=link.inertia or body) for link in found.links] if body else found.links
    found = replace(found, links=tuple(links)).check_inertias(repair="nearest")
    links = []
    for k, link in enumerate(found.links):
        joint = replace(link.joint, viscous=2 / (k + 1), coulomb=1.5 / (k + 1), rotor=0.2 / (k + 1))
        links.append(replace(link, joint=joint) if link.joint.nv == 1 else link)
    return replace(found, links=tuple(links))


def _arm(name: str) -> Study:
    found: Any = rk.load(name)
    body = rk.Inertia("com", 3.0, (0, 0, 0), (0.3, 0, 0, 0.3, 0, 0.35))
    links = [replace(link, inertia=body) if link.name == "link1" else link for link in found.links]
    arm = with_friction(replace(found, links=tuple(links)))
    t = np.arange(0, 20, 1 / _RATE)
    q, v, a = rk.excitation(arm, 10.0, 5, velocity=2.0, iterations=20)(t)
    tau = np.asarray(arm.inverse_dynamics(q, v, a))
    return Study(name, arm, rk.Experiment(t, q, tau), 0.2, {})


def _sr400() -> Study:
    found: Any = rk.load("sr400")
    arm = found.bind(**found.declared_values)
    body = rk.Inertia("com", 2.0, (0.05, 0.02, 0.03), (0.1, 0, 0, 0.12, 0, 0.09))
    arm = with_friction(replace(arm, links=tuple(replace(link, inertia=body) for link in arm.links)))
    t = np.arange(0, 20, 1 / _RATE)
    q, v, a = rk.excitation(arm, 10.0, 5, velocity=2.0, iterations=5)(t)
    full = _assembled(arm, t, q)
    tau = np.asarray(arm.inverse_dynamics(full, *arm.complete(full, v, a)))
    return Study("sr400", arm, rk.Experiment(t, q, tau), 0.2, {})


def _assembled(arm: Any, t: Any, q: Any) -> Any:
    path = arm.assemble(q[::50], path=True)
    return arm.assemble(q, near=np.stack([np.interp(t, t[::50], x) for x in path.T], axis=1))


def _solo12(measured: bool) -> Study:
    robot: Any = rk.load(_MODELS / "solo_description/robots/solo12.urdf", free_base=True)
    links = [
        replace(x, joint=replace(x.joint, viscous=0.1, coulomb=0.05, rotor=0.005)) if x.joint.nv == 1 else x
        for x in robot.links
    ]
    robot = replace(robot, links=tuple(links)).check_inertias(repair="nearest")
    t = np.arange(0, 20, 1 / _RATE)
    rng = np.random.default_rng(4)
    w = 2 * np.pi * 0.2 * np.arange(1, 6)
    A, B = rng.normal(size=(2, 18, 5))

    def series(time: Any) -> Any:
        return np.sin(time[:, None] * w) @ (A / w).T - np.cos(time[:, None] * w) @ (B / w).T

    sizes = np.array([0.1] * 3 + [0.3] * 3 + [0.8] * 12) / np.abs(series(t)).max(axis=0)

    def configuration(time: Any) -> Any:
        x = series(time) * sizes
        turned = Rotation.from_euler("zyx", x[:, 3:6]).as_quat(scalar_first=True)
        return np.column_stack([x[:, :3] + [0, 0, 0.3], turned, x[:, 6:]])

    def velocity(time: Any) -> Any:
        return np.asarray(robot.difference(configuration(time - 1e-4), configuration(time + 1e-4))) / 2e-4

    q, v = configuration(t), velocity(t)
    a = (velocity(t + 1e-4) - velocity(t - 1e-4)) / 2e-4
    tau = np.asarray(robot.inverse_dynamics(q, v, a))
    J = np.concatenate([np.asarray(robot.jacobian(q, foot))[:, :3] for foot in FEET], axis=1)
    f = np.linalg.pinv(np.swapaxes(J[:, :, :6], 1, 2)) @ tau[:, :6, None]
    joints = (tau - np.einsum("nij,ni->nj", J, f[:, :, 0]))[:, 6:]
    name = f"solo12, foot forces {'measured' if measured else 'projected out'}"
    if measured:
        forces = {foot: f[:, 3 * k : 3 * k + 3, 0] for k, foot in enumerate(FEET)}
        return Study(name, robot, rk.Experiment(t, q, joints, forces=forces), 0.005, {"still": 0.0})
    return Study(name, robot, rk.Experiment(t, q, joints, contacts=FEET), 0.005, {"still": 0.0})
