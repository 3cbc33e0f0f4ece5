"""A six-joint arm on a satellite catches a tumbling target: approach, contact, the two as one.

The hand goes to the grip on a line that moves with the target and takes hold a few millimetres early, still
closing in: the contact is a small blow. Then the joints are braked, and what the target brought goes to the
satellite.
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk
from rikigaku import space

sat, target = rk.load("space_arm_6"), rk.load("space_target")
q0 = sat.neutral()
q0[7:] = [0.2, 0.5, -0.3, 0.3, 0.9, 0.1]
hand = sat.pose(q0, "hand")

# Where the target is to be met, tumbling; the same motion run backward says where it comes from.
duration = 30.0
meeting = hand.copy()
meeting[:3, 3] += [0.35, 0.25, 0.15]
grip = target.pose(target.neutral(), "grip")
body = meeting @ np.linalg.inv(grip)
q_met = space.coordinates_of(body)
v_met = np.array([0.004, -0.003, 0.002, 0.02, -0.03, 0.04])
back = space.floating_motion(target, q_met, -v_met, duration)
floating = space.MovingFrame(target, back.q[-1], -back.v[-1], "grip", duration)

# -- approach --------------------------------------------------------------------------------------
approach = space.Approach.start(hand, floating, duration)
contact = 0.85 * duration
run = space.follow(sat, q0, approach, "hand", contact, gains=(4.0, 4.0), times=np.linspace(0, contact, 241))
assert run.status == "ok", run.status
q, v = run.motion.q[-1], run.motion.v[-1]
target_q, target_v = floating.state(contact)
before = sat.momentum(q, v, about="world") + target.momentum(target_q, target_v, about="world")

# -- contact ---------------------------------------------------------------------------------------
caught = space.capture(sat, q, v, "hand", target, target_q, target_v, "grip")
joined = caught.robot
after = joined.momentum(caught.q, caught.v, about="world")
assert np.abs(after - before).max() < 1e-9
assert caught.lost >= 0
print(f"contact at {np.linalg.norm(caught.slip[:3]) * 1000:.1f} mm/s")
print(f"impulse on the hand {np.linalg.norm(caught.impulse[:3]):.2f} N s, {caught.lost * 1000:.1f} mJ lost")
print(f"momentum of both kept to {np.abs(after - before).max():.0e}")

# -- the two as one: joints braked -------------------------------------------------------------------
brake = np.array([400.0, 400.0, 300.0, 80.0, 80.0, 40.0])
held = space.floating_motion(joined, caught.q, caught.v, 60.0, lambda t, q, v: -brake * v[6:], tolerance=1e-9)
drift = np.abs(held.momentum - held.momentum[0]).max()
audit = np.abs(held.energy - held.energy[0] - held.work).max() / held.energy.max()
assert drift < 1e-10
assert audit < 1e-9
assert np.abs(held.v[-1, 6:]).max() < 1e-2 * np.abs(held.v[0, 6:]).max() + 1e-4
print(f"after capture: momentum kept to {drift:.0e}, energy is work to {audit:.0e}")

# -- pictures ----------------------------------------------------------------------------------------
fig, ((gap, rates), (turning, attitude)) = plt.subplots(2, 2, figsize=(11, 8))
t = run.motion.t
grips = np.array([floating(x).pose[:3] for x in t])
gap.semilogy(t, np.linalg.norm(run.hand[:, :3, 3] - grips, axis=1), "k", label="hand to grip")
gap.semilogy(t[1:], run.error[1:], "r", label="hand off its line")
gap.set(xlabel="t [s]", ylabel="[m]", title="approach")
gap.legend()
late = contact + held.t
rates.plot(t, run.motion.v[:, 6:])
rates.set_prop_cycle(None)
rates.plot(late, held.v[:, 6:], "--")
rates.axvline(contact, color="k", lw=0.8)
rates.set(xlabel="t [s]", ylabel="[rad/s]", title="joint rates; contact at the black line")
turning.plot(t, np.degrees(run.motion.v[:, 3:6]))
turning.set_prop_cycle(None)
turning.plot(late, np.degrees(held.v[:, 3:6]), "--")
turning.axvline(contact, color="k", lw=0.8)
turning.set(xlabel="t [s]", ylabel="[deg/s]", title="angular velocity of the satellite")
base = np.degrees(2 * np.arccos(np.clip(np.concatenate([run.motion.q[:, 3], held.q[:, 3]]), -1, 1)))
attitude.plot(np.concatenate([t, late]), base, "k")
attitude.axvline(contact, color="k", lw=0.8)
attitude.set(xlabel="t [s]", ylabel="[deg]", title="turn of the satellite from where it was")
for ax in (gap, rates, turning, attitude):
    ax.grid(alpha=0.3)
fig.tight_layout()
fig.savefig("space_capture.png", dpi=110)
joined.plot(held.q[-1])
plt.savefig("space_capture_joined.png", dpi=110)
