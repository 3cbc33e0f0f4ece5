"""Arms of the section on inverse kinematics, as numbers: published lengths, calibrated and random ones."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import rikigaku as rk
from rikigaku.inverse_kinematics.serial_arm import SerialArm

Array = Any
HALF = np.pi / 2

# alpha, a, d of each joint in modified Denavit-Hartenberg form [rad, m]
GENERAL: dict[str, list[tuple[float, float, float]]] = {
    "JACO 2 (lengths)": [
        (0, 0, 0.2755), (HALF, 0, 0), (0, 0.41, -0.0098), (HALF, 0, -0.2501), (np.pi / 3, 0, -0.0856),
        (np.pi / 3, 0, -0.2028),
    ],
    "PiPER (lengths)": [
        (0, 0, 0.123), (-HALF, 0, 0), (0, 0.28503, 0), (HALF, -0.02198, 0.25075), (-HALF, 0, 0),
        (HALF, 0, 0.091),
    ],
    "KUKA KR type": [
        (0, 0, 0.4), (-HALF, 0.025, 0), (0, 0.455, 0), (-HALF, 0.035, 0.42), (HALF, 0, 0), (-HALF, 0, 0.08),
    ],
    "RX-90": [(0, 0, 0), (-HALF, 0, 0), (0, 0.45, 0), (HALF, 0, 0.45), (-HALF, 0, 0), (HALF, 0, 0.085)],
    "UR10e": [
        (0, 0, 0.1807), (HALF, 0, 0), (0, -0.6127, 0), (0, -0.57155, 0.17415), (HALF, 0, 0.11985),
        (-HALF, 0, 0.11655),
    ],
}  # fmt: skip


def arms() -> Iterator[tuple[str, Any, str]]:
    """Names, robots and frames: named arms, two calibrated ones, 20 random ones, 10 with prismatic joints."""
    rng = np.random.default_rng(0)
    for name in ("puma560", "ur5", "stanford"):
        yield name, rk.load(name), "hand"
    for name, rows in GENERAL.items():
        yield name, arm_of(rows), "l6"
        if name in ("UR10e", "PiPER (lengths)"):
            yield f"{name}, calibrated", arm_of(np.array(rows) + 1e-3 * rng.normal(size=(6, 3))), "l6"
    for k in range(20):
        yield f"random {k}", arm_of(rng.uniform(-1.5, 1.5, (6, 3))), "l6"
    for k in range(10):
        place = int(rng.integers(6))
        prismatic = {place, (place + 1 + k // 4) % 6} if k % 2 else {place}
        yield f"prismatic {k}", arm_of(rng.uniform(-1.5, 1.5, (6, 3)), prismatic), "l6"


def from_forward_kinematics(fk: Callable[[Array], Array]) -> SerialArm:
    """The arm of a function q -> pose of six revolute joints: screws from rotations of a quarter each."""
    home = np.asarray(fk(np.zeros(6)), dtype=float)
    frames = []
    for k in range(6):
        X = np.asarray(fk(HALF * np.eye(6)[k])) @ np.linalg.inv(home)
        z = np.array([X[2, 1] - X[1, 2], X[0, 2] - X[2, 0], X[1, 0] - X[0, 1]]) / 2
        point = np.linalg.lstsq(np.eye(3) - X[:3, :3], X[:3, 3], rcond=None)[0]
        x = np.linalg.svd(z[None])[2][1]
        F = np.eye(4)
        F[:3, 0], F[:3, 1], F[:3, 2], F[:3, 3] = x, np.cross(z, x), z, point
        frames.append(F)
    poses = [np.eye(4), *frames, home]
    links = [np.linalg.inv(a) @ b for a, b in pairwise(poses)]
    return SerialArm(np.array(links), (True,) * 6, tuple(range(6)))


def robot_of(arm: SerialArm) -> Any:
    """A robot of revolute joints with these links; its frame is "tool"."""

    def placed(T: Array) -> Any:
        rpy = Rotation.from_matrix(T[:3, :3]).as_euler("xyz")
        return rk.Placement(xyz=tuple(map(float, T[:3, 3])), rpy=tuple(map(float, rpy)))

    links = [
        rk.Link(f"l{k}", f"l{k - 1}" if k > 1 else "base", rk.Joint(f"q{k}"), placed(T))
        for k, T in enumerate(arm.links[:-1], 1)
    ]
    return rk.Robot("arm", tuple(links), frames=(rk.Frame("tool", links[-1].name, placed(arm.links[-1])),))


def arm_of(rows: Any, prismatic: Any = ()) -> Any:
    """A robot from rows (alpha, a, d) in modified Denavit-Hartenberg form; theta for prismatic joints."""
    links = []
    for k, (alpha, a, x) in enumerate(rows):
        slides = k in prismatic
        geometry = rk.ModifiedDH(alpha=float(alpha), a=float(a), **{"theta" if slides else "d": float(x)})
        joint = rk.Joint(f"q{k + 1}", type="prismatic" if slides else "revolute")
        links.append(rk.Link(f"l{k + 1}", f"l{k}" if k else "base", joint, geometry))
    return rk.Robot("arm", tuple(links))
