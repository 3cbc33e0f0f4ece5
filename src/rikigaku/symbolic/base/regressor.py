"""Base parameters of a tree from its regressor: rank and relations modulo primes, checked at fresh states."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from rikigaku.errors import NotVerified
from rikigaku.numbers.formula import ONE, Formula
from rikigaku.symbolic.base.elimination import pivot_columns, product
from rikigaku.symbolic.base.recognition import irrationals
from rikigaku.symbolic.base.regrouping import Regrouping
from rikigaku.symbolic.base.relations import preferred_order, relations
from rikigaku.symbolic.base.samples import Question, sample

_SEED = 1999  # states are drawn anew, but the same in every run: the same robot gives the same answer
_DOUBLINGS = 6
_CHECKS = 2  # fresh primes, each with a few geometries


@dataclass(frozen=True)
class Found:
    """A regrouping, and a sentence that says how it was verified."""

    regrouping: Regrouping
    verified: str


@lru_cache(maxsize=16)
def base_by_regressor(question: Question) -> Found:
    """Independent columns of the regressor, and what the others are made of."""
    rng = np.random.default_rng(_SEED)
    kept, states = independent_columns(question, rng)
    if kept and not question.robot.free_symbols and irrationals(question.robot):
        from rikigaku.symbolic.base.decimal import long_relations

        coefficients, note = long_relations(question, kept, rng)
        return Found(regrouped(question.columns, kept, coefficients), note)
    rows = relations(question, kept, states, rng) if kept else {}
    coefficients = {name: {k: x.formula() for k, x in row.items()} for name, row in rows.items()}
    regrouping = regrouped(question.columns, kept, coefficients)
    return Found(regrouping, _verified(question, regrouping, states, rng))


def regrouped(
    columns: tuple[str, ...], kept: list[str], coefficients: dict[str, dict[str, Formula]]
) -> Regrouping:
    """The record, from each dependent column's combination of kept ones."""
    base: dict[str, dict[str, Formula]] = {name: {name: ONE} for name in columns if name in set(kept)}
    for name in columns:
        for k, x in coefficients.get(name, {}).items():
            base[k][name] = x
    return Regrouping(columns, tuple(base), tuple(base.values()))


def independent_columns(question: Question, rng: np.random.Generator) -> tuple[list[str], int]:
    """The columns that are kept, and a number of states that shows them independent.

    States are doubled until a second prime and twice as many states choose the same columns.
    """
    order = preferred_order(question)
    states = 4 + 2 * len(order) // max(question.robot.nv, 1)
    before: list[int] | None = None
    for _ in range(_DOUBLINGS):
        drawn = sample(question, question.field(rng), states)
        found, _ = pivot_columns(drawn.rows[0][:, order], drawn.field.prime)
        if found == before:
            return [question.columns[order[k]] for k in found], states // 2
        before, states = found, 2 * states
    raise NotVerified(f"The rank of the regressor still grows at {states // 2} random states.")


def _verified(question: Question, regrouping: Regrouping, states: int, rng: np.random.Generator) -> str:
    """Hold the regrouping against fresh states, geometries and primes, exactly."""
    places = {name: j for j, name in enumerate(question.columns)}
    P = list(regrouping.columns)
    D = [j for j in range(len(places)) if j not in set(P)]
    terms = [
        (k, D.index(places[name]), x)
        for k, combination in enumerate(regrouping.base)
        for name, x in combination.items()
        if places[name] != P[k]
    ]
    samples = 3 if question.robot.free_symbols else 1
    for _ in range(_CHECKS):
        drawn = sample(question, question.field(rng, samples), states)
        p = drawn.field.prime
        B: Any = np.zeros((samples, len(P), len(D)), dtype=np.int64)
        for k, d, x in terms:
            B[:, k, d] = drawn.value(x)
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
