"""A block on an incline of 20 degrees: with mu = 0.6 it does not creep, with mu = 0.2 it slides."""

import numpy as np

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Plane

inertia = rk.Inertia("com", 2, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
link = rk.Link("block", "base", rk.Joint("flat", "planar", (1, 0, 0)), rk.Placement(), inertia)
corners = tuple(
    rk.Frame(name, "block", rk.Placement(xyz=(0, y, -0.05))) for name, y in (("left", -0.1), ("right", 0.1))
)
robot = rk.Robot("block", (link,), corners)
angle = np.radians(20)
incline = Plane((0, -np.sin(angle), np.cos(angle)))

for mu in (0.6, 0.2):
    system = ContactSystem(robot, [Contact(name, incline, mu) for name in ("left", "right")])
    q = system.placed([0, 0.06, angle], ["left", "right"])
    solution = rk.simulate(robot, q, duration=2.0, contacts=system)
    moved = np.linalg.norm(solution.q[-1, :2] - q[:2])
    expected = max(0.0, 0.5 * 9.81 * (np.sin(angle) - mu * np.cos(angle)) * 2.0**2)
    print(f"mu = {mu}: moved {moved:.9f} m in 2 s, closed form {expected:.9f} m")
    assert abs(moved - expected) < 1e-8
