"""Load sharing between six motors around one closed loop, by Isobe: a portal frame of beams.

Grounds 1 m apart, three links of 0.5 m on each side, a passive node with 1 kg. The legs tilt by 30 degrees,
the beam stays level.
"""

import numpy as np

from rikigaku.fem.rigid_inverse_dynamics import Result
from rikigaku.model.geometry import Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link, Loop, LoopEnd
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot
from rikigaku.studio.plot_records import plot_record
from rikigaku.studio.studies.study_records import StudyFact, StudyResult
from rikigaku.symbolic.algebra.child_process import progress
from rikigaku.trajectory import cubic
from rikigaku.web.model_document import Motion
from rikigaku.web.robot_document import robot_document

LENGTH, MASS, LOAD, TILT = 0.5, 1.0, 1.0, np.radians(30)
# Links left of the passive node, duration [s], part of the load that the left side carries.
CASES = {
    "10 s, 1:1": (3, 10.0, 0.5),
    "1 s, 1:1": (3, 1.0, 0.5),
    "10 s, 4:1": (3, 10.0, 0.8),
    "1 s, 4:1": (3, 1.0, 0.8),
    "10 s, corner": (4, 10.0, 0.5),
    "1 s, corner": (4, 1.0, 0.5),
}


def portal_frame(case: str) -> StudyResult:
    """Torques of the six motors in one of the paper's six cases."""
    left, duration, part = CASES[case]
    robot = portal(left)
    progress("inverse dynamics")
    path = cubic(configuration(robot, 0.0), configuration(robot, TILT), duration)
    found = robot.fem(masses={"node": LOAD}).inverse_dynamics(path, sharing=part)
    return _result(robot, found, duration)


def _result(robot: Robot, found: Result, duration: float) -> StudyResult:
    q = np.asarray(found.motion.q)
    names = [f"joint{k}" for k in range(1, 7)]
    torques = {name: found.torque(name) for name in names}
    angles = {name: q[:, robot.q_slices[name].start] for name in names}
    largest = max(names, key=lambda name: float(np.abs(torques[name]).max()))
    motion = Motion("", [float(t) for t in found.t], [[float(x) for x in row] for row in q])
    return StudyResult(
        robot_document(robot, q[0]),
        motion,
        2.0 if duration > 5 else 0.5,
        [
            plot_record("papers.plot.torques", "N m", found.t, torques),
            plot_record("papers.plot.angles", "rad", found.t, angles),
        ],
        facts=[
            StudyFact("largestTorque", f"{np.abs(torques[largest]).max():.3f} N m ({largest})"),
            StudyFact("lastTorque", f"{torques['joint1'][-1]:.4f} N m"),
        ],
    )


def portal(left: int) -> Robot:
    """The frame with its passive node at the end of link number `left`, counted from the left ground."""
    up = (0, 0, LENGTH)
    order = [*range(1, left + 1), *range(6, left, -1)]
    links = []
    for k in order:
        inner = k - 1 if k <= left else k + 1
        ground = inner in (0, 7)
        place = ((0, 0, 0) if k <= left else (1, 0, 0)) if ground else up
        links.append(_rod(k, "base" if ground else f"link{inner}", place))
    end = Placement(up, (Formula.of("-pi/2"), 0, 0))
    node = Loop("node", "revolute", LoopEnd(f"link{left}", end), LoopEnd(f"link{left + 1}", end))
    return Robot("portal", tuple(links), loops=(node,))


def configuration(robot: Robot, tilt: float) -> list[float]:
    """Joint angles: legs tilted, beam level."""
    angle = {1: tilt, 2: tilt, 3: np.pi / 2, 4: -np.pi / 2, 5: tilt, 6: tilt}
    if robot.link("link4").parent == "link3":
        angle[4] = np.pi / 2
    named = {f"link{k}": x for k, x in angle.items()}
    return [named[link.name] - named.get(link.parent, 0.0) for link in robot.links]


def _rod(k: int, parent: str, xyz: tuple[float, float, float]) -> Link:
    """A thin rod along z on a hinge about y: clockwise is positive, with x to the right and z up."""
    across = MASS * LENGTH**2 / 12
    inertia = Inertia("com", MASS, (0, 0, LENGTH / 2), (across, 0, 0, across, 0, 0))
    return Link(f"link{k}", parent, Joint(f"joint{k}", axis=(0, 1, 0)), Placement(xyz), inertia)
