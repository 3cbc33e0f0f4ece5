"""Which rows of the loops count, and which coordinates decide the others: found once, at closed postures.

Ranks are those of singular values with a gap, at several random closed postures. A linkage may close in ways
of different mobility: the one the robot's independent joints ask for is meant, else the one found most often
of those that move.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.equations import LoopEquations
from rikigaku.constraints.modes import within
from rikigaku.errors import CannotClose, UnknownName, WrongSize, WrongValue
from rikigaku.laws.closed import Plan
from rikigaku.model.robot import Robot
from rikigaku.states import random_state
from rikigaku.structure import loop_rows

Array = NDArray[np.float64]

_STARTS = 96  # random postures to close from
_SAMPLES = 24  # closed postures the ranks are taken at
RANK = 1e-8  # singular values below this part of the largest count as zero
_CLEARLY = 0.25  # a later row (or coordinate) is preferred only if it is that much better


@dataclass(frozen=True, eq=False)
class ClosurePlan:
    """What the loops of a robot amount to.

    rows: names of the equations that count; redundant: those that follow from them.
    independent, dependent, driven, passive: names of coordinates of v.
    """

    robot: Robot
    places: Plan
    samples: Array  # closed postures it was found at
    rows: tuple[str, ...]
    redundant: tuple[str, ...]

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
        """Drives beyond the mobility; negative where some motion has no drive."""
        return len(self.places.driven) - self.mobility

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
        if self.redundant:
            lines.append(f"  redundant:   {', '.join(self.redundant)}")
        return "\n".join(lines)


def closure(robot: Robot) -> ClosurePlan:
    """The plan of a closed robot: mobility, equations that count, independent coordinates. Found once.

    Raises:
        WrongValue: if the robot has neither loops nor gears. CannotClose: if its loops do not close.
        WrongSize: if `robot.independent` are not as many as its mobility.
    """
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


def places_of(robot: Robot, names: Sequence[str]) -> tuple[int, ...]:
    """Places in v of the joints named."""
    known = [joint.name for joint in robot.joints]
    for name in names:
        if name not in known:
            raise UnknownName("moving joint", name, known, f"robot {robot.name!r}")
    return tuple(k for name in names for k in range(*robot.v_slices[name].indices(robot.nv)))


def _found(robot: Robot) -> ClosurePlan:
    if not robot.loops and not robot.couplings:
        raise WrongValue(f"Robot {robot.name!r} has no loops and no gears: all its joints are independent.")
    q, J = _samples(robot)
    rows = _spanning(J, _rank(J[0]), range(J.shape[1]))
    driven = places_of(robot, [joint.name for joint in robot.joints if joint.actuated])
    counted = J[:, rows]
    independent = _independent(robot, counted, driven)
    dependent = tuple(k for k in range(robot.nv) if k not in independent)
    names = loop_rows(robot)
    decided = [np.linalg.svd(x[:, dependent], compute_uv=False)[-1] for x in counted] if dependent else [0.0]
    return ClosurePlan(
        robot,
        Plan(tuple(rows), independent, dependent, driven),
        q[np.argsort(decided)[::-1]],  # the best example first
        tuple(names[i] for i in rows),
        tuple(name for i, name in enumerate(names) if i not in rows),
    )


def _samples(robot: Robot) -> tuple[Array, Array]:
    """Closed postures and their Jacobians, all of one rank, those furthest from singular ones."""
    rng = np.random.default_rng(0)
    equations = LoopEquations(robot, values(robot, rng))
    kept: list[Array] = []
    nearest = np.full(1, np.inf)
    for _ in range(4):
        search = equations.newton(random_state(robot, rng, _STARTS).q, range(robot.nv))
        closed = search.q[search.closed]
        kept += list(closed[within(robot, closed)]) or list(closed)
        gaps = np.abs(search.residual).max(axis=1)
        if gaps.min() < np.abs(nearest).max():
            nearest = search.residual[int(np.argmin(gaps))]
        if len(kept) >= _SAMPLES:
            break
    if not kept:
        raise never_closed(robot, nearest)
    q = np.array(kept)
    J = equations.jacobian(q)
    ranks = np.array([_rank(x) for x in J])
    rank = _meant(robot, ranks)
    q, J = q[ranks == rank], J[ranks == rank]
    clear = [s[rank - 1] / s[0] for s in np.linalg.svd(J, compute_uv=False)]
    order = np.argsort(clear)[::-1][:_SAMPLES]
    return q[order], J[order]


def _meant(robot: Robot, ranks: NDArray[np.int64]) -> int:
    """Of the ranks found, that of the robot that is meant."""
    asked = robot.nv - len(places_of(robot, robot.independent))
    if robot.independent and asked in ranks:
        return asked
    kinds, counts = np.unique(ranks, return_counts=True)
    if len(kinds) > 1 and kinds[-1] == robot.nv:  # the last cannot move
        kinds, counts = kinds[:-1], counts[:-1]
    return int(kinds[np.argmax(counts)])


def never_closed(robot: Robot, gap: Any) -> CannotClose:
    """The error for a robot of which no closed posture is found; gap: the nearest residual."""
    names = loop_rows(robot)
    if np.abs(gap).max() < 1e-9:
        return CannotClose(
            f"Robot {robot.name!r}: every posture found closes a joint the wrong way round. "
            "Turn one end of the loop by half a turn (about x).",
            robot.loops[0].name if robot.loops else "",
        )
    worst = names[int(np.argmax(np.abs(gap)))]
    return CannotClose(
        f"Robot {robot.name!r}: no posture closes its loops; the nearest leaves {np.abs(gap).max():.3g} in "
        f"the row {worst!r}. Check lengths and frames of both ends of the cut joint.",
        worst.split(":")[0],
        "unreachable",
    )


def values(robot: Robot, rng: Any) -> dict[str, float]:
    """A value for every symbol: its own, or a random one."""
    own = robot.declared_values
    return {name: own.get(name, float(rng.uniform(0.5, 1.5))) for name in robot.free_symbols}


def _rank(J: Array) -> int:
    s = np.linalg.svd(J, compute_uv=False)
    return int((s > RANK * s[:1]).sum())


def _spanning(J: Array, count: int, order: Sequence[int]) -> list[int]:
    """Rows of J (samples, rows, columns) that are independent at every sample, as far as they go.

    Each time the row whose part at right angles to those chosen is largest where it is smallest, and the
    first of them that is nearly as good.
    """
    left = np.array(J, dtype=np.float64)
    size = np.linalg.norm(left, axis=2).max()
    chosen: list[int] = []
    for _ in range(count):
        reach = np.linalg.norm(left, axis=2).min(axis=0)
        reach[chosen] = 0.0
        best = reach[list(order)].max(initial=0.0)
        if best <= RANK * size:
            break
        row = next(i for i in order if reach[i] >= _CLEARLY * best)
        chosen.append(row)
        unit = left[:, row] / np.linalg.norm(left[:, row], axis=1, keepdims=True)
        left = left - np.einsum("kij,kj->ki", left, unit)[..., None] * unit[:, None]
    return sorted(chosen)


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
    dependent = _spanning(columns, size, passive)
    if len(dependent) < size:
        rest = _remaining(columns, dependent)
        dependent += _spanning(rest, size - len(dependent), [k for k in order if k in driven])
    return tuple(k for k in range(robot.nv) if k not in dependent)


def _remaining(rows: Array, chosen: Sequence[int]) -> Array:
    """The rows less their parts along those chosen."""
    basis = np.linalg.qr(np.swapaxes(rows[:, list(chosen)], 1, 2))[0]
    return np.asarray(rows - np.einsum("kij,kjm,klm->kil", rows, basis, basis))


def check_deciding(robot: Robot, J: Array, chosen: Sequence[int]) -> None:
    """Refuse coordinates that leave others free at every sample; J: (samples, rows that count, nv)."""
    names = coordinate_names(robot)
    others = [k for k in range(robot.nv) if k not in chosen]
    if all(_rank(x[:, others]) < len(others) for x in J):
        loose = np.linalg.svd(J[0][:, others])[2][-1]
        free = [names[k] for k, x in zip(others, loose, strict=True) if abs(x) > 1e-6]
        raise WrongValue(
            f"The coordinates {', '.join(names[k] for k in chosen)} of robot {robot.name!r} do not decide "
            f"the others: with them all held, {', '.join(free)} can still move. Choose others."
        )
