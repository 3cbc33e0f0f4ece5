"""Section: identification. Simulated and measured robots, speed, excitation.

The measured data are not part of the project: give their folder (`--data`). Without it only simulated
robots run. Peers in the same run: the file's own inertias, NumPy's least squares on the regressor of
Pinocchio, and FIGAROH if the environment variable FIGAROH_PYTHON names a Python that has it.

Options of identify are its defaults. `defaults` shows how these were chosen: by cross-validation inside the
motions that are used for the fit, never on the motions that are judged.
"""

import json
import os
import subprocess
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import rikigaku as rk
from benchmarks.identification_simulated import run_studies
from benchmarks.identification_speed import speed
from benchmarks.options import Options
from benchmarks.report import table
from rikigaku.identification.fourier_excitation import information
from rikigaku.identification.measurement_model import measurement_model
from rikigaku.identification.regression_blocks import Regression
from rikigaku.identification.signal_filtering import FilteredMotion, default_cutoff, filtered

EXPERIMENTS = 200
FOLDS = 4
MARGINS = (3.0, 5.0, 10.0, 20.0)  # cut-off over the bandwidth of the motion
STILL = (0.0, 0.02, 0.05)
UR10E_GAINS = (14.87, 13.26, 11.13, 10.62, 11.03, 11.47)  # [N m/A], of De Luca's group
OTHER_GAINS = (10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232)  # [N m/A], of the data's authors
LOAD = 2.805  # [kg]
TX40_PUBLISHED = {
    "viscous": (8.05, 5.53, 1.97, 1.11, 1.86, 0.65),
    "coulomb": (7.14, 8.26, 6.34, 2.48, 3.03, 0.282),
    "rotor": (0.362, 0.362, 0.0988, 0.0313, 0.0468, 0.0105),
}
TX40_MOTOR = {"rotor": 0.00964, "viscous": 0.616, "coulomb": 1.95}


def run(options: Options) -> dict[str, Any]:
    """All studies; prints their tables."""
    record: dict[str, Any] = {"speed": speed(50_000 if options.quick else 1_000_000)}
    record |= run_studies(10 if options.quick else EXPERIMENTS, ())
    folder = Path(options.data)
    if not (folder / "tx40").is_dir() or not (folder / "ur10e").is_dir():
        print(f"No measured data in {options.data!r}: give --data FOLDER with tx40 and ur10e.\n")
        return record
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record |= {"defaults": defaults(folder), "tx40": tx40(folder / "tx40")}
        return {**record, "ur10e": ur10e(folder / "ur10e"), "excitation": excitation(folder / "ur10e")}


def defaults(folder: Path) -> dict[str, Any]:
    """Errors of cut-offs and speeds of rest by cross-validation over four parts of the fitted motions.

    Every choice is judged on the same signals: filtered at the default cut-off, where a joint is faster than
    5 % of its largest speed.
    """
    ur: Any = rk.load(folder / "ur10e/ur10e.urdf")
    data = _ur10e(folder / "ur10e", "ur-20_02_12-50sec_12harm", 355, 5090)
    cases: dict[str, Any] = {"UR10e": (ur, data, np.array(UR10E_GAINS), ())}
    arm, data = _tx40(folder / "tx40")
    first = slice(0, 2 * data.samples // 3)
    data = rk.Experiment(data.t[first], data.q[first], data.tau[first], name="TX40")
    cases["TX40"] = (arm, data, np.ones(6), (rk.Motor("m6", {"joint_5": 1, "joint_6": 1}),))
    record = {}
    for name, (robot, x, gains, motors) in cases.items():
        model = measurement_model(robot, elements=motors, experiments=[x])
        band = default_cutoff(x) / 10.0
        judged = filtered(x, 10.0 * band, None, 0.05)
        parts = [(k / FOLDS, (k + 1) / FOLDS) for k in range(FOLDS)]
        rows = []
        for margin in MARGINS:
            for still in STILL:
                motion = filtered(x, margin * band, None, still)
                errors = []
                for k, part in enumerate(parts):
                    others = tuple((x, motion.part(*p)) for j, p in enumerate(parts) if j != k)
                    theta = _least_squares(Regression(model, others, gains))
                    errors.append(_part_error(Regression(model, ((x, judged.part(*part)),), gains), theta))
                mean = np.mean(errors, axis=0)
                rows.append(
                    [
                        f"{margin:g}",
                        f"{still:g}",
                        *(f"{100 * e:.2f}" for e in mean),
                        f"{100 * mean.sum():.2f}",
                    ]
                )
        title = f"{name}: errors in percent by cross-validation inside the fitted motion"
        print(table(title, ("cut-off / bandwidth", "rest", *model.rows, "sum"), rows))
        record[name] = rows
    return record


def _least_squares(regression: Regression) -> Any:
    """Weighted least squares over all blocks."""
    from rikigaku.identification.streaming_qr import StreamingQR
    from rikigaku.identification.weighted_least_squares import weighted_solution

    qr = StreamingQR(regression.model.layout)
    for _, values in regression.packed():
        qr.add(values)
    theta, _, kept = weighted_solution(qr)
    return np.where(kept, theta, 0.0)


def _part_error(regression: Regression, theta: Any) -> Any:
    pairs = [(y, y - W @ theta) for _, W, y in regression()]
    y, e = (np.concatenate(some) for some in zip(*pairs, strict=True))
    return np.sqrt(np.mean(e**2, axis=0) / np.mean(y**2, axis=0))


def excitation(folder: Path) -> dict[str, float]:
    """Condition numbers: ours, random series, and the published optimised motion of the UR10e."""
    arm: Any = rk.load(folder / "ur10e.urdf")
    model = measurement_model(arm)
    published = {}
    for name, first, last in (
        ("ur-20_02_12-50sec_12harm", 355, 5090),
        ("ur-20_02_19_14harm50sec", 195, 4966),
    ):
        x = _ur10e(folder, name, first, last)
        motion = filtered(x, default_cutoff(x), None)
        some = slice(0, None, max(1, len(motion.t) // 2000))
        published[name] = information(model, motion.q[some], motion.v[some], motion.a[some])[0]
        fastest, strongest = np.abs(motion.v).max(axis=0), np.abs(motion.a).max(axis=0)
        low, high = motion.q.min(axis=0), motion.q.max(axis=0)
    links = []
    for link in arm.links:
        names = [joint.name for joint in arm.joints]
        if link.joint.name in names:
            j = names.index(link.joint.name)
            limits = replace(link.joint.limits, lower=float(low[j]), upper=float(high[j]))
            link = replace(link, joint=replace(link.joint, limits=limits))
        links.append(link)
    narrow = replace(arm, links=tuple(links))  # the room, speeds and accelerations of the published motion
    found = rk.excitation(narrow, 50.0, 14, velocity=fastest, acceleration=strongest, iterations=300)
    q, v, a = found(np.linspace(0, 50.0, 2000, endpoint=False))
    ours = information(model, q, v, a)[0]
    tau = np.abs(arm.inverse_dynamics(q, v, a)).max(axis=0)
    efforts = np.array([joint.limits.effort or np.inf for joint in arm.joints])
    others = ", ".join(f"{x:.1f}" for x in published.values())
    print(
        f"UR10e, condition number of the regressor with columns of unit length: ours {ours:.1f}, random "
        f"{found.random_condition:.1f}, published motions {others}; same room, speeds and accelerations; "
        f"largest torque {np.max(tau / efforts):.2f} of its limit\n"
    )
    return {"ours": ours, "random": found.random_condition, **published}


def tx40(folder: Path) -> dict[str, Any]:
    """Staubli TX40: identified on the first two thirds of the motion, judged on the last."""
    arm, data = _tx40(folder)
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


def _tx40(folder: Path) -> tuple[Any, rk.Experiment]:
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
    return arm, rk.Experiment(np.arange(len(q)) * 2e-4, q, currents @ K, name="TX40")


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
    figaroh = _figaroh(folder / "ur10e.urdf", fit, judge)
    record = _errors("UR10e, point-to-point motion", found, plain, figaroh)
    free = _ur10e(folder, "ur-20_02_19_14harm50sec", 195, 4966)
    names = ("ur-20_02_19_14harm50secLoad", 308, 5071)
    key = "m of load on wrist_3_link"
    whole = (free, _ur10e(folder, *names, "wrist_3_link"), _ur10e(folder, *names, {"wrist_3_link": LOAD}))
    masses: dict[str, Any] = {}
    for title, gains in (("De Luca's group", UR10E_GAINS), ("the data's authors", OTHER_GAINS)):
        load = rk.identify(arm, list(whole[:2]), held_out=0, gains=gains, consistent=False)
        masses[title] = load.values[key], load.standard_errors[key]
    halves = [[_cut(x, part) for x in whole] for part in ((0.0, 0.5), (0.5, 1.0))]
    for title, (first, second) in {
        "the first half with the mass given; mass from the second": halves,
        "the second half with the mass given; mass from the first": halves[::-1],
    }.items():
        known = rk.identify(arm, [first[0], first[2]], held_out=0, gains="identify", consistent=False)
        load = rk.identify(arm, second[:2], held_out=0, gains=known.gains, consistent=False)
        masses[title] = load.values[key], load.standard_errors[key]
    for title, (mass, error) in masses.items():
        off = 100 * (mass / LOAD - 1)
        print(
            f"UR10e: load {mass:.3f} +- {error:.3f} kg ({off:+.1f} %; weighed {LOAD}) with gains of {title}"
        )
    both = rk.identify(arm, [whole[0], whole[2]], held_out=0, gains="identify", consistent=False).gains
    print(f"UR10e: gains from the load's mass: {', '.join(f'{x:.2f}' for x in both)} N m/A\n")
    return {**record, "load": masses, "gains": both.tolist()}


def _cut(x: rk.Experiment, part: tuple[float, float]) -> rk.Experiment:
    rows = slice(round(part[0] * x.samples), round(part[1] * x.samples))
    return rk.Experiment(
        x.t[rows], x.q[rows], x.tau[rows], None if x.v is None else x.v[rows], x.load, x.name
    )


def _figaroh(urdf: Path, fit: FilteredMotion, judge: FilteredMotion) -> Any:
    """Errors of FIGAROH in its own Python, on the same decimated signals; None without it."""
    python = os.environ.get("FIGAROH_PYTHON")
    if not python:
        return None
    arrays: dict[str, Any] = {"judge_moving": judge.moving}
    for kind, m in (("fit", fit), ("judge", judge)):
        rows = slice(m.half, None, m.step)
        arrays |= {f"{kind}_{name}": getattr(m, name)[rows][: m.count] for name in "qva"}
        arrays[f"{kind}_tau"] = m.decimated(m.tau, m.count)
    with tempfile.TemporaryDirectory() as place:
        np.savez(f"{place}/data.npz", **arrays)
        child = Path(__file__).with_name("identification_figaroh_child.py")
        command = [python, str(child), str(urdf), f"{place}/data.npz"]
        answer = subprocess.run(
            command, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]}
        )
    if answer.returncode:
        print(f"FIGAROH failed: {answer.stderr.strip().splitlines()[-1]}")
        return None
    return np.array(json.loads(answer.stdout.splitlines()[-1]))


def _published(key: str, value: float, x: float, error: float) -> list[str]:
    agrees = abs(x - value) <= max(0.1 * abs(value), 3 * error)
    return [key, f"{value:g}", f"{x:.4f}", f"{error:.4f}", "yes" if agrees else "NO"]


def _errors(title: str, found: Any, plain: Any, figaroh: Any = None) -> dict[str, Any]:
    all_of = {
        "file": found.torque_error_file,
        "NumPy + Pinocchio": plain,
        **({} if figaroh is None else {"FIGAROH": figaroh}),
        "least squares": found.torque_error,
        "consistent": found.torque_error_consistent,
    }
    header = ("relative torque error [%]", *found.model.rows, "sum")
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
    columns: Any = {"t": 0, "q": range(1, 7), "v": range(7, 13), "tau": range(13, 19)}
    x = rk.read_experiment(folder / f"{name}.csv.gz", columns)
    rows = slice(first, last)
    assert x.v is not None
    return rk.Experiment(x.t[rows], x.q[rows], x.tau[rows], x.v[rows], load, name)
