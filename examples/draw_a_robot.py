"""Draws pictures of robots and writes them to the folder given on the command line (or the current one)."""

import sys
from pathlib import Path

import numpy as np

import rikigaku as rk
from rikigaku.model.states import neutral
from rikigaku.plotting import save_plot

STRIDE = {
    "left_hip_pitch": -32,
    "left_knee": 28,
    "left_ankle_pitch": 4,
    "right_hip_pitch": 14,
    "right_knee": 22,
    "right_ankle_pitch": -6,
    "left_shoulder_pitch": 28,
    "right_shoulder_pitch": -24,
    "left_shoulder_roll": 24,
    "right_shoulder_roll": -24,
    "left_elbow": -18,
    "right_elbow": -25,
}  # degrees


def main(folder: Path) -> None:
    save_plot(rk.load("panda"), folder / "panda.png", np.radians([0, -45, 0, -135, 0, 90, 45]), dpi=110)

    walker = rk.load("humanoid_32")
    q = neutral(walker)
    for joint, degrees in STRIDE.items():
        q[walker.q_slices[joint]] = np.radians(degrees)
    save_plot(walker, folder / "humanoid.png", q, dpi=110)

    for name in ("stewart", "delta"):  # in configurations whose loops are closed
        save_plot(rk.load(name), folder / f"{name}.png", dpi=80)
    print("panda.png, humanoid.png, stewart.png and delta.png are in", folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
