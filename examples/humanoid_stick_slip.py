"""A humanoid of 17 links whose foot sticks, slips, reverses and sticks again: figures 3-6 and 8-10 of the paper.

Li, Izawa, Minami, Matsuno, Yanou (Okayama University), A humanoid dynamic model with nonlinear friction between foot
and ground. No torques and no friction in the joints; the flat foot may slide and lift.

    python humanoid_stick_slip.py [folder]     writes humanoid_stick_slip.png and humanoid_postures.png there
"""  # noqa: E501

import sys
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np

import rikigaku as rk

matplotlib.use("Agg")
from matplotlib import pyplot as plt

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
STATIC, KINETIC, DURATION = 0.21, 0.15, 0.34

whole = rk.load("humanoid_feet").lock("q1")  # the foot stays flat
limp = [replace(link, joint=replace(link.joint, viscous=rk.Formula.of(0))) for link in whole.links]
robot = replace(whole, links=tuple(limp))

start = {  # degrees, rad/s
    "q2": (15, 2), "q3": (5, -7), "q4": (-20, 5), "q5": (25, 6), "q6": (-105, -9), "q7": (80, 3),
    "q8": (-15, -2), "q11": (-25, 3), "q14": (5, 9),
}  # fmt: skip
q, v = robot.neutral(), np.zeros(robot.nv)
for name, (angle, rate) in start.items():
    q[robot.q_slices[name]], v[robot.v_slices[name]] = np.radians(angle), rate

floor = rk.Contact("sole", rk.Plane(), rk.Friction(KINETIC, static=STATIC))
solution = rk.simulate(robot, q, v, duration=DURATION, contacts=[floor], rtol=1e-12, atol=1e-14)

print(solution.status, solution.statistics)
for event in solution.events:
    print(f"  t = {event.t:.9f} s: {event.name}")
audit = solution.energy_audit()
print(f"energy and dissipated work are constant to {audit.relative:.1e} of the largest kinetic energy")
assert audit.relative < 1e-11

forces = solution.forces["forces"]  # on the robot, world axes, then along the normal
f_y, f_n = forces[:, 1], forces[:, 3]
for k in np.flatnonzero(np.diff(solution.mode_index)):
    print(
        f"  t = {solution.t[k]:.4f} s: f_y {f_y[k]:7.2f} -> {f_y[k + 1]:7.2f} N, "
        f"f_n {f_n[k]:7.2f} -> {f_n[k + 1]:7.2f} N"
    )
# Where sliding reverses or stops, friction jumps. The links couple friction to the normal force, so f_n
# jumps, too. Forces are continuous only where slip begins, if the static and kinetic coefficients are equal.

figure, axes = plt.subplots(3, 2, figsize=(11, 9), sharex=True)
t = solution.t
energy, kinetic, potential = solution.energy, solution.kinetic_energy, solution.potential_energy
curves = (
    ("energy [J]", {"kinetic": kinetic, "potential": potential, "with heat": energy + solution.dissipated}),
    ("dissipated work [J]", {"∫ μ f_n |ẏ| dt": solution.dissipated, "energy lost": energy[0] - energy}),
    ("slip speed [m/s]", {"ẏ₀": solution.v[:, 0]}),
    ("position of the foot [m]", {"y₀": solution.q[:, 0]}),
    ("normal force [N]", {"f_n": f_n}),
    ("friction [N]", {"f_y": f_y, "+μ_k f_n": KINETIC * f_n, "-μ_k f_n": -KINETIC * f_n}),
)  # fmt: skip
for ax, (label, lines) in zip(axes.ravel(), curves, strict=True):
    for (name, y), style in zip(lines.items(), ("-", "--", ":", "-."), strict=False):
        ax.plot(t, y, style, label=name, linewidth=1.3)
    for event in solution.events:
        ax.axvline(event.t, color="0.8", linewidth=0.8, zorder=0)
    ax.set_ylabel(label)
    ax.legend(fontsize="small")
for ax in axes[-1]:
    ax.set_xlabel("time [s]")
figure.tight_layout()
figure.savefig(folder / "humanoid_stick_slip.png", dpi=110)

ax = solution.configurations(8, plane="yz", apart=0.7)
ax.axhline(0, color="0.4", linewidth=1)
ax.figure.tight_layout()
ax.figure.savefig(folder / "humanoid_postures.png", dpi=110)
