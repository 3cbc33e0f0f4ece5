"""Independent loop equations: trivial, repeated and redundant ones are dropped, each with its reason."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from rikigaku.core.errors import CannotClose
from rikigaku.laws.closed.loop_equations import equation_names, loop_residual
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.arbitrary_precision import ARBITRARY_PRECISION, arbitrary, precision
from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.flint_conversion import fraction
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.algebra.row_elimination import Spaces, dependence
from rikigaku.symbolic.formulas.evaluation_point import EvaluationPoint
from rikigaku.symbolic.formulas.exact_state import ExactState, exact_state
from rikigaku.symbolic.loops.precise_closure import ConsistentState

BITS = 300
# Zero at a closed configuration: rounding and the residual of Newton's method are 2^-260 each.
_ZERO = 2.0**-150
_BY_RELATIONS = "holds by the linear relations"
_BALLS = Spaces(lambda x: abs(float(x)) <= _ZERO, integer=arbitrary, size=lambda x: abs(float(x)))


class Row(NamedTuple):
    """An equation formula = 0: its name, its place in `loop_residual`.

    gradient: of a linear relation, which has no place (-1).
    """

    name: str
    place: int
    formula: Exact
    gradient: tuple[Fraction, ...] | None = None

    def gradient_in(self, jacobian: Sequence[Sequence[Any]]) -> Sequence[Any]:
        """Its row of derivatives; jacobian: of the whole loop residual."""
        return jacobian[self.place] if self.gradient is None else self.gradient


class Dropped(NamedTuple):
    """An equation that is not needed, and why."""

    name: str
    place: int
    why: str


def independent_rows(
    robot: RobotModel, state: ExactState, samples: Sequence[ConsistentState], linear: Sequence[Row] = ()
) -> tuple[list[Row], list[Dropped]]:
    """The independent equations, and the others with the reason.

    linear: relations that have been substituted in the state; they come first.

    Dropped exactly: 0 = 0, conditions on the lengths alone, and rational combinations of equations before.
    Dropped by rank: an equation whose row of the Jacobian is a combination of the rows before it at every
    closed sample, to 300 bits.

    Raises:
        CannotClose: if an equation contradicts itself at every configuration.
    """
    rows, dropped = _without_constants(robot, state, samples)
    if linear:
        unsubstituted = _without_constants(robot, exact_state(robot), samples)[0]
        own = {row.place for row in unsubstituted}
        dropped = [x._replace(why=_BY_RELATIONS) if x.place in own else x for x in dropped]
    rows, repeated = _without_combinations(rows)
    kept, redundant = _without_redundant([*linear, *rows], samples)
    return kept, sorted([*dropped, *repeated, *redundant], key=lambda row: row.place)


def candidates(robot: RobotModel, state: ExactState) -> list[Row]:
    """The equations that remain without knowledge of a closed configuration."""
    return _without_combinations(_without_constants(robot, state, ())[0])[0]


def rank(rows: Sequence[Row], sample: ConsistentState) -> int:
    """Rank of the Jacobian of some equations at a closed configuration."""
    with precision(BITS):
        return len(independent([sample.jacobian[row.place] for row in rows]))


def _without_constants(
    robot: RobotModel, state: ExactState, samples: Sequence[ConsistentState]
) -> tuple[list[Row], list[Dropped]]:
    """The equations that depend on q, and the dropped ones."""
    names = equation_names(state.mechanism)
    formulas = list(loop_residual(state.mechanism, state.q))
    dropped: list[Dropped] = []
    rows: list[Row] = []
    for k, (name, formula) in enumerate(zip(names, formulas, strict=True)):
        if isinstance(formula, (int, Fraction)):
            if formula != 0:
                raise _contradiction(robot, name, str(formula))
            dropped.append(Dropped(name, k, "0 = 0"))
        elif not any(x.startswith(("q[", "cos(q[", "sin(q[")) for x in generators(formula)):
            if any(abs(_at(sample, formula)) > 1e-9 for sample in samples):
                raise _contradiction(robot, name, str(formula))
            dropped.append(Dropped(name, k, f"a condition on the geometry alone: {formula} = 0"))
        else:
            rows.append(Row(name, k, formula))
    return rows, dropped


def generators(x: ExactNumber) -> list[str]:
    """Names of the generators that occur in a polynomial, or in a quotient's two parts."""
    if isinstance(x, Exact):
        unused = {int(name[1:]) for name in x.polynomial.unused_gens()}
        return [name for k, name in enumerate(x.ring.names) if k not in unused]
    if isinstance(x, (int, Fraction)):
        return []
    return sorted({*generators(x.numerator), *generators(x.denominator)})


def _contradiction(robot: RobotModel, name: str, value: str) -> CannotClose:
    loop = name.split(":")[0]
    return CannotClose(
        f"Robot {robot.name!r} cannot close its loop {loop!r}: the equation {name!r} reads {value} = 0 at "
        "every configuration. Both ends must be able to meet: check on which links the joint is cut, "
        "and their frames.",
        loop,
    )


def _without_combinations(rows: list[Row]) -> tuple[list[Row], list[Dropped]]:
    """The equations that are not rational combinations of those before, and the dropped ones."""
    places: dict[tuple[int, ...], int] = {}
    for row in rows:
        for powers in row.formula.polynomial.to_dict():
            places.setdefault(tuple(map(int, powers)), len(places))
    vectors = []
    for row in rows:
        vector = [Fraction(0)] * len(places)
        for powers, c in row.formula.polynomial.to_dict().items():
            vector[places[tuple(map(int, powers))]] = fraction(c)
        vectors.append(vector)
    kept, others = dependence(vectors, Spaces(lambda x: bool(x == 0)))
    dropped = []
    for k, combination in others.items():
        terms = " + ".join(f"{'' if c == 1 else f'({c}) '}{rows[j].name!r}" for j, c in combination.items())
        dropped.append(Dropped(rows[k].name, rows[k].place, f"the same as {terms}"))
    return [rows[k] for k in kept], dropped


def _without_redundant(
    rows: list[Row], samples: Sequence[ConsistentState]
) -> tuple[list[Row], list[Dropped]]:
    """The equations that are independent at closed configurations, and the dropped ones."""
    kept_at_each = []
    with precision(BITS):
        for sample in samples:
            kept_at_each.append(independent([row.gradient_in(sample.jacobian) for row in rows]))
    # a sample may be singular: the largest rank is the generic one
    most = max(kept_at_each, key=len, default=[])
    kept = [rows[k] for k in most]
    dropped = [
        Dropped(
            row.name,
            row.place,
            f"redundant, given the equations before it ({len(samples)} closed configurations, {BITS} bits)",
        )
        for k, row in enumerate(rows)
        if k not in most
    ]
    return kept, dropped


def independent(rows: Sequence[Sequence[Any]]) -> list[int]:
    """The first independent rows of a matrix of balls."""
    return dependence([[arbitrary(x) for x in row] for row in rows], _BALLS)[0]


def independent_places(jacobian: Sequence[Sequence[Any]]) -> list[int]:
    """The first independent equations of a whole loop residual, by its Jacobian at a closed configuration."""
    with precision(BITS):
        return independent(jacobian)


def _at(sample: ConsistentState, formula: Exact) -> float:
    """A formula of symbols (and constants) at a sample's values."""
    with precision(BITS):
        return float(sample_point(formula.ring, sample).value(formula))


def sample_point(ring: Ring, sample: ConsistentState) -> EvaluationPoint:
    """The configuration of a sample as a point at which exact numbers are evaluated."""
    return EvaluationPoint(
        ring, ARBITRARY_PRECISION, {"q": sample.q}, {name: arbitrary(x) for name, x in sample.symbols.items()}
    )
