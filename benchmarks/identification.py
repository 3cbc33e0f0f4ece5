"""Section: identification. Intervals of simulated robots; held-out torque errors of two measured robots.

The measured data are not part of the project: give their folder (`--data`). Without it only simulated
robots run. Peers in the same run: the file's own inertias, and NumPy's least squares on the regressor of
Pinocchio.
"""

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.signal import lfilter

import rikigaku as rk
from benchmarks.options import Options
from benchmarks.report import table
from rikigaku.identification.signal_filtering import FilteredMotion, filtered

EXPERIMENTS = 200
UR10E_GAINS = (14.87, 13.26, 11.13, 10.62, 11.03, 11.47)  # [N m/A], of De Luca's group
LOAD = 2.805  # [kg]
TX40_PUBLISHED = {
    "viscous": (8.05, 5.53, 1.97, 1.11, 1.86, 0.65),
    "coulomb": (7.14, 8.26, 6.34, 2.48, 3.03, 0.282),
    "rotor": (0.362, 0.362, 0.0988, 0.0313, 0.0468, 0.0105),
}
TX40_MOTOR = {"rotor": 0.00964, "viscous": 0.616, "coulomb": 1.95}


def run(options: Options) -> dict[str, Any]:
    """All studies; prints their tables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record = {
            name: intervals(name, 10 if options.quick else EXPERIMENTS) for name in ("puma560", "panda")
        }
        folder = Path(options.data)
        if not (folder / "tx40").is_dir() or not (folder / "ur10e").is_dir():
            print(f"No measured data in {options.data!r}: give --data FOLDER with tx40 and ur10e.\n")
            return record
        return {**record, "tx40": tx40(folder / "tx40"), "ur10e": ur10e(folder / "ur10e")}


def intervals(name: str, count: int) -> dict[str, float]:
    """Part of the true values within their 95 % intervals, over repeated experiments with coloured noise."""
    arm = _with_friction(name)
    motion = rk.excitation(arm, 10.0, 5, velocity=2.0, iterations=20)
    t = np.arange(0, 20, 0.002)
    q, v, a = motion(t)
    tau = np.asarray(arm.inverse_dynamics(q, v, a))
    deviations, start = [], time.process_time()
    for seed in range(count):
        rng = np.random.default_rng(seed)
        noise = 0.2 * lfilter([1.0], [1.0, -0.9], rng.normal(size=q.shape), axis=0)
        data = rk.Experiment(t, q + 2e-6 * rng.normal(size=q.shape), tau + noise)
        found = rk.identify(arm, data, held_out=0, consistent=False)
        own = arm.parameters(joint_parameters=True)
        true = found.base.regrouping @ [own[key] for key in found.base.parameters]
        theta = found.estimate.theta - np.append(true, np.zeros(arm.nv))
        deviations.append(theta / np.sqrt(np.diag(found.estimate.covariance)))
    z = np.array(deviations)
    inside = np.abs(z) < 1.96
    bias = float(np.abs(z.mean(axis=0)).max())
    print(
        f"{name}: {inside.mean():.1%} of the true values within 95 % intervals over {count} experiments "
        f"(by parameter {inside.mean(axis=0).min():.0%} to {inside.mean(axis=0).max():.0%}); largest mean "
        f"deviation {bias:.2f} standard errors; {(time.process_time() - start) / count:.2f} s an experiment\n"
    )
    return {"coverage": float(inside.mean()), "bias": bias}


def tx40(folder: Path) -> dict[str, Any]:
    """Staubli TX40: identified on the first two thirds of the motion, judged on the last."""
    arm: Any = rk.load(folder / "tx40.urdf")
    motors, currents = (
        np.loadtxt(folder / f"motor_{what}.csv.gz", delimiter=",", skiprows=1)
        for what in ("positions", "torques")
    )
    K = np.diag([32.0, 32, 45, -48, 45, 32])
    K[5, 4] = 32
    q = np.linalg.solve(K, motors.T).T
    q[:, 1] -= np.pi / 2
    q[:, 2] += np.pi / 2
    data = rk.Experiment(np.arange(len(q)) * 2e-4, q, currents @ K, name="TX40")
    wrist = rk.Motor("m6", {"joint_5": 1, "joint_6": 1})
    found = rk.identify(arm, data, held_out=1 / 3, motors=[wrist])
    motion = filtered(data, found.cutoff, None, 0.02)
    ratios = np.array([0, 0, 0, 0, 1.0, 1.0])
    plain = _plain(arm, folder / "tx40.urdf", motion.part(0, 2 / 3), motion.part(2 / 3, 1), ratios)
    record = _errors("TX40, last third of the motion", found, plain)
    rows = []
    for what, published in TX40_PUBLISHED.items():
        for j, value in enumerate(published):
            key, motor = f"{what} of joint_{j + 1}", f"{what} of m6"
            if key not in found.values:
                continue  # regrouped with an inertia
            both = j >= 4 and what != "coulomb"  # there they count motor 6 to its joints
            x = found.values[key] + (found.values[motor] if both else 0.0)
            error = found.standard_errors[key]
            if both:
                places = [found.names.index(name) for name in (key, motor)]
                error = float(np.sqrt(found.estimate.covariance[np.ix_(places, places)].sum()))
            rows.append(_published(key, value, x, error))
    for what, value in TX40_MOTOR.items():
        key = f"{what} of m6"
        rows.append(_published(key, value, found.values[key], found.standard_errors[key]))
    print(table("TX40: published drive parameters", ("", "published", "ours", "std. error", "agrees"), rows))
    return {**record, "published": rows}


def ur10e(folder: Path) -> dict[str, Any]:
    """UR10e: identified on 50 s of excitation, judged on point-to-point motion; load and gains."""
    arm: Any = rk.load(folder / "ur10e.urdf")
    data = _ur10e(folder, "ur-20_02_12-50sec_12harm", 355, 5090)
    test = _ur10e(folder, "ur-20_01_17-ptp_10_points", 700, 4200)
    found = rk.identify(arm, data, test, gains=UR10E_GAINS)
    cutoff = found.cutoff
    scaled = [rk.Experiment(x.t, x.q, x.tau * UR10E_GAINS, x.v) for x in (data, test)]
    fit, judge = (filtered(x, cutoff, None, 0.02) for x in scaled)
    plain = _plain(arm, folder / "ur10e.urdf", fit, judge, None)
    record = _errors("UR10e, point-to-point motion", found, plain)
    free = _ur10e(folder, "ur-20_02_19_14harm50sec", 195, 4966)
    names = ("ur-20_02_19_14harm50secLoad", 308, 5071)
    load = rk.identify(arm, [free, _ur10e(folder, *names, "wrist_3_link")], test, gains=UR10E_GAINS)
    key = "m of load on wrist_3_link"
    mass, error = load.values[key], load.standard_errors[key]
    known = _ur10e(folder, *names, {"wrist_3_link": LOAD})
    gains = rk.identify(arm, [free, known], test, gains="identify", consistent=False).gains
    print(f"UR10e: load {mass:.3f} +- {error:.3f} kg with gains {UR10E_GAINS}; weighed {LOAD} kg")
    print(f"UR10e: gains from the load's mass: {', '.join(f'{x:.2f}' for x in gains)} N m/A\n")
    return {**record, "load": (mass, error), "gains": gains.tolist()}


def _published(key: str, value: float, x: float, error: float) -> list[str]:
    agrees = abs(x - value) <= max(0.1 * abs(value), 3 * error)
    return [key, f"{value:g}", f"{x:.4f}", f"{error:.4f}", "yes" if agrees else "NO"]


def _errors(title: str, found: Any, plain: Any) -> dict[str, Any]:
    all_of = {
        "file": found.torque_error_file,
        "NumPy + Pinocchio": plain,
        "least squares": found.torque_error,
        "consistent": found.torque_error_consistent,
    }
    header = ("relative torque error [%]", *found.model.joints, "sum")
    rows = [[name, *(f"{100 * x:.2f}" for x in (*e, e.sum()))] for name, e in all_of.items()]
    print(table(title, header, rows))
    ratio = float((found.torque_error_consistent / plain).max())
    print(f"Worst joint of the consistent parameters over NumPy + Pinocchio: {ratio:.3f}\n")
    return {name: e.tolist() for name, e in all_of.items()}


def _plain(arm: Any, path: Path, fit: FilteredMotion, judge: FilteredMotion, ratios: Any) -> Any:
    """Held-out errors of ordinary least squares on Pinocchio's regressor, from the same filtered signals."""
    model = pin.buildModelFromUrdf(str(path))
    assert list(model.names)[1:] == [joint.name for joint in arm.joints]
    data, n = model.createData(), model.nv

    def rows(motion: FilteredMotion) -> tuple[Any, Any, Any]:
        states = zip(motion.q, motion.v, motion.a, strict=True)
        Y = np.array([pin.computeJointTorqueRegressor(model, data, *state) for state in states])
        one = np.ones_like(motion.v)
        parts = [Y, *(x[:, :, None] * np.eye(n) for x in (motion.a, motion.v, np.sign(motion.v), one))]
        if ratios is not None:
            speed = motion.v @ ratios
            parts += [(x[:, None] * ratios)[:, :, None] for x in (motion.a @ ratios, speed, np.sign(speed))]
        W = np.concatenate(parts, axis=2)
        return motion.decimated(W, motion.count), motion.decimated(motion.tau, motion.count), motion.moving

    W, tau, _ = rows(fit)
    theta = np.linalg.lstsq(W.reshape(-1, W.shape[2]), tau.ravel(), rcond=1e-9)[0]
    W, tau, moving = rows(judge)
    left = np.where(moving, tau - W @ theta, 0.0)
    return np.sqrt(np.mean(left**2, axis=0) / np.mean(np.where(moving, tau, 0.0) ** 2, axis=0))


def _ur10e(folder: Path, name: str, first: int, last: int, load: Any = None) -> rk.Experiment:
    columns = {"t": 0, "q": range(1, 7), "v": range(7, 13), "tau": range(13, 19)}
    x = rk.read_experiment(folder / f"{name}.csv.gz", columns)
    rows = slice(first, last)
    assert x.v is not None
    return rk.Experiment(x.t[rows], x.q[rows], x.tau[rows], x.v[rows], load, name)


def _with_friction(name: str) -> Any:
    from dataclasses import replace

    found: Any = rk.load(name)
    body = rk.Inertia("com", 3.0, (0, 0, 0), (0.3, 0, 0, 0.3, 0, 0.35))  # the Puma's file has none here
    links = [replace(link, inertia=body) if link.name == "link1" else link for link in found.links]
    found = replace(found, links=tuple(links)).check_inertias(repair="nearest")
    links = []
    for k, link in enumerate(found.links):
        joint = replace(link.joint, viscous=2 / (k + 1), coulomb=1.5 / (k + 1), rotor=0.2 / (k + 1))
        links.append(link if link.joint.type == "fixed" else replace(link, joint=joint))
    return replace(found, links=tuple(links))
