"""Closure residual, rank, assembly mode and distance from singularity of configurations of a closed robot."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rikigaku.binding.bound_law import bound_law
from rikigaku.closure.closure_plan import closure, equations_of
from rikigaku.closure.loop_closure_newton import CLOSED, LoopEquations
from rikigaku.closure.pivoting import LOOSE_RANK, RANK, ranks_of
from rikigaku.core.arrays import sized
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.laws.closed.dependent_coordinates import ClosureStructure
from rikigaku.model.robot_model import RobotModel


@dataclass(frozen=True)
class AssemblyMode:
    """Closure of a configuration; for a batch every field is an array with the axes of the batch first.

    Attributes:
        closed: all residuals are below 1e-11 and no cut joint is closed with its axis reversed.
        residual: the largest, [m] or sine of an angle; NaN where q is.
        rank: of the loop Jacobian.
        mobility: nv - rank.
        mode: signs of the determinants of the dependent columns, one for each group of coupled loops:
            configurations with different signs are in different assembly modes. 0 where the configuration is
            singular or NaN. A tuple for one configuration.
    """

    closed: Any
    residual: Any
    rank: Any
    mobility: Any
    mode: Any

    @property
    def singular(self) -> Any:
        """Whether the independent coordinates do not determine the others."""
        return _plain((np.asarray(self.mode, dtype=np.int64) == 0).any(axis=-1))


@dataclass(frozen=True)
class Singularity:
    """Distances from singularity, each 0 at a singular configuration; arrays for a batch, NaN where q is.

    Attributes:
        loops: smallest over largest singular value of the loop Jacobian: 0 at a bifurcation.
        actuation: smallest motion of the actuated joints in any motion of unit length (of all joints): 0 at a
            singularity of type 2, where the robot moves with all actuators locked, and everywhere if the
            actuated joints do not determine all freedoms.
        output: smallest motion of the frame in such a motion, relative to the largest at the samples: 0 at a
            singularity of type 1, where the frame loses a direction. None without a frame.
    """

    loops: Any
    actuation: Any
    output: Any = None


def assembly_mode(robot: RobotModel, q: ArrayLike, **symbols: float) -> AssemblyMode:
    """Whether configurations (..., nq) are closed; their residual, rank and assembly mode."""
    plan = closure(robot)
    equations = equations_of(robot, symbols)
    configurations = _Configurations(robot, q)
    residual = np.abs(equations.residual(configurations.q)).max(axis=-1, initial=0.0)
    J = equations.jacobian(configurations.q)
    rank = ranks_of(J, LOOSE_RANK if plan.slack else RANK)
    closed = (residual < max(CLOSED, 10 * plan.slack)) & equations.aligned(configurations.q)
    G = J[:, plan.structure.equations][..., plan.structure.dependent]
    pattern = equations.jacobian(plan.samples)[:, plan.structure.equations][..., plan.structure.dependent]
    groups = _groups(np.abs(pattern).max(axis=0) > 1e-12)
    mode = np.array([_signs(G[:, rows][..., columns]) for rows, columns in groups], dtype=np.int64)
    mode = mode.reshape(len(groups), len(J)).T
    signs = configurations.shaped(mode, 0)
    return AssemblyMode(
        _plain(configurations.shaped(closed, False)),
        _plain(configurations.shaped(residual, np.nan)),
        _plain(configurations.shaped(rank, 0)),
        _plain(configurations.shaped(robot.nv - rank, robot.nv)),
        signs if signs.ndim > 1 else tuple(signs.tolist()),
    )


def singularity(
    robot: RobotModel, q: ArrayLike, frame: str | None = None, output: str = "pose", **symbols: float
) -> Singularity:
    """Distance of closed configurations (..., nq) from singularity: loops, actuation, output frame.

    output: the frame's whole "pose", or the "position" of its origin alone.
    """
    plan = closure(robot)
    if output not in ("pose", "position"):
        raise WrongValue(f"The output is 'pose' or 'position', not {output!r}.")
    equations = equations_of(robot, symbols)
    configurations = _Configurations(robot, q)
    s, motions = _motions(equations, configurations.q, plan.structure)
    actuation = np.zeros(len(s))
    if plan.mobility and not plan.unactuated:
        actuation[:] = np.linalg.svd(motions[:, plan.structure.actuated], compute_uv=False)[:, -1]
    least = None
    if frame is not None:

        def moved(at: Array, motions: Array) -> Array:
            J = bound_law(robot, "tree.jacobian")(at, frame, **symbols)[:, : 3 if output == "position" else 6]
            return np.linalg.svd(J @ motions, compute_uv=False)

        generic = moved(plan.samples, _motions(equations, plan.samples, plan.structure)[1])
        size = int((generic > RANK * generic[:, :1]).sum(axis=1).max())
        own = (
            moved(configurations.q, motions)[:, size - 1] / generic[:, 0].max() if size else np.zeros(len(s))
        )
        least = _plain(configurations.shaped(own, np.nan))
    loops = s[:, -1] / s[:, 0] if s.shape[1] else np.ones(len(s))
    return Singularity(
        _plain(configurations.shaped(loops, np.nan)), _plain(configurations.shaped(actuation, np.nan)), least
    )


class _Configurations:
    """Configurations (..., nq) as one axis, without those that hold NaN."""

    def __init__(self, robot: RobotModel, q: Any) -> None:
        array = sized(f"q of robot {robot.name!r}", q, robot.nq)
        if np.isinf(array).any() or (array.ndim == 1 and np.isnan(array).any()):
            raise WrongValue(f"q of robot {robot.name!r} must be finite; {array} was given.")
        self.batch = array.shape[:-1]
        rows = array.reshape(-1, robot.nq)
        self.known = np.asarray(~np.isnan(rows).any(axis=1))
        self.q = rows[self.known]

    def shaped(self, values: Any, unknown: Any) -> NDArray[Any]:
        """Values in the shape of the batch; `unknown` where q is NaN."""
        values = np.asarray(values)
        result = np.full((len(self.known), *values.shape[1:]), unknown, dtype=values.dtype)
        result[self.known] = values
        return result.reshape((*self.batch, *values.shape[1:]))


def _plain(values: NDArray[Any]) -> Any:
    """A Python number for one configuration."""
    return values if np.ndim(values) else np.asarray(values).item()


def _motions(equations: LoopEquations, q: Array, plan: ClosureStructure) -> tuple[Array, Array]:
    """Singular values of the loop Jacobian, and an orthonormal basis of its null space (columns)."""
    rank = len(plan.equations)
    _, s, Vt = np.linalg.svd(equations.jacobian(q)[:, plan.used_equations])
    return s[:, :rank], np.swapaxes(Vt[:, rank:], 1, 2)


def _signs(G: Array) -> NDArray[np.int64]:
    """Signs of determinants, one for each configuration; 0 where singular."""
    s = np.linalg.svd(G, compute_uv=False)
    sign = np.sign(np.linalg.det(G)).astype(np.int64)
    return np.where(s[:, -1] <= RANK * s[:, 0], 0, sign)


def _groups(pattern: Mask) -> list[tuple[list[int], list[int]]]:
    """Diagonal blocks: rows and columns that are coupled."""
    left, groups = set(range(pattern.shape[1])), []
    while left:
        columns, rows = {min(left)}, set()
        while True:
            rows = set(np.flatnonzero(pattern[:, sorted(columns)].any(axis=1)).tolist())
            more = set(np.flatnonzero(pattern[sorted(rows)].any(axis=0)).tolist()) if rows else set()
            if more <= columns:
                break
            columns |= more
        groups.append((sorted(rows), sorted(columns)))
        left -= columns
    return groups
