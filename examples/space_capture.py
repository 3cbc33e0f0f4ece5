"""A six-joint arm on a satellite catches a tumbling target: approach, contact, the two as one.

The hand approaches the grip on a line that moves with the target and grasps it some millimetres early, so
that the contact is a small impact. Then the joints are braked, and the momentum of the target passes to the
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

# State of the tumbling target at the meeting point; its motion backward in time gives the initial state.
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
assert caught.energy_loss >= 0
print(f"contact at {np.linalg.norm(caught.relative_twist[:3]) * 1000:.1f} mm/s")
impulse = np.linalg.norm(caught.impulse[:3])
print(f"impulse on the hand {impulse:.2f} N s, {caught.energy_loss * 1000:.1f} mJ lost")
print(f"momentum of both kept to {np.abs(after - before).max():.0e}")

# -- joined robot, joints braked --------------------------------------------------------------------
brake = np.array([400.0, 400.0, 300.0, 80.0, 80.0, 40.0])
held = space.floating_motion(joined, caught.q, caught.v, 60.0, lambda t, q, v: -brake * v[6:], tolerance=1e-9)
drift = np.abs(held.momentum - held.momentum[0]).max()
audit = np.abs(held.energy - held.energy[0] - held.work).max() / held.energy.max()
assert drift < 1e-10
assert audit < 1e-9
assert np.abs(held.v[-1, 6:]).max() < 1e-2 * np.abs(held.v[0, 6:]).max() + 1e-4
print(f"after capture: momentum kept to {drift:.0e}, energy is work to {audit:.0e}")

# -- pictures ----------------------------------------------------------------------------------------
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
EDGES = [(i, j) for i in range(8) for j in range(i) if np.abs(CORNERS[i] - CORNERS[j]).sum() == 2]
ARM = [*(link.name for link in sat.links[1:]), "hand"]
SIZE = np.abs(sat.pose(sat.neutral(), ARM[0])[:3, 3]).max()  # the arm stands on the satellite's face


def draw_box(ax, pose, half, color):
    """The twelve edges of a box that moves with a pose."""
    corners = half * CORNERS @ pose[:3, :3].T + pose[:3, 3]
    for i, j in EDGES:
        ax.plot(*corners[[i, j]].T, color=color, lw=1)


def draw(ax, q, target_pose, color, label):
    """Satellite, arm and target at an instant."""
    draw_box(ax, sat.pose(q, "satellite"), SIZE, color)
    draw_box(ax, target_pose, 0.35, color)
    points = np.array([sat.pose(q, name)[:3, 3] for name in ARM])
    ax.plot(*points.T, "o-", color=color, ms=3, lw=2, label=label)
    tip, middle = target.pose(space.coordinates_of(target_pose), "grip")[:3, 3], target_pose[:3, 3]
    ax.plot(*np.array([tip, middle]).T, ":", color=color, lw=1.5)


fig = plt.figure(figsize=(9, 8))
ax = fig.add_subplot(projection="3d")
first = target.pose(floating.state(0.0)[0], "target")
draw(ax, q0, first, "tab:blue", "start")
draw(ax, q, target.pose(target_q, "target"), "tab:orange", f"contact, {contact:.1f} s")
draw(ax, held.q[-1], joined.pose(held.q[-1], "target_target"), "k", f"joined, {contact + held.t[-1]:.1f} s")
ax.plot(*run.pose[:, :3, 3].T, "r", lw=1.5, label="path of the hand")
ax.plot(*np.array([floating(x).pose[:3] for x in run.motion.t]).T, "g--", lw=1.5, label="path of the grip")
ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", title="satellite, arm and target", aspect="equal")
ax.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1), zticks=(-1, 0, 1, 2, 3))
ax.view_init(elev=18, azim=-70)
ax.legend(loc="center left", bbox_to_anchor=(-0.22, 0.75))
fig.savefig("space_capture_postures.png", dpi=110)

fig, ((gap, velocities), (spin, attitude)) = plt.subplots(2, 2, figsize=(11, 8))
t, late = run.motion.t, contact + held.t
grips = np.array([floating(x).pose[:3] for x in t])
gap.semilogy(t, np.linalg.norm(run.pose[:, :3, 3] - grips, axis=1), "k", label="hand to grip")
gap.semilogy(t[1:], run.position_error[1:], "r", label="tracking error")
gap.set(xlabel="t [s]", ylabel="distance [m]", title="approach")
gap.legend(loc="center right")
for ax, values, size, names in (
    (velocities, lambda v: v[:, 6:], "velocity [rad/s]", [f"joint {k}" for k in range(1, 7)]),
    (spin, lambda v: np.degrees(v[:, 3:6]), "[deg/s]", ["about x", "about y", "about z"]),
):
    ax.plot(t, values(run.motion.v), label=names)
    ax.set_prop_cycle(None)
    ax.plot(late, values(held.v), "--")
    ax.axvline(contact, color="k", lw=0.8)
    ax.set(xlabel="t [s]", ylabel=size)
    ax.legend(loc="lower right", ncols=2, fontsize="small")
velocities.set_title("joint velocities; contact at the black line")
spin.set_title("angular velocity of the satellite")
base = np.degrees(2 * np.arccos(np.clip(np.concatenate([run.motion.q[:, 3], held.q[:, 3]]), -1, 1)))
attitude.plot(np.concatenate([t, late]), base, "k")
attitude.axvline(contact, color="k", lw=0.8)
attitude.set(xlabel="t [s]", ylabel="[deg]", title="rotation of the satellite from its start")
for ax in (gap, velocities, spin, attitude):
    ax.grid(alpha=0.3)
fig.tight_layout()
fig.savefig("space_capture.png", dpi=110)
