"""Load sharing between six motors around one closed loop: the example of Isobe's paper with its six figures.

A portal frame: grounds 1 m apart, three links of 0.5 m on each side, a passive node with 1 kg in the middle
of the beam. The legs tilt by 30 degrees, the beam stays level. Torques for 10 s and 1 s, for a sharing of
1:1 and 4:1, and with the passive node at the right corner. Writes fem_closed_loop.png.
"""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk
from rikigaku.trajectory import cubic

LENGTH, MASS, LOAD, TILT, G = 0.5, 1.0, 1.0, np.radians(30), 9.81


def link(k: int, parent: str, xyz: tuple[float, float, float]) -> rk.Link:
    """A thin rod along z on a hinge about y: clockwise is positive, with x to the right and z up."""
    across = MASS * LENGTH**2 / 12
    inertia = rk.Inertia("com", MASS, (0, 0, LENGTH / 2), (across, 0, 0, across, 0, 0))
    return rk.Link(f"link{k}", parent, rk.Joint(f"joint{k}", axis=(0, 1, 0)), rk.Placement(xyz), inertia)


def portal(left: int) -> rk.Robot:
    """The frame with its passive node at the end of link number `left`, counted from the left ground."""
    up = (0, 0, LENGTH)
    links = [
        link(k, f"link{k - 1}" if k > 1 else "base", up if k > 1 else (0, 0, 0)) for k in range(1, left + 1)
    ]
    links += [
        link(k, f"link{k + 1}" if k < 6 else "base", up if k < 6 else (1, 0, 0)) for k in range(6, left, -1)
    ]
    end = rk.Placement(up, (rk.Formula.of("-pi/2"), 0, 0))
    node = rk.Loop("node", "revolute", rk.LoopEnd(f"link{left}", end), rk.LoopEnd(f"link{left + 1}", end))
    return rk.Robot("portal", tuple(links), loops=(node,))


def configuration(robot: rk.Robot, tilt: float) -> list[float]:
    """Joint angles: legs tilted, beam level."""
    angle = {1: tilt, 2: tilt, 3: np.pi / 2, 4: -np.pi / 2, 5: tilt, 6: tilt}
    if robot.link("link4").parent == "link3":
        angle[4] = np.pi / 2
    named = {f"link{k}": x for k, x in angle.items()}
    return [named[link.name] - named.get(link.parent, 0.0) for link in robot.links]


def torques(left: int, duration: float, part: float):
    """Inverse dynamics of the tilting motion."""
    robot = portal(left)
    path = cubic(configuration(robot, 0.0), configuration(robot, TILT), duration)
    return robot.fem(masses={"node": LOAD}).inverse_dynamics(path, sharing=part)


def statics(part: float, tilt: float) -> list[float]:
    """Torques of joints 1 to 3 at rest, closed form."""
    corner = -G * (LENGTH * MASS / 2 + LENGTH * part * LOAD)
    knee = corner - G * np.sin(tilt) * (LENGTH * MASS / 2 + LENGTH * (MASS + part * LOAD))
    return [knee - G * np.sin(tilt) * (LENGTH * MASS / 2 + LENGTH * (2 * MASS + part * LOAD)), knee, corner]


cases = [(left, T, part) for left, part in ((3, 0.5), (3, 0.8), (4, 0.5)) for T in (10.0, 1.0)]
figure, axes = plt.subplots(3, 2, figsize=(10, 10), layout="constrained", sharey=True)
for ax, (left, T, part) in zip(axes.flat, cases, strict=True):
    found = torques(left, T, part)
    found.plot(ax, joints=[f"joint{k}" for k in range(1, 7)])
    where = "middle" if left == 3 else "right corner"
    ax.set_title(f"{T:g} s, sharing {part / (1 - part):.0f}:1, passive node: {where}", fontsize=10)
    if T == 10.0 and left == 3:  # slow: nearly static at both ends
        ends = [[found.torque(f"joint{k}")[i] for k in (1, 2, 3)] for i in (0, -1)]
        gap = max(
            np.abs(np.subtract(e, statics(part, x))).max() for e, x in zip(ends, (0.0, TILT), strict=True)
        )
        assert gap < 0.15, gap
        last = ends[1][0]
        print(f"sharing {part}: within {gap:.2f} N m of statics in 10 s; joint1 ends at {last:.3f} N m")
figure.savefig("fem_closed_loop.png", dpi=110)

slow, fast = torques(3, 10.0, 0.5), torques(3, 1.0, 0.5)
largest = [np.abs(found.torques).max() for found in (slow, fast)]
print(f"largest torque: {largest[0]:.2f} N m in 10 s, {largest[1]:.2f} N m in 1 s")
least = portal(3).fem(masses={"node": LOAD}).inverse_dynamics(slow.motion, sharing="least_norm")
squares = [(found.torques[-1] ** 2).sum() for found in (slow, least)]
print(f"sum of squared torques at the end: 1:1 {squares[0]:.1f}, least norm {squares[1]:.1f}")
print("curves written to fem_closed_loop.png")
