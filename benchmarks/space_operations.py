"""Operation counts of the unified computation, beside those of the paper.

Table 1 of Y. Umetani, K. Yoshida, R. Kurazume, Capture of free-flying target with satellite mounted
manipulator (Pt. X): position and J*, resolved acceleration and inverse dynamics by Newton-Euler of an arm of
n joints on a satellite, without the solution of J* a = demand. Ours are counted on the compiled program.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rikigaku.core.errors import WrongValue
from rikigaku.model.editing import with_gravity
from rikigaku.model.geometry import ModifiedDH, Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Frame, Link
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.program import Operations, Program
from rikigaku.robot import Robot


class Count(NamedTuple):
    """Multiplications and additions (subtractions included)."""

    mul: float
    add: float

    def plus(self, other: "Count") -> "Count":
        """The sum of two counts."""
        return Count(self.mul + other.mul, self.add + other.add)


GROUND_ARM = Count(912, 761)  # the paper's arm of six joints on the ground


def paper_kinematics(n: int) -> Count:
    """Position and generalized Jacobian (D.K.)."""
    return Count(13.5 * n * n + 169.5 * n + 159, 13.5 * n * n + 145.5 * n + 87)


def paper_resolved_acceleration(n: int) -> Count:
    """Resolved acceleration without the solution of J* a = demand (I.K.)."""
    return Count(108 * n + 105, 102 * n + 125)


def paper_inverse_dynamics(n: int) -> Count:
    """Torques by Newton-Euler (I.D., method A)."""
    return Count(162 * n + 114, 153 * n + 75)


def paper_inertial_torques(n: int) -> Count:
    """Torques by the generalized inertia (I.D., method B)."""
    return Count(3 * n**3 + 16 * n * n + 6 * n, 2 * n**3 + 12 * n * n + 4 * n)


def paper_total(n: int) -> Count:
    """D.K., I.K. and I.D. with method A."""
    return paper_kinematics(n).plus(paper_resolved_acceleration(n)).plus(paper_inverse_dynamics(n))


def unified_operations(robot: Robot, frame: str = "hand") -> Operations:
    """Operations of `unified_computation`: pose, J*, right-hand side of eq 27 and torques."""
    count: Operations = robot.space.unified_computation.program(frame=frame).operations
    return count


def unified_parts(robot: Robot, frame: str = "hand") -> dict[str, Count]:
    """The same by the parts of the paper, D.K., I.K. and I.D. (A), each without shared terms."""
    program: Program = robot.space.unified_computation.program(frame=frame)
    parts, before = {}, Count(0, 0)
    for name, outputs in (("D.K.", 2), ("I.K.", 3), ("I.D.", 4)):
        count = replace(
            program, outputs=program.outputs[:outputs], results=program.results[:outputs]
        ).operations
        parts[name] = Count(count.mul - before.mul, count.add - before.add)
        before = Count(count.mul, count.add)
    return parts


def solution_operations(robot: Robot, frame: str = "hand") -> Count:
    """Operations of the 6 x 6 solution of J* a = demand by Householder reflections."""
    whole: Operations = robot.space.resolved_acceleration.program(frame=frame).operations
    rest = unified_operations(robot, frame)
    return Count(whole.mul - rest.mul, whole.add - rest.add)


def line_through(counts: Mapping[int, float]) -> tuple[float, float, float]:
    """Slope and intercept of the least-squares line through counts by n, and the largest deviation."""
    n = np.array(list(counts), dtype=float)
    values = np.array(list(counts.values()), dtype=float)
    slope, start = np.polyfit(n, values, 1)
    return float(slope), float(start), float(np.abs(slope * n + start - values).max())


def general_arm(n: int, seed: int = 0) -> Robot:
    """A satellite with n revolute joints of general geometry: random angles, offsets and inertias.

    Raises:
        WrongValue: if n is no whole number above 0.
    """
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
        raise WrongValue(f"A general arm has a whole number of joints, 1 or more; {n!r} was given.")
    rng = np.random.default_rng(seed)
    links = [Link("satellite", "world", Joint("base", "free", actuated=False), Placement(), _inertia(rng))]
    for k in range(1, n + 1):
        alpha, a, d = (Formula.of(f"{x:.3f}") for x in rng.uniform(0.2, 1.2, 3))
        row = ModifiedDH(alpha, a, Formula.of(0), d)
        links.append(Link(f"link{k}", links[-1].name, Joint(f"q{k}"), row, _inertia(rng)))
    place = Placement(_triple(rng, 0.1, 0.3), _triple(rng, 0.1, 0.6))
    robot = Robot(f"general_{n}", tuple(links), (Frame("hand", links[-1].name, place),), base="world")
    return with_gravity(robot, (0, 0, 0))


def _inertia(rng: np.random.Generator) -> Inertia:
    """Inertia of random point masses, so that it is physical."""
    points = np.round(rng.uniform(-0.4, 0.4, (6, 3)), 2)
    masses = np.round(rng.uniform(0.5, 2, 6), 2)
    center = np.round(masses @ points / masses.sum(), 3)
    tensor = sum(
        m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points - center, strict=True)
    )
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = np.asarray(tensor)
    position = tuple(Formula.of(f"{x:.3f}") for x in center)
    elements = tuple(Formula.of(f"{x:.5f}") for x in (xx, xy, xz, yy, yz, zz))
    return Inertia("com", Formula.of(f"{masses.sum():.2f}"), position, elements)  # type: ignore[arg-type]


def _triple(rng: np.random.Generator, low: float, high: float) -> tuple[Formula, Formula, Formula]:
    x, y, z = (Formula.of(f"{x:.3f}") for x in rng.uniform(low, high, 3))
    return x, y, z
