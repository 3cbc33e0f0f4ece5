"""Closed-form inverse kinematics: its branches, their evaluation at poses, and their display."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import MissingValue, UnknownName, WrongSize
from rikigaku.core.types import Array, Mask
from rikigaku.export.export_files import exported_program
from rikigaku.export.export_record import Export
from rikigaku.export.identifiers import identifier
from rikigaku.laws.closed.loop_equations import loop_residual
from rikigaku.laws.tree.kinematics import frame_pose, world_poses
from rikigaku.model.editing import geometry_only
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.robot_tables import Table, html_table, text_table
from rikigaku.numbers.elementary_functions import atan2, cos, sin
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.latex_names import aligned, displays
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.formulas.formula_context import short_indices
from rikigaku.symbolic.inverse_kinematics.angle_sums import ShownStep, with_angle_sums
from rikigaku.symbolic.inverse_kinematics.branch_conditions import branch_conditions
from rikigaku.symbolic.inverse_kinematics.free_signs import PrintedStep, of_branch, with_free_signs
from rikigaku.symbolic.inverse_kinematics.planar_arm import Plane
from rikigaku.symbolic.inverse_kinematics.solution_steps import (
    Angle,
    Definition,
    Displacement,
    Root,
    Step,
    needed,
)

_ROWS_SHOWN = 64
Elements = Sequence[Array | None]  # of poses; None: not prescribed


@dataclass(frozen=True, eq=False, repr=False)
class Configurations:
    """All branches at given poses: q (..., branches, nq), NaN where a branch has no solution.

    valid: (..., branches); error: largest element of the difference between the pose reached and the
    target pose [m, or elements of the rotation matrix].
    """

    q: Array
    valid: Mask
    error: Array
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.valid.sum())

    def __iter__(self) -> Iterator[Array]:
        """The valid configurations, one by one."""
        return iter(self.q[self.valid])

    def table(self) -> Table:
        """One row for each branch of each pose: its joints, counted from 1; dashes out of reach."""
        head = ("pose", "branch", *self.names)
        rows = []
        for index in np.ndindex(self.valid.shape):
            texts = [f"{x:.6g}" for x in self.q[index]] if self.valid[index] else ["-"] * self.q.shape[-1]
            pose = ", ".join(str(k + 1) for k in index[:-1])
            rows.append((pose, str(index[-1] + 1), *texts))
        if self.valid.ndim == 1:
            return Table(head[1:], [row[1:] for row in rows])
        return Table(head, rows)

    def __repr__(self) -> str:
        head = f"{len(self)} configurations of {self.valid.size} branches (rad, m)"
        return f"{head}\n{text_table(_cut(self.table()))}"

    def _repr_html_(self) -> str:
        return html_table(_cut(self.table()))


def _cut(table: Table) -> Table:
    """The first rows, for display."""
    more = len(table.rows) - _ROWS_SHOWN
    if more <= 0:
        return table
    return Table(table.head, [*table.rows[:_ROWS_SHOWN], (f"... {more} more", *[""] * (len(table.head) - 1))])


@dataclass(frozen=True)
class Branch:
    """One solution: the signs of its roots, and the formula of each joint."""

    formulas: "JointFormulas"
    signs: tuple[int, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """Definitions, roots and joints in order; the roots of this branch have their sign."""
        signs = iter(self.signs)
        return tuple(
            Definition(step.name, next(signs) * step.radicand.sqrt()) if isinstance(step, Root) else step
            for step in self.formulas.steps
        )

    @property
    def shown_steps(self) -> "tuple[ShownStep, ...]":
        """The steps as books print them."""
        roots = [step.name for step in self.formulas.steps if isinstance(step, Root)]
        return of_branch(self.formulas.shown_steps, dict(zip(roots, self.signs, strict=True)))

    @property
    def joints(self) -> list[tuple[str, Step]]:
        """Each joint with the step that computes it, in the order of solution."""
        return [
            (self.formulas.robot_joint(step.place), step)
            for step in self.steps
            if isinstance(step, Angle | Displacement) and step.place < self.formulas.robot.nq
        ]

    def sympy(self, expanded: bool = False) -> Any:
        """SymPy's form: (definitions, joints), two lists of (symbol, expression).

        expanded: put the definitions into the formulas of the joints; these may become long.
        """
        from rikigaku.symbolic.inverse_kinematics.solution_text import branch_sympy

        return branch_sympy(self, expanded)

    def __str__(self) -> str:
        from rikigaku.symbolic.inverse_kinematics.solution_text import steps_text

        return "\n".join(steps_text(self.shown_steps))

    @checked
    def latex(self, style: str = "full") -> str:
        """The steps as an aligned display, without dollar signs; style "short" writes s23, c23."""
        from rikigaku.symbolic.inverse_kinematics.solution_text import steps_lines

        return aligned(steps_lines(self.shown_steps, self.formulas.short_indices(style)))

    def _repr_latex_(self) -> str:
        from rikigaku.symbolic.inverse_kinematics.solution_text import steps_lines

        return displays(steps_lines(self.shown_steps))


@dataclass(frozen=True, repr=False)
class JointFormulas:
    """Every joint as a formula of a frame's pose. Branches differ in the signs of their square roots.

    Attributes:
        steps: what is computed, in order, common to all branches: data that runs on any kind of number.
        pose_names: px, py, pz and r11 ... r33, the elements of the pose in the formulas.
        conditions: formulas of the pose that vanish wherever it is reachable.
        more_conditions: number of further conditions, which differ between branches; `solve` checks them,
            and `branch_conditions` has those that are known.
        undecided: number of combinations of signs that could not be verified and are left out (`status`).
    """

    robot: RobotModel
    frame: str
    target: str
    pose_names: tuple[str, ...]
    coordinates: Mapping[int, str]
    given: tuple[int, ...]
    steps: tuple[Step, ...]
    conditions: tuple[Formula, ...] = ()
    signs: tuple[tuple[int, ...], ...] = ()
    plane: Plane | None = None
    more_conditions: int = 0
    undecided: int = 0

    @property
    def status(self) -> str:
        """Whether these are all branches: what the verification by exact substitution has shown."""
        if not self.undecided:
            return "all branches: every other combination of signs fails to reach the pose"
        return (
            f"{self.undecided} combinations of signs could not be verified and are left out: there may be "
            "more branches. robot.inverse_kinematics(..., all=True) finds all in numbers."
        )

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The solutions, one for each valid combination of signs."""
        return tuple(Branch(self, signs) for signs in self.signs)

    def without_cut_joints(self) -> "JointFormulas":
        """The same without the motions of cut joints, where no other joint needs them."""
        size = self.robot.nq
        kept = needed(
            self.steps, lambda step: not isinstance(step, Angle | Displacement) or step.place >= size
        )
        roots = [step for step in self.steps if isinstance(step, Root)]
        used = [k for k, root in enumerate(roots) if root in kept]
        signs = dict.fromkeys(tuple(pattern[k] for k in used) for pattern in self.signs)
        return replace(self, steps=kept, signs=tuple(signs))

    def robot_joint(self, place: int) -> str:
        """The joint that an element of q belongs to."""
        slices = self.robot.q_slices
        return next(name for name, s in slices.items() if s.start <= place < s.stop)

    @checked
    def solve(self, pose: ArrayLike, tolerance: float = 1e-8, **values: Any) -> Configurations:
        """All configurations that reach a pose (4, 4), or each pose of a batch.

        A position target also takes (3,); a planar target its two coordinates and phi (3,).

        Every configuration is checked by forward kinematics: a branch is valid where the frame reaches the
        pose within the tolerance. Joints that the frame does not depend on are zero.

        values: of symbols of the robot (default: its own values) and of the given joints.
        """
        elements, inputs, batch = self._elements(pose)
        symbols = self._symbols(values)
        count = len(self.signs)
        at: dict[str, Any] = {name: float(x) for name, x in symbols.items()}
        at |= {name: x[None] for name, x in zip(self.pose_names, inputs, strict=True)}
        q = np.zeros((count, *batch, self.robot.nq))
        for place in self.given:
            at[self.coordinates[place]] = q[..., place] = np.asarray(values[self.coordinates[place]], float)
        roots = iter(np.array(self.signs, dtype=float).reshape(count, -1).T)
        with np.errstate(all="ignore"):
            for step in self.steps:
                match step:
                    case Definition(name, formula):
                        at[name] = formula.evaluate(FLOATS, at)
                    case Root(name, radicand):  # poses out of reach are found by the check below
                        size = np.sqrt(np.maximum(radicand.evaluate(FLOATS, at), 0.0))
                        at[name] = next(roots).reshape(-1, *[1] * len(batch)) * size
                    case Angle(_, name, y, x):
                        at[name] = np.arctan2(y.evaluate(FLOATS, at), x.evaluate(FLOATS, at))
                    case Displacement(_, name, formula):
                        at[name] = formula.evaluate(FLOATS, at)
                if isinstance(step, Angle | Displacement) and step.place < self.robot.nq:
                    q[..., step.place] = at[step.name]
            error = self._error(q, elements, symbols)
        q, error = np.moveaxis(q, 0, -2), np.moveaxis(error, 0, -1)
        valid = error <= tolerance
        names = tuple(self.coordinates[k] for k in range(self.robot.nq))
        return Configurations(np.where(valid[..., None], q, np.nan), valid, error, names)

    def _error(self, q: Array, elements: Elements, symbols: Mapping[str, float]) -> Array:
        def absolute(x: Any) -> Array:
            return np.abs(np.broadcast_to(x, q.shape[:-1]))

        joints = [q[..., k] for k in range(self.robot.nq)]
        # NaN, and not valid, where the pose has a NaN
        error: Array = self.largest_gap(joints, elements, symbols, absolute, np.maximum.reduce)
        return np.where(np.isfinite(q).all(axis=-1), error, np.inf)

    def largest_gap(
        self,
        q: Sequence[Any],
        elements: Sequence[Any],
        symbols: Mapping[str, Any],
        absolute: Callable[[Any], Any],
        largest: Callable[[list[Any]], Any],
    ) -> Any:
        """Largest difference between the pose reached (and closed loops) and the target, on any numbers."""
        mechanism = instantiate(self._geometry, FLOATS, symbols)
        pose = frame_pose(mechanism, world_poses(mechanism, q), self.frame)
        reached = [*pose.p, *(x for row in pose.R for x in row)][: len(elements)]
        gaps = [absolute(x - y) for x, y in zip(reached, elements, strict=True) if y is not None]
        if self.robot.loops:
            gaps += [absolute(x) for x in loop_residual(mechanism, q)]
        return largest(gaps)

    def elements_of(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """Elements of the pose to be reached, from those in the formulas; None: not prescribed."""
        if self.plane is None:
            return inputs
        return self._in_space(list(inputs))

    def pose_elements(self, q: Sequence[Any], symbols: Mapping[str, Any]) -> list[Any]:
        """Elements in the formulas of the pose that the frame has at q, on any numbers."""
        mechanism = instantiate(self._geometry, FLOATS, symbols)
        pose = frame_pose(mechanism, world_poses(mechanism, q), self.frame)
        if self.plane is not None:
            return [*(pose.p[k] for k in self.plane.across), atan2(*self.plane.sin_cos(pose.R))]
        return [*pose.p, *(x for row in pose.R for x in row)][: len(self.pose_names)]

    @property
    def geometric_symbols(self) -> tuple[str, ...]:
        """Symbols of the robot that poses depend on."""
        return self._geometry.free_symbols

    def _elements(self, pose: Any) -> tuple[Elements, list[Array], tuple[int, ...]]:
        """Elements of the poses, of the batch's shape: those to be reached, and those in the formulas."""
        array = floats("solve", pose)
        if array.shape[-2:] == (4, 4):
            parts = [array[..., k, 3] for k in range(3)]
            parts += [array[..., i, j] for i in range(3) for j in range(3)]
            if self.plane is not None:
                R = [[array[..., i, j] for j in range(3)] for i in range(3)]
                phi = np.arctan2(*self.plane.sin_cos(R))
                return parts, [*(parts[k] for k in self.plane.across), phi], array.shape[:-2]
            parts = parts[: len(self.pose_names)]
            return parts, parts, array.shape[:-2]
        if self.target != "pose" and array.ndim and array.shape[-1] == 3:
            parts = list(np.moveaxis(array, -1, 0))
            return self._in_space(parts), parts, array.shape[:-1]
        also = {
            "pose": "",
            "position": " or a position (3,)",
            "planar": f" or {', '.join(self.pose_names)} (3,)",
        }
        raise WrongSize(
            f"These formulas take a pose (4, 4){also[self.target]}, or a batch; {array.shape} was given."
        )

    def _in_space(self, parts: list[Array]) -> Elements:
        """The elements of the pose in space of a planar pose."""
        if self.plane is None:
            return parts
        position: list[Any] = [None] * 3  # the coordinate normal to the plane is not prescribed
        for k, x in zip(self.plane.across, parts, strict=False):
            position[k] = x
        rows = self.plane.rotation_rows(sin(parts[2]), cos(parts[2]))
        return [*position, *(x for row in rows for x in row)]

    def _symbols(self, values: Mapping[str, Any]) -> dict[str, float]:
        known = {**self.robot.declared_values, **values}
        names = [*self._geometry.free_symbols, *(self.coordinates[place] for place in self.given)]
        missing = [name for name in names if name not in known]
        for name in values:
            if name not in (*names, *self.robot.free_symbols):
                raise UnknownName("symbol or given joint", name, names, f"robot {self.robot.name!r}")
        if missing:
            raise MissingValue(f"{', '.join(missing)} have no value: give {missing[0]}=...")
        return {name: float(known[name]) for name in self._geometry.free_symbols}

    @cached_property
    def _geometry(self) -> RobotModel:
        """The robot without inertias and other data that poses do not depend on."""
        return replace(geometry_only(self.robot), couplings=self.robot.couplings)

    @cached_property
    def shown_steps(self) -> "tuple[PrintedStep, ...]":
        """The steps as books print them: theta3 = phi - theta1 - theta2, theta1 = atan2(±py, ±px)."""
        return with_free_signs(with_angle_sums(self.steps, self.robot.nq))

    @cached_property
    def branch_conditions(self) -> tuple[Formula, ...]:
        """Those of the `more_conditions` that are known: formulas of the steps' variables, zero in reach."""
        formulas = {step.name: step.formula for step in self.steps if isinstance(step, Definition)}
        hidden = formulas.keys() - {step.name for step in self.shown_steps}
        shown = []
        for condition in branch_conditions(self):
            while left := condition.symbols & hidden:
                condition = condition.substitute({name: formulas[name] for name in left})
            shown.append(condition)
        return tuple(shown)

    def short_indices(self, style: str) -> dict[str, str] | None:
        """Indices of the joints in the style "short"; None for "full"."""
        coordinates = [self.coordinates[k] for k in sorted(self.coordinates)]
        taken = (*self.robot.free_symbols, *self.pose_names, *(step.name for step in self.steps))
        return short_indices(style, coordinates, taken)

    @checked
    def text(self, style: str = "full") -> str:
        """Branches, conditions and steps; style "short" writes s23 for sin(q2 + q3), c1 for cos(q1)."""
        from rikigaku.symbolic.inverse_kinematics.solution_text import formulas_text

        return formulas_text(self, style)

    @checked
    def latex(self, style: str = "full") -> str:
        """The same as an aligned display in LaTeX, without dollar signs."""
        from rikigaku.symbolic.inverse_kinematics.solution_text import formulas_lines

        return aligned(formulas_lines(self, style))

    @checked
    def export(
        self, language: str, path: str | os.PathLike[str] | None = None, name: str | None = None
    ) -> Any:
        """All branches as a function in another language, as laws export (docs/export.md).

        Inputs: p and R of the pose (planar: two coordinates and phi), given joints, symbols. Outputs: q, one
        row for each branch, NaN where it does not reach the pose; `error` of that pose; `radicand`, the
        smallest number under a square root, negative out of reach.
        """
        from rikigaku.symbolic.formulas.object_exports import OBJECT_EXPORTERS
        from rikigaku.symbolic.inverse_kinematics.solution_program import solution_export

        own = f"{identifier(self.robot.name)[:24].rstrip('_')}_inverse_kinematics"

        def export(chosen: str) -> Export:
            return solution_export(self, chosen)

        return exported_program(language, export, path, name, own, OBJECT_EXPORTERS)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        from rikigaku.symbolic.inverse_kinematics.solution_text import formulas_lines

        return displays(formulas_lines(self))
