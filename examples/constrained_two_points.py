"""A five-link arm with two points on the floor at once: the end of link 3 and the hand, with friction.

The paper on the extended Newton-Euler method treats one contact point and leaves several to future work. Here
one point sticks while the other slides, and contact modes change at located events. Writes
constrained_two_points.png.
"""

from dataclasses import replace

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk

arm = rk.load("planar_3r").bind(D=0.3)
last, hand = arm.links[2], arm.frames[0]
more = tuple(
    replace(last, name=f"link{k}", parent=f"link{k - 1}", joint=replace(last.joint, name=f"q{k}"))
    for k in (4, 5)
)
frames = (replace(hand, name="knee", link="link3"), replace(hand, link="link5"))
robot = replace(arm, name="planar_5r", links=(*arm.links, *more), frames=frames)

q0 = np.radians([-30, -60, -60, 120, -120])
contacts = [rk.Contact(point, rk.Plane(), friction=0.2) for point in ("knee", "hand")]
solution = rk.simulate(robot, q0, duration=1.6, contacts=contacts, rtol=1e-10)
for event in solution.events:
    print(f"t = {event.t:.6f} s: {event.name}")
audit = solution.energy_audit()
print(f"error of the energy audit: {audit.relative:.0e} of the largest kinetic energy")
assert solution.done
assert audit.relative < 1e-8
low = min(robot.pose(solution.q, point)[:, 2, 3].min() for point in ("knee", "hand"))
assert low > -1e-12

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
for k, t in enumerate(np.linspace(0, 1.6, 9)):
    q = solution.at(t).q
    joints = [robot.pose(q, f"link{i}")[:3, 3] for i in range(1, 6)] + [robot.pose(q, "hand")[:3, 3]]
    left.plot(*np.array(joints)[:, 1:].T, "o-", color=plt.cm.viridis(k / 8), markersize=3, label=f"{t:.1f} s")
left.axhline(0, color="0.5")
left.set(xlabel="y [m]", ylabel="z [m]", aspect="equal")
left.legend(fontsize=6)
forces = solution.forces["forces"].reshape(-1, 2, 4)
for i, point in enumerate(("knee", "hand")):
    right.plot(solution.t, forces[:, i, 3], label=f"{point}: f_n")
    right.plot(solution.t, forces[:, i, 1], "--", label=f"{point}: friction")
right.set(xlabel="t [s]", ylabel="[N]")
right.legend()
figure.tight_layout()
figure.savefig("constrained_two_points.png", dpi=100)
