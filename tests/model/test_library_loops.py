"""The shipped robots with loops: configurations found by hand close them, and their freedoms are counted."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from posed_robots import PI, ROBOTS, Array, Numbers, link_poses, placed, quaternion, rotation, slope

from rikigaku.model.robot_model import Loop, LoopEnd
from rikigaku.robot import Robot

DEGREES_OF_FREEDOM = {
    "cassie_leg": 7,  # Cassie: 20 with two legs and a floating pelvis, five motors and two springs a leg
    "delta": 3,
    "five_bar": 2,
    "four_bar": 1,
    "rosam_loop": 3,
    "slider_crank": 1,
    "sr400": 6,  # Khalil, Dombre 2002: six motors
    "stewart": 6,
    "three_rrr": 3,
}
# Independent coordinates without a motor: leaf springs.
SPRINGS = {"cassie_leg": ["shin_spring", "heel"]}


def circles_meet(a: tuple[float, float], ra: float, b: tuple[float, float], rb: float) -> tuple[float, float]:
    """The point at distance ra from a and rb from b, on the left of a to b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    gap = math.hypot(dx, dy)
    along = (ra**2 - rb**2 + gap**2) / (2 * gap)
    aside = math.sqrt(ra**2 - along**2)
    return a[0] + (along * dx - aside * dy) / gap, a[1] + (along * dy + aside * dx) / gap


def direction(a: tuple[float, float], b: tuple[float, float]) -> float:
    return math.atan2(b[1] - a[1], b[0] - a[0])


def closed_four_bar(crank: float) -> list[float]:
    B = (0.4 * math.cos(crank), 0.4 * math.sin(crank))
    C = circles_meet(B, 1, (0.9, 0), 0.8)
    return [crank, direction(B, C) - crank, direction((0.9, 0), C)]


def closed_five_bar(left: float, right: float) -> list[float]:
    elbows = [(x + 0.3 * math.cos(angle), 0.3 * math.sin(angle)) for x, angle in ((-0.1, left), (0.1, right))]
    hand = circles_meet(elbows[0], 0.4, elbows[1], 0.4)
    return [left, direction(elbows[0], hand) - left, right, direction(elbows[1], hand) - right]


def closed_stewart(p: Sequence[float], turn: Sequence[float]) -> list[float]:
    unit = np.array(turn) / np.linalg.norm(turn)
    q, R = [*p, *unit], quaternion(*unit)
    for base, ball in zip((1, 7, 9, 15, 17, -1), (3, 5, 11, 13, 19, 21), strict=True):
        b, s = base * PI / 12, ball * PI / 12
        foot, head = (0.6 * math.cos(b), 0.6 * math.sin(b), 0), (0.35 * math.cos(s), 0.35 * math.sin(s), 0)
        leg = np.array(p) + R @ head - foot
        length = float(np.linalg.norm(leg))
        q += [math.atan2(-leg[1], leg[2]), math.asin(leg[0] / length), length]
    return q


def closed_slider_crank(crank: float) -> list[float]:
    rod = -math.asin(0.2 * math.sin(crank) / 0.6)
    return [crank, rod - crank, 0.2 * math.cos(crank) + 0.6 * math.cos(rod)]


def closed_delta(p: Sequence[float]) -> list[float]:
    """Motors and rods for a position of the platform, by circles and spheres that meet."""
    q = [*p, 1.0, 0.0, 0.0, 0.0]
    for leg in range(3):
        R = rotation(np.array([0, 0, 1]), leg * 2 * PI / 3)
        # From the motor to the pair's middle on the platform, in the leg's axes: outward, tangential, up.
        x, t, z = R.T @ np.array(p) + (0.05 - 0.15, 0, -0.7 * math.sin(PI / 3))
        # (x - 0.25 cos q)^2 + t^2 + (z - 0.25 sin q)^2 = 0.7^2, elbow outward
        reach = (x * x + t * t + z * z + 0.25**2 - 0.7**2) / (2 * 0.25)
        motor = math.atan2(z, x) + math.acos(reach / math.hypot(x, z))
        dx, dz = x - 0.25 * math.cos(motor), z - 0.25 * math.sin(motor)
        # The arm's z is -t; a rod turns about it, then out of the arm's plane.
        swing, out = math.atan2(dz, dx) - motor + 2 * PI / 3, math.asin(t / 0.7)
        q += [motor, swing, out, swing, out]
    return q


def closed_sr400(theta: Sequence[float]) -> list[float]:
    one, two, four, five, six, seven = theta
    return [one, two, seven - two + PI / 2, four, five, six, seven, two - seven]


CASSIE = [0, 0, 0.5, -0.017574074109976356, 0.06889587288751502, -1.2, 0, 1.4269743400682238, 0]
CASSIE += [-1.4920378964804846, 1.4736369224536687, -1.6]

CLOSED = [
    *(("slider_crank", closed_slider_crank(crank)) for crank in (0, PI / 2, 2, 4)),
    ("slider_crank", [PI / 2, -1.910633236249019, 0.565685424949238]),
    ("delta", [0, 0, 0, 1, *[0] * 18]),
    ("delta", closed_delta((0, 0, 0))),
    ("delta", closed_delta((0.1, -0.15, -0.1))),
    ("sr400", closed_sr400((0, -PI / 2, 0, 0, 0, 0))),
    ("sr400", closed_sr400((0.3, -1.2, 0.5, -0.6, 0.7, 0.4))),
    ("cassie_leg", CASSIE),
    *(("four_bar", closed_four_bar(crank)) for crank in (0, 1, 2, 3, 4, 5, 6)),
    ("four_bar", [0, 0.914735735869974, 1.432859330376512]),
    ("five_bar", closed_five_bar(0.3, 1.2)),
    ("five_bar", closed_five_bar(PI / 2, PI / 2)),
    ("three_rrr", [0.0] * 7),
    ("rosam_loop", [0, 0.6, 0, math.atan2(4, 3), 1]),
    ("stewart", closed_stewart((0, 0, 0.7), (1, 0, 0, 0))),
    ("stewart", closed_stewart((0.03, -0.05, 0.72), (1, 0.1, -0.05, 0.08))),
]


def gap(robot: Robot, loop: Loop, q: Numbers) -> Array:
    """How far the two ends of a cut joint are from meeting: position, and for a hinge its axis too."""
    poses = link_poses(robot, q)

    def end_pose(end: LoopEnd) -> Array:
        return poses[end.link] @ placed(robot, end.geometry)

    start, end = end_pose(loop.start), end_pose(loop.end)
    offset = start[:3, 3] - end[:3, 3]
    return offset if loop.joint == "spherical" else np.array([*offset, *(start[:3, 2] - end[:3, 2])])


@pytest.mark.parametrize(("name", "q"), CLOSED)
def test_a_closed_configuration_closes_every_loop(name: str, q: list[float]) -> None:
    for loop in ROBOTS[name].loops:
        assert gap(ROBOTS[name], loop, q) == pytest.approx(0, abs=1e-13)


@pytest.mark.parametrize(("name", "q"), CLOSED)
def test_the_independent_joints_are_as_many_as_the_freedoms_and_lead_the_others(
    name: str, q: list[float]
) -> None:
    robot = ROBOTS[name]
    J = slope(robot, lambda q: np.concatenate([gap(robot, loop, q) for loop in robot.loops]), q)
    leading = [k for joint in robot.independent for k in range(robot.nv)[robot.v_slices[joint]]]
    following = [k for k in range(robot.nv) if k not in leading]
    freedom = DEGREES_OF_FREEDOM[name]
    # Differences carry 1e-10 of noise; the least true singular value of these configurations is above 1e-2.
    assert robot.nv - np.linalg.matrix_rank(J, tol=1e-4) == freedom == len(leading)
    assert np.linalg.matrix_rank(J[:, following], tol=1e-4) == len(following)
    motors = [joint for joint in robot.independent if joint not in SPRINGS.get(name, [])]
    assert [joint.name for joint in robot.joints if joint.actuated] == motors


def test_only_closed_robots_have_loops() -> None:
    assert {name for name, robot in ROBOTS.items() if robot.loops} == set(DEGREES_OF_FREEDOM)
