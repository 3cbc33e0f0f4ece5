"""A humanoid of 17 links takes a step: the swing foot lands, the support leg changes, the rear foot tips and follows.

The plan is slow, so that the centre of mass stays above the supporting foot. Configurations come from inverse
kinematics of the legs, torques from inverse dynamics with the weight on the supporting feet, and PD control keeps the
robot near the plan. Heels and toes are the contacts, which may stick, slip, lift and land. Trunk and arms are locked.

    python humanoid_walking.py [folder]        writes humanoid_walking.png there
"""  # noqa: E501

import sys
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
from scipy.interpolate import CubicSpline

import rikigaku as rk
from rikigaku.trajectory import cubic, in_sequence

matplotlib.use("Agg")

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
robot = rk.load("humanoid_feet")
for joint in ("q9", "q10", "q12", "q13", "q15", "q16", "q17"):
    robot = robot.lock(joint)
POINTS = ("heel", "toe", "swing_heel", "swing_toe")
SHANK, THIGH, ANKLE, TOE, HIP, STEP = 0.4, 0.38, 0.07, 0.18, 0.75, 0.25  # m


def smooth(x):
    """From 0 to 1 over x from 0 to 1, at rest at both ends."""
    x = np.clip(x, 0, 1)
    return x**3 * (10 - 15 * x + 6 * x * x)


def leg(ankle, hip):
    """Angles of shank and thigh against the vertical, knee forward."""
    way = hip - ankle
    d, lean = np.hypot(*way), np.arctan2(-way[0], way[1])
    shank = lean - np.arccos((SHANK**2 + d**2 - THIGH**2) / (2 * SHANK * d))
    rest = hip - ankle - SHANK * np.array([-np.sin(shank), np.cos(shank)])
    return shank, np.arctan2(-rest[0], rest[1])


def posture(support, pitch, swing, hip):
    """Joint positions for the ankles of both legs, the pitch of the support foot, and the hip."""
    q = np.zeros(robot.nq)
    (s, t), (ss, st) = leg(support, hip), leg(swing, hip)
    q[:3] = support[0] + ANKLE * np.sin(pitch), support[1] - ANKLE * np.cos(pitch), pitch
    q[3:9] = s - pitch, t - s, -t, st, ss - st, -ss
    return q


def plan(t):
    """Configuration at time t, from the planned positions of feet and centre of mass."""
    centre = 0.02 + 0.035 * smooth(t / 0.5) + 0.065 * smooth((t - 0.5) / 0.8)
    centre += (STEP - 0.065) * smooth((t - 1.35) / 0.9)
    first, second = (0.05 * np.sin(np.pi * np.clip((t - begin) / 0.8, 0, 1)) ** 2 for begin in (0.5, 2.3))
    swing = np.array([STEP * smooth((t - 0.5) / 0.8), ANKLE + first])
    pitch = -0.35 * smooth((t - 1.8) / 0.5) * (1 - smooth((t - 2.4) / 0.6))  # rotation about the toe
    forward, up = np.array([np.cos(pitch), np.sin(pitch)]), np.array([-np.sin(pitch), np.cos(pitch)])
    support = np.array([STEP * smooth((t - 2.3) / 0.8) + TOE, second]) - TOE * forward + ANKLE * up
    hip = np.array([centre, HIP])
    for _ in range(8):
        hip[0] += centre - robot.center_of_mass(posture(support, pitch, swing, hip))[1]
    return posture(support, pitch, swing, hip)


def weights(t):
    """Shares of the weight: heel and toe of the support foot, heel and toe of the swing foot."""
    support = 1 - smooth((t - 1.35) / 0.9) + smooth((t - 3.1) / 0.3)
    swing = 1 - smooth(t / 0.45) + smooth((t - 1.3) / 0.2)
    heel = support * (
        1 - smooth((t - 1.4) / 0.35) + smooth((t - 3.1) / 0.3)
    )  # the rear foot rolls over its toe
    return np.clip([heel, support, swing, swing], 1e-6, 1)


def torques(t):
    """Joint torques of the plan; contact forces of the supporting feet balance the unactuated base."""
    q, v, a = (path(t, k) for k in range(3))
    tau = robot.inverse_dynamics(q, v, a)
    J = np.concatenate([robot.jacobian(q, name)[1:3] for name in POINTS])
    W, base = np.repeat(weights(t), 2), J[:, :3].T
    return tau - J.T @ (W * (base.T @ np.linalg.solve(base * W @ base.T, tau[:3])))


times = np.linspace(0, 3.6, 121)
path = CubicSpline(times, [plan(t) for t in times], bc_type="clamped")
stiffness, damping = np.zeros(robot.nv), np.zeros(robot.nv)
stiffness[3:9], damping[3:9] = 6000, 200
stiffness[[3, 8]], damping[[3, 8]] = 4000, 60
stiffness[9:], damping[9:] = (4000, 60, 60), (80, 4, 4)

goals = path(times)  # offset of the PD targets that gives the planned torques
goals[:, 3:] += np.array([torques(t) for t in times])[:, 3:] / stiffness[3:]
rates = CubicSpline(times, goals, bc_type="clamped")(times, 1)
goal = in_sequence(
    *(
        cubic(goals[i], goals[j], times[j] - times[i], v0=rates[i], v1=rates[j])
        for i, j in pairwise(range(121))
    )
)

floor = [rk.Contact(name, rk.Plane(), friction=0.7) for name in POINTS]
control = rk.PD(robot, goal, stiffness, damping, gravity=False)
solution = rk.simulate(
    robot, path(0.0), None, control, duration=4.0, contacts=floor, method="radau", rtol=1e-6, atol=1e-8
)
print(solution.status, solution.statistics)
for event in solution.events:
    print(f"  t = {event.t:.4f} s: {event.name}")
heights = robot.poses(solution.q)[:, [robot.frame_names.index(name) for name in POINTS], 2, 3]
carried = [np.abs(heights[:, k : k + 2]).max(axis=1) < 1e-6 for k in (0, 2)]
assert solution.done
assert (carried[0] & ~carried[1]).any()  # on the support foot alone, then on the other alone
assert (carried[1] & ~carried[0]).any()
feet = [robot.pose(solution.q[-1], name)[1, 3] for name in ("sole", "swing_sole")]
lean = sum(solution.q[-1][2:6])
audit = solution.energy_audit()
print(f"energy, work and dissipated work agree to {audit.relative:.1e} of the largest kinetic energy")
print(f"both feet moved forward by {feet[0]:.3f} m and {feet[1]:.3f} m; the trunk leans {lean:.3f} rad")
assert abs(feet[0] - STEP) < 0.03
assert abs(feet[1] - STEP) < 0.03

ax = solution.configurations(9, plane="yz", apart=0.55)
ax.axhline(0, color="0.4", linewidth=1)
ax.set_ylim(-0.15, 1.8)
ax.figure.tight_layout()
ax.figure.savefig(folder / "humanoid_walking.png", dpi=110)
