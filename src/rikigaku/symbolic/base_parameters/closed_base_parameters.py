"""Base parameters of a closed robot, from its regressor projected on the admissible motions.

The projected forces are N^T tau with J N = 0, J the loop Jacobian, at velocities and accelerations that keep
the loops closed. All relations of the spanning tree hold for them, and further ones. These are found at
random closed configurations in arbitrary precision (256 bits or more), and their coefficients recognised as
rational numbers or sums of roots.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from rikigaku.closure.closure_plan import coordinate_names
from rikigaku.core.errors import CannotClose, NotExact, NotVerified
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.arbitrary_precision import precision
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.symbolic.algebra.row_elimination import Echelon, echelon
from rikigaku.symbolic.base_parameters.closed_regressor_rows import closed_rows
from rikigaku.symbolic.base_parameters.coefficient_field import CoefficientField, step_generators
from rikigaku.symbolic.base_parameters.column_relations import (
    Solver,
    all_generators,
    generator_sets,
    preferred_order,
)
from rikigaku.symbolic.base_parameters.linear_closure_detection import detect_linear_closure
from rikigaku.symbolic.base_parameters.number_recognition import DECIMALS, irrationals, written
from rikigaku.symbolic.base_parameters.regressor_relations import (
    Found,
    base_by_regressor,
    independent_columns,
    regrouped,
    verified,
)
from rikigaku.symbolic.base_parameters.regressor_samples import BaseParameterProblem
from rikigaku.symbolic.base_parameters.regrouping import Regrouping
from rikigaku.symbolic.base_parameters.relation_proof import proved
from rikigaku.symbolic.base_parameters.velocity_signs import CONFIGURATIONS, SignGroups, sign_groups
from rikigaku.symbolic.loops.closed_configuration import consistent_state
from rikigaku.symbolic.loops.component import Component, component_of, generic_states
from rikigaku.symbolic.loops.precise_closure import ConsistentState

BITS = 256  # for rational geometry; irrational coefficients need more to be recognised
MORE_BITS = 512
_SEED = 2
_STATES = 200  # more than any rank needs
_ROUNDS = 8  # of rows at another geometry, until they determine all coefficients

# Draws a closed configuration (any, of a tree) at values of the geometry's symbols.
Draw = Callable[[Mapping[str, Fraction]], ConsistentState]
Coefficients = dict[str, dict[str, Formula]]


@dataclass(frozen=True)
class ClosedFound(Found):
    """A verified regrouping of a closed robot, and the component on which it holds.

    configuration: one on the component. relations: its linear relations of coordinates ("q3 = -q2"), if any.
    """

    configuration: tuple[float, ...]
    relations: tuple[str, ...]


def base_of_closed(problem: BaseParameterProblem, near: Any = None) -> ClosedFound:
    """Base parameters of a closed robot on the component of `near` (None: of the reference)."""
    tree = base_by_regressor(problem.opened())
    geometry = problem.geometry
    try:
        component = component_of(geometry, near)
    except CannotClose:
        require_rational(tuple(set(geometry.free_symbols) - geometry.declared_values.keys()), geometry)
        raise
    rng = np.random.default_rng(_SEED)
    linear = None
    if geometry.free_symbols or not irrationals(geometry):
        linear = detect_linear_closure(component, rng)
    reference = tuple(component.reference.tolist())
    if linear is not None:
        found = _along(replace(problem, linear_closure=linear), tree, component, rng)
        return ClosedFound(
            found.regrouping, found.verified, reference, linear.written(coordinate_names(geometry))
        )
    found = _at_configurations(problem, tree, component, rng)
    return ClosedFound(found.regrouping, found.verified, reference, ())


def _along(
    problem: BaseParameterProblem, tree: Found, component: Component, rng: np.random.Generator
) -> Found:
    """With linear relations of coordinates: the projected regressor modulo primes, as for a tree."""
    kept = list(tree.regrouping.kept)
    places = [problem.columns.index(name) for name in kept]
    remaining, states = independent_columns(problem, rng, places)
    others = [name for name in kept if name not in remaining]
    coefficient_field = CoefficientField(*all_generators(problem.robot))
    rows = (
        Solver(problem, remaining, others, states, rng).rows(
            coefficient_field, generator_sets(coefficient_field)
        )
        if remaining
        else {}
    )
    coefficients = {name: {k: x.formula() for k, x in row.items()} for name, row in rows.items()}
    result = _composed(problem, tree.regrouping, remaining, coefficients)
    note = f"{verified(problem, result, states, rng)}, with linear relations of the coordinates"
    if proved(problem, coefficients, generic_states(component, bits_for(problem.robot), rng)):
        note += "; proved modulo the ideal of the component"
    return Found(result, note)


def _at_configurations(
    problem: BaseParameterProblem, tree: Found, component: Component, rng: np.random.Generator
) -> Found:
    """Relations at closed configurations in arbitrary precision."""
    kept = list(tree.regrouping.kept)
    if problem.robot.free_symbols:
        from rikigaku.symbolic.base_parameters.closed_symbolic_relations import symbolic_relations

        coefficients, remaining, note = symbolic_relations(problem, kept, component, rng)
    else:
        bits = bits_for(problem.robot)
        found = closed_relations(problem, kept, {}, rng, lambda _: component.state(bits))
        coefficients, remaining, note = recognised_relations(problem, found)
    if proved(problem, coefficients, generic_states(component, bits_for(problem.robot), rng)):
        note += "; proved modulo the ideal of the component"
    still = [name for name in kept if name in remaining]
    result = _composed(problem, tree.regrouping, still, coefficients)
    return Found(result, f"{note}; the tree: {tree.verified}")


def _composed(
    problem: BaseParameterProblem, tree: Regrouping, remaining: list[str], coefficients: Coefficients
) -> Regrouping:
    """The regrouping of the tree composed with the relations of its base parameters on the loops."""
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
    return regrouped(problem.columns, remaining, tidy)


@dataclass(frozen=True)
class ClosedRelations:
    """Independent columns at closed configurations of one geometry, and the relations of the others."""

    echelon: Echelon
    columns: list[str]
    states: int
    check: float  # the largest error at fresh configurations, as a power of ten
    sign_groups: SignGroups  # rates that share a sign, if Coulomb friction is included


def closed_relations(
    problem: BaseParameterProblem,
    columns: list[str],
    symbols: Mapping[str, Fraction],
    rng: np.random.Generator,
    draw: Draw,
) -> ClosedRelations:
    """Rank and relations of the columns at random closed configurations."""
    places = [problem.columns.index(name) for name in columns]

    def drawn() -> list[list[Any]]:
        return closed_rows(problem, draw(symbols), symbols, rng, places, shared)

    bits = bits_for(problem.robot)
    with precision(bits):
        shared = (
            sign_groups([draw(symbols) for _ in range(CONFIGURATIONS)])
            if "coulomb" in problem.joint_parameters
            else ()
        )
        rows = drawn()
        for count in range(2, _STATES):
            fresh = drawn()  # the relations must hold here, too; else more rows are needed
            if len(rows) > len(columns) or count > 2 * len(columns):
                result = echelon(rows, bits)
                worst = result.largest_error(fresh)
                if worst < -bits / 10:
                    return ClosedRelations(result, columns, count - 1, worst, shared)
            rows += fresh
    raise NotVerified(f"The rank of robot {problem.robot.name!r} grows with every closed configuration.")


def same_relations(
    problem: BaseParameterProblem,
    first: ClosedRelations,
    symbols: Mapping[str, Fraction],
    rng: np.random.Generator,
    draw: Draw,
) -> dict[int, dict[int, arb]]:
    """Coefficients of relations found before, at another geometry, for known sets of columns.

    Raises NotVerified if the relations do not hold there.
    """
    places = [problem.columns.index(name) for name in first.columns]
    bits = bits_for(problem.robot)
    waiting = dict(first.echelon.relations)
    enough = max((len(row) for row in waiting.values()), default=0) + 3
    rows: list[list[Any]] = []
    result: dict[int, dict[int, arb]] = {}
    with precision(bits):
        # Rows of joints outside the loops hold few columns, so more rows than unknowns may be needed.
        for _ in range(_ROUNDS):
            needed = len(rows) + enough
            while len(rows) < needed:
                state = draw(symbols)
                rows += closed_rows(
                    problem, state, symbols, rng, places, first.sign_groups, needed - len(rows)
                )
            for d, known in list(waiting.items()):
                part = [*known, d]
                solved = echelon([[row[j] for j in part] for row in rows], bits)
                if len(known) in solved.pivots:  # the relation does not hold
                    raise NotVerified(f"The rank of robot {problem.robot.name!r} changes with its lengths.")
                if len(solved.pivots) == len(known):
                    del waiting[d]
                    result[d] = {part[k]: x for k, x in solved.relations[len(known)].items()}
            if not waiting:
                return result
    raise NotVerified(
        f"The columns {', '.join(first.columns[d] for d in waiting)} of robot {problem.robot.name!r} are not "
        f"determined by {len(rows)} rows of its regressor at other lengths: its rank changes with them."
    )


def recognised_relations(
    problem: BaseParameterProblem, found: ClosedRelations
) -> tuple[Coefficients, set[str], str]:
    """Coefficients as formulas, the columns that remain, and a note on the verification."""
    coefficients: Coefficients = {}
    bits = bits_for(problem.robot)
    rounded = False
    with precision(bits):
        for d, row in found.echelon.relations.items():
            terms = {found.columns[k]: written(x, problem.robot, bits) for k, x in row.items()}
            coefficients[found.columns[d]] = {name: formula for name, (formula, _) in terms.items()}
            rounded = rounded or not all(exact for _, exact in terms.values())
    note = rank_note(found, bits) + (f"; some coefficients given to {DECIMALS} decimals" if rounded else "")
    return coefficients, {found.columns[k] for k in found.echelon.pivots}, note


def bits_for(robot: RobotModel) -> int:
    """Precision needed to recognise the coefficients, in bits."""
    return MORE_BITS if irrationals(robot) else BITS


def rank_note(found: ClosedRelations, bits: int = BITS) -> str:
    """Description of how the rank was determined."""
    e = found.echelon
    where = f"at {found.states} random closed configurations in {bits} bits"
    if found.sign_groups:
        where += ", signs of rates drawn freely"
    if not e.relations:
        return f"rank {len(e.pivots)}, as the tree, {where}"
    return (
        f"rank {len(e.pivots)} {where} "
        f"(smallest pivot 1e{e.smallest:.0f}, largest remainder 1e{e.largest:.0f}); "
        f"relations hold at a fresh one to 1e{found.check:.0f}"
    )


def require_rational(symbols: tuple[str, ...], robot: RobotModel) -> None:
    """Raise NotExact for symbols inside angles, which cannot be sampled as rational numbers."""
    for link in robot.links:
        steps = (*link.geometry.before(), *link.geometry.after())
        for angle in step_generators(steps)[1]:
            if inside := angle.symbols & set(symbols):
                raise NotExact(
                    f"The angle symbols {', '.join(sorted(inside))} of a closed robot need values: "
                    "robot.bind(...)."
                )


def arbitrary_precision_relations(
    problem: BaseParameterProblem, kept: list[str], rng: np.random.Generator
) -> tuple[dict[str, dict[str, Formula]], str, bool]:
    """Coefficients of the columns that are not kept, a note on verification, and whether all are exact."""
    bits = bits_for(problem.robot)
    columns = [problem.columns[j] for j in preferred_order(problem)]
    found = closed_relations(problem, columns, {}, rng, lambda _: consistent_state(problem.robot, rng, bits))
    if [columns[k] for k in found.echelon.pivots] != list(kept):
        raise NotVerified(
            "The rank in arbitrary precision is not the rank modulo primes; please report this robot."
        )
    result: dict[str, dict[str, Formula]] = {}
    rounded = False
    with precision(bits):
        for d, row in found.echelon.relations.items():
            result[columns[d]] = {}
            for k, x in row.items():
                formula, exact = written(x, problem.robot, bits)
                result[columns[d]][columns[k]] = formula
                rounded = rounded or not exact
    how = f"some given to {DECIMALS} decimals" if rounded else "all exact"
    note = (
        f"rank {len(kept)} exactly, modulo two primes; coefficients in {bits} bits hold at a fresh random "
        f"state to 1e{found.check:.0f}, {how}"
    )
    return result, note, not rounded
