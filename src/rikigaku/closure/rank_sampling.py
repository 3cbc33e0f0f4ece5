"""Closed configurations for rank decisions, found from the neutral configuration and from random ones.

A rank is the number of singular values above a tolerance. A linkage may close with different mobilities;
`chosen_rank` selects one. Redundant equations hold exactly, or only approximately if the numbers of a file
are rounded; in that case Newton's method omits them.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.closure.configuration_comparison import within_limits
from rikigaku.closure.loop_closure_newton import CLOSED, LoopEquations
from rikigaku.closure.pivoting import LOOSE_RANK, RANK, independent_rows, rank_of, ranks_of
from rikigaku.closure.reference_configuration import (
    are_regular,
    middle_configuration,
    random_walks,
    starts_around,
)
from rikigaku.core.errors import CannotClose
from rikigaku.core.types import Array, Mask
from rikigaku.laws.structure import loop_rows
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import random_state, velocity_indices

_STARTS = 96  # random configurations that Newton's method starts from
_SAMPLES = 24  # closed configurations at which ranks are determined
_ALMOST_CLOSED = 1e-3  # [m, or sine]: residuals that redundant equations may leave before they are left out
_SAME = 1e-6  # [rad, m]: a configuration that Newton's method moved by less was closed already


class Samples(NamedTuple):
    """Closed configurations, most regular first; their Jacobians, rank, and residual left by rounding."""

    q: Array
    J: Array
    rank: int
    slack: float


def samples(robot: RobotModel, near: Array | None = None) -> Samples:
    """Closed configurations and their Jacobians, all of one rank, farthest from singular ones.

    near: a configuration; the rank is that of the closed configuration nearest to it, not `chosen_rank`.
    """
    rng = np.random.default_rng(0)
    equations = LoopEquations(robot, symbol_floats(robot, rng))
    like = middle_configuration(robot) if near is None else near
    kept: list[Array] = []
    nearly: list[Array] = []
    nearest, tolerance = np.full(1, np.inf), RANK
    reversed_axes = False  # some configuration closes, but with the axes of a cut joint reversed
    for attempt in range(4):
        starts = random_state(robot, rng, _STARTS).q
        if attempt == 0:
            starts = np.concatenate([starts_around(equations, like, rng), starts])
        search = equations.newton(starts)
        closed = search.q[search.closed]
        kept += list(closed[within_limits(robot, closed)]) or list(closed)
        gaps = np.abs(search.residual).max(axis=1)
        nearly += list(search.q[(gaps >= CLOSED) & (gaps < _ALMOST_CLOSED) & equations.aligned(search.q)])
        reversed_axes = reversed_axes or bool(((gaps < CLOSED) & ~search.closed).any())
        if gaps.min() < np.abs(nearest).max():
            nearest = search.residual[int(np.argmin(gaps))]
        if len(kept) >= _SAMPLES:
            break
    loose = (
        all(map(_is_loose, equations.jacobian(np.array(kept))))
        if kept
        else bool(nearly) and not reversed_axes
    )
    if loose:  # redundant equations hold only as far as the numbers of the file are exact
        equations, kept = _loosely_closed(equations, np.array([*kept, *nearly]))
        tolerance = LOOSE_RANK
    if not kept:
        raise never_closed(robot, nearest, reversed_axes)
    q = np.array(kept)
    slack = float(np.abs(equations.residual(q)).max()) if loose else 0.0
    return _of_one_rank(equations, q, like, tolerance, slack, near is not None)


def _of_one_rank(
    equations: LoopEquations, q: Array, like: Array, tolerance: float, slack: float, nearest: bool
) -> Samples:
    """The closed configurations of the chosen rank, with random walks from the one nearest to `like`."""
    J = equations.jacobian(q)
    ranks = ranks_of(J, tolerance)
    good = are_regular(equations, q, J, ranks, tolerance)
    if good.any():  # at a bifurcation the rank is lower than nearby
        q, J, ranks = q[good], J[good], ranks[good]
    order = np.argsort(np.linalg.norm(q - like, axis=1), kind="stable")
    q, J, ranks = q[order], J[order], ranks[order]
    unmoved = bool(np.abs(q[0] - like).max(initial=0.0) < _SAME)
    rank = int(ranks[0]) if nearest else chosen_rank(equations.robot, ranks, unmoved)
    q, J = q[ranks == rank], J[ranks == rank]
    if not nearest:
        determined = _determined(equations.robot, J, rank)
        q, J = q[determined], J[determined]
    walk = random_walks(equations, q[0], _SAMPLES, rank, tolerance)
    walk_J = equations.jacobian(walk)
    # The walk also serves if no one set of equations is independent at all of the configurations found.
    if nearest or len(independent_rows(J, rank, range(J.shape[1]))) < rank:
        q, J = walk, walk_J
    elif len(q) < _SAMPLES:
        q, J = np.concatenate([q, walk]), np.concatenate([J, walk_J])
    ratios = [s[rank - 1] / s[0] if rank else 1.0 for s in np.linalg.svd(J, compute_uv=False)]
    best = np.argsort(ratios)[::-1][:_SAMPLES]
    if 0 not in best:  # the reference configuration is always among them
        best[-1] = 0
    return Samples(q[best], J[best], rank, slack)


def _determined(robot: RobotModel, J: Array, rank: int) -> Mask:
    """Configurations at which the `independent` joints, else the actuated ones, determine the others.

    If there is no such configuration, all are returned. Assembly modes of equal mobility may differ in this:
    two sliders with equal rods also close with the rods side by side.
    """
    actuated = [joint.name for joint in robot.joints if joint.actuated]
    own = velocity_indices(robot, robot.independent or actuated)
    others = [k for k in range(robot.nv) if k not in own]
    good = np.zeros(len(J), dtype=bool)
    if others and len(others) <= rank:
        good = ranks_of(J[:, :, others]) == len(others)
    return good if good.any() else np.ones(len(J), dtype=bool)


def _is_loose(J: Array) -> bool:
    """Whether some equations are redundant nearly, but not exactly."""
    return rank_of(J) != rank_of(J, LOOSE_RANK)


def _loosely_closed(equations: LoopEquations, q: Array) -> tuple[LoopEquations, list[Array]]:
    """The independent equations, and configurations that satisfy them while the others hold nearly."""
    J = equations.jacobian(q)
    ranks = np.array([rank_of(x, LOOSE_RANK) for x in J])
    common = int(np.bincount(ranks).argmax())
    rows = independent_rows(J[ranks == common], common, range(J.shape[1]))
    independent = replace(equations, rows=tuple(rows))
    search = independent.newton(q[ranks == common])
    return independent, list(search.q[search.closed])


def chosen_rank(robot: RobotModel, ranks: NDArray[np.int64], unmoved: bool = False) -> int:
    """The rank to use, of those found at closed configurations in order of distance from the neutral one.

    The rank whose mobility equals the number of `independent` joints the robot names; else that of the
    neutral configuration (unmoved: the first one is neutral); else the rank whose mobility equals the
    number of actuated coordinates; else the first. Mobility zero is used only if there is no other.
    """
    named = robot.nv - len(velocity_indices(robot, robot.independent))
    if robot.independent and named in ranks:
        return named
    moving = ranks[ranks < robot.nv]
    if not len(moving) or (unmoved and ranks[0] < robot.nv):
        return int(ranks[0])
    actuated = velocity_indices(robot, [joint.name for joint in robot.joints if joint.actuated])
    return robot.nv - len(actuated) if robot.nv - len(actuated) in moving else int(moving[0])


def never_closed(robot: RobotModel, gap: Any, reversed_axes: bool = False) -> CannotClose:
    """The error where no closed configuration is found.

    gap: the smallest residual. reversed_axes: loops close only with the axes of a cut joint reversed.
    """
    names = loop_rows(robot)
    if reversed_axes:
        return CannotClose(
            f"Robot {robot.name!r}: every configuration found closes a cut joint with its axes reversed. "
            "Rotate one end of the loop by 180 degrees (about x).",
            robot.loops[0].name if robot.loops else "",
        )
    worst = names[int(np.argmax(np.abs(gap)))]
    return CannotClose(
        f"Robot {robot.name!r}: no configuration closes its loops; the nearest leaves "
        f"{np.abs(gap).max():.3g} in the equation {worst!r}. "
        "Check lengths and frames of both ends of the cut joint.",
        worst.split(":")[0],
        "unreachable",
    )


def symbol_floats(robot: RobotModel, rng: Any) -> dict[str, float]:
    """A value for every symbol: its own, or a random one."""
    own = robot.declared_values
    return {name: own.get(name, float(rng.uniform(0.5, 1.5))) for name in robot.free_symbols}
