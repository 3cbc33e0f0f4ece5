"""Two arms and three reaction wheels on one satellite: one hand works, the rest holds the satellite still.

The left hand goes along a line. Alone, its arm turns the satellite. With the wheels, and better with the
right arm too, the joints have motions to spare: they move the hand and do not turn the base. All three ways
are integrated on the manifold; momentum stays zero in each.
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
    if len(used) > 6:
        J = np.vstack(
            [J, sat.coupling_inertia(q)[:, used]]
        )  # no momentum from the joints: the base keeps still
        asked = np.concatenate([asked, np.zeros(3)])
    found = np.zeros(15)
    found[used] = SCALE[used] * np.linalg.lstsq(J * SCALE[used], asked, rcond=None)[0]
    return found


def motion(used: list[int], steps: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, q and v of the way along the line: the velocity of its middle over each step."""
    h = line.duration / steps
    t, q, kept = 0.0, q0, []
    for k in range(steps + 1):
        v = sat.floating_velocity(q, rates(t, q, used), ZERO)
        kept.append((t, q, v))
        half = sat.integrate(q, h / 2 * v)
        middle = sat.floating_velocity(half, rates(t + h / 2, half, used), ZERO)
        q, t = sat.integrate(q, h * middle), (k + 1) * h
    return tuple(np.array(x) for x in zip(*kept, strict=True))


ways = {
    "left arm alone": [*range(3, 9)],
    "with the wheels": [*range(9)],
    "with wheels and right arm": [*range(15)],
}
fig, (turn, spin, torque) = plt.subplots(1, 3, figsize=(14, 4.2))
turned, spun = {}, {}
for name, used in ways.items():
    t, q, v = motion(used)
    assert np.abs(sat.momentum(q, v)).max() < 1e-9
    off = np.linalg.norm(sat.pose(q[-1], "left_hand")[:3, 3] - line(line.duration).pose[:3])
    assert off < 1e-3, off
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
turn.set(xlabel="t [s]", ylabel="[deg]", title="turn of the satellite")
spin.set(xlabel="t [s]", ylabel="[rad/s]", title="speed of the wheels")
torque.set(xlabel="t [s]", ylabel="[N m]", title="torques of the left arm, length of the vector")
for ax in (turn, spin, torque):
    ax.grid(alpha=0.3)
    ax.legend()
fig.tight_layout()
fig.savefig("space_two_arms.png", dpi=110)
