"""Which rows of the loop equations count: none trivial, none twice, none that follows from others."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb

from rikigaku.errors import CannotClose
from rikigaku.laws.loops import loop_residual, row_names
from rikigaku.model.robot import Robot
from rikigaku.numbers.balls import BALLS, ball, precision
from rikigaku.numbers.exact import Exact, ExactNumber
from rikigaku.numbers.flint_rationals import fraction
from rikigaku.numbers.ring import Ring
from rikigaku.symbolic.algebra.elimination import Spaces, dependence
from rikigaku.symbolic.evaluation import Point
from rikigaku.symbolic.exact_state import ExactState
from rikigaku.symbolic.loops.closing import ConsistentState

BITS = 300
# A ball around zero of a closed posture: rounding and the residual left by Newton's method, 2^-260 each.
_ZERO = 2.0**-150


class Row(NamedTuple):
    """An equation formula = 0: its name, its place in `loop_residual`."""

    name: str
    place: int
    formula: ExactNumber


class Dropped(NamedTuple):
    """A row that is not needed, and why."""

    name: str
    place: int
    why: str


def independent_rows(
    robot: Robot, state: ExactState, samples: Sequence[ConsistentState]
) -> tuple[list[Row], list[Dropped]]:
    """The rows that count, and the others with the reason.

    Exactly: rows 0 = 0, conditions on the lengths alone, multiples and combinations (with rational
    coefficients) of rows before them. Then on the closed robot: a row whose slopes are combinations of those
    of the rows before it at every sample, to 300 bits, says nothing new in any posture nearby.

    Raises:
        CannotClose: where a row contradicts itself at every posture.
    """
    waiting, dropped = _without_constants(robot, state, samples)
    waiting, repeated = _without_combinations(waiting)
    kept, following = _without_consequences(waiting, samples)
    return kept, sorted([*dropped, *repeated, *following], key=lambda row: row.place)


def candidates(robot: Robot, state: ExactState) -> list[Row]:
    """The rows left by what can be told without a closed posture."""
    return _without_combinations(_without_constants(robot, state, ())[0])[0]


def rank(rows: Sequence[Row], sample: ConsistentState) -> int:
    """Rank of the slopes of some rows at a closed posture."""
    with precision(BITS):
        return len(independent([sample.jacobian[row.place] for row in rows])[0])


def _without_constants(
    robot: Robot, state: ExactState, samples: Sequence[ConsistentState]
) -> tuple[list[Row], list[Dropped]]:
    """Without rows that hold in every posture, or in none."""
    names = row_names(state.mechanism)
    formulas = list(loop_residual(state.mechanism, state.q))
    dropped: list[Dropped] = []
    waiting: list[Row] = []
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
            waiting.append(Row(name, k, formula))
    return waiting, dropped


def generators(x: ExactNumber) -> list[str]:
    """Names of the generators that occur in a polynomial, or in a quotient's two parts."""
    if isinstance(x, Exact):
        unused = {int(name[1:]) for name in x.polynomial.unused_gens()}
        return [name for k, name in enumerate(x.ring.names) if k not in unused]
    if isinstance(x, (int, Fraction)):
        return []
    return sorted({*generators(x.numerator), *generators(x.denominator)})


def _contradiction(robot: Robot, name: str, value: str) -> CannotClose:
    loop = name.split(":")[0]
    return CannotClose(
        f"Robot {robot.name!r} cannot close its loop {loop!r}: the row {name!r} reads {value} = 0 in every "
        "posture. Both ends must be able to meet: check on which links the joint is cut, and their frames.",
        loop,
    )


def _without_combinations(rows: list[Row]) -> tuple[list[Row], list[Dropped]]:
    """Without rows that are sums of others with rational coefficients."""
    places: dict[tuple[int, ...], int] = {}
    for row in rows:
        for powers in row.formula.polynomial.to_dict():  # type: ignore[union-attr]
            places.setdefault(tuple(map(int, powers)), len(places))
    vectors = []
    for row in rows:
        vector = [Fraction(0)] * len(places)
        for powers, c in row.formula.polynomial.to_dict().items():  # type: ignore[union-attr]
            vector[places[tuple(map(int, powers))]] = fraction(c)
        vectors.append(vector)
    kept, others = dependence(vectors, Spaces(lambda x: bool(x == 0)))
    dropped = []
    for k, combination in others.items():
        terms = " + ".join(f"{'' if c == 1 else f'({c}) '}{rows[j].name!r}" for j, c in combination.items())
        dropped.append(Dropped(rows[k].name, rows[k].place, f"the same as {terms}"))
    return [rows[k] for k in kept], dropped


def _without_consequences(
    rows: list[Row], samples: Sequence[ConsistentState]
) -> tuple[list[Row], list[Dropped]]:
    """Without rows that follow from those before them wherever the loops are closed."""
    kept_at_each = []
    with precision(BITS):
        for sample in samples:
            kept_at_each.append(independent([sample.jacobian[row.place] for row in rows])[0])
    most = max(kept_at_each, key=len, default=[])  # a sample may be singular by chance, never richer
    kept = [rows[k] for k in most]
    dropped = [
        Dropped(
            row.name,
            row.place,
            f"follows from the rows before it ({len(samples)} closed postures, {BITS} bits)",
        )
        for k, row in enumerate(rows)
        if k not in most
    ]
    return kept, dropped


def independent(rows: Sequence[Sequence[Any]]) -> tuple[list[int], list[int]]:
    """Rows of a matrix of balls that are independent, the first there are, and a pivot column of each."""
    kept: list[int] = []
    pivots: list[int] = []
    echelon: list[list[arb]] = []
    for k, row in enumerate(rows):
        rest = [ball(x) for x in row]
        for known, pivot in zip(echelon, pivots, strict=True):
            factor = rest[pivot] / known[pivot]
            rest = [x - factor * y for x, y in zip(rest, known, strict=True)]
            rest[pivot] = ball(0)
        sizes = [abs(float(x)) for x in rest]
        if max(sizes, default=0.0) > _ZERO:
            kept.append(k)
            pivots.append(sizes.index(max(sizes)))
            echelon.append(rest)
    return kept, pivots


def _at(sample: ConsistentState, formula: Exact) -> float:
    """A formula of symbols (and constants) at a sample's values."""
    with precision(BITS):
        return float(sample_point(formula.ring, sample).value(formula))


def sample_point(ring: Ring, sample: ConsistentState) -> Point:
    """The posture of a sample as a point at which exact numbers have values."""
    return Point(ring, BALLS, {"q": sample.q}, {name: ball(x) for name, x in sample.symbols.items()})
