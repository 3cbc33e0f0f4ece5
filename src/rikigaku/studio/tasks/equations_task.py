"""Formulas of a law by terms, in four forms, with the links that cause each term and code to take home."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from typing import Any, Literal

import numpy as np

from rikigaku.core.errors import RikigakuError
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import displayed, latex, text
from rikigaku.report.formula_lines import MOST_STEPS, element_name, step_name
from rikigaku.report.law_blocks import MOST_TERMS_EXPANDED, LawFormulas, law_formulas
from rikigaku.report.law_figures import law_names, shown_frame
from rikigaku.report.shown_laws import ShownLaw, law_entries, shown_law
from rikigaku.robot import Robot
from rikigaku.studio.tasks.term_links import TermLinks, TermRecord
from rikigaku.symbolic.algebra.child_process import progress
from rikigaku.symbolic.formulas.exact_formula import WORK_A_SECOND, ExactFormula
from rikigaku.symbolic.formulas.formula_array import Formulas

EquationForm = Literal["textbook", "parameters", "full", "intermediates"]

_MOST_TERMS = 400  # of one element
_MOST_TERMS_IN_ALL = 3000
_MOST_OPERATIONS = 6000  # of a program whose formulas are tried
_FACTORED_TERMS = 150  # up to which an element is factored: seconds
_COMBINED_TERMS = 600  # up to which angles are combined, and coefficients of velocities are factored
_QUICK_WORK, _WORK = 0.5 * WORK_A_SECOND, 5 * WORK_A_SECOND  # for the short form of an element on loops


@dataclass(frozen=True)
class LawName:
    """A law that can be shown: title is the key of a text; of_frame: it takes a frame."""

    name: str
    title: str
    group: Literal["main", "tree", "other"]
    of_frame: bool


@dataclass(frozen=True)
class LawsRequest:
    """The laws of the robot."""


@dataclass(frozen=True)
class LawsResult:
    """Laws of reports first, then all others; frames: those that laws of a frame take."""

    laws: list[LawName]
    frames: list[str]
    frame: str


@dataclass(frozen=True)
class EquationsRequest:
    """A law in a form. frame: "" for the frame that reports show; time_limit of the algebra [s].

    quick: sums of angles are combined, but formulas are not factored: a tenth of the time.
    """

    law: str
    form: EquationForm
    frame: str
    time_limit: float
    quick: bool


@dataclass(frozen=True)
class ElementFormula:
    """left = sum of terms. count: terms in all; where there are too many to show, `terms` is empty."""

    left: str
    terms: list[TermRecord]
    count: int


@dataclass(frozen=True)
class NoteRecord:
    """A remark: key of a text, and what it names."""

    key: str
    reason: str
    count: int
    seconds: float


@dataclass(frozen=True)
class EquationsResult:
    """Formulas of a law. form: the one that was possible; elements that are zero are left out.

    symmetric: elements above the diagonal are given. linked: inertias or joints have
    symbols of their own, by which some terms are caused by a link. title: key of
    a text; about: key of a text, or the description itself.
    """

    law: str
    title: str
    about: str
    form: EquationForm
    call: str
    textbook: str
    operations: str
    elements: list[ElementFormula]
    symmetric: bool
    zeros: bool
    linked: bool
    notes: list[NoteRecord]


def laws(robot: Robot, arguments: LawsRequest) -> LawsResult:
    """The laws that can be shown."""
    own = [entry.law for entry in law_entries(robot)]
    if robot.loops:
        own.insert(own.index("reduced.gravity_forces") + 1, "inverse_dynamics")
    found = []
    for name in dict.fromkeys((*own, *law_names(robot))):
        try:
            shown = shown_law(robot, name)
        except RikigakuError:
            continue
        found.append(LawName(name, shown.title, _group(name, own), "frame" in shown.options))
    return LawsResult(found, list(robot.frame_names), shown_frame(robot))


def _group(name: str, main: list[str]) -> Literal["main", "tree", "other"]:
    if name not in main:
        return "other"
    return "tree" if name.startswith("tree.") else "main"


def equations(robot: Robot, arguments: EquationsRequest) -> EquationsResult:
    """The law in the form, or by intermediate variables where that is too long."""
    shown = shown_law(robot, arguments.law, arguments.frame)
    links = TermLinks(robot)
    found = LawFormulas()
    if arguments.form != "intermediates":
        most = _MOST_OPERATIONS if arguments.time_limit > 8 else _MOST_OPERATIONS // 4
        longest = inf if arguments.time_limit > 8 else MOST_TERMS_EXPANDED
        found = law_formulas(shown.law, arguments.time_limit, most, progress, longest)
    elements: list[ElementFormula] = []
    notes = [_note(key, values) for key, values in found.notes]
    form, symmetric, zeros = arguments.form, False, False
    if found.formulas is not None:
        elements, symmetric, zeros = _elements(shown, found.formulas, arguments, links)
        if elements and not any(element.terms for element in elements):
            notes.append(_note("formula.tooLong", {"count": sum(element.count for element in elements)}))
            elements = []
    if not elements and (found.formulas is None or notes):
        form = "intermediates"
        try:
            steps = found.steps or shown.law.intermediates()
            elements = list(islice(_steps(shown.symbol, steps, links), MOST_STEPS + 1))
            if len(elements) > MOST_STEPS:
                notes.append(_note("formula.stepsLeftOut", {"count": len(steps.steps)}))
                elements = []
        except RikigakuError as error:
            notes.append(_note("formula.none", {"reason": str(error).split("\n")[0]}))
    return EquationsResult(
        law=arguments.law,
        title=shown.title,
        about=shown.about,
        form=form,
        call=shown.call,
        textbook=shown.textbook,
        operations=str(shown.law.operations),
        elements=elements,
        symmetric=symmetric,
        zeros=zeros,
        linked=bool(links.inertia) and any(term.links for element in elements for term in element.terms),
        notes=notes,
    )


def _elements(
    shown: ShownLaw, formulas: Any, request: EquationsRequest, links: TermLinks
) -> tuple[list[ElementFormula], bool, bool]:
    """Elements that are not zero, whether the array is symmetric, and whether others are zero."""
    if isinstance(formulas, ExactFormula):
        return [_element(shown.symbol, formulas, request, links, _MOST_TERMS)], False, False
    found: list[ElementFormula] = []
    arrays = [formulas] if isinstance(formulas, Formulas) else list(formulas)
    left = _MOST_TERMS_IN_ALL
    symmetric = zeros = False
    for number, one in enumerate(arrays):
        array = one.array if isinstance(one, Formulas) else np.array(one, dtype=object)
        symbol = shown.symbol if len(arrays) == 1 else f"{shown.symbol}^{{({number + 1})}}"
        square = array.ndim == 2 and array.shape[0] == array.shape[1] > 1
        symmetric = square and bool((array == array.T).all())
        for index, x in np.ndenumerate(array):
            if not x:
                zeros = True
            elif not (symmetric and index[0] > index[1]):
                name = element_name(symbol, index)
                found.append(_element(name, x, request, links, min(left, _MOST_TERMS)))
                left -= len(found[-1].terms)
                progress(f"{shown.called} {', '.join(str(i + 1) for i in index)}")
    return found, symmetric, zeros


def _element(
    left: str, x: ExactFormula, request: EquationsRequest, links: TermLinks, most: int
) -> ElementFormula:
    if request.form == "parameters":
        parts = x.collect("parameters")
        if len(parts) > most or x.terms > 4 * _MOST_TERMS:
            return ElementFormula(left, [], x.terms)
        terms = [_parameter_term(name, _shown(part, request.quick), links) for name, part in parts.items()]
        return ElementFormula(left, terms, len(terms))
    shown = x.formula if request.form == "full" else _shown(x, request.quick)
    count = len(shown.terms)
    terms = links.terms(shown) if count <= most else []
    if len(terms) == 1 and x.on_loops:  # one quotient: on several lines where it is wide
        terms = [replace(terms[0], latex=displayed(shown))]
    return ElementFormula(left, terms, count)


def _shown(x: ExactFormula, quick: bool) -> Formula:
    """The form of a textbook; quick: with sums of angles only."""
    if x.on_loops and x.terms <= 2 * _FACTORED_TERMS:
        return x.shortest_within(_QUICK_WORK if quick else _WORK)
    if x.terms > _COMBINED_TERMS:
        return x.formula
    if quick:
        return x.combined().formula
    return x.factored().formula if x.terms <= _FACTORED_TERMS else x.shortest_within(_WORK)


def _parameter_term(factor: str, coefficient: Formula, links: TermLinks) -> TermRecord:
    """parameter times (coefficient)."""
    own = Formula.of(factor)
    if factor == "1" or coefficient.rational is not None:
        return links.term(own * coefficient)
    if len(coefficient.terms) == 1:
        return links.term(own * coefficient, own.symbols)
    found = links.term(own)
    latex_product = rf"{found.latex} \, \left({latex(coefficient)}\right)"
    return TermRecord(latex_product, f"{found.text}*({text(coefficient)})", found.links, found.bodies)


def _steps(symbol: str, steps: Any, links: TermLinks) -> Iterator[ElementFormula]:
    """Intermediate variables, then the results; a step is one term, caused by its own symbols."""
    for name, formula in steps.steps:
        yield ElementFormula(step_name(name), [links.term(formula)], 1)
    for k, formula in enumerate(steps.results):
        if formula:
            index = tuple(int(i) for i in np.unravel_index(k, steps.shape)) if steps.shape else ()
            yield ElementFormula(element_name(symbol, index), [links.term(formula)], 1)


def _note(key: str, values: dict[str, Any]) -> NoteRecord:
    return NoteRecord(
        key, str(values.get("reason", "")), int(values.get("count", 0)), float(values.get("seconds", 0))
    )
