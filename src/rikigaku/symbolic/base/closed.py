"""Base parameters of a closed robot: what the loops let its forces tell apart.

Forces along the motions the loops allow are N^T tau, with the loops' Jacobian J, J N = 0, and velocities and
accelerations that keep the loops closed. All relations of the spanning tree hold for them; more appear. They
are found at random closed postures in numbers of hundreds of bits: what is zero there to seventy digits is
zero, and coefficients with so many digits are recognised as the rational numbers (or roots) they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from rikigaku.constraints.plan import coordinate_names
from rikigaku.errors import CannotClose, NotExact, NotVerified
from rikigaku.model.robot import Robot
from rikigaku.numbers.balls import precision
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.symbolic.base.atoms import Atoms, step_atoms
from rikigaku.symbolic.base.closed_rows import closed_rows
from rikigaku.symbolic.base.lengths import generic_states
from rikigaku.symbolic.base.linear import following
from rikigaku.symbolic.base.proof import proved
from rikigaku.symbolic.base.recognition import DECIMALS, irrationals, written
from rikigaku.symbolic.base.regressor import (
    Found,
    base_by_regressor,
    independent_columns,
    regrouped,
    verified,
)
from rikigaku.symbolic.base.regrouping import Regrouping
from rikigaku.symbolic.base.relations import Solver, all_atoms, circles
from rikigaku.symbolic.base.samples import Question
from rikigaku.symbolic.base.signs import POSTURES, Rays, rays
from rikigaku.symbolic.base.sparse import Echelon, echelon
from rikigaku.symbolic.loops.closing import ConsistentState
from rikigaku.symbolic.loops.component import Component, component_of

BITS = 256  # for rational geometry; irrational coefficients take more to recognise
MORE_BITS = 512
_SEED = 2
_POSTURES = 200  # more than any rank should take

# A closed posture (or any, of a tree) for values of the geometry's symbols.
Draw = Callable[[Mapping[str, Fraction]], ConsistentState]
Coefficients = dict[str, dict[str, Formula]]


@dataclass(frozen=True)
class ClosedFound(Found):
    """What was found of a closed robot, and where: at the postures of one component.

    posture: one of them. relations: where its coordinates follow linearly, how ("q3 = -q2").
    """

    posture: tuple[float, ...]
    relations: tuple[str, ...]


def base_of_closed(question: Question, posture: Any = None) -> ClosedFound:
    """Base parameters of a robot with its loops closed, on the component of a posture (None: of home)."""
    tree = base_by_regressor(question.opened())
    geometry = question.geometry
    try:
        component = component_of(geometry, posture)
    except CannotClose:
        require_rational(tuple(set(geometry.free_symbols) - geometry.declared_values.keys()), geometry)
        raise
    rng = np.random.default_rng(_SEED)
    linear = None
    if geometry.free_symbols or not irrationals(geometry):
        linear = following(component, rng)
    home = tuple(component.home.tolist())
    if linear is not None:
        found = _along(replace(question, following=linear), tree, component, rng)
        return ClosedFound(found.regrouping, found.verified, home, linear.written(coordinate_names(geometry)))
    found = _at_postures(question, tree, component, rng)
    return ClosedFound(found.regrouping, found.verified, home, ())


def _along(question: Question, tree: Found, component: Component, rng: np.random.Generator) -> Found:
    """Where coordinates follow linearly: the regressor along them, modulo primes, as that of a tree."""
    kept = list(tree.regrouping.kept)
    places = [question.columns.index(name) for name in kept]
    remaining, states = independent_columns(question, rng, places)
    others = [name for name in kept if name not in remaining]
    atoms = Atoms(*all_atoms(question.robot))
    rows = Solver(question, remaining, others, states, rng).rows(atoms, circles(atoms)) if remaining else {}
    coefficients = {name: {k: x.formula() for k, x in row.items()} for name, row in rows.items()}
    result = _composed(question, tree.regrouping, remaining, coefficients)
    note = f"{verified(question, result, states, rng)}, along coordinates that follow linearly"
    if proved(question, coefficients, generic_states(component, bits_for(question.robot), rng)):
        note += "; proved modulo the ideal of the component"
    return Found(result, note)


def _at_postures(question: Question, tree: Found, component: Component, rng: np.random.Generator) -> Found:
    """From closed postures in long numbers."""
    kept = list(tree.regrouping.kept)
    if question.robot.free_symbols:
        from rikigaku.symbolic.base.closed_symbols import symbolic_relations

        coefficients, remaining, note = symbolic_relations(question, kept, component, rng)
    else:
        bits = bits_for(question.robot)
        found = closed_relations(question, kept, {}, rng, lambda _: component.state(bits))
        coefficients, remaining, note = recognised_relations(question, found)
    if proved(question, coefficients, generic_states(component, bits_for(question.robot), rng)):
        note += "; proved modulo the ideal of the component"
    still = [name for name in kept if name in remaining]
    result = _composed(question, tree.regrouping, still, coefficients)
    return Found(result, f"{note}; the tree: {tree.verified}")


def _composed(
    question: Question, tree: Regrouping, remaining: list[str], coefficients: Coefficients
) -> Regrouping:
    """The regrouping of the tree, with what the loops make of its base parameters put in."""
    full: Coefficients = {name: dict(row) for name, row in coefficients.items()}
    for k, combination in zip(tree.kept, tree.base, strict=True):
        for name, x in combination.items():
            if name == k:
                continue
            for other, y in coefficients.get(k, {k: None}).items():
                term = x if y is None else x * y
                row = full.setdefault(name, {})
                row[other] = row.get(other, ZERO) + term
    tidy = {name: {k: x for k, x in row.items() if x.terms} for name, row in full.items()}
    return regrouped(question.columns, remaining, tidy)


@dataclass(frozen=True)
class ClosedRelations:
    """Independent columns among some, at closed postures of one geometry, and what the others are made of."""

    echelon: Echelon
    columns: list[str]
    states: int
    check: float  # the largest error at fresh postures, as a power of ten
    rays: Rays  # rates that share a sign, where Coulomb friction counts


def closed_relations(
    question: Question,
    columns: list[str],
    symbols: Mapping[str, Fraction],
    rng: np.random.Generator,
    draw: Draw,
) -> ClosedRelations:
    """Rank and relations of the columns at random closed postures."""
    places = [question.columns.index(name) for name in columns]

    def drawn() -> list[list[Any]]:
        return closed_rows(question, draw(symbols), symbols, rng, places, shared)

    bits = bits_for(question.robot)
    with precision(bits):
        shared = rays([draw(symbols) for _ in range(POSTURES)]) if "coulomb" in question.drives else ()
        rows = drawn()
        for count in range(2, _POSTURES):
            fresh = drawn()  # what was found so far must hold here: else these rows say something new
            if len(rows) > len(columns) or count > 2 * len(columns):
                result = echelon(rows, bits)
                worst = result.largest_error(fresh)
                if worst < -bits / 10:
                    return ClosedRelations(result, columns, count - 1, worst, shared)
            rows += fresh
    raise NotVerified(f"The rank of robot {question.robot.name!r} grows with every closed posture.")


def same_relations(
    question: Question,
    first: ClosedRelations,
    symbols: Mapping[str, Fraction],
    rng: np.random.Generator,
    draw: Draw,
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
            rows += closed_rows(question, draw(symbols), symbols, rng, places, first.rays, enough - len(rows))
        result = {}
        for d, known in relations.items():
            part = [*known, d]
            solved = echelon([[row[j] for j in part] for row in rows], bits)
            if solved.pivots != list(range(len(known))):
                raise NotVerified(f"The rank of robot {question.robot.name!r} changes with its lengths.")
            result[d] = {part[k]: x for k, x in solved.relations[len(known)].items()}
    return result


def recognised_relations(question: Question, found: ClosedRelations) -> tuple[Coefficients, set[str], str]:
    """Coefficients as formulas, the columns that remain, and how both were checked."""
    coefficients: Coefficients = {}
    bits = bits_for(question.robot)
    rounded = False
    with precision(bits):
        for d, row in found.echelon.relations.items():
            terms = {found.columns[k]: written(x, question.robot, bits) for k, x in row.items()}
            coefficients[found.columns[d]] = {name: formula for name, (formula, _) in terms.items()}
            rounded = rounded or not all(exact for _, exact in terms.values())
    note = rank_note(found, bits) + (f"; some coefficients given to {DECIMALS} decimals" if rounded else "")
    return coefficients, {found.columns[k] for k in found.echelon.pivots}, note


def bits_for(robot: Robot) -> int:
    """How long numbers must be."""
    return MORE_BITS if irrationals(robot) else BITS


def rank_note(found: ClosedRelations, bits: int = BITS) -> str:
    """How sure the rank is, in words."""
    e = found.echelon
    where = f"at {found.states} random closed postures in {bits} bits"
    if found.rays:
        where += ", signs of rates drawn freely"
    if not e.relations:
        return f"rank {len(e.pivots)}, as the tree, {where}"
    return (
        f"rank {len(e.pivots)} {where} "
        f"(smallest pivot 1e{e.smallest:.0f}, largest remainder 1e{e.largest:.0f}); "
        f"relations hold at a fresh one to 1e{found.check:.0f}"
    )


def require_rational(symbols: tuple[str, ...], robot: Robot) -> None:
    """Symbols inside angles cannot be sampled as rational numbers."""
    for link in robot.links:
        steps = (*link.geometry.before(), *link.geometry.after())
        for angle in step_atoms(steps)[1]:
            if inside := angle.symbols & set(symbols):
                raise NotExact(
                    f"The angle symbols {', '.join(sorted(inside))} of a closed robot need values: "
                    "robot.bind(...)."
                )
