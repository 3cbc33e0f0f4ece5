"""A humanoid whose foot sticks, slips, reverses and sticks again, by Li, Izawa, Minami, Matsuno and Yanou.

No torques and no friction in the joints; the flat foot may slide and lift.
"""

from dataclasses import replace

import numpy as np

from rikigaku.contact.contact_point import Contact
from rikigaku.contact.friction_law import Friction
from rikigaku.contact.surfaces import Plane
from rikigaku.numbers.formula import Formula
from rikigaku.robot.loading import load
from rikigaku.simulation.simulate import simulate
from rikigaku.studio.plot_records import event_records, plot_record
from rikigaku.studio.studies.study_records import StudyFact, StudyResult
from rikigaku.symbolic.algebra.child_process import progress
from rikigaku.web.motions import recorded_motion
from rikigaku.web.robot_document import robot_document

STATIC, KINETIC, DURATION = 0.21, 0.15, 0.34
CASES = ("stick and slip",)
_START = {  # degrees, rad/s
    "q2": (15, 2), "q3": (5, -7), "q4": (-20, 5), "q5": (25, 6), "q6": (-105, -9), "q7": (80, 3),
    "q8": (-15, -2), "q11": (-25, 3), "q14": (5, 9),
}  # fmt: skip
_RATE = 600.0  # a third of a second is played slowly


def humanoid_friction(case: str) -> StudyResult:
    """Figures 3 to 6 and 8 to 10 of the paper."""
    whole = load("humanoid_feet").lock("q1")  # the foot stays flat
    limp = [replace(link, joint=replace(link.joint, viscous=Formula.of(0))) for link in whole.links]
    robot = replace(whole, links=tuple(limp))
    q, v = robot.neutral(), np.zeros(robot.nv)
    for name, (angle, rate) in _START.items():
        q[robot.q_slices[name]], v[robot.v_slices[name]] = np.radians(angle), rate
    floor = Contact("sole", Plane(), Friction(KINETIC, static=STATIC))
    solution = simulate(
        robot, q, v, duration=DURATION, contacts=[floor], rtol=1e-12, atol=1e-14, progress=progress
    )
    t, forces = solution.t, np.asarray(solution.forces["forces"])
    f_y, f_n = forces[:, 1], forces[:, 3]
    energy = solution.energy
    energies = {
        "simulation.kinetic": solution.kinetic_energy,
        "simulation.potential": solution.potential_energy,
        "papers.curve.withHeat": energy + solution.dissipated,
    }
    friction = {"f_y": f_y, "+μ f_n": KINETIC * f_n, "-μ f_n": -KINETIC * f_n}
    return StudyResult(
        robot_document(robot, q),
        recorded_motion(solution, "", _RATE),
        0.1,
        [
            plot_record("papers.plot.friction", "N", t, friction),
            plot_record("papers.plot.normalForce", "N", t, {"f_n": f_n}),
            plot_record("papers.plot.slipSpeed", "m/s", t, {"v": solution.v[:, 0]}),
            plot_record("papers.plot.foot", "m", t, {"y": solution.q[:, 0]}),
            plot_record("simulation.energy", "J", t, energies),
            plot_record(
                "papers.plot.dissipated",
                "J",
                t,
                {"∫ μ f_n |v| dt": solution.dissipated, "papers.curve.lost": energy[0] - energy},
            ),
        ],
        event_records(solution),
        facts=[
            StudyFact("events", str(len(solution.events))),
            StudyFact("energy", f"{solution.energy_audit().relative:.1e}"),
            StudyFact("dissipated", f"{solution.dissipated[-1]:.4f} J"),
        ],
    )
