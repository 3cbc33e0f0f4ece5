"""Which rows of the loops count, and which coordinates decide the others: found once, at closed postures.

Ranks are taken at several closed postures of the way to close that is meant (`sampling`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.equations import LoopEquations
from rikigaku.constraints.sampling import LOOSE, RANK, rank_of, samples, spanning, values
from rikigaku.constraints.sampling import places_of as places_of  # a plan's readers ask for both
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.laws.closed import Plan
from rikigaku.model.robot import Robot
from rikigaku.states import as_position
from rikigaku.structure import loop_rows

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClosurePlan:
    """What the loops of a robot amount to.

    rows: names of the equations that count; redundant: those that follow from them.
    slack: how far these are open though the others hold, where the file's numbers are rounded; else 0.
    independent, dependent, driven, passive: names of coordinates of v.
    undriven: coordinates that move in every posture though all drives are locked.
    """

    robot: Robot
    places: Plan
    samples: Array  # closed postures it was found at
    rows: tuple[str, ...]
    redundant: tuple[str, ...]
    slack: float = 0.0
    undriven: tuple[str, ...] = ()
    reach: int = 0  # freedoms that the drives decide

    @property
    def mobility(self) -> int:
        """Degrees of freedom of the closed robot."""
        return len(self.places.independent)

    @property
    def redundancy(self) -> int:
        """Equations that follow from others."""
        return len(self.redundant)

    @property
    def spare_drives(self) -> int:
        """Drives beyond the freedoms they decide: they work against each other."""
        return len(self.places.driven) - self.reach

    @property
    def independent(self) -> tuple[str, ...]:
        return self._named(self.places.independent)

    @property
    def dependent(self) -> tuple[str, ...]:
        return self._named(self.places.dependent)

    @property
    def driven(self) -> tuple[str, ...]:
        return self._named(self.places.driven)

    @property
    def passive(self) -> tuple[str, ...]:
        return self._named(self.places.passive)

    def _named(self, places: Sequence[int]) -> tuple[str, ...]:
        names = coordinate_names(self.robot)
        return tuple(names[k] for k in places)

    def __repr__(self) -> str:
        lines = [
            f"Loops of robot {self.robot.name!r}: mobility {self.mobility}, {len(self.rows)} equations "
            f"count, {self.redundancy} follow from them",
            f"  independent: {', '.join(self.independent)}",
            f"  dependent:   {', '.join(self.dependent)}",
            f"  driven:      {', '.join(self.driven) or 'none'}",
        ]
        if self.undriven:
            lines.append(f"  undriven:    {', '.join(self.undriven)} move with all drives locked")
        if self.redundant:
            lines.append(f"  redundant:   {', '.join(self.redundant)}")
        if self.slack:
            lines.append(f"  the redundant ones hold to {self.slack:.0e}: as far as the numbers given fit")
        return "\n".join(lines)


def closure(robot: Robot, near: Any = None) -> ClosurePlan:
    """The plan of a closed robot: mobility, equations that count, independent coordinates. Found once.

    Where the loops close in ways of different mobility, the one the robot's `independent` joints ask for is
    meant; else that of the neutral posture, if it closes; else one with as many freedoms as drives; else the
    one nearest to the neutral posture. All laws follow this plan.
    Args:
        near: a posture (nq,): the plan of the way to close nearest to it, to look at; laws do not follow it.
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


def coordinate_names(robot: Robot) -> tuple[str, ...]:
    """A name for each coordinate of v: the joint's, with a number where it has several."""
    return tuple(
        joint.name if joint.nv == 1 else f"{joint.name}[{k}]"
        for joint in robot.joints
        for k in range(joint.nv)
    )


def _found(robot: Robot, near: Array | None = None) -> ClosurePlan:
    if not robot.loops and not robot.couplings:
        raise WrongValue(f"Robot {robot.name!r} has no loops and no gears: all its joints are independent.")
    q, J, rank, slack = samples(robot, near)
    rows = spanning(J, rank, range(J.shape[1]))
    driven = places_of(robot, [joint.name for joint in robot.joints if joint.actuated])
    counted = J[:, rows]
    independent = _independent(robot, counted, driven)
    dependent = tuple(k for k in range(robot.nv) if k not in independent)
    names = loop_rows(robot)
    reach, left = _driven_freedoms(counted, driven, LOOSE if slack else RANK)
    decided = [np.linalg.svd(x[:, dependent], compute_uv=False)[-1] for x in counted] if dependent else [0.0]
    return ClosurePlan(
        robot,
        Plan(tuple(rows), independent, dependent, driven, () if slack else _following(J, rows)),
        q[np.argsort(decided)[::-1]],  # the best example first
        tuple(names[i] for i in rows),
        tuple(name for i, name in enumerate(names) if i not in rows),
        slack,
        tuple(name for name, moves in zip(coordinate_names(robot), left, strict=True) if moves),
        reach,
    )


def _driven_freedoms(J: Array, driven: Sequence[int], least: float) -> tuple[int, NDArray[np.bool_]]:
    """How many freedoms the drives decide, and which coordinates the motions they leave have.

    J: (samples, rows that count, nv), all of full rank. Columns of N: the motions the loops leave; the drives
    decide as many as the rows of N that are theirs have rank, where they have most.
    """
    best, left = -1, np.zeros(J.shape[2], dtype=bool)
    for x in J:
        N = np.linalg.svd(x)[2][len(x) :].T
        _, s, Vt = np.linalg.svd(N[list(driven)])
        rank = int((s > least).sum())  # N is orthonormal: a drive that goes along has a share of order one
        if rank > best:
            best, left = rank, np.abs(N @ Vt[rank:].T).max(axis=1, initial=0.0) > LOOSE
    return best, left


def _following(J: Array, rows: Sequence[int]) -> tuple[int, ...]:
    """Rows that are not one sum of those that count at all postures: where these fail, they may serve."""
    others = [i for i in range(J.shape[1]) if i not in rows]
    stacked = np.swapaxes(J, 1, 2).reshape(J.shape[0] * J.shape[2], J.shape[1])
    counted, rest = stacked[:, rows], stacked[:, others]
    left = rest - counted @ np.linalg.lstsq(counted, rest, rcond=None)[0]
    size = np.abs(J).max(initial=0.0)
    return tuple(i for i, gap in zip(others, np.abs(left).max(axis=0), strict=True) if gap > RANK * size)


def equations_of(robot: Robot, symbols: Mapping[str, float] | None = None) -> LoopEquations:
    """The loop equations with the values given and the robot's own; for None, with one for every symbol.

    Raises (when they are evaluated):
        MissingValue: if a symbol they depend on has no value.
    """
    plan = closure(robot)
    rows = plan.places.rows if plan.slack else None
    if symbols is None:
        return LoopEquations(robot, values(robot, np.random.default_rng(0)), rows)
    for name, x in symbols.items():
        if not np.isfinite(x):
            raise WrongValue(f"The symbol {name!r} of robot {robot.name!r} is a number; {x!r} was given.")
    return LoopEquations(robot, robot.declared_values | dict(symbols), rows)


def _independent(robot: Robot, J: Array, driven: Sequence[int]) -> tuple[int, ...]:
    """Places of the independent coordinates: the robot's own, or drives as far as they serve."""
    size, mobility = J.shape[1], robot.nv - J.shape[1]
    columns = np.swapaxes(J, 1, 2)
    if robot.independent:
        chosen = places_of(robot, robot.independent)
        if len(chosen) != mobility:
            raise WrongSize(
                f"Robot {robot.name!r} has mobility {mobility}: so many coordinates decide the others. It "
                f"names {len(chosen)} ({', '.join(robot.independent)}). Its coordinates: "
                f"{', '.join(coordinate_names(robot))}."
            )
        check_deciding(robot, J, chosen)
        return chosen
    # passive joints depend on driven ones: first as many passive coordinates as serve, then drives
    order = sorted(range(robot.nv), key=lambda k: (k in driven, -k))
    passive = [k for k in order if k not in driven]
    dependent = spanning(columns, size, passive)
    if len(dependent) < size:
        rest = _remaining(columns, dependent)
        dependent += spanning(rest, size - len(dependent), [k for k in order if k in driven])
    return tuple(k for k in range(robot.nv) if k not in dependent)


def _remaining(rows: Array, chosen: Sequence[int]) -> Array:
    """The rows less their parts along those chosen."""
    basis = np.linalg.qr(np.swapaxes(rows[:, list(chosen)], 1, 2))[0]
    return np.asarray(rows - np.einsum("kij,kjm,klm->kil", rows, basis, basis))


def check_deciding(robot: Robot, J: Array, chosen: Sequence[int]) -> None:
    """Refuse coordinates that leave others free at every sample; J: (samples, rows that count, nv)."""
    names = coordinate_names(robot)
    others = [k for k in range(robot.nv) if k not in chosen]
    if all(rank_of(x[:, others]) < len(others) for x in J):
        loose = np.linalg.svd(J[0][:, others])[2][-1]
        free = [names[k] for k, x in zip(others, loose, strict=True) if abs(x) > 1e-6]
        raise WrongValue(
            f"The coordinates {', '.join(names[k] for k in chosen)} of robot {robot.name!r} do not decide "
            f"the others: with them all held, {', '.join(free)} can still move. Choose others."
        )
