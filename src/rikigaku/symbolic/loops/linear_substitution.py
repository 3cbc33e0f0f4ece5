"""Linear relations of a closed robot's coordinates as exact substitutions: theta3 = pi/2 - theta2 + theta7.

They are those of the default assembly mode (`robot.closure().linear`), recognised as whole multiples of
angles and fractions of pi, and verified in arbitrary precision at random lengths. Substituted before a law is
run, they leave no loop equation of a parallelogram, and no denominator.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.closure.closure_plan import closure, coordinate_names
from rikigaku.closure.linear_relations import LinearRelations, angle_places
from rikigaku.core.errors import CannotClose, RikigakuError
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.arbitrary_precision import ARBITRARY_PRECISION, arbitrary, precision
from rikigaku.symbolic.loops.component import component_of, generic_states
from rikigaku.symbolic.loops.precise_closure import ConsistentState

_BITS = 256
_ZERO = 2.0**-150
_FINEST = 12  # denominator of constants, in units of pi: multiples of 15 degrees are exact
_STATES = 3

Row = tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class LinearSubstitution:
    """q[k] = sum of slopes * q + pi * offset for some dependent coordinates; slopes are whole numbers.

    slopes: {k: {i: slope}}, no substituted coordinate on the right. offsets: {k: in units of pi}.
    """

    robot: RobotModel
    slopes: Mapping[int, Mapping[int, int]]
    offsets: Mapping[int, Fraction]
    numeric: LinearRelations

    def applied(self, values: Sequence[Any], pi: Any = None) -> list[Any]:
        """Positions with the substituted ones replaced; rates, where pi is None."""
        result = list(values)
        for k, row in self.slopes.items():
            total: Any = 0
            for i, n in row.items():
                total = total + (values[i] if n == 1 else -values[i] if n == -1 else values[i] * n)
            offset = self.offsets[k]
            result[k] = total + _times(pi, offset) if pi is not None and offset else total
        return result

    def inputs(self, named: Mapping[str, Sequence[Any]], pi: Callable[[], Any]) -> dict[str, list[Any]]:
        """Inputs of a law by name, with q, v and a of all coordinates substituted."""
        size = self.robot.nv
        return {
            name: self.applied(x, pi() if name == "q" else None)
            if name in ("q", "v", "a") and len(x) == size
            else list(x)
            for name, x in named.items()
        }

    def velocity_map(self, independent: Sequence[int]) -> list[list[Fraction]] | None:
        """P with v = P v_independent, constant; None where some coordinates are not linear in these."""
        free = [k for k in range(self.robot.nv) if k not in self.slopes]
        if set(free) != set(independent):
            return None
        rows = [self.slopes.get(k, {k: 1}) for k in range(self.robot.nv)]
        return [[Fraction(row.get(i, 0)) for i in independent] for row in rows]

    def gradient(self, k: int) -> list[Fraction]:
        """Coefficients of all coordinates in q[k] - slopes . q."""
        row = {i: -n for i, n in self.slopes[k].items()} | {k: 1}
        return [Fraction(row.get(i, 0)) for i in range(self.robot.nv)]

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """As text, one for each substituted coordinate."""
        rows = tuple(tuple(self.gradient(k)) for k in self.slopes)
        constants = tuple(float(self.offsets[k]) * np.pi for k in self.slopes)
        own = LinearRelations(self.robot, rows, tuple(self.slopes), constants)
        return own.written(coordinate_names(self.robot))


def linear_substitution(
    robot: RobotModel, independent: Sequence[int] | None = None
) -> LinearSubstitution | None:
    """The substitutions of the default assembly mode; None if there are none.

    independent: indices in v of coordinates that are not substituted; None: those of the numeric laws.
    """
    plan = closure(robot)
    chosen = tuple(plan.structure.independent if independent is None else independent)
    known = robot.__dict__.setdefault("_linear_substitutions", {})
    if chosen not in known:
        known[chosen] = None if plan.linear is None else _found(robot, plan.linear, chosen)
    found: LinearSubstitution | None = known[chosen]
    return found


def unsubstituted_relations(robot: RobotModel) -> tuple[str, ...]:
    """Linear relations that formulas do not substitute, as text: theta2 = theta1/2.

    The formulas have sines and cosines of whole multiples of coordinates; those of theta1/2 are no
    polynomials in sin(theta1) and cos(theta1). The dependent coordinate stays in the formulas.
    """
    plan = closure(robot)
    if plan.linear is None:
        return ()
    chosen = plan.structure.independent
    known = linear_substitution(robot)
    done = known.slopes if known is not None else {}
    order = _order(robot, chosen)
    left = [(next(k for k in order if row[k]), row, c) for row, c in _echelon(plan.linear, order)]
    left = [x for x in left if x[0] not in done and x[0] not in chosen]
    pivots, rows, constants = zip(*left, strict=True) if left else ((), (), ())
    return LinearRelations(robot, rows, pivots, constants).written(coordinate_names(robot))


def _order(robot: RobotModel, chosen: Sequence[int]) -> list[int]:
    """Coordinates in the order in which relations are solved for them: independent ones last."""
    return [*(k for k in reversed(range(robot.nv)) if k not in chosen), *reversed(chosen)]


def _found(robot: RobotModel, linear: LinearRelations, chosen: Sequence[int]) -> LinearSubstitution | None:
    order = _order(robot, chosen)
    angles = angle_places(robot)
    slopes: dict[int, dict[int, int]] = {}
    offsets: dict[int, Fraction] = {}
    for row, constant in _echelon(linear, order):
        k = next(k for k in order if row[k])
        offset = Fraction(constant / np.pi).limit_denominator(_FINEST)
        rest = {i: -x for i, x in enumerate(row) if x and i != k}
        turning = all(i in angles for i in (k, *rest))
        sliding = all(i not in angles for i in (k, *rest)) and abs(constant) < 1e-9
        whole = all(x.denominator == 1 for x in rest.values())
        if (
            k in chosen
            or not whole
            or not (turning or sliding)
            or abs(float(offset) * np.pi - constant) > 1e-6
        ):
            continue
        slopes[k] = {i: int(x) for i, x in rest.items()}
        offsets[k] = 1 - (1 - offset) % 2 if turning else Fraction(0)  # modulo 2 pi, above -pi
    places = sorted(slopes)
    result = LinearSubstitution(
        robot, {k: slopes[k] for k in places}, {k: offsets[k] for k in places}, linear
    )
    try:
        return result if places and _holds(result) else None
    except RikigakuError:  # no precise configuration: no proof
        return None


def _echelon(linear: LinearRelations, order: Sequence[int]) -> list[tuple[Row, float]]:
    """The relations solved for the first coordinates in that order, each with its constant."""
    rows = [([*row], constant) for row, constant in zip(linear.rows, linear.constants, strict=True)]
    done: list[tuple[list[Fraction], float]] = []
    for k in order:
        pick = next((x for x in rows if x[0][k]), None)
        if pick is None:
            continue
        rows.remove(pick)
        scale = pick[0][k]
        own = [x / scale for x in pick[0]], pick[1] / float(scale)
        rows = [_less(x, own, k) for x in rows]
        done = [*(_less(x, own, k) for x in done), own]
    return [(tuple(row), constant) for row, constant in done]


def _less(
    x: tuple[list[Fraction], float], own: tuple[list[Fraction], float], k: int
) -> tuple[list[Fraction], float]:
    factor = x[0][k]
    row = [a - factor * b for a, b in zip(x[0], own[0], strict=True)]
    return row, x[1] - float(factor) * own[1]


def _holds(found: LinearSubstitution) -> bool:
    """Whether the relations hold in arbitrary precision, at the robot's lengths and at random ones."""
    component = component_of(found.robot)
    states = [component.state(_BITS) for _ in range(_STATES)]
    if found.robot.free_symbols:
        generic = generic_states(component, _BITS, np.random.default_rng(1))
        if not generic:
            raise CannotClose("The loops do not close at other lengths.")
        states += generic
    return all(_residual(found, state) < _ZERO for state in states)


def _residual(found: LinearSubstitution, state: ConsistentState) -> float:
    with precision(_BITS):
        pi = ARBITRARY_PRECISION.pi()
        q = [arbitrary(x) for x in state.q]
        worst = 0.0
        angles = angle_places(found.robot)
        for k, x in enumerate(found.applied(q, pi)):
            gap = q[k] - x
            if k in angles:
                gap = gap - 2 * pi * round(float(gap.mid()) / (2 * np.pi))
            worst = max(worst, abs(float(gap.mid())))
        return worst


def _times(pi: Any, offset: Fraction) -> Any:
    """pi * offset in the kind of number of pi."""
    return pi * float(offset) if isinstance(pi, float) else pi * offset.numerator / offset.denominator
