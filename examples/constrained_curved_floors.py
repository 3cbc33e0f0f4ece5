"""The hand of the three-link arm on curved ground: waves, a bowl, a cylinder, a formula.

A surface is any formula C(x, y, z, t). Its curvature enters the accelerations; without it f_n would be wrong
on each of these surfaces. There is no joint damping and no friction, so conservation of energy checks the
motion. The hand lifts off and lands; only the hand is in contact, links pass through the ground. Writes
constrained_curved_floors.png.
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk
from rikigaku.numbers.number_kind import FLOATS

arm = rk.load("planar_3r").bind(D=0)
GROUNDS = {
    "waves": rk.HeightField("0.08*sin(9*y)"),
    "bowl": rk.Sphere(0.8, (0, 1, 0.8), inside=True),
    "cylinder": rk.Cylinder(0.6, (1, 0, 0), (0, 1, -0.6)),
    "any formula": rk.Surface("z*(1 + y^2) - 0.1*y^3 + 0.05*cos(6*y)"),
}
figure, axes = plt.subplots(2, len(GROUNDS), figsize=(15, 6))
for column, (name, ground) in zip(axes.T, GROUNDS.items(), strict=True):
    contact = [rk.Contact("hand", ground, friction=0.0)]
    system = rk.ContactSystem(arm, contact)
    q0 = system.placed([-np.pi / 6, -np.pi / 3, -np.pi / 3], ["hand"])
    solution = rk.simulate(arm, q0, duration=1.0, contacts=contact, rtol=1e-11, atol=1e-13, output=0.005)
    r = arm.pose(solution.q, "hand")[:, :3, 3]
    f_n = solution.forces["forces"][:, 3]
    drift = np.abs(solution.energy - solution.energy[0])[
        solution.t < (solution.events[0].t if solution.events else 9)
    ]
    print(
        f"{name}: {solution.status}, {[event.name for event in solution.events]}, energy drift "
        f"{drift.max() / solution.kinetic_energy.max():.0e} before the first event, "
        f"f_n up to {np.nanmax(f_n):.1f} N"
    )
    assert solution.done
    assert drift.max() < 1e-9 * solution.kinetic_energy.max()
    for k in range(0, len(solution.t), 20):
        places = [arm.pose(solution.q[k], f"link{i}")[1:3, 3] for i in (1, 2, 3)] + [r[k, 1:]]
        column[0].plot(*np.array(places).T, "-", color=plt.cm.viridis(k / len(solution.t)), linewidth=0.8)
    column[0].plot(r[:, 1], r[:, 2], "k", linewidth=1.5)
    y, z = np.meshgrid(np.linspace(-1.3, 1.5, 90), np.linspace(-1.2, 0.8, 70))
    C = [ground.formula.evaluate(FLOATS, {"x": 0, "y": a, "z": b, "t": 0}) for a, b in zip(y.flat, z.flat)]  # noqa: B905
    column[0].contour(y, z, np.reshape(C, y.shape), [0.0], colors="tab:red", linewidths=0.8)
    column[0].set(title=name, aspect="equal", xlabel="y [m]")
    column[1].plot(solution.t, f_n)
    column[1].set_xlabel("t [s]")
axes[0, 0].set_ylabel("z [m]")
axes[1, 0].set_ylabel("f_n [N]")
figure.tight_layout()
figure.savefig("constrained_curved_floors.png", dpi=100)
