"""Arms with reference operation counts: modified DH rows, all inertial parameters different from zero.

The reference counts hold for any nonzero inertial parameters, so these arms get random ones. Right angles and
zero lengths are known while tracing; other lengths and angles are constants, which cost no operations.
"""

from dataclasses import dataclass

import numpy as np

import rikigaku as rk

Row = tuple[object, object, object]  # alpha, a, d
UP, DOWN = "pi/2", "-pi/2"


@dataclass(frozen=True)
class Arm:
    """Rows, joints ("R", "P"), and reference products and sums: full model, and with base parameters."""

    name: str
    rows: tuple[Row, ...]
    joints: str
    full: tuple[int, int] | None
    base: tuple[int, int] | None
    source: str

    def robot(self, seed: int = 0) -> rk.Robot:
        """The arm with random inertias."""
        rng = np.random.default_rng(seed)
        links, parent = [], "base"
        for i, ((alpha, a, d), kind) in enumerate(zip(self.rows, self.joints, strict=True), 1):
            joint = rk.Joint(f"q{i}", "revolute" if kind == "R" else "prismatic")
            m, *ten = (round(float(x), 6) for x in rng.uniform(0.1, 1, 10))
            inertia = rk.Inertia("origin", m, tuple(ten[:3]), tuple(ten[3:]))
            links.append(rk.Link(f"link{i}", parent, joint, rk.ModifiedDH(alpha, a, 0, d), inertia))
            parent = f"link{i}"
        return rk.Robot(self.name, tuple(links))


PLAIN = "a plain customised Newton-Euler recursion"
ARMS = (
    Arm(
        "Puma 560",
        ((0, 0, 0), (DOWN, 0, 0), (0, 0.4318, 0.15005), (DOWN, 0.0203, 0.4318), (UP, 0, 0), (DOWN, 0, 0)),
        "RRRRRR",
        (298, 283),
        (259, 240),
        PLAIN,
    ),
    Arm(
        "RX-90",
        ((0, 0, 0), (UP, 0, 0), (0, 0.45, 0), (DOWN, 0, 0.45), (UP, 0, 0), (DOWN, 0, 0)),
        "RRRRRR",
        (286, 271),
        (247, 228),
        PLAIN + "; Khalil and Dombre: 294/283 and 253/238 (not verified)",
    ),
    Arm(
        "Stanford",
        ((0, 0, 0), (DOWN, 0, 0.154), (UP, 0, 0), (0, 0, 0), (DOWN, 0, 0), (UP, 0, 0)),
        "RRPRRR",
        (277, 261),
        (228, 209),
        PLAIN,
    ),
    Arm(
        "general 6R",
        tuple(
            (round(0.3 + 0.1 * i, 2), round(0.1 + 0.05 * i, 2), round(0.2 + 0.03 * i, 2)) for i in range(6)
        ),
        "RRRRRR",
        (457, 393),
        (412, 347),
        PLAIN + "; Khalil and Kleinfinger 1987: 425/369, Luh 1980: 852/738 (not verified)",
    ),
)
