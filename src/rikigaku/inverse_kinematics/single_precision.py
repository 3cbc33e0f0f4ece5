"""Closed-form inverse kinematics in single precision, with nearly singular poses in double precision.

Such is a pose where a configuration is nearly singular (two branches meet, an angle is undetermined),
where a quotient is not finite, and where the error of a branch lies between rounding and a branch that does
not exist. Multiplicities and families are therefore those of double precision.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.exact_chain import ExactConfigurations
from rikigaku.inverse_kinematics.exact_solver import ExactSolver
from rikigaku.inverse_kinematics.formula_kernel import FormulaKernel
from rikigaku.inverse_kinematics.joint_ranges import JointRanges

TOLERANCE = 1e-5  # [m, rad]: default of single precision
LEAST_TOLERANCE = 1e-6
_EXISTS = 1e-5  # error [reach, rad] of a branch that exists at a pose
_ABSENT = 1e-3  # error of a branch that does not
_SINGULAR = 1e-5  # smallest pivot of J^T J: rounding errors move the joints by up to 1e-4 rad


class SinglePrecisionSolver:
    """The formulas of an `ExactSolver` in single precision: results of float32."""

    def __init__(self, solver: ExactSolver) -> None:
        assert solver.formulas is not None
        self.double, self.arm, self.method = solver, solver.arm, solver.method
        self.coordinates, self.all_joints = solver.coordinates, solver.all_joints
        own = solver.formulas
        self.kernel = FormulaKernel(own.formulas, own.arm, solver.names, own.symbols, single=True)
        lower, upper = (x[self.coordinates] for x in solver.bounds)
        self.ranges = JointRanges(lower, upper, solver.angles, single=True)
        unbounded = np.full(len(self.coordinates), np.inf)
        self.unlimited = JointRanges(-unbounded, unbounded, solver.angles, single=True)
        self.errors = solver.errors

    def solve(self, poses: Array, given: Mapping[str, Array], tolerance: float) -> ExactConfigurations:
        """All configurations at poses (n, 4, 4), as `ExactSolver.solve`."""
        names = self.kernel.formulas.coordinates
        places = {name: names[self.double.robot.q_slices[name].start] for name in self.double.given}
        values: dict[str, Any] = {place: given[name].astype(np.float32) for name, place in places.items()}
        reach = self.arm.reach
        with np.errstate(all="ignore"):
            q, position, rotation, pivot = self.kernel.solve(poses.astype(np.float32), values)
            error = np.maximum(position * np.float32(1 / reach), rotation)
            exists = (position <= max(_EXISTS * reach, tolerance)) & (rotation <= max(_EXISTS, tolerance))
            absent = error > max(_ABSENT, tolerance)
            regular = (exists & (pivot >= _SINGULAR)) | absent
        multiplicity = exists.astype(np.int64)
        family = np.zeros(exists.shape, dtype=np.int64)
        complete = np.ones(len(poses), dtype=bool)
        found = ExactConfigurations(q, multiplicity, family, position, rotation, complete)
        rows = np.nonzero(~regular.all(axis=1))[0]
        if len(rows):
            own = {name: x[rows] for name, x in given.items()}
            again = self.double.solve(poses[rows], own, tolerance)
            extra = again.q.shape[1] - q.shape[1]
            found, again = found.widened(max(extra, 0)), again.widened(max(-extra, 0))
            for name in ExactConfigurations.__dataclass_fields__:
                whole: Any = getattr(found, name)
                whole[rows] = getattr(again, name)
        return found


_known: dict[int, SinglePrecisionSolver] = {}
_MOST_KNOWN = 32


def single_precision(solver: ExactSolver) -> SinglePrecisionSolver:
    """The solver in single precision; the latest ones are kept."""
    known = _known.get(id(solver))
    if known is None or known.double is not solver:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[id(solver)] = SinglePrecisionSolver(solver)
    return known
