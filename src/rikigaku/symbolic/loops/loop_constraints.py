"""Loop-closure constraints of a robot as exact formulas: `robot.loop_constraints()`.

The independent equations, the Jacobian of the dependent coordinates, and (`.explicit`) the dependent
coordinates as formulas of the independent ones. Dynamics of closed robots are laws like all others
(`robot.reduced`).
"""

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.closure.closure_plan import coordinate_names
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import TooLarge, WrongSize, WrongValue
from rikigaku.core.progress import Progress
from rikigaku.core.validation import is_number
from rikigaku.core.value_text import short
from rikigaku.export.export_files import exported_program
from rikigaku.export.export_record import Export
from rikigaku.export.identifiers import identifier
from rikigaku.laws.closed.loop_equations import loop_bias, loop_jacobian
from rikigaku.laws.display_names import input_names
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import equation, equation_rows, latex_lines
from rikigaku.numbers.latex_names import aligned, displays, latex_name
from rikigaku.symbolic.algebra.child_process import JobOptions
from rikigaku.symbolic.formulas.exact_state import ExactState, exact_state
from rikigaku.symbolic.formulas.formula_grouping import grouped
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.formulas.trigonometric_sums import combined
from rikigaku.symbolic.loops.closed_configuration import ConsistentState
from rikigaku.symbolic.loops.closed_values import (
    point_of,
    symbol_numbers,
    valued,
    warn_if_open,
    warn_if_other_mode,
)
from rikigaku.symbolic.loops.component import component_of
from rikigaku.symbolic.loops.coordinate_choice import closed_samples, independent_coordinates
from rikigaku.symbolic.loops.cramer_solve import Solver
from rikigaku.symbolic.loops.independent_equations import (
    BITS,
    Dropped,
    Row,
    independent_places,
    independent_rows,
)
from rikigaku.symbolic.loops.linear_substitution import LinearSubstitution, linear_substitution
from rikigaku.symbolic.loops.position_ideal import PositionIdeal

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.explicit_configurations import Relation

_SAMPLES = 2


@dataclass(frozen=True, eq=False)
class LoopConstraints:
    """Constraints of the loops and gears of a robot.

    rows: independent equations formula = 0, each with its name; dropped: the others, each with the reason.
    independent, dependent: indices in v; as many independent ones as the robot's mobility.
    linear: linear relations of the default assembly mode (parallelograms, gears), which are the first rows
    and substituted in all others; None if there are none, or if the constraints hold in all assembly modes.
    """

    robot: RobotModel
    state: ExactState
    samples: tuple[ConsistentState, ...]
    rows: tuple[Row, ...]
    dropped: tuple[Dropped, ...]
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    linear: LinearSubstitution | None = None

    @property
    def relations(self) -> tuple[str, ...]:
        """The linear relations as text: "theta3 = -theta2 + theta7 + pi/2"."""
        return () if self.linear is None else self.linear.relations

    @cached_property
    def equations(self) -> tuple[int, ...]:
        """Places in `loop_residual` of independent equations, as many as there are rows."""
        if self.linear is None:
            return tuple(row.place for row in self.rows)
        J = self.samples[0].jacobian
        return tuple(independent_places(J)[: len(self.rows)])

    @property
    def mobility(self) -> int:
        """Degrees of freedom of the closed robot."""
        return len(self.independent)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """A name for each coordinate of v."""
        return coordinate_names(self.robot)

    @cached_property
    def formulas(self) -> tuple[Exact, ...]:
        """The left sides of the equations."""
        return tuple(row.formula for row in self.rows)

    @cached_property
    def ideal(self) -> PositionIdeal:
        """Polynomials that vanish at all regular closed configurations.

        Normal forms avoid dependent coordinates.
        """
        try:
            regular = self._solver.determinants if self.dependent else ()
        except TooLarge:
            regular = ()
        own = [row.formula for row in self.rows if row.gradient is None]
        return PositionIdeal(self.state.ring, own, _first(self), regular)

    @cached_property
    def jacobian(self) -> list[list[Any]]:
        """Jc with v_dependent = Jc v_independent: -(df/dq_dep)^-1 df/dq_indep (ROSAM II, eq. 17).

        Dependent by independent: polynomials, alone or over determinants (`.numerator`, `.denominator`).
        """
        J = self.tree_jacobian
        columns = [[-row[k] for k in self.independent] for row in J]
        return [[self.ideal.reduced(x) for x in row] for row in self._solved(columns)]

    @checked
    def velocities(self, v: Sequence[Any] | None = None) -> list[Any]:
        """All of v from that of the independent coordinates (their generators "v[k]" if None is given)."""
        own = [self.state.v[k] for k in self.independent] if v is None else self._row("v", v)
        return self._all(own, [_dot(row, own) for row in self.jacobian])

    @checked
    def accelerations(self, v: Sequence[Any] | None = None, a: Sequence[Any] | None = None) -> list[Any]:
        """All of a from velocities and accelerations of the independent coordinates."""
        own = [self.state.a[k] for k in self.independent] if a is None else self._row("a", a)
        bias = loop_bias(self.state.mechanism, self.state.q, self.velocities(v))
        right = [[-bias[row.place] if row.gradient is None else 0] for row in self.rows]
        particular = [x[0] for x in self._solved(right)]
        dependent = [_dot(row, own) + x for row, x in zip(self.jacobian, particular, strict=True)]
        return self._all(own, [self.ideal.reduced(x) for x in dependent])

    def _row(self, what: str, x: Sequence[Any]) -> list[Any]:
        """One number or formula for each independent coordinate."""
        row = list(x)
        if len(row) != len(self.independent):
            raise WrongSize(
                f"{what} takes {len(self.independent)} numbers or formulas; {len(row)} were given."
            )
        for item in row:
            if isinstance(item, float | str | bytes | bool) and not is_number(item):
                raise WrongValue(f"{what} takes finite numbers or formulas; {short(item)} was given.")
        return row

    @cached_property
    def explicit(self) -> "tuple[Relation, ...]":
        """Each dependent coordinate as a formula of the independent ones, in the order they are found.

        Raises:
            NoFormula: where elimination leaves an equation of higher degree than two.
            TimeLimit: if elimination takes longer than 20 s; `eliminated` takes another limit.
        """
        return self.eliminated()

    @checked
    def eliminated(
        self,
        time_limit: float = 20.0,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> "tuple[Relation, ...]":
        """`explicit` with limits for long eliminations, which run in a child process; found once.

        Args:
            time_limit: seconds; with 0 only quick eliminations are tried.
            progress: called with each line of progress.
            cancel: set it from another thread to stop the work (Ctrl-C stops it, too).
        """
        from rikigaku.symbolic.loops.explicit_relations import explicit_relations

        work = JobOptions(time_limit, progress, cancel)
        if "explicit" not in self.__dict__:
            self.__dict__["explicit"] = explicit_relations(self, work)
        return self.explicit

    @checked
    def configurations(self, independent: Any, **symbols: float) -> np.ndarray:
        """All closed configurations at these positions of the independent joints, by the explicit relations.

        independent: {joint: position}. Returns (count, nq); no row if the loops cannot be closed.
        """
        from rikigaku.symbolic.loops.explicit_configurations import configurations

        return configurations(self, independent, symbols)

    @checked
    def export(
        self, language: str, path: str | os.PathLike[str] | None = None, name: str | None = None
    ) -> Any:
        """All joints from the independent ones as a function in another language, as laws export.

        Inputs: positions of the independent coordinates, symbols. Outputs: q, one row for each combination
        of signs, and `radicand`, negative where the loops do not close.

        Raises:
            NoFormula, TimeLimit: as for `explicit`.
        """
        from rikigaku.symbolic.formulas.object_exports import OBJECT_EXPORTERS
        from rikigaku.symbolic.loops.closure_program import closure_export

        own = f"{identifier(self.robot.name)[:24].rstrip('_')}_loop_closure"

        def export(chosen: str) -> Export:
            return closure_export(self, chosen)

        return exported_program(language, export, path, name, own, OBJECT_EXPORTERS)

    @checked
    def projected(self, tau: Sequence[Any]) -> list[Any]:
        """Forces of the tree as those along the independent coordinates: tau_ind + Jc^T tau_dep.

        ROSAM II, eq. 18, corrected; the other joints are passive.
        """
        result = []
        for k, i in enumerate(self.independent):
            total = tau[i]
            for j, row in zip(self.dependent, self.jacobian, strict=True):
                total = total + row[k] * tau[j]
            result.append(total)
        return result

    def value(self, numbers: Any, q: Any, v: Any = None, a: Any = None, **symbols: float) -> Any:
        """Exact numbers (`jacobian`, nested lists) evaluated in floats at a closed configuration.

        q: of all joints; v, a: of the independent coordinates.
        Raises:
            WrongSize: if q, v or a does not fit. MissingValue: if something in them has no value.
        """
        point = point_of(self, q, v, a, symbols)
        warn_if_open(self.robot, q, symbol_numbers(self.robot, symbols))
        warn_if_other_mode(self.robot, q, self.linear)
        return valued(point, numbers)

    def written(self, x: Any) -> Formula:
        """A number as a formula in the names of joints, their rates (_dot) and symbols."""
        return self._writer(x)

    def combined(self, x: ExactNumber) -> Formula:
        """The same with sines and cosines of sums where that is shorter."""
        forms = (combined(x, self._writer, self._combined), self._writer(x))
        return min(forms, key=lambda formula: len(str(formula)))

    def factored(self, x: ExactNumber) -> Formula:
        """The combined form, as a product where all its terms have a common factor."""
        found = self.combined(x)
        product = grouped(found)
        return product if len(product.terms) == 1 else found

    @cached_property
    def _combined(self) -> dict[Any, Formula]:
        return {}

    @cached_property
    def _writer(self) -> FormulaWriter:
        sizes = [("q", (self.robot.nq,)), *((name, (self.robot.nv,)) for name in ("v", "a", "tau"))]
        return FormulaWriter(self.state.ring, input_names(self.robot, sizes))

    @cached_property
    def tree_jacobian(self) -> list[list[ExactNumber]]:
        """d(rows)/dt = J v over all coordinates of the tree."""
        J = loop_jacobian(self.state.mechanism, self.state.q)
        rows = [list(row.gradient_in(J)) for row in self.rows]
        for k in self.linear.slopes if self.linear else ():  # the other rows without this coordinate
            gradient = self.linear.gradient(k) if self.linear else ()
            for row, own in zip(self.rows, rows, strict=True):
                if row.gradient is None and not is_zero(own[k]):
                    own[:] = [x - own[k] * y if y else x for x, y in zip(list(own), gradient, strict=True)]
        return rows

    @cached_property
    def _solver(self) -> Solver:
        matrix = [[row[k] for k in self.dependent] for row in self.tree_jacobian]
        return Solver(matrix, [self.coordinates[k] for k in self.dependent])

    def _solved(self, right: list[list[Any]]) -> list[list[Any]]:
        return self._solver.solved(right) if self.dependent else []

    def _all(self, own: Sequence[Any], others: Sequence[Any]) -> list[Any]:
        known = dict(zip(self.independent, own, strict=True)) | dict(zip(self.dependent, others, strict=True))
        return [known[k] for k in range(self.robot.nv)]

    def latex(self) -> str:
        """The equations, and the explicit relations where they were found, without dollar signs."""
        return aligned(self._latex_rows())

    def _latex_rows(self) -> list[str]:
        rows = [
            rf"& \text{{mobility {self.mobility}, independent }} "
            + ",\\; ".join(latex_name(self._symbols[k]) for k in self.independent)
        ]
        for k in () if self.linear is None else self.linear.slopes:  # theta3 = theta7 + pi/2 - theta2
            rows += equation_rows(self.combined(self.state.q[k]), latex_name(self._symbols[k]))
        for row in self.rows:
            if row.gradient is None:
                lines = latex_lines(self.combined(row.formula))
                rows += equation([*lines[:-1], f"{lines[-1]} = 0"])
        if "explicit" in self.__dict__:
            for relation in self.explicit:
                if str(relation) not in self.relations:
                    rows += relation.latex()
        return rows

    @cached_property
    def _symbols(self) -> list[str]:
        """Names of the coordinates of v in formulas, without dots."""
        names = input_names(self.robot)
        return [names[f"v[{k}]"].removesuffix("_dot") for k in range(self.robot.nv)]

    def _repr_latex_(self) -> str:
        return displays(self._latex_rows())

    def __repr__(self) -> str:
        lines = [
            f"Loop constraints of robot {self.robot.name!r}: mobility {self.mobility}, "
            f"independent {', '.join(self.coordinates[k] for k in self.independent)}"
        ]
        lines += [f"  {relation}" for relation in self.relations]
        own = [row for row in self.rows if row.gradient is None]
        lines += [f"  {row.name}:  {self.combined(row.formula)} = 0" for row in own]
        lines += [f"  ({row.name}: {row.why})" for row in self.dropped]
        if "explicit" in self.__dict__:
            lines += [f"  {x}" for x in self.explicit if str(x) not in self.relations]
        return "\n".join(lines)


@checked
def loop_constraints(
    robot: RobotModel,
    explicit: bool = False,
    independent: Sequence[str] | None = None,
    *,
    linear: bool = True,
    time_limit: float = 20.0,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> LoopConstraints:
    """The constraints of a closed robot as exact formulas, an independent set of them.

    Args:
        explicit: solve for the dependent coordinates too (`.explicit`), or raise NoFormula.
        independent: names of joints to take as independent; if None the robot's own choice, else
            actuated joints as far as possible.
        linear: substitute the linear relations of the default assembly mode (parallelograms, gears), so that
            the result holds in this mode; False: equations that hold in all assembly modes.
        time_limit, progress, cancel: with explicit, as for `LoopConstraints.eliminated`.
    Raises:
        CannotClose: if the loops do not close. WrongSize, WrongValue: if the coordinates chosen are not as
            many as the mobility, or do not determine the others. NoFormula, TimeLimit: with explicit, if
            there is none, or none is found in time.
    """
    if not robot.loops and not robot.couplings:
        raise WrongValue(f"Robot {robot.name!r} has no loops and no gears: it has no constraints.")
    if independent is not None and not _are_names(independent):
        names = ", ".join(joint.name for joint in robot.joints)
        raise WrongValue(
            f"independent is a list of names of joints, each once, independent=[{robot.joints[0].name!r}]; "
            f"{independent!r} was given. Moving joints of robot {robot.name!r}: {names}."
        )
    constraints = _constraints(robot, None if independent is None else tuple(independent), linear)
    if explicit:
        constraints.eliminated(time_limit, progress, cancel)
    return constraints


@lru_cache(maxsize=16)
def _constraints(
    robot: RobotModel, independent: tuple[str, ...] | None, linear: bool = True
) -> LoopConstraints:
    rng = np.random.default_rng(0)
    state = exact_state(robot)
    samples = closed_samples(robot, state, rng, independent)
    rows, dropped = independent_rows(robot, state, samples)
    chosen = independent_coordinates(robot, rows, samples, independent)
    if linear and (found := _with_linear(robot, state, chosen)) is not None:
        return found
    dependent = tuple(k for k in range(robot.nv) if k not in chosen)
    return LoopConstraints(robot, state, samples, tuple(rows), tuple(dropped), chosen, dependent)


def _with_linear(robot: RobotModel, state: ExactState, chosen: tuple[int, ...]) -> LoopConstraints | None:
    """The constraints of the default assembly mode with its linear relations; None if it has none."""
    linear = linear_substitution(robot, chosen)
    if linear is None:
        return None
    component = component_of(robot)
    samples = tuple(component.state(BITS) for _ in range(_SAMPLES))
    pi = state.ring.variable("pi")
    substituted = state._replace(q=linear.applied(state.q, pi))
    first = []
    for k, name in zip(linear.slopes, linear.relations, strict=True):
        difference: Any = state.q[k] - substituted.q[k]
        first.append(Row(name, -1, difference, tuple(linear.gradient(k))))
    rows, dropped = independent_rows(robot, substituted, samples, first)
    dependent = tuple(k for k in range(robot.nv) if k not in chosen)
    if len(rows) != len(dependent):  # the coordinates that were chosen do not determine this mode
        return None
    return LoopConstraints(
        robot, substituted, samples, tuple(rows), tuple(dropped), chosen, dependent, linear
    )


def _are_names(names: Any) -> bool:
    several = isinstance(names, Sequence) and not isinstance(names, str)
    return several and all(isinstance(x, str) for x in names) and len(set(names)) == len(names)


def _first(constraints: LoopConstraints) -> list[str]:
    """Generators of dependent coordinates, angles before lengths."""
    robot, names = constraints.robot, constraints.state.ring.names
    places = [
        k
        for joint in robot.joints
        if set(range(*robot.v_slices[joint.name].indices(robot.nv))) & set(constraints.dependent)
        for k in range(*robot.q_slices[joint.name].indices(robot.nq))
    ]
    ordered = [f"{f}(q[{k}])" for k in places for f in ("sin", "cos")] + [f"q[{k}]" for k in places]
    return [name for name in ordered if name in names]


def _dot(xs: Sequence[Any], ys: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(xs, ys, strict=True):
        total = total + x * y
    return total
