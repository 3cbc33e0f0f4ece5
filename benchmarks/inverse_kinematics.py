"""Section: inverse kinematics: completeness, speed and success, beside EAIK, ssik, Pinocchio, mink, ikpy."""

import importlib
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks.errors import Disagreement
from benchmarks.exact_counts import real_zeros
from benchmarks.harness import one_core
from benchmarks.inverse_kinematics_arms import arms, from_forward_kinematics
from benchmarks.inverse_kinematics_peers import PEERS, example_urdf
from benchmarks.options import Options
from benchmarks.random_start_newton import configurations
from benchmarks.report import figure, table
from rikigaku.inverse_kinematics.cut_choice import chosen_cuts
from rikigaku.inverse_kinematics.exact_solver import exact_solver
from rikigaku.inverse_kinematics.general_arm import GeneralArm
from rikigaku.inverse_kinematics.pose_continuation import PoseContinuation
from rikigaku.inverse_kinematics.serial_arm import serial_arm

POSES, COUNTED = 100_000, 2_000
LARGEST_RESIDUAL = 1e-12
NEAR = 1e-6  # zeros of the polynomial closer than this [rad] are not counted


def run(options: Options) -> dict[str, Any]:
    """All tables."""
    quick = options.quick
    with one_core(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rk.set_threads(1)
        return {
            "completeness": completeness(
                POSES // 50 if quick else POSES, COUNTED // 40 if quick else COUNTED
            ),
            "continuation": continuation_counts(10 if quick else 50),
            "special poses": special_poses(1 if quick else 8, 1500 if quick else 4000),
            "closed forms": closed_forms(2000 if quick else 20_000),
            "general": general_arm(1000 if quick else 10_000),
            "search": searches(500 if quick else 10_000, 20 if quick else 1000),
        }


def completeness(poses: int, counted: int) -> dict[str, Any]:
    """Every known configuration found; numbers of configurations against 256 bits."""
    subjects = list(arms())
    each, few = poses // len(subjects), -(-counted // len(subjects))
    rows, record = [], {}
    groups: dict[str, list[tuple[int, int, int, float, int, int]]] = {}
    for name, robot, frame in subjects:
        solver = exact_solver(robot, frame, {}, ())
        arm = solver.arm
        rng = np.random.default_rng(1)
        q = rng.uniform(-np.pi, np.pi, (each, 6)) * np.where(arm.revolute, 1.0, 0.3)
        H = robot.pose(q, frame)
        found = robot.inverse_kinematics(H, frame, all=True, limits=False)
        gap = found.q - q[:, None]
        gap = np.where(arm.revolute, gap - 2 * np.pi * np.round(gap / (2 * np.pi)), gap)
        near = np.nanmin(np.abs(gap).max(axis=2), axis=1, initial=9.0)
        missed = int((near > 1e-5).sum())
        numbers = (found.multiplicity > 0).sum(axis=1)
        wrong = compared = 0
        cuts = chosen_cuts(arm) if found.method == "elimination" else []
        for k in range(few if cuts else 0):
            count, apart = real_zeros(arm, H[k], cuts[0].cut)
            if apart > NEAR:
                compared += 1
                wrong += int(count != numbers[k])
        group = name.split(" ")[0] if name.startswith(("random", "prismatic")) else name
        error = np.fmax(found.position_error / arm.reach, found.rotation_error)
        residual = float(np.nanmax(error))
        groups.setdefault(f"{group} ({found.method})", []).append(
            (each, missed, int(numbers.max()), residual, compared, wrong)
        )
    for group, parts in groups.items():
        total = [sum(p[k] for p in parts) for k in (0, 1, 4, 5)]
        most, residual = max(p[2] for p in parts), max(p[3] for p in parts)
        record[group] = {"poses": total[0], "missed": total[1], "most": most, "residual": residual,
                         "counted": total[2], "different": total[3]}  # fmt: skip
        rows.append(
            [group, str(total[0]), str(total[1]), str(most), f"{residual:.0e}", str(total[2]), str(total[3])]
        )
        if residual > LARGEST_RESIDUAL:
            raise Disagreement("inverse kinematics", "ours", "the pose", residual, LARGEST_RESIDUAL)
        if total[1]:
            raise Disagreement(f"known configurations of {group}", "ours", "the arm", total[1] / total[0], 0)
        if total[3]:
            raise Disagreement(f"numbers of {group}", "ours", "256 bits", total[3] / total[2], 0)
    head = ["arm", "poses", "known missed", "most", "residual", "counted in 256 bits", "different"]
    print(table("All configurations of arms of six joints", head, rows))
    return record


def continuation_counts(each: int) -> dict[str, Any]:
    """Numbers of configurations against paths from a general complex pose, which need no elimination."""
    rows, record = [], {}
    for name, robot, frame in arms():
        if name.startswith(("random", "prismatic")) and not name.endswith((" 1", " 2")):
            continue
        arm = serial_arm(robot, frame, {})
        q = np.random.default_rng(6).uniform(-np.pi, np.pi, (each, 6)) * np.where(arm.revolute, 1.0, 0.3)
        H = robot.pose(q, frame)
        found = robot.inverse_kinematics(H, frame, all=True, limits=False)
        links, poses = arm.links.copy(), H.copy()
        for x in (links, poses):
            x[:, :3, 3] /= arm.reach
        paths = PoseContinuation(links, arm.revolute)
        ends = paths.ends(poses, list(links))
        real = (np.abs(ends.q.imag).max(axis=1) < NEAR) & ~ends.singular
        counts = np.bincount(ends.pose[real], minlength=each)
        clear = ~ends.unclear & (found.multiplicity.max(axis=1) < 2) & ~found.family.any(axis=1)
        clear[ends.pose[ends.repeated | ends.singular]] = False
        different = int((counts != (found.multiplicity > 0).sum(axis=1))[clear].sum())
        record[name] = {"paths": len(paths.q), "compared": int(clear.sum()), "different": different}
        rows.append([name, found.method, str(len(paths.q)), str(each), str(clear.sum()), str(different)])
        if different:
            raise Disagreement(f"numbers of {name}", "ours", "continuation", different / clear.sum(), 0)
    head = ["arm", "method", "complex configurations", "poses", "compared", "different"]
    print(table("Numbers of configurations against continuation over complex poses", head, rows))
    return record


def special_poses(each: int, starts: int) -> dict[str, Any]:
    """Joints at 0, 90 and 180 degrees against Newton's method from random starts."""
    rng = np.random.default_rng(4)
    rows, record = [], {}
    for name, robot, frame in arms():
        if name.startswith(("random", "prismatic")) and not name.endswith(" 1"):
            continue
        angles = np.array([joint.type == "revolute" for joint in robot.joints])
        q = rng.uniform(-np.pi, np.pi, (each, 6)) * np.where(angles, 1.0, 0.3)
        special = angles & (rng.random((each, 6)) < 0.6)
        q = np.where(special, rng.choice([0, np.pi / 2, -np.pi / 2, np.pi], (each, 6)), q)
        found = robot.inverse_kinematics(robot.pose(q, frame), frame, all=True, limits=False)
        compared = missed = incomplete = 0
        for k, pose in enumerate(robot.pose(q, frame)):
            incomplete += not found.complete[k]
            others = configurations(robot, frame, pose, starts, seed=k)
            if found.family[k].any() or found.multiplicity[k].max() > 1 or not len(others.q):
                continue  # singular: a family has members without number
            gap = others.q[:, None] - found.q[k]
            gap = np.where(angles, gap - 2 * np.pi * np.round(gap / (2 * np.pi)), gap)
            near = np.nanmin(np.abs(gap).max(axis=2), axis=1, initial=9.0)
            compared += len(others.q)
            missed += int((near > 1e-5).sum()) if found.complete[k] else 0
        record[name] = {"compared": compared, "missed": missed, "incomplete": incomplete}
        rows.append([name, str(each), str(compared), str(missed), str(incomplete)])
        if missed:
            raise Disagreement(f"special poses of {name}", "ours", "random starts", missed / compared, 0)
    head = ["arm", "poses", "found from random starts", "missed by ours", "reported as incomplete"]
    print(table("Joints at 0, 90 and 180 degrees", head, rows))
    return record


def closed_forms(poses: int) -> dict[str, Any]:
    """Closed forms beside EAIK, processor time."""
    rows, record = [], {}
    for name in ("ur5", "puma560"):
        line = record[name] = _closed_form(rk.load(name), poses)
        cells = [figure(1e6 * line[key], 2) for key in ("ours", "with limits", "EAIK")]
        rows.append([name, *cells, figure(line["EAIK"] / line["ours"], 1), figure(1e6 * line["one"])])
    head = ["arm", "ours", "with limits", "EAIK", "ratio", "one pose"]
    print(table("Closed forms, all branches: processor time a pose [us]", head, rows))
    return record


def _closed_form(robot: Any, poses: int) -> dict[str, float]:
    X, frames = np.eye(4), []
    for link in serial_arm(robot, "hand", {}).links:
        X = X @ link
        frames.append(X)
    peer = importlib.import_module("eaik.IK_Homogeneous").HomogeneousRobot(np.array(frames))
    H = robot.pose(np.random.default_rng(0).uniform(-3, 3, (poses, 6)), "hand")
    return {
        "ours": _best(lambda: robot.inverse_kinematics(H, "hand", all=True, limits=False)) / poses,
        "with limits": _best(lambda: robot.inverse_kinematics(H, "hand", all=True)) / poses,
        "EAIK": _best(lambda: peer.IK_batched(H, 1)) / poses,
        "one": _best(lambda: [robot.inverse_kinematics(T, "hand", all=True) for T in H[:100]]) / 100,
    }


def general_arm(poses: int) -> dict[str, Any]:
    """A general arm beside ssik's artifact of the same arm."""
    peer = importlib.import_module("ssik.prebuilt.kinova.jaco2_ik")
    arm = from_forward_kinematics(peer.fk)
    q = np.random.default_rng(2).uniform(-np.pi, np.pi, (poses, 6))
    H = arm.pose(q)
    start = time.process_time()
    solver = GeneralArm(arm)
    solver.solve(H[:1])
    first = time.process_time() - start
    ours = _best(lambda: solver.solve(H)) / poses
    one = _best(lambda: [solver.solve(T[None]) for T in H[:100]]) / 100
    few = H[:60]
    peer.solve(few[0], respect_limits=False)
    theirs = _best(lambda: [peer.solve(T, respect_limits=False) for T in few], 2) / len(few)
    found = solver.solve(few)
    counts = [len(peer.solve(T, respect_limits=False, enumerate_windings=False)) for T in few]
    fewer = int((np.array(counts) < (found.multiplicity > 0).sum(axis=1)).sum())
    cells = [figure(1e6 * x, 1) for x in (ours, one, theirs)]
    rows = [["JACO 2", *cells, figure(theirs / ours), figure(first, 2), f"{fewer} of {len(few)}"]]
    head = ["arm", "ours", "one pose", "ssik", "ratio", "first use [s]", "ssik finds fewer"]
    print(table("General arm, all configurations: processor time a pose [us]", head, rows))
    return {"ours": ours, "one": one, "ssik": theirs, "first": first, "fewer": fewer}


def searches(poses: int, few: int) -> dict[str, Any]:
    """Search within joint limits for reachable poses, beside damped least squares of others."""
    rows, record = [], {}
    for name, robot, frame in _searched():
        target = robot.pose(robot.random_state(7, poses).q, frame)
        robot.inverse_kinematics(target[:2], frame, method="search")
        start = time.process_time()
        found = robot.inverse_kinematics(target, frame, method="search")
        ours = (time.process_time() - start) / poses
        line = {"success": float(found.success.mean()), "time": ours}
        cells = [f"{100 * line['success']:.2f} %", figure(1e6 * ours)]
        for peer in PEERS:
            rate, cost = peer(robot, frame, target[:few])
            line[peer.__name__] = (rate, cost)
            cells.append("-" if rate is None else f"{100 * rate:.0f} % {1e6 * cost:.0f}")
        record[name] = line
        rows.append([name, *cells])
    head = ["robot", "ours", "[us]", *(f"{peer.__name__} [us]" for peer in PEERS)]
    print(table(f"Search, {poses} reachable poses ({few} for others): success and time", head, rows))
    return record


def _searched() -> list[tuple[str, Any, str]]:
    loaded = [(name, rk.load(name), "hand") for name in ("panda", "iiwa14", "ur5")]
    tiago = rk.load(example_urdf("tiago_description/robots/tiago.urdf"))
    talos = rk.load(example_urdf("talos_data/robots/talos_left_arm.urdf"))
    return [*loaded, ("tiago", tiago, "arm_tool_link"), ("talos arm", talos, talos.frame_names[-1])]


def _best(call: Callable[[], object], rounds: int = 3) -> float:
    """Least processor time of some calls [s]."""
    times = []
    for _ in range(rounds + 1):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times[1:])
