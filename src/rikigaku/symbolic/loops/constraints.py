"""Closed robots as formulas: constraints, which coordinates depend on which, and how they move along.

`robot.loop_constraints()` begins here; `.explicit` goes on with the dependent coordinates as formulas of the
independent ones (relations.py). Dynamics of closed robots are laws as any others (`robot.reduced`).
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.constraints.plan import coordinate_names
from rikigaku.errors import TooLarge, WrongValue
from rikigaku.laws.loops import loop_bias, loop_jacobian
from rikigaku.model.robot import Robot
from rikigaku.numbers.exact import ExactNumber
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.algebra.jobs import Progress, Work
from rikigaku.symbolic.combining import combined
from rikigaku.symbolic.exact_state import ExactState, exact_state
from rikigaku.symbolic.loops.consistent_state import ConsistentState
from rikigaku.symbolic.loops.ideal import PositionIdeal
from rikigaku.symbolic.loops.leading import closed_samples, independent_coordinates
from rikigaku.symbolic.loops.over import Over
from rikigaku.symbolic.loops.rows import Dropped, Row, independent_rows
from rikigaku.symbolic.loops.solve import Solver
from rikigaku.symbolic.loops.values import point_of, symbol_numbers, tell_open, valued
from rikigaku.symbolic.names import input_names
from rikigaku.symbolic.writing import Writing

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.relation import Relation


@dataclass(frozen=True, eq=False)
class LoopConstraints:
    """What the loops and gears of a robot ask of its coordinates.

    rows: equations formula = 0 that count, each with its name; dropped: the others, each with the reason.
    independent, dependent: places in v; as many independent ones as the robot's mobility.
    """

    robot: Robot
    state: ExactState
    samples: tuple[ConsistentState, ...]
    rows: tuple[Row, ...]
    dropped: tuple[Dropped, ...]
    independent: tuple[int, ...]
    dependent: tuple[int, ...]

    @property
    def mobility(self) -> int:
        """Degrees of freedom of the closed robot."""
        return len(self.independent)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """A name for each coordinate of v."""
        return coordinate_names(self.robot)

    @cached_property
    def formulas(self) -> tuple[ExactNumber, ...]:
        """The left sides of the equations."""
        return tuple(row.formula for row in self.rows)

    @cached_property
    def ideal(self) -> PositionIdeal:
        """All that vanishes where the loops are closed and regular; normal forms avoid what depends."""
        try:
            regular = self._solver.determinants if self.dependent else ()
        except TooLarge:
            regular = ()
        return PositionIdeal(self.state.ring, self.formulas, _first(self), regular)  # type: ignore[arg-type]

    @cached_property
    def jacobian(self) -> list[list[Any]]:
        """Jc with v_dependent = Jc v_independent: -(df/dq_dep)^-1 df/dq_indep (the paper's eq. 17).

        Dependent by independent: polynomials, alone or over determinants (`.numerator`, `.denominator`).
        """
        J = self.tree_jacobian
        columns = [[-row[k] for k in self.independent] for row in J]
        return [[self.ideal.reduced(x) for x in row] for row in self._solved(columns)]

    def velocities(self, v: Sequence[Any] | None = None) -> list[Any]:
        """All of v from that of the independent coordinates (their generators "v[k]" if None is given)."""
        own = [self.state.v[k] for k in self.independent] if v is None else list(v)
        return self._all(own, [_dot(row, own) for row in self.jacobian])

    def accelerations(self, v: Sequence[Any] | None = None, a: Sequence[Any] | None = None) -> list[Any]:
        """All of a from velocities and accelerations of the independent coordinates."""
        own = [self.state.a[k] for k in self.independent] if a is None else list(a)
        bias = loop_bias(self.state.mechanism, self.state.q, self.velocities(v))
        pushed = [x[0] for x in self._solved([[-bias[row.place]] for row in self.rows])]
        moved = [_dot(row, own) + x for row, x in zip(self.jacobian, pushed, strict=True)]
        return self._all(own, [self.ideal.reduced(x) for x in moved])

    @cached_property
    def explicit(self) -> "tuple[Relation, ...]":
        """Each dependent coordinate as a formula of the independent ones, in the order they are found.

        Raises:
            NoFormula: where elimination leaves an equation of higher degree than two.
            TimeLimit: where elimination does not end within 20 s; `eliminated` takes another limit.
        """
        return self.eliminated()

    def eliminated(
        self,
        time_limit: float = 20.0,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> "tuple[Relation, ...]":
        """The same with a say in long work, which is done in a child process; found once.

        Args:
            time_limit: seconds; with 0 only what is quick is tried.
            progress: called with each line told on the way.
            cancel: set it from another thread to stop the work (Ctrl-C stops it, too).
        """
        from rikigaku.symbolic.loops.relations import explicit_relations

        work = Work(time_limit, progress, cancel)
        if "explicit" not in self.__dict__:
            self.__dict__["explicit"] = explicit_relations(self, work)
        return self.explicit

    def postures(self, independent: Any, **symbols: float) -> np.ndarray:
        """All closed postures for these values of the independent joints, by the explicit relations.

        independent: {joint: position}. Returns (count, nq); no row where the loops cannot close there.
        """
        from rikigaku.symbolic.loops.postures import postures

        return postures(self, independent, symbols)

    def projected(self, tau: Sequence[Any]) -> list[Any]:
        """Forces of the tree as those along the independent coordinates: tau_ind + Jc^T tau_dep.

        The paper's eq. 18, corrected; the other joints are free.
        """
        result = []
        for k, i in enumerate(self.independent):
            total = tau[i]
            for j, row in zip(self.dependent, self.jacobian, strict=True):
                total = total + row[k] * tau[j]
            result.append(total)
        return result

    def value(self, numbers: Any, q: Any, v: Any = None, a: Any = None, **symbols: float) -> Any:
        """Numbers made of these constraints (`jacobian`, nested lists) in floats, at a closed posture.

        q: of all joints; v, a: of the independent coordinates.
        Raises:
            WrongSize: if q, v or a does not fit. MissingValue: if something in them has no value.
        """
        point = point_of(self, q, v, a, symbols)
        tell_open(self.robot, q, symbol_numbers(self.robot, symbols), 2)
        return valued(point, numbers)

    def written(self, x: Any) -> Formula:
        """A number as a formula with the names people know: joints, their rates with _dot, symbols."""
        return x.written(self._writing) if isinstance(x, Over) else self._writing(x)

    def combined(self, x: ExactNumber) -> Formula:
        """The same with sines and cosines of sums where that is shorter."""
        forms = (combined(x, self._writing, self._combined), self._writing(x))
        return min(forms, key=lambda formula: len(str(formula)))

    @cached_property
    def _combined(self) -> dict[Any, Formula]:
        return {}

    @cached_property
    def _writing(self) -> Writing:
        sizes = [("q", (self.robot.nq,)), *((name, (self.robot.nv,)) for name in ("v", "a", "tau"))]
        return Writing(self.state.ring, input_names(self.robot, sizes))

    @cached_property
    def tree_jacobian(self) -> list[list[ExactNumber]]:
        """d(rows)/dt = J v over all coordinates of the tree."""
        J = loop_jacobian(self.state.mechanism, self.state.q)
        return [list(J[row.place]) for row in self.rows]

    @cached_property
    def _solver(self) -> Solver:
        matrix = [[row[k] for k in self.dependent] for row in self.tree_jacobian]
        return Solver(matrix, [self.coordinates[k] for k in self.dependent])

    def _solved(self, right: list[list[Any]]) -> list[list[Any]]:
        return self._solver.solved(right) if self.dependent else []

    def _all(self, own: Sequence[Any], others: Sequence[Any]) -> list[Any]:
        known = dict(zip(self.independent, own, strict=True)) | dict(zip(self.dependent, others, strict=True))
        return [known[k] for k in range(self.robot.nv)]

    def __repr__(self) -> str:
        lines = [
            f"Loop constraints of robot {self.robot.name!r}: mobility {self.mobility}, "
            f"independent {', '.join(self.coordinates[k] for k in self.independent)}"
        ]
        lines += [f"  {row.name}:  {self.written(row.formula)} = 0" for row in self.rows]
        lines += [f"  ({row.name}: {row.why})" for row in self.dropped]
        if "explicit" in self.__dict__:  # asked for
            lines += [f"  {relation}" for relation in self.explicit]
        return "\n".join(lines)


def loop_constraints(
    robot: Robot,
    explicit: bool = False,
    independent: Sequence[str] | None = None,
    *,
    time_limit: float = 20.0,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> LoopConstraints:
    """The constraints of a closed robot as exact formulas, an independent set of them.

    Args:
        explicit: solve for the dependent coordinates too (`.explicit`), or say why that cannot be done.
        independent: names of joints to take as independent; the robot's own choice if None, and if it has
            none, driven joints as far as they serve.
        time_limit, progress, cancel: with explicit, as for `LoopConstraints.eliminated`.
    Raises:
        CannotClose: if the loops do not close. WrongSize, WrongValue: if the coordinates chosen are not as
            many as the mobility, or do not decide the others. NoFormula, TimeLimit: with explicit, if there
            is none, or none is found in time.
    """
    if not robot.loops and not robot.couplings:
        raise WrongValue(f"Robot {robot.name!r} has no loops and no gears: it has no constraints.")
    if independent is not None and not _are_names(independent):
        names = ", ".join(joint.name for joint in robot.joints)
        raise WrongValue(
            f"independent is a list of names of joints, each once, independent=[{robot.joints[0].name!r}]; "
            f"{independent!r} was given. Moving joints of robot {robot.name!r}: {names}."
        )
    constraints = _constraints(robot, None if independent is None else tuple(independent))
    if explicit:
        constraints.eliminated(time_limit, progress, cancel)
    return constraints


@lru_cache(maxsize=16)
def _constraints(robot: Robot, independent: tuple[str, ...] | None) -> LoopConstraints:
    rng = np.random.default_rng(0)
    state = exact_state(robot)
    samples = closed_samples(robot, state, rng)
    rows, dropped = independent_rows(robot, state, samples)
    chosen = independent_coordinates(robot, rows, samples, independent)
    dependent = tuple(k for k in range(robot.nv) if k not in chosen)
    return LoopConstraints(robot, state, samples, tuple(rows), tuple(dropped), chosen, dependent)


def _are_names(names: Any) -> bool:
    several = isinstance(names, Sequence) and not isinstance(names, str)
    return several and all(isinstance(x, str) for x in names) and len(set(names)) == len(names)


def _first(constraints: LoopConstraints) -> list[str]:
    """Generators of dependent coordinates, angles before slides."""
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
