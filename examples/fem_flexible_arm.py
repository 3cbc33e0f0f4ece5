"""When is an arm no longer rigid? An aluminium arm: vibration, sag, and torques that keep its hand on a path.

Writes fem_flexible_arm.png.
"""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk
from rikigaku.model.beam_section import section
from rikigaku.trajectory import septic

L = 1.0


def arm(diameter: float) -> rk.Robot:
    """A solid aluminium rod of 1 m on a motor at the ground, without its gripper of 0.2 kg (masses=...)."""
    rod = section(rod=diameter, material="aluminium")
    m = rod.area * rod.material.density * L
    inertia = rk.Inertia(
        "com", m, (L / 2, 0, 0), (m * diameter**2 / 8, 0, 0, m * L**2 / 12, 0, m * L**2 / 12)
    )
    link = rk.Link("rod", "base", rk.Joint("shoulder", axis=(0, 1, 0)), rk.Placement(), inertia, rod)
    return rk.Robot("arm", (link,), (rk.Frame("hand", "rod", rk.Placement((L, 0, 0))),))


figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for diameter in (0.008, 0.012, 0.03):
    elastic = arm(diameter).fem(masses={"hand": 0.2}).elastic(elements=4, damping=(0.0, 2e-4))
    first = elastic.modes().frequencies[0]
    sag = -elastic.deflection([0.0]).at("hand")[2]
    found = elastic.inverse_dynamics(septic([0.0], [-1.0], 0.8), "hand", step=1e-2)
    lead = np.degrees(np.abs(found.q - found.rigid_q).max())
    name = f"{1000 * diameter:.0f} mm"
    print(f"{name}: {first:.2f} Hz, sags {1000 * sag:.1f} mm, the joint leads by up to {lead:.2f} degrees")
    left.plot(found.t, np.degrees(found.q - found.rigid_q)[:, 0], label=name)
    if diameter == 0.008:
        found.plot(right, frame="hand")
left.set(
    xlabel="time [s]",
    ylabel="joint angle, difference to a rigid arm [degrees]",
    title="the hand tracks its path exactly",
)
left.legend(frameon=False)
figure.savefig("fem_flexible_arm.png", dpi=110)
print("joint angles and shapes written to fem_flexible_arm.png")
