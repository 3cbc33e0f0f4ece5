"""What a posture of a closed robot is like: closed or not, in which mode, how near to a singular one."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.equations import CLOSED, LoopEquations
from rikigaku.constraints.plan import closure, equations_of
from rikigaku.constraints.sampling import LOOSE, RANK
from rikigaku.errors import WrongValue
from rikigaku.laws.closed import Plan
from rikigaku.model.robot import Robot
from rikigaku.states import as_position

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Assembly:
    """A posture of a closed robot.

    Attributes:
        closed: all residuals are below 1e-11 and no joint is closed the wrong way round.
        residual: the largest, [m] or a sine.
        rank: of the loop equations there.
        mobility: nv - rank.
        mode: signs of the determinants that decide the dependent coordinates, one for each group of loops
            that hang together: postures with other signs are in other modes. 0 where the posture is singular.
    """

    closed: bool
    residual: float
    rank: int
    mobility: int
    mode: tuple[int, ...]

    @property
    def singular(self) -> bool:
        """Whether the independent coordinates do not decide the others there."""
        return 0 in self.mode


@dataclass(frozen=True)
class Singularity:
    """How near a posture is to a singular one: each number is 0 there.

    Attributes:
        loops: smallest singular value of the loop equations, as part of the largest: 0 where it may branch.
        drives: the least that the drives move in any motion of unit length (of all joints together): 0 at a
            singularity of type 2, where the robot moves with all drives locked; so it is at every posture of
            a robot whose drives do not decide all its freedoms.
        output: the least that the frame moves in such a motion, as part of the most at other postures: 0 at a
            singularity of type 1, where drives move and the frame loses a direction. None without a frame.
    """

    loops: float
    drives: float
    output: float | None = None


def assembly(robot: Robot, q: Any, **symbols: float) -> Assembly:
    """Whether a posture is closed, and how: residual, rank, mode."""
    plan = closure(robot)
    equations = equations_of(robot, symbols)
    q = as_position(robot, q)
    residual = float(np.abs(equations.residual(q[None])).max(initial=0.0))
    J = equations.jacobian(q[None])[0]
    s = np.linalg.svd(J, compute_uv=False)
    rank = int((s > (LOOSE if plan.slack else RANK) * s[:1]).sum())
    closed = residual < max(CLOSED, 10 * plan.slack) and bool(equations.facing(q[None])[0])
    G = J[np.ix_(plan.places.rows, plan.places.dependent)]
    pattern = equations.jacobian(plan.samples)[:, plan.places.rows][..., plan.places.dependent]
    mode = tuple(_sign(G[np.ix_(*group)]) for group in _groups(np.abs(pattern).max(axis=0) > 1e-12))
    return Assembly(closed, residual, rank, robot.nv - rank, mode)


def singularity(
    robot: Robot, q: Any, frame: str | None = None, output: str = "pose", **symbols: float
) -> Singularity:
    """How near a closed posture is to a singular one, by loops, drives and (of a frame) output.

    output: what the robot is for, the frame's whole "pose" or the "position" of its origin alone.
    """
    plan = closure(robot)
    if output not in ("pose", "position"):
        raise WrongValue(f"The output is 'pose' or 'position', not {output!r}.")
    equations = equations_of(robot, symbols)
    q = as_position(robot, q)
    s, motions = _motions(equations, q, plan.places)
    least_driven = 0.0  # with drives that do not decide all it moves with all of them locked
    if plan.mobility and not plan.undriven:
        least_driven = float(np.linalg.svd(motions[list(plan.places.driven)], compute_uv=False)[-1])
    least = None
    if frame is not None:

        def moved(at: Array) -> Array:
            J = cast(Any, robot).jacobian(at, frame, **symbols)[: 3 if output == "position" else 6]
            return np.linalg.svd(J @ _motions(equations, at, plan.places)[1], compute_uv=False)

        generic = [moved(x) for x in plan.samples]
        size = max(int((x > RANK * x[:1]).sum()) for x in generic)
        least = float(moved(q)[size - 1] / max(x[0] for x in generic)) if size else 0.0
    return Singularity(float(s[-1] / s[0]), least_driven, least)


def _motions(equations: LoopEquations, q: Array, plan: Plan) -> tuple[Array, Array]:
    """Singular values of the loop equations, and an orthonormal basis of the motions they leave (columns)."""
    rank = len(plan.rows)
    _, s, Vt = np.linalg.svd(equations.jacobian(q[None])[0][list(plan.kept)])
    return s[:rank], Vt[rank:].T


def _sign(G: Array) -> int:
    s = np.linalg.svd(G, compute_uv=False)
    return 0 if s[-1] <= RANK * s[0] else int(np.sign(np.linalg.det(G)))


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
