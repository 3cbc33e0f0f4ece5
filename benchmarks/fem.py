"""Section: inverse dynamics of long chains by beams, the sum of [L][T]{P} beside its dense matrices."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.chains import our_chain, random_links
from benchmarks.harness import one_core
from benchmarks.options import Options
from benchmarks.report import figure, table
from rikigaku.fem.body_kinematics import body_motion
from rikigaku.fem.mesh_generation import layout
from rikigaku.fem.nodal_forces import joint_forces, joint_wrenches, matrices, nodal_forces

SIZES = (10, 30, 100, 300, 1000)
QUICK = (10, 100, 300)
DENSE = 1000  # links up to which the dense matrices are built


@dataclass(frozen=True)
class Point:
    """Seconds: making the mesh, inverse dynamics of one state, and its part that evaluates the sum.

    Beside them the dense matrices: making them and their product, and the product alone.
    """

    links: int
    mesh: float
    dynamics: float
    applied: float
    dense: float | None
    product: float | None
    error: float | None


def seconds(call: Callable[[], object], rounds: int = 20) -> float:
    """The best of some rounds, processor time."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def measured(count: int) -> Point:
    """One chain."""
    robot = our_chain(random_links(count))
    made = layout(robot)
    rng = np.random.default_rng(0)
    q, v, a = rng.uniform(-1, 1, (3, 1, count))
    state = body_motion(made.bodies, q, v, a)
    forces = nodal_forces(state)
    torques = joint_forces(state, joint_wrenches(state, forces))[0]
    dense = product = error = None
    if count <= DENSE:
        start = time.process_time()
        L, T, P = matrices(state, forces)
        L, T = L.toarray(), T.toarray()
        found = L @ (T @ P)
        dense = time.process_time() - start
        product = seconds(lambda: L @ (T @ P))
        error = float(np.abs(found - torques).max() / np.abs(torques).max())
    return Point(
        count,
        seconds(lambda: layout(robot), 3),
        seconds(
            lambda: joint_forces(s := body_motion(made.bodies, q, v, a), joint_wrenches(s, nodal_forces(s)))
        ),
        seconds(lambda: joint_forces(state, joint_wrenches(state, forces))),
        dense,
        product,
        error,
    )


def run(options: Options) -> dict[str, Any]:
    """Measures, prints a table, and returns everything."""
    with one_core():
        points = [measured(count) for count in (QUICK if options.quick else SIZES)]
    rows = [
        (
            str(p.links),
            figure(1e3 * p.mesh, 1),
            figure(1e3 * p.dynamics, 2),
            figure(1e3 * p.applied, 2),
            figure(None if p.dense is None else 1e3 * p.dense, 1),
            figure(None if p.product is None else 1e3 * p.product, 2),
            "-" if p.error is None else f"{p.error:.0e}",
        )
        for p in points
    ]
    header = ("links", "mesh ms", "torques ms", "the sum ms", "dense ms", "of it L T P ms", "difference")
    print(table("inverse dynamics of chains by beams, one state", header, rows))
    growth = {name: _growth(points, name) for name in ("mesh", "dynamics", "dense")}
    for name, what in (("mesh", "meshes"), ("dynamics", "torques"), ("dense", "the dense matrices")):
        first, last = points[-2].links, points[-1].links
        print(
            f"{what}: time grows with links to the power {growth[name]:.2f} between {first} and {last} links"
        )
    return {"points": [asdict(point) for point in points], "growth": growth}


def _growth(points: list[Point], name: str) -> float:
    """Exponent p in time ~ links^p, from the two longest chains."""
    first, last = points[-2:]
    times = getattr(first, name), getattr(last, name)
    if None in times:
        return float("nan")
    return float(np.log(times[1] / times[0]) / np.log(last.links / first.links))
