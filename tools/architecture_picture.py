"""Draws docs/_static/architecture.svg: the rooms of the package by layers, with who imports whom.

Layers come from the import contract in pyproject.toml, arrows from the import graph itself: an arrow is drawn
from a package to each package it imports directly, unless a longer way leads there too. Orange: the packages
that the first `robot.inverse_dynamics(q, v, a)` runs through (tools/call_paths.py).
"""

import tomllib
from pathlib import Path

import grimp
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from call_paths import files_of
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from rikigaku.robot.declarations import Method
from rikigaku.robot.robot import Robot

ROOT = Path(__file__).parents[1]
PLACE = ROOT / "docs" / "_static" / "architecture.svg"
TEXTS = {
    "core": "errors, validation,\narrays, disk cache",
    "numbers": "floats, traced graph,\nexact polynomials",
    "spatial": "pose, twist,\nwrench, inertia",
    "model": "robot as data,\njoints, mechanism",
    "library": "shipped robots",
    "compiler": "program → LLVM\n→ NumPy ufunc",
    "export": "C, C++, Rust,\nMATLAB, ...",
    "integrators": "Runge-Kutta,\nRadau, events",
    "formats": "TOML, URDF,\nMJCF, SDF",
    "laws": "recursions and\none catalogue",
    "trajectory": "polynomials,\ntrapezoids",
    "binding": "a law bound to a robot:\nmodel meets compiler",
    "closure": "assembly, mobility,\nindependent coordinates",
    "symbolic": "formulas,\nbase parameters",
    "inverse_kinematics": "Levenberg-\nMarquardt",
    "plotting": "pictures",
    "fem": "beams, load sharing,\nvibration",
    "robot": "Robot: data plus\ndeclared laws, methods",
    "hybrid": "modes, guards,\nevents",
    "contact": "surfaces, friction,\nmode selection",
    "simulation": "simulate, controllers,\nSolution",
    "space": "floating base,\ntargets, capture",
    "identification": "parameters from\nmeasured motion",
    "rollout": "many worlds,\nsweeps",
    "rosam": "the paper's\nfunctions",
    "web": "document of a page,\nMathML, front end",
    "report": "live HTML report",
    "studio": "local server,\nediting, jobs",
    "cli": "rikigaku ...",
}
WIDTH, HEIGHT, GAP = 4.5, 0.74, 0.4
CALL = "inverse_dynamics"  # the packages that its first call runs through are drawn in another colour


def layers() -> list[list[str]]:
    """The packages, highest layer first, as the import contract lists them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (listed,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    return [[name.strip() for name in line.split("|")] for line in listed if line != "__main__"]


def arrows() -> set[tuple[str, str]]:
    """Pairs (importer, imported) of packages, without those that follow from longer ways."""
    graph = grimp.build_graph("rikigaku", exclude_type_checking_imports=True)
    height = {name: -k for k, line in enumerate(layers()) for name in line}
    packages = set(height)
    direct: dict[str, set[str]] = {name: set() for name in packages}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            a, b = (name.split(".")[1] if "." in name else "" for name in (module, imported))
            if a in packages and b in packages and height[a] > height[b]:
                direct[a].add(b)

    for declaration in vars(Robot).values():  # it imports its methods when they are used
        if not isinstance(declaration, Method):
            continue
        package = declaration.module.split(".")[0]
        if height[package] < height["robot"]:  # `rollout` is above, and not drawn
            direct["robot"].add(package)

    def reached(name: str) -> set[str]:
        return direct[name].union(*(reached(x) for x in direct[name]))

    return {
        (a, b) for a in packages for b in direct[a] if not any(b in reached(x) for x in direct[a] if x != b)
    }


def draw() -> None:
    """Write the picture."""
    rows = layers()
    on_the_way = {Path(file).parts[0] for file in files_of(CALL)}
    figure, ax = plt.subplots(figsize=(16, 0.8 * len(rows) + 0.6))
    centres: dict[str, tuple[float, float]] = {}
    for k, row in enumerate(rows):
        y = -k * (HEIGHT + GAP)
        for j, name in enumerate(row):
            x = (j - (len(row) - 1) / 2) * (WIDTH + 0.5)
            centres[name] = (x, y)
            color = "#fde8cf" if name in on_the_way else "#eef3f8"
            corner, style = (x - WIDTH / 2, y - HEIGHT / 2), "round,pad=0.02,rounding_size=0.1"
            box = FancyBboxPatch(corner, WIDTH, HEIGHT, style, facecolor=color, edgecolor="#34597d", zorder=2)
            ax.add_patch(box)
            ax.text(
                x - WIDTH / 2 + 0.1,
                y,
                name.replace("_", "_\n"),
                va="center",
                weight="bold",
                size=10,
                zorder=3,
            )
            ax.text(x + WIDTH / 2 - 0.08, y, TEXTS[name], va="center", ha="right", size=7.5, zorder=3)
    for a, b in sorted(arrows()):
        (x0, y0), (x1, y1) = centres[a], centres[b]
        bend = 0.0 if abs(x1 - x0) > 0.1 or y0 - y1 < 1.6 * (HEIGHT + GAP) else 0.35
        ax.add_patch(
            FancyArrowPatch(
                (x0, y0 - HEIGHT / 2), (x1, y1 + HEIGHT / 2), arrowstyle="-|>", mutation_scale=8,
                connectionstyle=f"arc3,rad={bend}", color="#8a9bad", linewidth=0.8, zorder=1,
            )
        )  # fmt: skip
    ax.autoscale_view()
    ax.axis("off")
    figure.savefig(PLACE, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    plt.rcParams["svg.hashsalt"] = "rikigaku"
    plt.rcParams["svg.fonttype"] = "none"
    draw()
