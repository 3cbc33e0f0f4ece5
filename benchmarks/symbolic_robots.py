"""Arms with every length, inertia and gravity a symbol, as modified DH rows that every engine can read."""

from dataclasses import dataclass

import rikigaku as rk

UP, DOWN = "pi/2", "-pi/2"


@dataclass(frozen=True)
class SymbolicArm:
    """Rows alpha, a, d of revolute joints; base: number of base parameters, where it is checked."""

    rows: tuple[tuple[str, str, str], ...]
    base: int | None = None

    def robot(self, name: str) -> rk.Robot:
        """Ours."""
        links, parent = [], "base"
        for k, (alpha, a, d) in enumerate(self.rows, 1):
            inertia = rk.Inertia(
                "origin",
                f"m{k}",
                tuple(f"ms{x}{k}" for x in "xyz"),
                tuple(f"I{x}{k}" for x in ("xx", "xy", "xz", "yy", "yz", "zz")),
            )
            links.append(
                rk.Link(f"link{k}", parent, rk.Joint(f"q{k}"), rk.ModifiedDH(alpha, a, 0, d), inertia)
            )
            parent = f"link{k}"
        return rk.Robot(name, tuple(links)).with_gravity((0, 0, "-g"))


def planar(joints: int) -> SymbolicArm:
    """Joints one after the other in a vertical plane."""
    return SymbolicArm((("pi/2", "0", "0"), *(("0", f"a{k}", "0") for k in range(2, joints + 1))))


ARMS = {
    "planar 2R": planar(2),
    "planar 3R": planar(3),
    "puma560": SymbolicArm(
        (
            ("0", "0", "0"),
            (DOWN, "0", "0"),
            ("0", "a3", "d3"),
            (DOWN, "a4", "d4"),
            (UP, "0", "0"),
            (DOWN, "0", "0"),
        ),
        36,
    ),
    "panda": SymbolicArm(
        (
            ("0", "0", "d1"),
            (DOWN, "0", "0"),
            (UP, "0", "d3"),
            (UP, "a4", "0"),
            (DOWN, "a5", "d5"),
            (UP, "0", "0"),
            (UP, "a7", "0"),
        ),
        43,
    ),
}
