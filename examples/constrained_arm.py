"""A three-link arm whose hand slides and sticks on a floor: seven motions of the extended Newton-Euler paper.

Nishiguchi, Lee, Minami, Yanou plot the height of the hand and the joint angles for 10 s. Here the normal
force is plotted too, events are located, and friction is set-valued at rest. Writes constrained_arm.png; its
dots are fixed steps of 0.01 s, as in the paper, by a stable method ("time_stepping").
"""

from dataclasses import replace

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk

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
figure, axes = plt.subplots(len(CASES), 3, figsize=(10, 13), sharex=True)
solutions = {}
for row, (name, (values, torque, label)) in zip(axes, CASES.items(), strict=True):
    symbols = [replace(s, value=rk.Formula.of(values.get(s.name, s.value))) for s in arm.symbols]
    robot = replace(arm, symbols=tuple(symbols))  # other values of the same symbols: compiled once
    solution = rk.simulate(robot, START, torque=torque, duration=10, contacts=FLOOR, output=0.01)
    height = robot.pose(solution.q, "hand")[:, 2, 3]
    f_n = solution.forces["forces"][:, 3]
    print(
        f"({name}) {label}: {len(solution.events)} events, hand within {np.abs(height).max():.0e} m of the "
        f"floor, f_n at the end {f_n[-1]:.6f} N"
    )
    assert solution.done
    assert np.abs(height).max() < 1e-12
    solutions[name] = solution
    row[0].plot(solution.t, 1e15 * height, linewidth=0.8)
    row[1].plot(solution.t, solution.q, linewidth=1)
    if name in ("iii", "vi"):
        steps = rk.simulate(
            robot, START, torque=torque, duration=5, contacts=FLOOR, method="time_stepping", step=0.01
        )
        off = np.abs(steps.q - solution.at(steps.t).q).max()
        print(f"    steps of 0.01 s stay within {off:.4f} rad")
        assert off < 0.02
        row[1].plot(steps.t[::50], steps.q[::50], "k.", markersize=2)
    row[2].plot(solution.t, f_n, linewidth=1)
    for event in solution.events:
        for ax in row:
            ax.axvline(event.t, color="0.85", linewidth=0.6, zorder=0)
    row[1].set_title(f"({name}) {label}", fontsize=9)
LABELS = ("height of the hand [1e-15 m]", "joint angles [rad]", "f_n [N]")
for top, bottom, label in zip(axes[0], axes[-1], LABELS, strict=True):
    top.annotate(label, (0.5, 1.25), xycoords="axes fraction", ha="center")
    bottom.set_xlabel("t [s]")
figure.tight_layout()
figure.savefig("constrained_arm.png", dpi=90)

alike = (
    np.abs(solutions["iv"].q - solutions["vii"].q).max(),
    np.abs(solutions["v"].q - solutions["vi"].q).max(),
)
ratio = solutions["iv"].forces["forces"][-1, 3] / solutions["vii"].forces["forces"][-1, 3]
print(f"(iv) and (vii) differ by {alike[0]:.0e} rad, (v) and (vi) by {alike[1]:.0e}; force ratio {ratio:.9f}")
assert max(alike) < 1e-7
