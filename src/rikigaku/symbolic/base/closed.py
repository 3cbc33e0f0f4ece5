"""Base parameters of a closed robot: what the loops let its forces tell apart.

Forces along the motions the loops allow are N^T tau, with the loops' Jacobian J, J N = 0, and velocities and
accelerations that keep the loops closed. All relations of the spanning tree hold for them; more appear. They
are found at random closed postures in numbers of hundreds of bits: what is zero there to seventy digits is
zero, and coefficients with so many digits are recognised as the rational numbers (or roots) they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat

from rikigaku.errors import NotExact, NotVerified
from rikigaku.laws.loops import loop_bias, loop_jacobian
from rikigaku.laws.regressor import regressor
from rikigaku.model.robot import Robot
from rikigaku.numbers.balls import ball, precision
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.symbolic.base.proof import proved
from rikigaku.symbolic.base.recognition import irrationals, recognised
from rikigaku.symbolic.base.regressor import Found, base_by_regressor, regrouped
from rikigaku.symbolic.base.samples import Question
from rikigaku.symbolic.base.sparse import Echelon, echelon
from rikigaku.symbolic.loops.consistent_state import ConsistentState, consistent_state, moved

BITS = 256  # for rational geometry; irrational coefficients take more to recognise
MORE_BITS = 512
_SEED = 2
_SINGULAR = 1e-9  # relative to the largest element of the Jacobian
_DRAWS = 3  # velocities and accelerations at one posture
_POSTURES = 200  # more than any rank should take
_LARGEST = 10**6  # random velocities are k / 10^6


def base_of_closed(question: Question) -> Found:
    """Base parameters of a robot with its loops closed."""
    robot = question.robot
    tree = base_by_regressor(question.opened())
    kept = list(tree.regrouping.kept)
    names = robot.free_symbols
    rng = np.random.default_rng(_SEED)
    found = closed_relations(question, kept, {}, rng) if not names else None
    if found is None:
        from rikigaku.symbolic.base.closed_symbols import symbolic_relations

        coefficients, remaining, note = symbolic_relations(question, kept, rng)
    else:
        coefficients, remaining, note = recognised_relations(question, found)
    if proved(question, coefficients):
        note += "; proved modulo the ideal of closed postures"
    still = [name for name in kept if name in remaining]
    full: dict[str, dict[str, Formula]] = dict(coefficients)
    for k, combination in zip(kept, tree.regrouping.base, strict=True):
        for name, x in combination.items():
            if name == k:
                continue
            for other, y in coefficients.get(k, {k: None}).items():
                term = x if y is None else x * y
                row = full.setdefault(name, {})
                row[other] = row.get(other, ZERO) + term
    tidy = {name: {k: x for k, x in row.items() if x.terms} for name, row in full.items()}
    return Found(regrouped(question.columns, still, tidy), f"{note}; the tree: {tree.verified}")


@dataclass(frozen=True)
class ClosedRelations:
    """Independent columns among some, at closed postures of one geometry, and what the others are made of."""

    echelon: Echelon
    columns: list[str]
    states: int
    check: float  # the largest error at fresh postures, as a power of ten


def closed_relations(
    question: Question, columns: list[str], symbols: Mapping[str, Fraction], rng: np.random.Generator
) -> ClosedRelations:
    """Rank and relations of the columns at random closed postures."""
    places = [question.columns.index(name) for name in columns]

    def drawn() -> list[list[Any]]:
        return closed_rows(question, symbols, rng, places)

    bits = bits_for(question.robot)
    with precision(bits):
        rows = drawn()
        for count in range(2, _POSTURES):
            fresh = drawn()  # what was found so far must hold here: else these rows say something new
            if len(rows) > len(columns) or count > 2 * len(columns):
                result = echelon(rows, bits)
                worst = result.largest_error(fresh)
                if worst < -bits / 10:
                    return ClosedRelations(result, columns, count - 1, worst)
            rows += fresh
    raise NotVerified(f"The rank of robot {question.robot.name!r} grows with every closed posture.")


def same_relations(
    question: Question, first: ClosedRelations, symbols: Mapping[str, Fraction], rng: np.random.Generator
) -> dict[int, dict[int, arb]]:
    """Coefficients of relations found before, at another geometry: which columns take part is known.

    Raises NotVerified if the relations do not hold there.
    """
    places = [question.columns.index(name) for name in first.columns]
    bits = bits_for(question.robot)
    relations = first.echelon.relations
    enough = max((len(row) for row in relations.values()), default=0) + 3
    rows: list[list[Any]] = []
    with precision(bits):
        while len(rows) < enough:
            rows += closed_rows(question, symbols, rng, places, enough - len(rows))
        result = {}
        for d, known in relations.items():
            part = [*known, d]
            solved = echelon([[row[j] for j in part] for row in rows], bits)
            if solved.pivots != list(range(len(known))):
                raise NotVerified(f"The rank of robot {question.robot.name!r} changes with its lengths.")
            result[d] = {part[k]: x for k, x in solved.relations[len(known)].items()}
    return result


def recognised_relations(
    question: Question, found: ClosedRelations
) -> tuple[dict[str, dict[str, Formula]], set[str], str]:
    """Coefficients as formulas, the columns that remain, and how both were checked."""
    echelon = found.echelon
    coefficients: dict[str, dict[str, Formula]] = {}
    bits = bits_for(question.robot)
    with precision(bits):
        for d, row in echelon.relations.items():
            coefficients[found.columns[d]] = {
                found.columns[k]: recognised(x, question.robot, bits) for k, x in row.items()
            }
    return coefficients, {found.columns[k] for k in echelon.pivots}, rank_note(found, bits)


def bits_for(robot: Robot) -> int:
    """How long numbers must be."""
    return MORE_BITS if irrationals(robot) else BITS


def rank_note(found: ClosedRelations, bits: int = BITS) -> str:
    """How sure the rank is, in words."""
    e = found.echelon
    if not e.relations:
        return f"rank {len(e.pivots)}, as the tree, at {found.states} random closed postures in {bits} bits"
    return (
        f"rank {len(e.pivots)} at {found.states} random closed postures in {bits} bits "
        f"(smallest pivot 1e{e.smallest:.0f}, largest remainder 1e{e.largest:.0f}); "
        f"relations hold at a fresh one to 1e{found.check:.0f}"
    )


def closed_rows(
    question: Question,
    symbols: Mapping[str, Fraction],
    rng: np.random.Generator,
    places: Sequence[int],
    enough: int | None = None,
) -> list[list[Any]]:
    """Some columns of the regressor along the motions the loops allow, at one closed posture, in balls.

    enough: rows with which the caller is content.
    """
    state = consistent_state(question.robot, rng, bits_for(question.robot), symbols)
    mechanism = state.mechanism
    q = moved(mechanism, state.q, [0] * mechanism.nv)  # quaternions of unit length to the last bit
    N, particular = _motions(state)
    m = len(N[0])
    result: list[list[Any]] = []
    for _ in range(_DRAWS):
        if enough is not None and len(result) >= enough:
            break
        v = _combined(N, _random(rng, m))
        a = [x + y for x, y in zip(_combined(N, _random(rng, m)), particular(v), strict=True)]
        full = regressor(mechanism, q, v, a, drives=bool(question.drives))
        Y = [[row[question.picked[j]] for j in places] for row in full]
        for k in range(m):
            along = [(N[i][k], Y[i]) for i in range(len(Y)) if not N[i][k].is_zero()]
            result.append([_mid(sum((n * row[j] for n, row in along), ball(0))) for j in range(len(Y[0]))])
    return result


def _motions(state: ConsistentState) -> tuple[list[list[Any]], Any]:
    """N with J N = 0, the identity on some of the rates; and the accelerations a velocity asks for."""
    mechanism, q = state.mechanism, state.q
    if not mechanism.loops and not mechanism.gears:
        return [[ball(int(i == j)) for j in range(mechanism.nv)] for i in range(mechanism.nv)], (
            lambda v: [ball(0)] * mechanism.nv
        )
    J = [[ball(x) for x in row] for row in loop_jacobian(mechanism, q)]
    floats = np.array([[float(x.mid()) for x in row] for row in J])
    dependent, rows = _pivots(floats)
    independent = [k for k in range(mechanism.nv) if k not in dependent]
    A = arb_mat([[J[i][k] for k in dependent] for i in rows])
    B = arb_mat([[-J[i][k] for k in independent] for i in rows])
    X = A.solve(B)
    N: list[list[Any]] = [[ball(0)] * len(independent) for _ in range(mechanism.nv)]
    for c, k in enumerate(independent):
        N[k][c] = ball(1)
    for r, k in enumerate(dependent):
        for c in range(len(independent)):
            N[k][c] = X[r, c]

    def particular(v: list[Any]) -> list[Any]:
        bias = loop_bias(mechanism, q, v)
        right = A.solve(arb_mat([[-ball(bias[i])] for i in rows]))
        result = [ball(0)] * mechanism.nv
        for r, k in enumerate(dependent):
            result[k] = right[r, 0]
        return result

    return N, particular


def _pivots(J: Any) -> tuple[list[int], list[int]]:
    """Rates that follow from the others at this posture, and as many rows of J that decide them.

    Any basis of the motions shows the same relations, so the largest pivots are taken. Which coordinates a
    user sees as independent is `constraints.plan.closure`'s to say.
    """
    A = J.copy()
    scale = np.abs(A).max(initial=0) or 1.0
    rows: list[int] = []
    columns: list[int] = []
    while len(rows) < min(A.shape):
        i, j = np.unravel_index(np.argmax(np.abs(A)), A.shape)
        if abs(A[i, j]) < _SINGULAR * scale:
            break
        rows.append(int(i))
        columns.append(int(j))
        A -= np.outer(A[:, j], A[i] / A[i, j])
        A[i] = 0
        A[:, j] = 0
    return columns, rows


def motion_basis(robot: Robot, q: Any, **keywords: Any) -> Any:
    """N(q) in floats, (..., nv, mobility): velocities of the tree per unit rate of the independent ones.

    Independent are those of `robot.reduced`, in its order.
    """
    symbols = {name: x for name, x in keywords.items() if name in robot.free_symbols}
    return np.asarray(robot.reduced.jacobian(q, **symbols))  # type: ignore[attr-defined]


def _random(rng: np.random.Generator, n: int) -> list[Any]:
    return [ball(Fraction(int(x), _LARGEST)) for x in rng.integers(-_LARGEST, _LARGEST, n)]


def _combined(N: list[list[Any]], x: list[Any]) -> list[Any]:
    return [_mid(sum((a * b for a, b in zip(row, x, strict=True)), ball(0))) for row in N]


def _mid(x: Any) -> arb:
    return ball(x).mid()


def require_rational(symbols: tuple[str, ...], robot: Robot) -> None:
    """Symbols inside angles cannot be sampled as rational numbers."""
    from rikigaku.symbolic.base.atoms import step_atoms

    for link in robot.links:
        steps = (*link.geometry.before(), *link.geometry.after())
        for angle in step_atoms(steps)[1]:
            if inside := angle.symbols & set(symbols):
                raise NotExact(
                    f"The angle symbols {', '.join(sorted(inside))} of a closed robot need values: "
                    "robot.bind(...)."
                )
