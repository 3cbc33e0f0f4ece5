"""A satellite with two links moves its hand along a straight line in inertial space.

The example of Umetani, Yoshida and Kurazume (Pt. X): 0.4 m/s^2 up to 0.8 m/s and back to rest. The torques by
Newton-Euler (A) and by the generalized inertia alone (B) differ by the velocity terms; the satellite
rotates under the arm. The motion is a forward simulation under the torques A.
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk
from rikigaku import space

sat = rk.load("space_planar_2r")
q0 = np.array([0, 0, 0, 2.2, -2.0])  # x, y and angle of the satellite, two joints
start = sat.pose(q0, "hand")
line = space.line(start, start[:3, 3] + [0, -1.6, 0], velocity=0.8, acceleration=0.4)
times = np.linspace(0, line.duration, 161)
run = space.follow(sat, q0, line, "hand", line.duration, rows="xy", times=times)
t, q, v = run.motion.t, run.motion.q, run.motion.v

assert run.status == "ok"
assert run.position_error.max() < 1e-6
assert np.abs(run.motion.momentum).max() < 1e-10
difference = np.abs(run.tau - run.inertial_tau).max(axis=0)
rotated = np.degrees(q[-1, 2])
assert abs(rotated) > 30
print(f"tracking error {run.position_error.max():.1e} m at most")
largest = np.abs(run.tau).max(axis=0)
print(f"largest torques {largest.round(1)} N m; velocity terms make up to {difference.round(1)} N m")
print(f"the satellite has rotated by {rotated:.1f} degrees")

# -- pictures ------------------------------------------------------------------------------------
fig, ((drawn, torque), (attitude, speed)) = plt.subplots(2, 2, figsize=(11, 8.5))
b = 0.5
square = np.array([[b, b], [-b, b], [-b, -b], [b, -b], [b, b]])
names = ("link1", "link2", "hand")
for k, shade in zip(range(0, len(t), 32), np.linspace(0.75, 0.0, 6), strict=True):
    angle, color = q[k, 2], str(shade)
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    drawn.plot(*(square @ R.T + q[k, :2]).T, color=color, lw=1.2)
    joints = np.array([sat.pose(q[k], name)[:2, 3] for name in names])
    drawn.plot(*joints.T, "o-", color=color, ms=4, lw=2)
drawn.plot(run.pose[:, 0, 3], run.pose[:, 1, 3], "r-", lw=1.5, label="path of the hand")
drawn.plot(*sat.center_of_mass(q[0])[:2], "k+", ms=10, label="centre of mass")
drawn.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="configurations, light to dark")
drawn.legend(loc="lower center", bbox_to_anchor=(0.5, -0.32), ncols=2, frameon=False)
for k, color in enumerate(("tab:blue", "tab:orange")):
    torque.plot(t, run.tau[:, k], color=color, label=f"joint {k + 1}, Newton-Euler (A)")
    torque.plot(t, run.inertial_tau[:, k], "--", color=color, label=f"joint {k + 1}, H* alone (B)")
torque.set(xlabel="t [s]", ylabel="torque [N m]", title="torques by both methods")
torque.legend()
attitude.plot(t, np.degrees(q[:, 2]), "k")
attitude.set(xlabel="t [s]", ylabel="angle [deg]", title="attitude of the satellite")
hand = sat.velocity(q, v, "hand")
speed.plot(t, np.linalg.norm(hand[:, :2], axis=1), "k", label="speed of the hand [m/s]")
speed.plot(t, run.manipulability, "tab:green", label="manipulability of J* [m²]")
speed.set(xlabel="t [s]", title="speed and manipulability of the hand")
speed.legend()
for ax in (torque, attitude, speed):
    ax.grid(alpha=0.3)
fig.tight_layout()
fig.savefig("space_line.png", dpi=110)
