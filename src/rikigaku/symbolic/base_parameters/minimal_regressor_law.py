"""The minimal regressor as a law: compiled, exported, written as formulas."""

from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.binding.bound_law import BoundLaw, bound_law
from rikigaku.closure.closure_plan import closure
from rikigaku.core.errors import NotExact
from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization
from rikigaku.laws.tree.minimal_regressor import Kept, PackedRows, minimal_regressor
from rikigaku.laws.tree.regressor import regressor
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.base_parameters.regressor_samples import bare
from rikigaku.symbolic.formulas.law_formulas import law_formulas
from rikigaku.symbolic.loops.closed_formulas import closed_formulas
from rikigaku.symbolic.loops.loop_constraints import loop_constraints

if TYPE_CHECKING:
    from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters


@dataclass(frozen=True)
class MinimalRegressor:
    """The kept columns of a robot's regressor.

    Of a closed robot it has the rows of its independent coordinates, in the order of `robot.reduced`.
    """

    parameters: "BaseParameters"

    @property
    def names(self) -> tuple[str, ...]:
        """The base parameter of each column."""
        return self.parameters.names

    @cached_property
    def law(self) -> BoundLaw:
        """The law bound to the robot: `.operations`, `.derivative`, `.fix` as of any law."""
        law = Law(
            "minimal_regressor",
            "tree.minimal_regressor.minimal_regressor",
            inputs=("q", "v", "a"),
            outputs=("W",),
            summary="Kept columns of the regressor: forces = W times base parameters.",
            overrides=("gravity",),
            singular="the loops are singular here: the independent coordinates do not determine the others",
            plan=self._kept,
        )
        return bound_law(self._owner, law)

    @cached_property
    def _kept(self) -> Kept:
        p = self.parameters
        loops = closure(p.robot).structure if p.closed else None
        return Kept(self._columns, bool(p.problem.joint_parameters), loops)

    def structure(self, q: Any, v: Any, a: Any) -> NDArray[np.bool_]:
        """Entries (rows, columns) that are not zero at all of these states (states, n); not compiled."""
        owner = self._owner
        mechanism = instantiate(owner, FLOATS, self.parameters.robot.declared_values)
        columns = [list(np.asarray(x).T) for x in (q, v, a)]
        W = minimal_regressor(mechanism, columns[0], columns[1], columns[2], self._kept)
        return np.array([[bool(np.any(x)) for x in row] for row in W])

    def packed(self, columns: tuple[tuple[int, ...], ...], constants: tuple[float, ...]) -> BoundLaw:
        """Chosen columns of each row, and constants after each row, as one vector: (..., size)."""
        law = Law(
            "packed_minimal_regressor",
            "tree.minimal_regressor.packed_minimal_regressor",
            inputs=("q", "v", "a"),
            outputs=("W",),
            summary="Entries of the minimal regressor, row after row.",
            overrides=("gravity",),
            plan=PackedRows(self._kept, columns, constants),
        )
        return bound_law(self._owner, law)

    @cached_property
    def _owner(self) -> RobotModel:
        """The robot without inertias and joint parameters, whose symbols are no inputs of the regressor."""
        p = self.parameters
        result = bare(p.robot if p.closed else p.tree)
        used = set(result.free_symbols)
        return replace(result, symbols=tuple(symbol for symbol in p.robot.symbols if symbol.name in used))

    def __call__(self, q: Any, v: Any, a: Any, **keywords: Any) -> NDArray[np.float64]:
        """W(q, v, a) with tau = W @ base, (..., rows, count); keywords: gravity, symbols, out."""
        unused = set(self.parameters.robot.free_symbols) - set(self._owner.free_symbols)  # those of inertias
        return np.asarray(self.law(q, v, a, **{key: x for key, x in keywords.items() if key not in unused}))

    def export(
        self, language: str, path: str | PathLike[str] | None = None, name: str | None = None, **options: Any
    ) -> Any:
        """W in another language, as `robot.inverse_dynamics.export` does it for any law."""
        return self.law.export(language, path, name, **options)

    @property
    def symbolic(self) -> Any:
        """The same as exact formulas, rows by columns.

        Of a closed robot they hold at closed configurations.
        """
        p = self.parameters
        columns = list(self._columns)
        if not p.closed:
            options = Specialization((("joint_parameters", bool(p.problem.joint_parameters)),))
            return law_formulas(p.tree, LAWS["tree.regressor"], options)[:, columns]
        if p.problem.joint_parameters:
            raise NotExact(
                "Formulas of a closed robot's regressor are those of its inertias: joint_parameters=False."
            )
        c = loop_constraints(p.robot)
        Y = regressor(c.state.mechanism, c.state.q, c.velocities(), c.accelerations())
        forces = [c.projected([row[j] for row in Y]) for j in columns]
        return closed_formulas(c, "W", [list(row) for row in zip(*forces, strict=True)])

    @property
    def _columns(self) -> tuple[int, ...]:
        p = self.parameters
        return tuple(p.problem.picked[j] for j in p.found.columns)
