"""Mobility of a closed robot: independent loop equations, independent coordinates, actuated freedoms.

Ranks are determined once, at sampled closed configurations of one mobility (`rank_sampling`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.closure.linear_relations import LinearRelations, linear_mode
from rikigaku.closure.loop_closure_newton import LoopEquations
from rikigaku.closure.pivoting import LOOSE_RANK, RANK, independent_rows, orthogonal_part, rank_of
from rikigaku.closure.rank_sampling import samples, symbol_floats
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.laws.closed.dependent_coordinates import ClosureStructure
from rikigaku.laws.structure import loop_rows
from rikigaku.model.coordinate_names import coordinate_names as coordinate_names
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.robot_tables import Table, html_table
from rikigaku.model.states import as_position, velocity_indices


@dataclass(frozen=True, eq=False)
class ClosurePlan:
    """Independent equations and coordinates of a closed robot.

    Attributes:
        structure: indices of equations and coordinates, as laws take them.
        samples: closed configurations at which ranks were determined, (samples, nq).
        equations: names of the independent loop equations. redundant: names of the redundant ones.
        slack: residual of the redundant equations [m, or sine] where the file's numbers are rounded; else 0.
        linear: linear relations of the coordinates in the default assembly mode (parallelograms, gears).
        unactuated: coordinates that can move with all actuated joints locked.
        actuated_freedoms: degrees of freedom that the actuated joints determine.
        independent, dependent, actuated, passive: names of coordinates of v.
    """

    robot: RobotModel
    structure: ClosureStructure
    samples: Array
    equations: tuple[str, ...]
    redundant: tuple[str, ...]
    slack: float = 0.0
    unactuated: tuple[str, ...] = ()
    actuated_freedoms: int = 0
    linear: LinearRelations | None = None

    @property
    def mobility(self) -> int:
        """Degrees of freedom of the closed robot."""
        return len(self.structure.independent)

    @property
    def redundancy(self) -> int:
        """Number of redundant equations."""
        return len(self.redundant)

    @property
    def actuation_redundancy(self) -> int:
        """Actuated coordinates beyond the freedoms they determine: internal forces are possible."""
        return len(self.structure.actuated) - self.actuated_freedoms

    @property
    def independent(self) -> tuple[str, ...]:
        return self._named(self.structure.independent)

    @property
    def dependent(self) -> tuple[str, ...]:
        return self._named(self.structure.dependent)

    @property
    def actuated(self) -> tuple[str, ...]:
        return self._named(self.structure.actuated)

    @property
    def passive(self) -> tuple[str, ...]:
        return self._named(self.structure.passive)

    @property
    def relations(self) -> tuple[str, ...]:
        """Linear relations in the default assembly mode: "theta3 = -theta2 + theta7 + pi/2"."""
        return () if self.linear is None else self.linear.written(coordinate_names(self.robot))

    def _named(self, places: Sequence[int]) -> tuple[str, ...]:
        names = coordinate_names(self.robot)
        return tuple(names[k] for k in places)

    def _repr_html_(self) -> str:
        """The plan as a table, for notebooks."""
        rows = {
            "mobility": str(self.mobility),
            "independent": ", ".join(self.independent),
            "dependent": ", ".join(self.dependent),
            "actuated": ", ".join(self.actuated) or "none",
            "unactuated": ", ".join(self.unactuated),
            "independent equations": ", ".join(self.equations),
            "redundant equations": ", ".join(self.redundant),
        }
        title = f"<b>{escape(self.robot.name)}</b>: closure of its loops"
        table = html_table(Table(("", ""), [(name, text) for name, text in rows.items() if text]))
        return f"<div>{title}{table}</div>"

    def __repr__(self) -> str:
        lines = [
            f"Loops of robot {self.robot.name!r}: mobility {self.mobility}, "
            f"{len(self.equations)} independent equations, {self.redundancy} redundant",
            f"  independent: {', '.join(self.independent)}",
            f"  dependent:   {', '.join(self.dependent)}",
            f"  actuated:    {', '.join(self.actuated) or 'none'}",
        ]
        if self.unactuated:
            lines.append(f"  unactuated:  {', '.join(self.unactuated)} move with all actuators locked")
        if self.redundant:
            lines.append(f"  redundant:   {', '.join(self.redundant)}")
        if self.linear is not None:
            lines.append(f"  linear:      {', '.join(self.relations)}")
        if self.slack:
            lines.append(
                f"  residual of the redundant equations: {self.slack:.0e} (rounded numbers in the file)"
            )
        return "\n".join(lines)


def closure(robot: RobotModel, near: ArrayLike | None = None) -> ClosurePlan:
    """Mobility, independent equations and independent coordinates of a closed robot; found once.

    Loops may close with different mobilities (a linkage that also folds flat). Then the mobility is used that
    equals the number of the robot's `independent` joints; else that of the neutral configuration, if it is
    closed; else one equal to the number of actuated coordinates; else that of the closed configuration
    nearest to the neutral one. All laws of the closed robot use this plan.

    Args:
        near: a configuration (nq,): the plan at the closed configuration nearest to it, for inspection; laws
            do not use it.
    Raises:
        WrongValue: if the robot has neither loops nor gears. CannotClose: if its loops do not close.
        WrongSize: if `robot.independent` are not as many as its mobility.
    """
    if near is not None:
        return _found(replace(robot, independent=()), as_position(robot, near))
    known = robot.__dict__.get("_closure")
    if known is None:
        known = robot.__dict__["_closure"] = _found(robot)
    return known


def _found(robot: RobotModel, near: Array | None = None) -> ClosurePlan:
    if not robot.loops and not robot.couplings:
        raise WrongValue(f"Robot {robot.name!r} has no loops and no gears: all its joints are independent.")
    q, J, rank, slack = samples(robot, near)
    rows = independent_rows(J, rank, range(J.shape[1]))
    actuated = velocity_indices(robot, [joint.name for joint in robot.joints if joint.actuated])
    independent_J = J[:, rows]
    independent = _independent(robot, independent_J, actuated)
    dependent = tuple(k for k in range(robot.nv) if k not in independent)
    names = loop_rows(robot)
    freedoms, moving = _actuated_freedoms(independent_J, actuated, LOOSE_RANK if slack else RANK)
    regularity = (
        [np.linalg.svd(x[:, dependent], compute_uv=False)[-1] for x in independent_J] if dependent else [0.0]
    )
    return ClosurePlan(
        robot,
        ClosureStructure(
            tuple(rows), independent, dependent, actuated, () if slack else _partly_redundant(J, rows)
        ),
        q[np.argsort(regularity)[::-1]],  # most regular first
        tuple(names[i] for i in rows),
        tuple(name for i, name in enumerate(names) if i not in rows),
        slack,
        tuple(name for name, moves in zip(coordinate_names(robot), moving, strict=True) if moves),
        freedoms,
        None if slack or near is not None else linear_mode(_own_equations(robot), q, J, independent),
    )


def _own_equations(robot: RobotModel) -> LoopEquations:
    """All equations at the robot's own values of symbols, random ones where it has none."""
    return LoopEquations(robot, symbol_floats(robot, np.random.default_rng(0)))


def _actuated_freedoms(J: Array, actuated: Sequence[int], tolerance: float) -> tuple[int, Mask]:
    """Number of freedoms that actuated coordinates determine, and the coordinates that move if these lock.

    J: Jacobian of the independent equations, (samples, equations, nv). The columns of N span its null space;
    the number is the rank of the actuated rows of N, at the sample where it is largest.
    """
    best, moving = -1, np.zeros(J.shape[2], dtype=bool)
    for x in J:
        N = np.linalg.svd(x)[2][len(x) :].T
        _, s, Vt = np.linalg.svd(N[list(actuated)])
        rank = int((s > tolerance).sum())  # N is orthonormal: singular values are at most 1
        if rank > best:
            best, moving = rank, np.abs(N @ Vt[rank:].T).max(axis=1, initial=0.0) > LOOSE_RANK
    return best, moving


def _partly_redundant(J: Array, rows: Sequence[int]) -> tuple[int, ...]:
    """Equations that are redundant only at some configurations: needed where the independent ones lose rank.

    They are not constant combinations of the independent ones.
    """
    others = [i for i in range(J.shape[1]) if i not in rows]
    stacked = np.swapaxes(J, 1, 2).reshape(J.shape[0] * J.shape[2], J.shape[1])
    independent, redundant = stacked[:, rows], stacked[:, others]
    remainder = redundant - independent @ np.linalg.lstsq(independent, redundant, rcond=None)[0]
    size = np.abs(J).max(initial=0.0)
    return tuple(i for i, x in zip(others, np.abs(remainder).max(axis=0), strict=True) if x > RANK * size)


def equations_of(robot: RobotModel, symbols: Mapping[str, float] | None = None) -> LoopEquations:
    """The loop equations at values of the robot's symbols.

    symbols: values that replace the robot's own; None: its own, and random values for symbols without one.
    Raises (when they are evaluated):
        MissingValue: if a symbol they depend on has no value.
    """
    plan = closure(robot)
    rows = plan.structure.equations if plan.slack else None
    if symbols is None:
        return LoopEquations(robot, symbol_floats(robot, np.random.default_rng(0)), rows)
    for name, x in symbols.items():
        if not np.isfinite(x):
            raise WrongValue(f"The symbol {name!r} of robot {robot.name!r} is a number; {x!r} was given.")
    return LoopEquations(robot, robot.declared_values | dict(symbols), rows)


def _independent(robot: RobotModel, J: Array, actuated: Sequence[int]) -> tuple[int, ...]:
    """Indices of the independent coordinates: the robot's choice, else actuated ones as far as possible."""
    size, mobility = J.shape[1], robot.nv - J.shape[1]
    columns = np.swapaxes(J, 1, 2)
    if robot.independent:
        chosen = velocity_indices(robot, robot.independent)
        if len(chosen) != mobility:
            raise WrongSize(
                f"Robot {robot.name!r} has mobility {mobility}, so {mobility} coordinates determine the "
                f"others. It names {len(chosen)} ({', '.join(robot.independent)}). Its coordinates: "
                f"{', '.join(coordinate_names(robot))}."
            )
        require_determining(robot, J, chosen)
        return chosen
    # passive coordinates are dependent as far as possible, then actuated ones
    order = sorted(range(robot.nv), key=lambda k: (k in actuated, -k))
    passive = [k for k in order if k not in actuated]
    dependent = independent_rows(columns, size, passive)
    if len(dependent) < size:
        rest = orthogonal_part(columns, dependent)
        dependent += independent_rows(rest, size - len(dependent), [k for k in order if k in actuated])
    return tuple(k for k in range(robot.nv) if k not in dependent)


def require_determining(robot: RobotModel, J: Array, chosen: Sequence[int]) -> None:
    """Raise WrongValue if the chosen coordinates leave others free; J: (samples, equations, nv)."""
    names = coordinate_names(robot)
    others = [k for k in range(robot.nv) if k not in chosen]
    if all(rank_of(x[:, others]) < len(others) for x in J):
        loose = np.linalg.svd(J[0][:, others])[2][-1]
        free = [names[k] for k, x in zip(others, loose, strict=True) if abs(x) > 1e-6]
        raise WrongValue(
            f"The coordinates {', '.join(names[k] for k in chosen)} of robot {robot.name!r} do not determine "
            f"the others: with them all held, {', '.join(free)} can still move. Choose others."
        )
