"""Relations of a closed robot whose lengths are symbols: found at rational lengths, then fitted."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from flint import arb

from rikigaku.core.errors import CannotClose, NotExact
from rikigaku.numbers.arbitrary_precision import precision
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.modular_number import Field
from rikigaku.symbolic.base_parameters.closed_base_parameters import (
    ClosedRelations,
    bits_for,
    closed_relations,
    rank_note,
    require_rational,
    same_relations,
)
from rikigaku.symbolic.base_parameters.coefficient_field import CoefficientField
from rikigaku.symbolic.base_parameters.coefficient_fit import Unknown, Values, fit
from rikigaku.symbolic.base_parameters.column_relations import all_generators, generator_sets
from rikigaku.symbolic.base_parameters.number_recognition import canonical, rational_of
from rikigaku.symbolic.base_parameters.regressor_samples import BaseParameterProblem, Sample
from rikigaku.symbolic.loops.component import SPREADS, Component, random_rational
from rikigaku.symbolic.loops.precise_closure import ConsistentState

Coefficients = dict[tuple[int, int], Fraction]
_SPARE = 2  # geometries beyond the unknowns: each takes several closed configurations


def symbolic_relations(
    problem: BaseParameterProblem, columns: list[str], component: Component, rng: np.random.Generator
) -> tuple[dict[str, dict[str, Formula]], set[str], str]:
    """Relations among the columns at closed configurations, with coefficients in the geometry's symbols."""
    robot = problem.robot
    require_rational(robot.free_symbols, robot)
    bits = bits_for(robot)
    values = {name: float(x) for name, x in component.values.items()}
    coefficient_field = CoefficientField(*all_generators(robot))
    known: list[tuple[dict[str, Fraction], Coefficients]] = []
    first: ClosedRelations | None = None

    def draw(symbols: Mapping[str, Fraction]) -> ConsistentState:
        return component.state(bits, {n: x for n, x in symbols.items() if n in component.values})

    def found(symbols: Mapping[str, Fraction]) -> Mapping[int, Mapping[int, arb]]:
        nonlocal first
        if first is None:
            first = closed_relations(problem, columns, symbols, rng, draw)
            return first.echelon.relations
        return same_relations(problem, first, symbols, rng, draw)

    def geometry() -> None:
        for spread in SPREADS:
            symbols = {name: random_rational(values.get(name), spread, rng) for name in robot.free_symbols}
            try:
                known.append((symbols, _rational(found(symbols), bits)))
                return
            except CannotClose as error:
                failed = error
        raise failed

    def sampler(size: int) -> tuple[Sample, Values]:
        while len(known) < size:
            geometry()
        field: Field = problem.field(rng, size)
        drawn = {}
        for name in robot.free_symbols:
            residues = [[field.constant(symbols[name])] for symbols, _ in known[:size]]
            drawn[name] = field.angle(name, np.array(residues))
        table = {
            key: np.array([field.constant(c.get(key, Fraction(0))) for _, c in known[:size]]) for key in keys
        }
        return Sample(field, np.zeros((size, 0, 0), np.int64), drawn), table

    geometry()
    assert first is not None
    keys = list(known[0][1])
    unknowns = [Unknown(key, generator_sets(coefficient_field)) for key in keys]
    fit(coefficient_field, unknowns, sampler, _SPARE)
    result: dict[str, dict[str, Formula]] = {columns[d]: {} for d in first.echelon.relations}
    for u in unknowns:
        assert u.ratio is not None
        result[columns[u.name[0]]][columns[u.name[1]]] = canonical(robot, u.ratio.formula())
    note = f"{rank_note(first, bits)}; the same at {len(known)} geometries"
    return result, {columns[k] for k in first.echelon.pivots}, note


def _rational(relations: Mapping[int, Mapping[int, arb]], bits: int) -> Coefficients:
    result: Coefficients = {}
    with precision(bits):
        for d, row in relations.items():
            for k, x in row.items():
                value = rational_of(x, bits)
                if value is None:
                    raise NotExact("The coefficients are not rational in the lengths: bind the symbols.")
                result[d, k] = value
    return result
