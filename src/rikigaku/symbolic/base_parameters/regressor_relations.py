"""Base parameters of a tree from its regressor: rank and relations modulo primes, then verified."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from rikigaku.core.errors import NotExact, NotVerified
from rikigaku.numbers.formula import ONE, Formula
from rikigaku.numbers.modular_constants import ModularConstants
from rikigaku.numbers.modular_number import Modular
from rikigaku.numbers.prime_field import Residues
from rikigaku.symbolic.algebra.row_elimination import pivot_columns, product
from rikigaku.symbolic.base_parameters.column_relations import preferred_order, relations
from rikigaku.symbolic.base_parameters.number_recognition import canonical, irrationals
from rikigaku.symbolic.base_parameters.regressor_samples import (
    BaseParameterProblem,
    Sample,
    drawn_symbols,
    sample,
)
from rikigaku.symbolic.base_parameters.regrouping import Regrouping
from rikigaku.symbolic.formulas.exact_state import exact_state

_SEED = 1999  # states are drawn anew, but the same in every run: the same robot gives the same result
_DOUBLINGS = 6
_PRIMES = 200  # tried: n square roots exist modulo one prime of 2^n
_LONGEST = 200  # characters of a coefficient; longer ones are given as decimals
_CHECKS = 2  # fresh primes, each with a few geometries


@dataclass(frozen=True)
class Found:
    """A regrouping, and a sentence that says how it was verified."""

    regrouping: Regrouping
    verified: str


@lru_cache(maxsize=16)
def base_by_regressor(problem: BaseParameterProblem) -> Found:
    """Independent columns of the regressor, and the relations of the others."""
    rng = np.random.default_rng(_SEED)
    kept, states = independent_columns(problem, rng)
    if kept and not problem.robot.free_symbols and irrationals(problem.robot):
        from rikigaku.symbolic.base_parameters.closed_base_parameters import arbitrary_precision_relations

        coefficients, note, exact = arbitrary_precision_relations(problem, kept, rng)
        if not exact and (by_rules := _by_rules(problem, kept)) is not None:
            return Found(by_rules, verified(problem, by_rules, states, rng))
        return Found(regrouped(problem.columns, kept, coefficients), note)
    rows = relations(problem, kept, states, rng) if kept else {}
    coefficients = {
        name: {k: canonical(problem.robot, x.formula()) for k, x in row.items()} for name, row in rows.items()
    }
    regrouping = regrouped(problem.columns, kept, coefficients)
    return Found(regrouping, verified(problem, regrouping, states, rng))


def _by_rules(problem: BaseParameterProblem, kept: list[str]) -> Regrouping | None:
    """The same columns with coefficients by geometric rules, where these are known and not too long.

    The kept columns determine the coefficients, so both methods give the same numbers.
    """
    from rikigaku.symbolic.base_parameters.geometric_rules import base_by_rules

    try:
        if exact_state(problem.robot).ring.rounded:
            return None
        found = base_by_rules(problem.robot, problem.joint_parameters)
    except NotExact:
        return None
    longest = max((len(str(x)) for row in found.base for x in row.values()), default=0)
    return found if set(found.kept) == set(kept) and longest <= _LONGEST else None


def regrouped(
    columns: tuple[str, ...], kept: list[str], coefficients: dict[str, dict[str, Formula]]
) -> Regrouping:
    """The record, from each dependent column's combination of kept ones."""
    base: dict[str, dict[str, Formula]] = {name: {name: ONE} for name in columns if name in set(kept)}
    for name in columns:
        for k, x in coefficients.get(name, {}).items():
            base[k][name] = x
    return Regrouping(columns, tuple(base), tuple(base.values()))


def independent_columns(
    problem: BaseParameterProblem, rng: np.random.Generator, order: list[int] | None = None
) -> tuple[list[str], int]:
    """The columns that are kept, and a number of states that shows them independent.

    States are doubled until a second prime and twice as many states choose the same columns. order: columns
    to choose from, those first that are kept if they can be; all of them, if None.
    """
    order = preferred_order(problem) if order is None else order
    states = _states(problem)
    before: list[int] | None = None
    for _ in range(_DOUBLINGS):
        drawn = sample(problem, problem.field(rng), states)
        found, _ = pivot_columns(drawn.rows[0][:, order], drawn.field.prime)
        if found == before:
            return [problem.columns[order[k]] for k in found], states // 2
        before, states = found, 2 * states
    raise NotVerified(f"The rank of the regressor still grows at {states // 2} random states.")


def _states(problem: BaseParameterProblem) -> int:
    """How many states have more rows than there are columns, about twice as many."""
    return 4 + 2 * len(problem.columns) // max(problem.mobility, 1)


def verified(
    problem: BaseParameterProblem,
    regrouping: Regrouping,
    states: int | None = None,
    rng: np.random.Generator | None = None,
) -> str:
    """Verify the regrouping exactly at fresh states, geometries and primes.

    Returns a sentence that says what was done. Raises NotVerified where it does not hold.
    """
    rng = np.random.default_rng(_SEED) if rng is None else rng
    states = 2 * _states(problem) if states is None else states
    places = {name: j for j, name in enumerate(problem.columns)}
    P = list(regrouping.columns)
    D = [j for j in range(len(places)) if j not in set(P)]
    terms = [
        (k, D.index(places[name]), x)
        for k, combination in enumerate(regrouping.base)
        for name, x in combination.items()
        if places[name] != P[k]
    ]
    samples = 3 if problem.robot.free_symbols else 1
    for _ in range(_CHECKS):
        drawn, values = _with_values(problem, [x for *_, x in terms], samples, states, rng)
        p = drawn.field.prime
        B: Any = np.zeros((samples, len(P), len(D)), dtype=np.int64)
        for (k, d, _), x in zip(terms, values, strict=True):
            B[:, k, d] = x
        if not np.array_equal(product(drawn.rows[:, :, P], B, p), drawn.rows[:, :, D]):
            raise NotVerified(
                "The regrouping does not hold at fresh random states; please report this robot."
            )
        for rows in drawn.rows:
            if len(pivot_columns(rows, p)[0]) != regrouping.count:
                raise NotVerified(
                    f"The rank at fresh random states is not {regrouping.count}; please report."
                )
    return (
        f"rank {regrouping.count} and every coefficient, exactly, at {_CHECKS * states} fresh random states "
        f"modulo {_CHECKS} fresh primes" + (f" and {_CHECKS * samples} random geometries" * (samples > 1))
    )


def _with_values(
    problem: BaseParameterProblem,
    coefficients: list[Formula],
    samples: int,
    states: int,
    rng: np.random.Generator,
) -> tuple[Sample, list[Residues]]:
    """Fresh states modulo a prime that has all square roots of the coefficients, and what these are there."""
    for _ in range(_PRIMES):
        field = problem.field(rng, samples)
        symbols = drawn_symbols(problem.robot, field)
        numbers = [x.evaluate(ModularConstants(field), symbols) for x in coefficients]
        if not any(isinstance(x, Modular) and x.beyond is not None for x in numbers):
            drawn = sample(problem, field, states, symbols)
            return drawn, [drawn.value(x) for x in coefficients]
    raise NotExact("No prime was found that has all square roots of the regrouping's coefficients.")
