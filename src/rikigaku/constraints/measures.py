"""What a posture of a closed robot is like: closed or not, in which mode, how near to a singular one."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import sized
from rikigaku.constraints.equations import CLOSED, LoopEquations
from rikigaku.constraints.home import ranks_of
from rikigaku.constraints.plan import closure, equations_of
from rikigaku.constraints.sampling import LOOSE, RANK
from rikigaku.errors import WrongValue
from rikigaku.laws.closed import Plan
from rikigaku.model.robot import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Assembly:
    """A posture of a closed robot; for a batch every field is an array with the axes of the batch first.

    Attributes:
        closed: all residuals are below 1e-11 and no joint is closed the wrong way round.
        residual: the largest, [m] or a sine; NaN where the posture is.
        rank: of the loop equations there.
        mobility: nv - rank.
        mode: signs of the determinants that decide the dependent coordinates, one for each group of loops
            that hang together: postures with other signs are in other modes. 0 where the posture is singular
            or NaN. A tuple for one posture.
    """

    closed: Any
    residual: Any
    rank: Any
    mobility: Any
    mode: Any

    @property
    def singular(self) -> Any:
        """Whether the independent coordinates do not decide the others there."""
        return _plain((np.asarray(self.mode, dtype=np.int64) == 0).any(axis=-1))


@dataclass(frozen=True)
class Singularity:
    """How near a posture is to a singular one: each number is 0 there; arrays for a batch, NaN where q is.

    Attributes:
        loops: smallest singular value of the loop equations, as part of the largest: 0 where it may branch.
        drives: the least that the drives move in any motion of unit length (of all joints together): 0 at a
            singularity of type 2, where the robot moves with all drives locked; so it is at every posture of
            a robot whose drives do not decide all its freedoms.
        output: the least that the frame moves in such a motion, as part of the most at other postures: 0 at a
            singularity of type 1, where drives move and the frame loses a direction. None without a frame.
    """

    loops: Any
    drives: Any
    output: Any = None


def assembly(robot: Robot, q: Any, **symbols: float) -> Assembly:
    """Whether postures (..., nq) are closed, and how: residual, rank, mode."""
    plan = closure(robot)
    equations = equations_of(robot, symbols)
    postures = _Postures(robot, q)
    residual = np.abs(equations.residual(postures.q)).max(axis=-1, initial=0.0)
    J = equations.jacobian(postures.q)
    rank = ranks_of(J, LOOSE if plan.slack else RANK)
    closed = (residual < max(CLOSED, 10 * plan.slack)) & equations.facing(postures.q)
    G = J[:, plan.places.rows][..., plan.places.dependent]
    pattern = equations.jacobian(plan.samples)[:, plan.places.rows][..., plan.places.dependent]
    groups = _groups(np.abs(pattern).max(axis=0) > 1e-12)
    mode = np.array([_signs(G[:, rows][..., columns]) for rows, columns in groups], dtype=np.int64)
    mode = mode.reshape(len(groups), len(J)).T
    signs = postures.shaped(mode, 0)
    return Assembly(
        _plain(postures.shaped(closed, False)),
        _plain(postures.shaped(residual, np.nan)),
        _plain(postures.shaped(rank, 0)),
        _plain(postures.shaped(robot.nv - rank, robot.nv)),
        signs if signs.ndim > 1 else tuple(signs.tolist()),
    )


def singularity(
    robot: Robot, q: Any, frame: str | None = None, output: str = "pose", **symbols: float
) -> Singularity:
    """How near closed postures (..., nq) are to singular ones, by loops, drives and (of a frame) output.

    output: what the robot is for, the frame's whole "pose" or the "position" of its origin alone.
    """
    plan = closure(robot)
    if output not in ("pose", "position"):
        raise WrongValue(f"The output is 'pose' or 'position', not {output!r}.")
    equations = equations_of(robot, symbols)
    postures = _Postures(robot, q)
    s, motions = _motions(equations, postures.q, plan.places)
    drives = np.zeros(len(s))  # where they do not decide all it moves with all of them locked
    if plan.mobility and not plan.undriven:
        drives[:] = np.linalg.svd(motions[:, plan.places.driven], compute_uv=False)[:, -1]
    least = None
    if frame is not None:

        def moved(at: Array, motions: Array) -> Array:
            J = cast(Any, robot).jacobian(at, frame, **symbols)[:, : 3 if output == "position" else 6]
            return np.linalg.svd(J @ motions, compute_uv=False)

        generic = moved(plan.samples, _motions(equations, plan.samples, plan.places)[1])
        size = int((generic > RANK * generic[:, :1]).sum(axis=1).max())
        own = moved(postures.q, motions)[:, size - 1] / generic[:, 0].max() if size else np.zeros(len(s))
        least = _plain(postures.shaped(own, np.nan))
    loops = s[:, -1] / s[:, 0] if s.shape[1] else np.ones(len(s))
    return Singularity(_plain(postures.shaped(loops, np.nan)), _plain(postures.shaped(drives, np.nan)), least)


class _Postures:
    """Postures (..., nq) in one row, those with NaN left out."""

    def __init__(self, robot: Robot, q: Any) -> None:
        given = sized(f"q of robot {robot.name!r}", q, robot.nq)
        if np.isinf(given).any() or (given.ndim == 1 and np.isnan(given).any()):
            raise WrongValue(f"q of robot {robot.name!r} must be finite; {given} was given.")
        self.batch = given.shape[:-1]
        rows = given.reshape(-1, robot.nq)
        self.known = np.asarray(~np.isnan(rows).any(axis=1))
        self.q = rows[self.known]

    def shaped(self, values: Any, unknown: Any) -> NDArray[Any]:
        """Values of the known postures in the shape of the batch, with another where q is NaN."""
        values = np.asarray(values)
        result = np.full((len(self.known), *values.shape[1:]), unknown, dtype=values.dtype)
        result[self.known] = values
        return result.reshape((*self.batch, *values.shape[1:]))


def _plain(values: NDArray[Any]) -> Any:
    """A Python number for one posture."""
    return values if np.ndim(values) else np.asarray(values).item()


def _motions(equations: LoopEquations, q: Array, plan: Plan) -> tuple[Array, Array]:
    """Singular values of the loop equations, and an orthonormal basis of the motions they leave (columns)."""
    rank = len(plan.rows)
    _, s, Vt = np.linalg.svd(equations.jacobian(q)[:, plan.kept])
    return s[:, :rank], np.swapaxes(Vt[:, rank:], 1, 2)


def _signs(G: Array) -> NDArray[np.int64]:
    """Signs of determinants, one for each posture; 0 where it is singular."""
    s = np.linalg.svd(G, compute_uv=False)
    sign = np.sign(np.linalg.det(G)).astype(np.int64)
    return np.where(s[:, -1] <= RANK * s[:, 0], 0, sign)


def _groups(pattern: NDArray[np.bool_]) -> list[tuple[list[int], list[int]]]:
    """Rows and columns that hang together."""
    waiting, groups = set(range(pattern.shape[1])), []
    while waiting:
        columns, rows = {min(waiting)}, set()
        while True:
            rows = set(np.flatnonzero(pattern[:, sorted(columns)].any(axis=1)).tolist())
            more = set(np.flatnonzero(pattern[sorted(rows)].any(axis=0)).tolist()) if rows else set()
            if more <= columns:
                break
            columns |= more
        groups.append((sorted(rows), sorted(columns)))
        waiting -= columns
    return groups
