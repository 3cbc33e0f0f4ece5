"""Two arms and three reaction wheels on one satellite: one hand works, the rest holds the satellite still.

The left hand goes along a line. Alone, its arm rotates the satellite. With the wheels, and better with the
right arm too, the robot is redundant: the joints move the hand and do not rotate the base. The joints move
with prescribed velocities (resolved motion rate control); momentum determines the motion of the satellite.
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk
from rikigaku import space

sat = rk.load("space_dual_arm")
q0 = sat.neutral()
left = slice(3, 9)  # among the 15 coordinates on the base: three wheels, left arm, right arm
q0[7 + 3 : 7 + 9] = [0.4, 0.3, -0.4, 0.2, 1.0, 0.0]
q0[7 + 9 : 7 + 15] = [-0.4, 0.3, -0.4, 0.2, 1.0, 0.0]
start = sat.pose(q0, "left_hand")
line = space.line(start, start[:3, 3] + [0.3, 0.2, -0.5], velocity=0.1, acceleration=0.05)
ZERO, SCALE = np.zeros(6), np.array([100.0] * 3 + [1.0] * 12)


def velocity(t: float, q: np.ndarray, used: list[int]) -> np.ndarray:
    """Velocities of the used coordinates for the twist of the hand; redundant ones do not rotate the base.

    The solution of minimum norm, where 100 rad/s of a wheel count as 1 rad/s of a joint.
    """
    J = sat.space.generalized_jacobian(q, "left_hand")[:, used]
    desired = line(t)
    error = np.concatenate([desired.pose[:3] - sat.pose(q, "left_hand")[:3, 3], np.zeros(3)])
    twist = desired.twist + 2.0 * error
    if len(used) > 6:  # no angular momentum from the joints: the satellite does not rotate
        J = np.vstack([J, sat.space.coupling_inertia(q)[:, used]])
        twist = np.concatenate([twist, np.zeros(3)])
    found = np.zeros(15)
    found[used] = SCALE[used] * np.linalg.lstsq(J * SCALE[used], twist, rcond=None)[0]
    return found


strategies = {
    "left arm alone": [*range(3, 9)],
    "with the wheels": [*range(9)],
    "with wheels and right arm": [*range(15)],
}
times = np.linspace(0, line.duration, 201)
fig, ((drawn, attitude), (spin, torque)) = plt.subplots(2, 2, figsize=(11, 8.5))
turned, spun = {}, {}
for name, used in strategies.items():
    run = space.prescribed_motion(
        sat,
        q0,
        lambda t, q, used=used: velocity(t, q, used),
        line.duration,
        times=times,
        tolerance=1e-8,
        breaks=line.breaks,
    )
    assert run.status == "ok", run.status
    t, q, v = run.t, run.q, run.v
    assert np.abs(sat.momentum(q, v)).max() < 1e-9
    off = np.linalg.norm(sat.pose(q[-1], "left_hand")[:3, 3] - line(line.duration).pose[:3])
    assert off < 1e-6, off
    angle = np.degrees(2 * np.linalg.norm(q[:, 4:7], axis=1))
    wheels = np.linalg.norm(v[:, 6:9], axis=1)
    turned[name], spun[name] = angle.max(), wheels.max()
    print(f"{name}: base rotates by {angle.max():.1e} degrees, wheels up to {wheels.max():.1f} rad/s")
    attitude.plot(t, angle, label=name)
    spin.plot(t, wheels, label=name)
    tau = sat.space.floating_inverse_dynamics(q, v, np.gradient(v[:, 6:], t, axis=0))
    torque.plot(t, np.linalg.norm(tau[:, left], axis=1), label=name)
assert turned["left arm alone"] > 1
assert turned["with the wheels"] < 1e-3
assert turned["with wheels and right arm"] < 1e-3
assert spun["with wheels and right arm"] < spun["with the wheels"]
for moment, color in ((0, "0.7"), (-1, "k")):  # of the last strategy: wheels and right arm
    found = dict(zip(sat.frame_names, sat.poses(q[moment]), strict=True))
    for side in ("left", "right"):
        names = [link.name for link in sat.links if link.name.startswith(side)]
        points = np.array([found[name][:3, 3] for name in (*names, f"{side}_hand")])
        drawn.plot(points[:, 1], points[:, 2], "o-", color=color, ms=3, lw=2)
path = sat.pose(q, "left_hand")[:, :3, 3]
drawn.plot(path[:, 1], path[:, 2], "r", lw=1.5, label="path of the left hand")
drawn.set(aspect="equal", xlabel="y [m]", ylabel="z [m]", title="both arms, first (grey) and last (black)")
drawn.legend(loc="center")
attitude.set(xlabel="t [s]", ylabel="[deg]", title="rotation of the satellite")
spin.set(xlabel="t [s]", ylabel="[rad/s]", title="speed of the wheels")
torque.set(xlabel="t [s]", ylabel="[N m]", title="torques of the left arm, length of the vector")
for ax in (attitude, spin, torque):
    ax.grid(alpha=0.3)
spin.set_ylim(top=85)  # room above the curves
for ax, place in ((attitude, "upper left"), (spin, "upper right"), (torque, "center")):
    ax.legend(loc=place, fontsize="small")
fig.tight_layout()
fig.savefig("space_two_arms.png", dpi=110)
