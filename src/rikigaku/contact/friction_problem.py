"""Contact complementarity w = W F + w0 with Coulomb friction, by the native solver, for any size.

Unlike `complementarity` it finds one solution, not all of them, in time that grows as that of a few linear
solves. It serves fixed steps, and as the first guess of contact modes where these are many.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rikigaku.contact.constraint_blocks import ConstraintBlock
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import numbers
from rikigaku.integrators.friction_solver import Kind, friction_solve

_TOLERANCE = 1e-14
_SWEEPS = 5000


@dataclass(frozen=True, eq=False)
class FrictionSolution:
    """Forces within friction, and the responses to them.

    Attributes:
        F: forces (n,). w: W F + w0.
        residual: largest violation of the blocks' laws, in the unit of w.
        relative: the same, relative to the largest sum of terms ``|w0| + |W| |F|``; about 1e-15 at rounding.
        iterations: Newton iterations. sweeps: of block Gauss-Seidel.
    """

    F: Array
    w: Array
    residual: float
    relative: float
    iterations: int
    sweeps: int

    @property
    def solved(self) -> bool:
        """Whether the residual is at rounding."""
        return self.relative < 1e-10


def friction_solution(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    permanent: Sequence[int] = (),
    start: Array | None = None,
    tolerance: float = _TOLERANCE,
    sweeps: int = _SWEEPS,
) -> FrictionSolution:
    """Forces F with W F + w0 = w and Coulomb's law in every block.

    Of a block its rows, `kinetic`, `target`, `bilateral` and `base` are read; a block that slides already
    (`direction`) is not treated differently.

    Args:
        W: Delassus matrix (n, n). permanent: constraints where w is zero. start: F of a similar problem.
        tolerance: of `relative`. sweeps: largest number of sweeps of block Gauss-Seidel.
    Raises:
        WrongSize, WrongValue: for arrays and indices that do not fit each other.
    """
    n = len(np.atleast_1d(w0))
    W, w0 = numbers("W", W, (n, n)), numbers("w0", w0, (n,))
    F = np.zeros(n) if start is None else numbers("start", start, (n,))
    normals = [b.normal for b in blocks if b.normal is not None and not b.shared]
    used = [*permanent, *normals, *(i for b in blocks for i in b.tangents)]
    if wrong := [i for i in used if not 0 <= i < n]:
        raise WrongValue(f"Rows of {n} constraints are 0 to {n - 1}; {wrong[0]} was given.")
    if len(set(used)) != len(used):
        raise WrongValue("Every row belongs to one block, or is permanent; some were given twice.")
    return solved_friction(W, w0, blocks, permanent, F, tolerance, sweeps)


def solved_friction(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    permanent: Sequence[int],
    start: Array,
    tolerance: float = _TOLERANCE,
    sweeps: int = _SWEEPS,
) -> FrictionSolution:
    """`friction_solution` without validation."""
    rows = [[Kind.BILATERAL, i, -1, -1] for i in permanent]
    values = [[0.0, 0.0, 0.0] for _ in permanent]
    for block in blocks:
        tangents = [*block.tangents, -1, -1][:2]
        if block.normal is None:
            rows.append([Kind.LIMITED, -1, *tangents])
            values.append([0.0, 0.0, block.kinetic])
        elif block.shared:
            rows.append([Kind.LIMITED, block.normal, *tangents])
            values.append([block.kinetic, 0.0, 0.0])
        else:
            kind = Kind.BILATERAL if block.bilateral else Kind.UNILATERAL
            rows.append([kind, block.normal, *tangents])
            values.append([block.kinetic, block.target, block.base])
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    found = friction_solve(W, w0, table, np.array(values).reshape(-1, 3), start, tolerance, sweeps)
    relative = found.residual / found.unit
    return FrictionSolution(found.F, found.w, found.residual, relative, found.newton, found.sweeps)
