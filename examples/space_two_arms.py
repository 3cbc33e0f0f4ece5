"""Two arms and three reaction wheels on one satellite: one hand works, the rest holds the satellite still.

The left hand goes along a line. Alone, its arm turns the satellite. With the wheels, and better with the
right arm too, the joints have motions to spare: they move the hand and do not turn the base. The joints move
with these rates (resolved motion rate control), the satellite as momentum makes it.
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


def rates(t: float, q: np.ndarray, used: list[int]) -> np.ndarray:
    """Rates of the coordinates used that give the hand its twist and, if they can, turn no base.

    Of all such rates the least, where 100 rad/s of a wheel count as 1 rad/s of a joint.
    """
    J = sat.generalized_jacobian(q, "left_hand")[:, used]
    wanted = line(t)
    error = np.concatenate([wanted.pose[:3] - sat.pose(q, "left_hand")[:3, 3], np.zeros(3)])
    asked = wanted.twist + 2.0 * error
    if len(used) > 6:  # no angular momentum from the joints: the satellite does not turn
        J = np.vstack([J, sat.coupling_inertia(q)[:, used]])
        asked = np.concatenate([asked, np.zeros(3)])
    found = np.zeros(15)
    found[used] = SCALE[used] * np.linalg.lstsq(J * SCALE[used], asked, rcond=None)[0]
    return found


ways = {
    "left arm alone": [*range(3, 9)],
    "with the wheels": [*range(9)],
    "with wheels and right arm": [*range(15)],
}
times = np.linspace(0, line.duration, 201)
fig, ((drawn, turn), (spin, torque)) = plt.subplots(2, 2, figsize=(11, 8.5))
turned, spun = {}, {}
for name, used in ways.items():
    run = space.rate_motion(
        sat,
        q0,
        lambda t, q, used=used: rates(t, q, used),
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
    print(f"{name}: the satellite turns by {angle.max():.1e} degrees, wheels up to {wheels.max():.1f} rad/s")
    turn.plot(t, angle, label=name)
    spin.plot(t, wheels, label=name)
    tau = sat.floating_inverse_dynamics(q, v, np.gradient(v[:, 6:], t, axis=0))
    torque.plot(t, np.linalg.norm(tau[:, left], axis=1), label=name)
assert turned["left arm alone"] > 1
assert turned["with the wheels"] < 1e-3
assert turned["with wheels and right arm"] < 1e-3
assert spun["with wheels and right arm"] < spun["with the wheels"]
for moment, color in ((0, "0.7"), (-1, "k")):  # q is that of the last way: wheels and right arm
    found = dict(zip(sat.frame_names, sat.poses(q[moment]), strict=True))
    for side in ("left", "right"):
        names = [link.name for link in sat.links if link.name.startswith(side)]
        points = np.array([found[name][:3, 3] for name in (*names, f"{side}_hand")])
        drawn.plot(points[:, 1], points[:, 2], "o-", color=color, ms=3, lw=2)
path = sat.pose(q, "left_hand")[:, :3, 3]
drawn.plot(path[:, 1], path[:, 2], "r", lw=1.5, label="path of the left hand")
drawn.set(aspect="equal", xlabel="y [m]", ylabel="z [m]", title="both arms, first (grey) and last (black)")
drawn.legend(loc="center")
turn.set(xlabel="t [s]", ylabel="[deg]", title="turn of the satellite")
spin.set(xlabel="t [s]", ylabel="[rad/s]", title="speed of the wheels")
torque.set(xlabel="t [s]", ylabel="[N m]", title="torques of the left arm, length of the vector")
for ax in (turn, spin, torque):
    ax.grid(alpha=0.3)
spin.set_ylim(top=85)  # room above the curves
for ax, place in ((turn, "upper left"), (spin, "upper right"), (torque, "center")):
    ax.legend(loc=place, fontsize="small")
fig.tight_layout()
fig.savefig("space_two_arms.png", dpi=110)
