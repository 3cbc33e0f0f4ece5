"""Pictures of all configurations of an arm at a pose, and of the self-motion of another."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import rikigaku as rk
from rikigaku.plotting import plot


def branches(file: Path) -> int:
    """The configurations of a UR5 at one pose: one as it is, the others as ghosts."""
    arm = rk.load("ur5")
    q = np.array([0.4, -1.1, 1.3, -0.7, 1.2, 0.5])
    found = arm.inverse_kinematics(arm.pose(q, "hand"), "hand", q0=q, all=True, limits=False)
    figure = Figure(figsize=(6.4, 5.2))
    ax = figure.add_axes((0, 0, 1, 0.92), projection="3d")
    plot(arm, q, ax, frames=False, masses=False, legend=False)
    links = [link.name for link in arm.links]
    for x in found:
        points = np.array([np.zeros(3), *(arm.pose(x, name)[:3, 3] for name in (*links, "hand"))])
        ax.plot(*points.T, color="#d1495b", alpha=0.45, linewidth=3, solid_capstyle="round")
    figure.suptitle(f"UR5: {len(found)} configurations at one pose", fontsize=11, y=0.98)
    figure.savefig(file, dpi=110)
    return len(found)


def self_motion(file: Path) -> int:
    """Joints of an iiwa over its arm angle; parts beyond the joint limits are thin."""
    arm = rk.load("iiwa14")
    q = np.array([0.3, 0.7, -0.2, -1.4, 0.4, 0.9, 0.1])
    motion = arm.self_motion(arm.pose(q, "hand"), "hand")
    figure = Figure(figsize=(7.2, 4.4))
    ax = figure.add_axes((0.1, 0.13, 0.72, 0.78))
    curve = min(motion.curves, key=lambda c: np.linalg.norm(np.exp(1j * c.q) - np.exp(1j * q), axis=1).min())
    x = np.degrees(np.angle(np.exp(1j * curve.parameter)))
    order = np.argsort(x)
    for k, joint in enumerate(arm.joints):
        y = np.degrees(np.angle(np.exp(1j * curve.q[:, k])))[order]
        y[1:][np.abs(np.diff(y)) > 180] = np.nan
        (line,) = ax.plot(x[order], y, linewidth=0.7)
        inside = np.where(curve.inside[order], y, np.nan)
        ax.plot(x[order], inside, color=line.get_color(), linewidth=2.4, label=joint.name)
    ax.set_xlabel("arm angle [degrees]")
    ax.set_ylabel("joint [degrees]")
    ax.set_title(f"iiwa: one of {len(motion)} curves of self-motion; thick: within the limits", fontsize=10)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8, frameon=False)
    ax.grid(alpha=0.3)
    figure.savefig(file, dpi=110)
    return len(motion)


def main(folder: Path) -> None:
    count = branches(folder / "inverse_kinematics_branches.png")
    curves = self_motion(folder / "self_motion.png")
    print(f"{count} configurations of the UR5, {curves} curves of the iiwa")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("."))
