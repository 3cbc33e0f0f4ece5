"""A three-link arm whose hand slides and sticks on a floor: seven motions of the extended Newton-Euler paper.

Nishiguchi, Lee, Minami, Yanou plot the height of the hand and the joint angles for 10 s; here with the normal
force, events located, friction set-valued at rest. The picture is constrained_arm.png. Dots in it: steps of
0.01 s, as the paper takes them, made stable (`time_stepping`).
"""

from dataclasses import replace

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk
from rikigaku.contact import time_stepping

START = np.array([-np.pi / 6, -np.pi / 3, -np.pi / 3])  # the hand is on the floor at y = 1 m, at rest
FLOOR = [rk.Contact("hand", rk.Plane(), friction=0.2, bilateral=True)]
CASES = {
    "i": ({}, [-3.0, -3.0, -3.0], "tau = -3 N m"),
    "ii": ({}, ["3*sin(2*pi*t/10)"] * 3, "tau = 3 sin(2 pi t/10)"),
    "iii": ({}, ["-3*cos(2*pi*t)", "-3*sin(2*pi*t)", "3*cos(2*pi*t)"], "tau = 3 (-cos, -sin, cos) 2 pi t"),
    "iv": ({"m1": 2, "m2": 2, "m3": 2}, None, "double mass"),
    "v": ({"m1": 0.5, "m2": 0.5, "m3": 0.5}, None, "half mass"),
    "vi": ({"D": 6}, None, "double damping"),
    "vii": ({"D": 1.5}, None, "half damping"),
}

arm = rk.load("planar_3r")
figure, axes = plt.subplots(3, len(CASES), figsize=(18, 6.5), sharex=True)
motions = {}
for column, (name, (values, torque, label)) in zip(axes.T, CASES.items(), strict=True):
    symbols = [replace(s, value=rk.Formula.of(values.get(s.name, s.value))) for s in arm.symbols]
    robot = replace(arm, symbols=tuple(symbols))  # other values of the same symbols: compiled once
    motion = rk.simulate(robot, START, torque=torque, duration=10, contacts=FLOOR, output=0.01)
    height = robot.pose(motion.q, "hand")[:, 2, 3]
    f_n = motion.forces["forces"][:, 3]
    print(
        f"({name}) {label}: {len(motion.events)} events, hand within {np.abs(height).max():.0e} m of the "
        f"floor, f_n at the end {f_n[-1]:.6f} N"
    )
    assert motion.done
    assert np.abs(height).max() < 1e-12
    motions[name] = motion
    column[0].plot(motion.t, 1e15 * height, linewidth=0.8)
    column[1].plot(motion.t, motion.q, linewidth=1)
    if name in ("iii", "vi"):
        steps = time_stepping(robot, START, torque=torque, duration=5, step=0.01, contacts=FLOOR)
        off = np.abs(steps.q - motion.at(steps.t).q).max()
        print(f"    steps of 0.01 s stay within {off:.4f} rad")
        assert off < 0.02
        column[1].plot(steps.t[::50], steps.q[::50], "k.", markersize=2)
    column[2].plot(motion.t, f_n, linewidth=1)
    for event in motion.events:
        for ax in column:
            ax.axvline(event.t, color="0.85", linewidth=0.6, zorder=0)
    column[0].set_title(f"({name}) {label}", fontsize=8)
    column[2].set_xlabel("t [s]")
LABELS = ("height of the hand [1e-15 m]", "joint angles [rad]", "f_n [N]")
for ax, label in zip(axes[:, 0], LABELS, strict=True):
    ax.set_ylabel(label)
figure.tight_layout()
figure.savefig("constrained_arm.png", dpi=90)

alike = np.abs(motions["iv"].q - motions["vii"].q).max(), np.abs(motions["v"].q - motions["vi"].q).max()
ratio = motions["iv"].forces["forces"][-1, 3] / motions["vii"].forces["forces"][-1, 3]
print(
    f"(iv) moves as (vii) to {alike[0]:.0e} rad, (v) as (vi) to {alike[1]:.0e}; forces in ratio {ratio:.9f}"
)
assert max(alike) < 1e-7
