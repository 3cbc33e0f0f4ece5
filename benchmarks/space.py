"""Section: robots in space. Operation counts beside the paper's table; times of J* beside Pinocchio."""

import ctypes
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import rikigaku as rk
from benchmarks.errors import CompilationFailed, Disagreement
from benchmarks.harness import AGREEMENT, interleaved, one_core, relative_error
from benchmarks.options import Options
from benchmarks.peers.build import shared_library
from benchmarks.peers.pinocchio_cpp import call, compiler_line, loop_source, native_robot
from benchmarks.peers.pinocchio_model import PinocchioModel
from benchmarks.report import figure, table
from benchmarks.space_operations import (
    GROUND_ARM,
    general_arm,
    line_through,
    paper_inertial_torques,
    paper_inverse_dynamics,
    paper_kinematics,
    paper_resolved_acceleration,
    paper_total,
    solution_operations,
    unified_operations,
    unified_parts,
)
from rikigaku.model.mechanism import WORLD, instantiate
from rikigaku.numbers.number_kind import FLOATS

SOURCE = Path(__file__).parent / "peers" / "pinocchio_space.cpp"
WAYS = ("generalized_jacobian_momentum", "generalized_jacobian_center", "generalized_jacobian_mass")
LEAST_RATIO = 15.0
SIZES = range(1, 13)
OURS, PYTHON = "ours", "Pinocchio Python"


def run(options: Options) -> dict[str, Any]:
    """Counts and times; prints both."""
    return {"operations": operations(), "generalized_jacobian": times(options)}


def operations() -> dict[str, Any]:
    """The unified computation of general arms, n = 1 ... 12, and of the shipped one, beside Table 1."""
    counts = {n: unified_operations(general_arm(n)) for n in SIZES}
    rows = [
        [
            str(n),
            f"{c.mul} / {c.add}",
            f"{paper_total(n).mul:.0f} / {paper_total(n).add:.0f}",
            f"{paper_total(n).mul / c.mul:.2f}",
        ]
        for n, c in counts.items()
    ]
    shipped = rk.load("space_arm_6")
    own, six = unified_operations(shipped), general_arm(6)
    fewer = unified_operations(six.regrouped())  # type: ignore[attr-defined]
    rows.append(
        ["6, base parameters", f"{fewer.mul} / {fewer.add}", "3501 / 3176", f"{3501 / fewer.mul:.2f}"]
    )
    ground = f"{GROUND_ARM.mul} / {GROUND_ARM.add} (on the ground)"
    rows.append(["space_arm_6", f"{own.mul} / {own.add}", ground, ""])
    for name, frame in (("space_planar_2r", "hand"), ("space_dual_arm", "left_hand")):
        other = unified_operations(rk.load(name), frame)
        rows.append([name, f"{other.mul} / {other.add}", "", ""])
    header = ("joints", "ours", "the paper", "ratio")
    print(
        table(
            "Unified computation: mul / add, without the solution of J* a = demand",
            header,
            rows,
        )
    )
    fits = {}
    for part in ("mul", "add"):
        slope, start, worst = line_through({n: getattr(c, part) for n, c in counts.items()})
        fits[part] = (slope, start)
        print(f"  {part}: {slope:.1f} n + {start:.0f}, within {worst:.0f}")
    names = {
        "D.K.": paper_kinematics(6),
        "I.K.": paper_resolved_acceleration(6),
        "I.D.": paper_inverse_dynamics(6),
    }
    parts = unified_parts(six)
    for name, paper in names.items():
        own_part = f"{parts[name].mul} / {parts[name].add}"
        print(f"  {name}, n = 6: {own_part}; the paper: {paper.mul:.0f} / {paper.add:.0f}")
    solving = solution_operations(six)
    inertial = six.space.inertial_torques.operations  # type: ignore[attr-defined]
    print(f"  the 6 x 6 solution (Householder): {solving.mul} mul, {solving.add} add")
    print(
        f"  torques by H* alone (B), n = 6: {inertial.mul} / {inertial.add}; the paper: "
        f"{paper_inertial_torques(6).mul:.0f} / {paper_inertial_torques(6).add:.0f}\n"
    )
    found = {str(n): (c.mul, c.add) for n, c in counts.items()}
    return {"general": found, "fit": fits, "space_arm_6": (own.mul, own.add), "solution": tuple(solving)}


def times(options: Options) -> dict[str, Any]:
    """J* over a batch of states: ours, and composed of Pinocchio's calls in C++ and in Python."""
    record: dict[str, Any] = {}
    rows = []
    for name, frame in (("space_arm_6", "hand"), ("space_dual_arm", "left_hand")):
        robot: Any = rk.load(name)
        times, errors = measured(robot, frame, options)
        best = min(times[way].best for way in WAYS if way in times) if WAYS[0] in times else None
        ratio = best / times[OURS].best if best else None
        met = "-" if ratio is None else "yes" if ratio >= LEAST_RATIO else "NO"
        rows.append(
            [
                f"{name}, {robot.nv - 6} joints",
                figure(times[OURS].best),
                *(figure(times[way].best if way in times else None) for way in (*WAYS, PYTHON)),
                figure(ratio, 1),
                met,
            ]
        )
        record[name] = {
            "ns_per_state": {key: asdict(x) for key, x in times.items()},
            "errors": errors,
            "ratio": ratio,
        }
    header = (
        "J*", "ours", "Pin C++ (momentum)", "Pin C++ (3x3)", "Pin C++ (mass)", "Pin Python", "ratio",
        "target met",
    )  # fmt: skip
    print(table(f"Generalized Jacobian: ns a state, {options.states} states", header, rows))
    return record


def measured(robot: Any, frame: str, options: Options) -> tuple[dict[str, Any], dict[str, float]]:
    """Times by method, and deviations from our result."""
    q, _, _ = robot.random_state(1, size=options.states)
    model, order = pinocchio_robot(robot, frame)
    theirs = q[:, [0, 1, 2, 4, 5, 6, 3, *(k + 1 for k in order)]].copy()
    out = np.empty((options.states, 6, robot.nv - 6))
    few = theirs[: max(1, options.states // 50)]
    law = robot.space.generalized_jacobian.fix(frame=frame)
    runs: dict[str, Any] = {OURS: lambda: law(q, out=out)}
    try:
        command, libraries = compiler_line("wheel")
        path = shared_library(
            "pinocchio_space", loop_source() + SOURCE.read_text(), ".cpp", command, libraries
        )
        library = ctypes.CDLL(str(path))
        handle = native_robot(library, model)
        runs |= {way: partial(call, library[way], handle, [theirs, out]) for way in WAYS}
    except CompilationFailed as error:
        print(f"{error}\nOnly Pinocchio's Python bindings are timed; the target cannot be judged.\n")
    runs[OURS]()
    reference, errors = out[..., [k - 6 for k in order]], {}
    for way in WAYS:
        if way in runs:
            out.fill(np.nan)
            runs[way]()
            errors[way] = relative_error(out, reference)
            if errors[way] > AGREEMENT:
                raise Disagreement("generalized_jacobian", way, OURS, errors[way], AGREEMENT)
    with one_core():
        found = interleaved(runs, options.states, options.rounds)
        python = interleaved({PYTHON: lambda: composed(model, few)}, len(few), 3)
    return {**found, **python}, errors


def composed(model: PinocchioModel, q: Any) -> Any:
    """J* of Pinocchio's Python calls, state by state."""
    data, nv = model.model.createData(), model.model.nv
    out = np.empty((len(q), 6, nv - 6))
    for k, x in enumerate(q):
        pin.computeCentroidalMap(model.model, data, x)
        pin.updateFramePlacement(model.model, data, model.frame)
        J = pin.getFrameJacobian(model.model, data, model.frame, pin.LOCAL_WORLD_ALIGNED)
        out[k] = J[:, 6:] - J[:, :6] @ np.linalg.solve(data.Ag[:, :6], data.Ag[:, 6:])
    return out


def pinocchio_robot(robot: Any, frame: str) -> tuple[PinocchioModel, list[int]]:
    """A free-floating robot of revolute joints in Pinocchio, with its cheapest joint models.

    Depth first, as Pinocchio's recursions want it; also the places in our v of its joints, in its order.
    """
    mechanism = instantiate(robot, FLOATS, robot.declared_values)
    model, numbers, order = pin.Model(), {WORLD: 0}, []

    def add(i: int) -> None:
        body = mechanism.bodies[i]
        R, p = np.array(body.placement.R, float), np.array(body.placement.p, float)
        kind = pin.JointModelFreeFlyer() if body.parent == WORLD else pin.JointModelRZ()
        numbers[i] = model.addJoint(numbers[body.parent], kind, pin.SE3(R, p), f"{body.name}_joint")
        order.extend(body.v)
        m, h, I = body.inertia
        c = np.array(h, float) / m
        about = np.array(I, float) - m * (c @ c * np.eye(3) - np.outer(c, c))
        model.appendBodyToJoint(numbers[i], pin.Inertia(float(m), c, about), pin.SE3.Identity())
        for child, other in enumerate(mechanism.bodies):
            if other.parent == i:
                add(child)

    add(0)
    i, X = mechanism.frames[frame]
    place = pin.SE3(np.array(X.R, float), np.array(X.p, float))
    number = model.addFrame(pin.Frame(frame, numbers[i], 0, place, pin.FrameType.OP_FRAME))
    return PinocchioModel(model, tuple(model.names)[2:], True, number), order[6:]
