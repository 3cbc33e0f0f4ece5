"""Closed postures of a robot, found from its neutral one and from random ones, and ranks of its loops there.

Ranks are those of singular values with a gap. A linkage may close in ways of different mobility; `meant_rank`
says which is meant. Equations too many hold exactly, or (numbers of a file are rounded) only nearly: then
they are left out of the closing.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.equations import CLOSED, LoopEquations
from rikigaku.constraints.home import around, middle, ranks_of, regular, walked
from rikigaku.constraints.modes import within
from rikigaku.errors import CannotClose, UnknownName
from rikigaku.model.robot import Robot
from rikigaku.states import random_state
from rikigaku.structure import loop_rows

Array = NDArray[np.float64]

_STARTS = 96  # random postures to close from
_SAMPLES = 24  # closed postures the ranks are taken at
RANK = 1e-8  # singular values below this part of the largest count as zero
LOOSE = 1e-5  # the same where the numbers of a file are rounded
_WORTH_A_TRY = 1e-3  # [m, or sines]: gaps that rows too many may leave, before they are left out
_AT_HOME = 1e-6  # [rad, m]: a posture that closes as it is
_CLEARLY = 0.25  # a later row (or coordinate) is preferred only if it is that much better


class Samples(NamedTuple):
    """Closed postures (best first), their Jacobians, the rank they have, and what stays open all the same."""

    q: Array
    J: Array
    rank: int
    slack: float


def samples(robot: Robot, near: Array | None = None) -> Samples:
    """Closed postures and their Jacobians, all of one rank, furthest from singular ones.

    near: a posture; the way to close is that of the nearest closed one, instead of the one that is meant.
    """
    rng = np.random.default_rng(0)
    equations = LoopEquations(robot, values(robot, rng))
    like = middle(robot) if near is None else near
    kept: list[Array] = []
    nearly: list[Array] = []
    nearest, least = np.full(1, np.inf), RANK
    turned = False  # some posture closes, but the wrong way round
    for attempt in range(4):
        starts = random_state(robot, rng, _STARTS).q
        if attempt == 0:
            starts = np.concatenate([around(equations, like, rng), starts])
        search = equations.newton(starts, range(robot.nv))
        closed = search.q[search.closed]
        kept += list(closed[within(robot, closed)]) or list(closed)
        gaps = np.abs(search.residual).max(axis=1)
        nearly += list(search.q[(gaps >= CLOSED) & (gaps < _WORTH_A_TRY) & equations.facing(search.q)])
        turned = turned or bool(((gaps < CLOSED) & ~search.closed).any())
        if gaps.min() < np.abs(nearest).max():
            nearest = search.residual[int(np.argmin(gaps))]
        if len(kept) >= _SAMPLES:
            break
    loose = all(map(_is_loose, equations.jacobian(np.array(kept)))) if kept else bool(nearly) and not turned
    if loose:  # equations too many, which hold as far as the numbers of the file are exact
        equations, kept = _loosely_closed(equations, np.array([*kept, *nearly]))
        least = LOOSE
    if not kept:
        raise never_closed(robot, nearest, turned)
    q = np.array(kept)
    slack = float(np.abs(equations.residual(q)).max()) if loose else 0.0
    return _of_one_rank(equations, q, like, least, slack, near is not None)


def _of_one_rank(
    equations: LoopEquations, q: Array, like: Array, least: float, slack: float, nearest: bool
) -> Samples:
    """The closed postures of the rank that is meant, with walks from the one most like `like`."""
    J = equations.jacobian(q)
    ranks = ranks_of(J, least)
    good = regular(equations, q, J, ranks, least)
    if good.any():  # at a branching the rank is of no use
        q, J, ranks = q[good], J[good], ranks[good]
    order = np.argsort(np.linalg.norm(q - like, axis=1), kind="stable")
    q, J, ranks = q[order], J[order], ranks[order]
    at_home = bool(np.abs(q[0] - like).max(initial=0.0) < _AT_HOME)
    rank = int(ranks[0]) if nearest else meant_rank(equations.robot, ranks, at_home)
    q, J = q[ranks == rank], J[ranks == rank]
    walk = walked(equations, q[0], _SAMPLES, rank, least)
    around_home = equations.jacobian(walk)
    if (
        nearest or len(spanning(J, rank, range(J.shape[1]))) < rank
    ):  # ways to close that have no rows in common
        q, J = walk, around_home
    elif len(q) < _SAMPLES:
        q, J = np.concatenate([q, walk]), np.concatenate([J, around_home])
    clear = [s[rank - 1] / s[0] if rank else 1.0 for s in np.linalg.svd(J, compute_uv=False)]
    best = np.argsort(clear)[::-1][:_SAMPLES]
    if 0 not in best:  # home is always among them
        best[-1] = 0
    return Samples(q[best], J[best], rank, slack)


def _is_loose(J: Array) -> bool:
    """Whether some rows follow from others nearly, but not exactly."""
    return rank_of(J) != rank_of(J, LOOSE)


def _loosely_closed(equations: LoopEquations, q: Array) -> tuple[LoopEquations, list[Array]]:
    """The rows that count, and postures in which they are closed, where others then hold nearly."""
    J = equations.jacobian(q)
    ranks = np.array([rank_of(x, LOOSE) for x in J])
    common = int(np.bincount(ranks).argmax())
    rows = spanning(J[ranks == common], common, range(J.shape[1]))
    counted = replace(equations, rows=tuple(rows))
    search = counted.newton(q[ranks == common], range(equations.robot.nv))
    return counted, list(search.q[search.closed])


def meant_rank(robot: Robot, ranks: NDArray[np.int64], at_home: bool = False) -> int:
    """Of the ranks found, that of the robot that is meant: postures nearest to the neutral one come first.

    It has as many freedoms as the robot names independent joints. Else it is the way the neutral posture
    closes (at_home: the first one is that), else one with as many freedoms as drives, else the one nearest to
    the neutral posture; ways that cannot move count where there are no others.
    """
    asked = robot.nv - len(places_of(robot, robot.independent))
    if robot.independent and asked in ranks:
        return asked
    moving = ranks[ranks < robot.nv]
    if not len(moving) or (at_home and ranks[0] < robot.nv):
        return int(ranks[0])
    drives = places_of(robot, [joint.name for joint in robot.joints if joint.actuated])
    return robot.nv - len(drives) if robot.nv - len(drives) in moving else int(moving[0])


def never_closed(robot: Robot, gap: Any, turned: bool = False) -> CannotClose:
    """The error for a robot of which no closed posture is found; gap: the nearest residual.

    turned: postures close, but with a joint the wrong way round.
    """
    names = loop_rows(robot)
    if turned:
        return CannotClose(
            f"Robot {robot.name!r}: every posture found closes a joint the wrong way round. "
            "Turn one end of the loop by half a turn (about x).",
            robot.loops[0].name if robot.loops else "",
        )
    worst = names[int(np.argmax(np.abs(gap)))]
    return CannotClose(
        f"Robot {robot.name!r}: no posture closes its loops; the nearest leaves {np.abs(gap).max():.3g} in "
        f"the row {worst!r}. Check lengths and frames of both ends of the cut joint.",
        worst.split(":")[0],
        "unreachable",
    )


def values(robot: Robot, rng: Any) -> dict[str, float]:
    """A value for every symbol: its own, or a random one."""
    own = robot.declared_values
    return {name: own.get(name, float(rng.uniform(0.5, 1.5))) for name in robot.free_symbols}


def places_of(robot: Robot, names: Sequence[str]) -> tuple[int, ...]:
    """Places in v of the joints named."""
    known = [joint.name for joint in robot.joints]
    for name in names:
        if name not in known:
            raise UnknownName("moving joint", name, known, f"robot {robot.name!r}")
    return tuple(k for name in names for k in range(*robot.v_slices[name].indices(robot.nv)))


def rank_of(J: Array, least: float = RANK) -> int:
    s = np.linalg.svd(J, compute_uv=False)
    return int((s > least * s[:1]).sum())


def spanning(J: Array, count: int, order: Sequence[int]) -> list[int]:
    """Rows of J (samples, rows, columns) that are independent at every sample, as far as they go.

    Each time the row whose part at right angles to those chosen is largest where it is smallest, and the
    first of them that is nearly as good.
    """
    left = np.array(J, dtype=np.float64)
    size = np.linalg.norm(left, axis=2).max()
    chosen: list[int] = []
    for _ in range(count):
        reach = np.linalg.norm(left, axis=2).min(axis=0)
        reach[chosen] = 0.0
        best = reach[list(order)].max(initial=0.0)
        if best <= RANK * size:
            break
        row = next(i for i in order if reach[i] >= _CLEARLY * best)
        chosen.append(row)
        unit = left[:, row] / np.linalg.norm(left[:, row], axis=1, keepdims=True)
        left = left - np.einsum("kij,kj->ki", left, unit)[..., None] * unit[:, None]
    return sorted(chosen)
