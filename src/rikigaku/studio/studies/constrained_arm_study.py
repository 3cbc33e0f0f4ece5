"""Seven motions of an arm whose hand slides and sticks on a floor, by Nishiguchi, Lee, Minami and Yanou.

The paper plots the height of the hand and the joint angles for 10 s; the normal force is added.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.contact.contact_point import Contact
from rikigaku.contact.surfaces import Plane
from rikigaku.numbers.formula import Formula
from rikigaku.robot.loading import load
from rikigaku.simulation.simulate import simulate
from rikigaku.studio.plot_records import event_records, plot_record
from rikigaku.studio.studies.study_records import StudyFact, StudyResult
from rikigaku.symbolic.algebra.child_process import progress
from rikigaku.web.motions import recorded_motion
from rikigaku.web.robot_document import robot_document

START = (-np.pi / 6, -np.pi / 3, -np.pi / 3)  # the hand is on the floor at y = 1 m, at rest
DURATION = 10.0
# Symbols with other values, and joint forces [N m].
CASES: dict[str, tuple[dict[str, float], Any]] = {
    "i": ({}, (-3.0, -3.0, -3.0)),
    "ii": ({}, ["3*sin(2*pi*t/10)"] * 3),
    "iii": ({}, ["-3*cos(2*pi*t)", "-3*sin(2*pi*t)", "3*cos(2*pi*t)"]),
    "iv": ({"m1": 2, "m2": 2, "m3": 2}, None),
    "v": ({"m1": 0.5, "m2": 0.5, "m3": 0.5}, None),
    "vi": ({"D": 6}, None),
    "vii": ({"D": 1.5}, None),
}


def constrained_arm(case: str) -> StudyResult:
    """One of the seven motions."""
    values, torque = CASES[case]
    arm = load("planar_3r")
    symbols = [replace(s, value=Formula.of(values.get(s.name, s.value))) for s in arm.symbols]
    robot = replace(arm, symbols=tuple(symbols))
    floor = Contact("hand", Plane(), friction=0.2, bilateral=True)
    solution = simulate(
        robot, START, torque=torque, duration=DURATION, contacts=[floor], output=0.01, progress=progress
    )
    t, height = solution.t, robot.pose(solution.q, "hand")[:, 2, 3]
    normal = np.asarray(solution.forces["forces"])[:, 3]
    angles = {joint.name: solution.q[:, k] for k, joint in enumerate(robot.joints)}
    return StudyResult(
        robot_document(robot, np.array(START)),
        recorded_motion(solution, ""),
        1.0,
        [
            plot_record("papers.plot.height", "m", t, {"z": height}),
            plot_record("papers.plot.angles", "rad", t, angles),
            plot_record("papers.plot.normalForce", "N", t, {"f_n": normal}),
        ],
        event_records(solution),
        facts=[
            StudyFact("height", f"{np.abs(height).max():.1e} m"),
            StudyFact("normalForce", f"{normal[-1]:.6f} N"),
            StudyFact("energy", f"{solution.energy_audit().relative:.1e}"),
        ],
    )
