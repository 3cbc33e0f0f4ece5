"""A humanoid of 17 links falls without torques: swing foot and knees land with impacts, feet slip and tip.

The joints have viscous friction.

    python humanoid_fall.py [folder]           writes humanoid_fall.png there
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np

import rikigaku as rk

matplotlib.use("Agg")

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
robot = rk.load("humanoid_feet")
q = robot.neutral()
start = {
    "q2": -8,
    "q3": 10,
    "q4": -2,
    "q5": 30,
    "q6": -50,
    "q7": 20,
    "q11": 15,
    "q14": 25,
    "q12": 20,
    "q15": 20,
}
for name, degrees in start.items():
    q[robot.q_slices[name]] = np.radians(degrees)
points = ("heel", "toe", "swing_heel", "swing_toe", "knee", "swing_knee")
floor = [rk.Contact(name, rk.Plane(), friction=0.6) for name in points]
solution = rk.simulate(robot, q, duration=0.74, contacts=floor, rtol=1e-9, atol=1e-11)

print(solution.status, solution.statistics)
for event in solution.events:
    print(f"  t = {event.t:.4f} s: {event.name}")
audit = solution.energy_audit()
print(f"of {audit.start - audit.end:.1f} J lost, joints, friction and impacts took {audit.dissipated:.1f} J")
assert "knee lands" in [event.name for event in solution.events]
print(f"energy and dissipated work are constant to {audit.relative:.1e} of the largest kinetic energy")
assert audit.relative < 1e-8
heights = robot.poses(solution.q)[:, [robot.frame_names.index(name) for name in points], 2, 3]
print(f"largest penetration: {max(-heights.min(), 0):.1e} m")
assert heights.min() > -1e-9

ax = solution.configurations(8, plane="yz", apart=0.7)
ax.axhline(0, color="0.4", linewidth=1)
ax.set_ylim(-0.15, 1.9)
ax.figure.tight_layout()
ax.figure.savefig(folder / "humanoid_fall.png", dpi=110)
