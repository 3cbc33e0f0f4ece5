"""Minimal regressor: the columns of the regressor that belong to the base parameters [Gautier1990]."""

from dataclasses import dataclass

from rikigaku.laws.closed.dependent_coordinates import ClosureStructure, velocity_map
from rikigaku.laws.constrained_dynamics import dot
from rikigaku.laws.tree.regressor import regressor
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial.vector import Vector


@dataclass(frozen=True)
class Kept:
    """Columns of the regressor, whether it has joint parameters, and the loop structure of a closed robot."""

    columns: tuple[int, ...]
    joint_parameters: bool
    loops: ClosureStructure | None


@dataclass(frozen=True)
class PackedRows:
    """Of each row of the minimal regressor, the kept columns that are stored, and constants after them."""

    kept: Kept
    columns: tuple[tuple[int, ...], ...]
    constants: tuple[float, ...]


def packed_minimal_regressor(
    mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, plan: PackedRows, gravity: Vector | None = None
) -> list[Number]:
    """Chosen entries of the minimal regressor, row after row, each row followed by the plan's constants."""
    W = minimal_regressor(mechanism, q, v, a, plan.kept, gravity)
    pairs = zip(W, plan.columns, strict=True)
    return [x for row, columns in pairs for x in (*(row[j] for j in columns), *plan.constants)]


def minimal_regressor(
    mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, plan: Kept, gravity: Vector | None = None
) -> list[list[Number]]:
    """Minimal regressor: forces = W(q, v, a) beta, with beta the base parameters.

    v, a are those of all joints of the tree and satisfy the loop constraints.
    Returns: nv x columns matrix for forces of all joints; for a closed robot mobility x columns, for forces
        along the independent coordinates.
    """
    Y = regressor(mechanism, q, v, a, gravity, plan.joint_parameters)
    W = [[row[j] for j in plan.columns] for row in Y]
    if plan.loops is None:
        return W
    P = velocity_map(mechanism, q, plan.loops)
    columns = list(zip(*W, strict=True))
    return [[dot([row[k] for row in P], column) for column in columns] for k in range(len(P[0]))]
