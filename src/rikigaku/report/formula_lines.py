"""Formulas of a law as lines of LaTeX, with limits: what is too long to read is counted, not written."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from rikigaku.numbers.algebra_budget import work_done
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import displayed
from rikigaku.symbolic.formulas.exact_formula import WORK_A_SECOND
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.intermediates import Intermediates

MOST_TERMS = 60  # of one element that is shown
_MOST_LATEX = 70_000  # characters of one law
MOST_STEPS = 700
_MOST_TERMS_ON_LOOPS = 300  # of an element that loop constraints may shorten
_LONGEST_ON_LOOPS = 2500  # characters of such an element before it is shortened
_MOST_SECONDS = 5.0  # for the short form of one element
_MATRIX = 1200  # characters up to which a matrix is shown as one


@dataclass(frozen=True)
class FormulaLine:
    """left = right in LaTeX; right is empty where the formula is too long, and terms say how long."""

    left: str
    right: str
    terms: int = 0


@dataclass(frozen=True)
class ElementLines:
    """Lines of an array of formulas. whole: one matrix in LaTeX, where that is short."""

    lines: tuple[FormulaLine, ...]
    whole: str = ""
    symmetric: bool = False
    zeros: bool = False
    terms: int = 0


def latex_of(x: Any) -> str:
    """LaTeX without dollar signs of a formula, an array of formulas or intermediates."""
    if isinstance(x, Formula):
        return displayed(x)
    text: str = x.latex()
    return text


def element_lines(symbol: str, formulas: Any, seconds: float = inf) -> ElementLines:
    """The elements of a law's formulas; sums of angles are combined.

    seconds: for the search of short forms of all elements together, counted in work: each report is the same.
    """
    terms = int(formulas.terms)
    end = work_done() + seconds * WORK_A_SECOND

    def short(x: Any, most: int) -> str:
        left = min(max(end - work_done(), 0.0), _MOST_SECONDS * WORK_A_SECOND)
        if x.terms <= most:
            return displayed((x if x.on_loops else x.combined()).shortest_within(left))
        shortened = (
            x.on_loops and x.terms <= _MOST_TERMS_ON_LOOPS and len(str(x.formula)) <= _LONGEST_ON_LOOPS
        )
        return displayed(x.shortest_within(left)) if shortened else ""

    if not isinstance(formulas, Formulas):  # one formula
        shown = short(formulas, 4 * MOST_TERMS)
        return ElementLines((FormulaLine(symbol, shown, terms),), terms=terms)
    array = formulas.array
    symmetric = array.ndim == 2 and array.shape[0] == array.shape[1] > 1 and bool((array == array.T).all())
    lines, spent = [], 0
    for index, x in np.ndenumerate(array):
        if not x or (symmetric and index[0] > index[1]):
            continue
        right = short(x, MOST_TERMS) if spent < _MOST_LATEX else ""
        spent += len(right)
        lines.append(FormulaLine(element_name(symbol, index), right, x.terms))
    zeros = any(not x for x in array.flat)
    whole = ""
    if array.ndim <= 2 and spent <= _MATRIX and all(line.right for line in lines) and array.size <= 64:
        on_loops = any(x.on_loops for x in array.flat)
        found = latex_of(formulas if on_loops else formulas.combined())
        whole = found if found.startswith(r"\begin{bmatrix}") else ""  # too wide: its elements are shown
    return ElementLines(tuple(lines), whole, symmetric, zeros, terms)


def step_lines(symbol: str, steps: Intermediates) -> tuple[FormulaLine, ...]:
    """Intermediate variables, then the results; none where there are more than a page can show."""
    if len(steps.steps) > MOST_STEPS:
        return ()
    return tuple(_step_lines(symbol, steps))


def _step_lines(symbol: str, steps: Intermediates) -> Iterator[FormulaLine]:
    for name, formula in steps.steps:
        yield FormulaLine(step_name(name), latex_of(formula))
    shape = steps.shape
    for k, formula in enumerate(steps.results):
        if formula:
            index = tuple(int(i) for i in np.unravel_index(k, shape)) if shape else ()
            yield FormulaLine(element_name(symbol, index), latex_of(formula))


def step_name(name: str) -> str:
    """LaTeX of an intermediate variable: t_{12}."""
    letters = name.rstrip("0123456789")
    return f"{letters.rstrip('_')}_{{{name[len(letters) :]}}}"


def element_name(symbol: str, index: tuple[int, ...]) -> str:
    """Element of a matrix, counted from 1 as in books: M_{1,2}."""
    return f"{symbol}_{{{','.join(str(i + 1) for i in index)}}}" if index else symbol
