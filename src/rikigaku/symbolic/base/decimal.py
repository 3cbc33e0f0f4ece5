"""Relations of a robot whose geometry holds irrational numbers: sums of roots where they are, else decimals.

Angles like 45 degrees give square roots, which are recognised in long numbers. Angles like 0.3 rad give sines
and cosines whose products soon fill pages; such coefficients are given as decimals. The rank is exact anyway.
"""

import numpy as np

from rikigaku.errors import NotVerified
from rikigaku.numbers.balls import precision
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.base.closed import bits_for, closed_relations
from rikigaku.symbolic.base.recognition import DECIMALS, written
from rikigaku.symbolic.base.relations import preferred_order
from rikigaku.symbolic.base.samples import Question
from rikigaku.symbolic.loops.consistent_state import consistent_state


def long_relations(
    question: Question, kept: list[str], rng: np.random.Generator
) -> tuple[dict[str, dict[str, Formula]], str, bool]:
    """For each column that is not kept its coefficients, how they were checked, and whether all are exact."""
    bits = bits_for(question.robot)
    columns = [question.columns[j] for j in preferred_order(question)]
    found = closed_relations(
        question, columns, {}, rng, lambda _: consistent_state(question.robot, rng, bits)
    )
    if [columns[k] for k in found.echelon.pivots] != list(kept):
        raise NotVerified("The rank in long numbers is not the rank modulo primes; please report this robot.")
    result: dict[str, dict[str, Formula]] = {}
    rounded = False
    with precision(bits):
        for d, row in found.echelon.relations.items():
            result[columns[d]] = {}
            for k, x in row.items():
                formula, exact = written(x, question.robot, bits)
                result[columns[d]][columns[k]] = formula
                rounded = rounded or not exact
    how = f"some given to {DECIMALS} decimals" if rounded else "all exact"
    note = (
        f"rank {len(kept)} exactly, modulo two primes; coefficients in {bits} bits hold at a fresh random "
        f"state to 1e{found.check:.0f}, {how}"
    )
    return result, note, not rounded
