"""A seven-joint arm polishes a sphere: its hand moves along a circle and presses with 20 N, against friction.

Force along the normal and position along the surface are controlled together (`rk.ForcePosition`, Yoshikawa
1987), and the friction of the tool is compensated. The contact is unilateral and spatial. Writes
constrained_polishing.png.
"""

from itertools import pairwise

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk
from rikigaku.simulation import ForcePosition
from rikigaku.trajectory import in_sequence, quintic

arm = rk.load("panda")
q0 = np.array([0.0, 0.2, 0.0, -2.0, 0.0, 2.2, 0.8])
touch, radius, opening = arm.pose(q0, "hand")[:3, 3], 0.25, 0.35
# the circle lies on the sphere at the angle `opening` from its top; the hand starts on it
center = touch - radius * np.array([np.sin(opening), 0, np.cos(opening)])
contact = rk.Contact("hand", rk.Sphere(radius, center), friction=rk.Friction(0.3, viscous=2.0))


def circle(t, period=2.0):
    """Position, velocity and acceleration on the circle; zero velocity and acceleration at both ends."""
    ease = [t - np.sin(2 * np.pi * t / period) * period / (2 * np.pi)]
    ease += [1 - np.cos(2 * np.pi * t / period), np.sin(2 * np.pi * t / period) * 2 * np.pi / period]
    w, a = 2 * np.pi / period, 2 * np.pi * ease[0] / period
    r = radius * np.sin(opening)
    place = center + np.array([r * np.cos(a), r * np.sin(a), radius * np.cos(opening)])
    velocity = r * w * ease[1] * np.array([-np.sin(a), np.cos(a), 0])
    inward = -r * (w * ease[1]) ** 2 * np.array([np.cos(a), np.sin(a), 0])
    return place, velocity, inward + r * w * ease[2] * np.array([-np.sin(a), np.cos(a), 0])


knots = [circle(t) for t in np.linspace(0, 2, 33)]
pieces = [
    quintic(p0, p1, 2 / 32, v0=v0, v1=v1, a0=a0, a1=a1) for (p0, v0, a0), (p1, v1, a1) in pairwise(knots)
]
control = ForcePosition(arm, contact, in_sequence(*pieces), force=20.0, stiffness=400.0, damping=40.0)
solution = rk.simulate(arm, q0, torque=control, duration=2.0, contacts=[contact], output=0.005)

r = arm.pose(solution.q, "hand")[:, :3, 3]
f = solution.forces["forces"]
turning = (solution.t > 0.05) & (solution.t < 1.95)
path = np.array([circle(t)[0] for t in solution.t])
print(f"{solution.status}; the hand is within {1e3 * np.abs(r - path)[turning].max():.3f} mm of its circle")
print(f"f_n = {f[turning, 3].min():.6f} to {f[turning, 3].max():.6f} N")
error = solution.energy_audit().relative
print(f"friction dissipated {solution.dissipated[-1]:.3f} J; relative energy error {error:.0e}")
assert solution.done
assert np.abs(np.linalg.norm(r - center, axis=1) - radius).max() < 1e-11
assert np.abs(f[turning, 3] - 20).max() < 1e-3
assert np.abs(r - path)[turning].max() < 1e-4

figure = plt.figure(figsize=(12, 4.5))
left = figure.add_subplot(1, 2, 1, projection="3d")
u, w = np.meshgrid(np.linspace(0, 2 * np.pi, 40), np.linspace(0, np.pi / 2, 15))
ball = [np.cos(u) * np.sin(w), np.sin(u) * np.sin(w), np.cos(w)]
left.plot_surface(*(c + radius * x for c, x in zip(center, ball, strict=True)), alpha=0.3, color="tab:blue")
left.plot(*r.T, "k", linewidth=2)
for k in range(0, len(solution.t), 100):
    places = np.array([[0, 0, 0], *(arm.pose(solution.q[k], link.name)[:3, 3] for link in arm.links), r[k]])
    left.plot(*places.T, "o-", markersize=2, linewidth=1)
left.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
left.set_aspect("equal")
right = figure.add_subplot(1, 2, 2)
right.plot(solution.t, f[:, 3], label="f_n")
right.plot(solution.t, np.linalg.norm(f[:, :3] - f[:, 3:] * (r - center) / radius, axis=1), label="friction")
right.set(xlabel="t [s]", ylabel="[N]", ylim=(0, 25))
right.legend()
figure.tight_layout()
figure.savefig("constrained_polishing.png", dpi=100)
