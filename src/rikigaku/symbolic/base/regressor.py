"""Base parameters of a tree from its regressor: rank and relations modulo primes, checked at fresh states."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from rikigaku.errors import NotExact, NotVerified
from rikigaku.numbers.formula import ONE, Formula
from rikigaku.numbers.modular import Modular
from rikigaku.numbers.modular_constants import ModularConstants
from rikigaku.numbers.prime_field import Residues
from rikigaku.symbolic.base.canonical import canonical
from rikigaku.symbolic.base.elimination import pivot_columns, product
from rikigaku.symbolic.base.recognition import irrationals
from rikigaku.symbolic.base.regrouping import Regrouping
from rikigaku.symbolic.base.relations import preferred_order, relations
from rikigaku.symbolic.base.samples import Question, Sample, drawn_symbols, sample
from rikigaku.symbolic.exact_state import exact_state

_SEED = 1999  # states are drawn anew, but the same in every run: the same robot gives the same answer
_DOUBLINGS = 6
_PRIMES = 200  # to look through: n square roots are in one of 2^n
_LONGEST = 200  # characters of a coefficient beyond which a decimal is easier to read
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

        coefficients, note, exact = long_relations(question, kept, rng)
        if not exact and (by_rules := _by_rules(question, kept)) is not None:
            return Found(by_rules, verified(question, by_rules, states, rng))
        return Found(regrouped(question.columns, kept, coefficients), note)
    rows = relations(question, kept, states, rng) if kept else {}
    coefficients = {
        name: {k: canonical(question.robot, x.formula()) for k, x in row.items()}
        for name, row in rows.items()
    }
    regrouping = regrouped(question.columns, kept, coefficients)
    return Found(regrouping, verified(question, regrouping, states, rng))


def _by_rules(question: Question, kept: list[str]) -> Regrouping | None:
    """The same columns with coefficients by geometric rules, where these are known and not too long.

    Which columns are kept decides the coefficients: whoever finds them, they are the same numbers.
    """
    from rikigaku.symbolic.base.rules import base_by_rules

    try:
        if exact_state(question.robot).ring.rounded:
            return None
        found = base_by_rules(question.robot, question.drives)
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
    question: Question, rng: np.random.Generator, order: list[int] | None = None
) -> tuple[list[str], int]:
    """The columns that are kept, and a number of states that shows them independent.

    States are doubled until a second prime and twice as many states choose the same columns. order: columns
    to choose from, those first that are kept if they can be; all of them, if None.
    """
    order = preferred_order(question) if order is None else order
    states = _states(question)
    before: list[int] | None = None
    for _ in range(_DOUBLINGS):
        drawn = sample(question, question.field(rng), states)
        found, _ = pivot_columns(drawn.rows[0][:, order], drawn.field.prime)
        if found == before:
            return [question.columns[order[k]] for k in found], states // 2
        before, states = found, 2 * states
    raise NotVerified(f"The rank of the regressor still grows at {states // 2} random states.")


def _states(question: Question) -> int:
    """How many states have more rows than there are columns, about twice as many."""
    return 4 + 2 * len(question.columns) // max(question.mobility, 1)


def verified(
    question: Question,
    regrouping: Regrouping,
    states: int | None = None,
    rng: np.random.Generator | None = None,
) -> str:
    """Hold the regrouping, however it was found, against fresh states, geometries and primes, exactly.

    Returns a sentence that says what was done. Raises NotVerified where it does not hold.
    """
    rng = np.random.default_rng(_SEED) if rng is None else rng
    states = 2 * _states(question) if states is None else states
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
        drawn, values = _with_values(question, [x for *_, x in terms], samples, states, rng)
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
    question: Question, coefficients: list[Formula], samples: int, states: int, rng: np.random.Generator
) -> tuple[Sample, list[Residues]]:
    """Fresh states modulo a prime that has all square roots of the coefficients, and what these are there."""
    for _ in range(_PRIMES):
        field = question.field(rng, samples)
        symbols = drawn_symbols(question.robot, field)
        numbers = [x.evaluate(ModularConstants(field), symbols) for x in coefficients]
        if not any(isinstance(x, Modular) and x.beyond is not None for x in numbers):
            drawn = sample(question, field, states, symbols)
            return drawn, [drawn.value(x) for x in coefficients]
    raise NotExact("No prime was found that has all square roots of the regrouping's coefficients.")
