"""Laws of a robot for a report: textbook form, formulas, intermediate variables, code, operation counts."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from rikigaku.core.errors import RikigakuError
from rikigaku.numbers.expanded_terms import most_terms
from rikigaku.report.formula_lines import (
    MOST_TERMS,
    ElementLines,
    FormulaLine,
    element_lines,
    latex_of,
    step_lines,
)
from rikigaku.report.law_figures import shown_frame
from rikigaku.report.shown_laws import LawEntry, law_entries, law_title, shown_law
from rikigaku.robot import Robot
from rikigaku.symbolic.formulas.intermediates import Intermediates

_LONGEST_CODE = 120_000  # characters of one text to copy
_MOST_OPERATIONS = 1500  # of a program whose formulas are tried: those of larger ones nobody reads
MOST_TERMS_EXPANDED = 3e6  # of an element multiplied out, at most, for which formulas are tried
_LONGEST_PROGRAM = 4000  # operations of a program whose intermediate variables (about a third) are listed
CODE_LANGUAGES = {"LaTeX": "latex", "Python": "python", "C": "c"}

Note = tuple[str, dict[str, Any]]  # key of a text, and its values


@dataclass(frozen=True)
class LawBlock:
    """One law: `law` as in robot.<law>, `title` and `about` are keys of texts, `textbook` its general form.

    value_law: name of the law in the page's module, for values that follow the sliders. code: texts to copy.
    """

    law: str
    title: str
    about: str
    values: dict[str, Any]
    textbook: str
    value_law: str
    elements: ElementLines | None = None
    steps: tuple[FormulaLine, ...] = ()
    notes: tuple[Note, ...] = ()
    operations: str = ""
    call: str = ""
    code: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class LawFormulas:
    """Formulas of a law within limits, or its steps; `notes` say what is missing and why."""

    formulas: Any = None
    steps: Intermediates | None = None
    notes: tuple[Note, ...] = ()


def law_formulas(
    bound: Any,
    time_limit: float,
    most_operations: int = _MOST_OPERATIONS,
    progress: Callable[[str], object] | None = None,
    longest: float = MOST_TERMS_EXPANDED,
) -> LawFormulas:
    """Formulas of a bound law; those that are known to be long are not tried.

    Args:
        time_limit: seconds for the algebra.
        most_operations: of a program whose formulas are tried.
        longest: terms that an element may have multiplied out, by `most_terms`, for formulas to be tried.
        progress: called with lines while it takes long.
    """
    notes: list[Note] = []
    formulas, steps = None, None
    try:
        if (size := bound.operations.total) > most_operations:
            notes.append(("formula.notTried", {"count": size}))
        elif bound.law.group == "tree" and (terms := most_terms(bound.program())) > longest:
            # a program does not tell the length of formulas that loop constraints make shorter
            notes.append(("formula.expands", {"count": f"{terms:.0e}".replace("e+", "e")}))
        else:
            formulas = bound.formulas(time_limit=time_limit, progress=progress)
        if isinstance(formulas, Intermediates):
            steps, formulas = formulas, None
    except RikigakuError as error:
        if "TimeLimit" in type(error).__name__:
            notes.append(("formula.timeLimit", {"seconds": f"{time_limit:g}"}))
        else:
            notes.append(_no_formula(error))
    return LawFormulas(formulas, steps, tuple(notes))


def law_blocks(
    robot: Robot, time_limit: float = 20.0, progress: Callable[[str], None] | None = None
) -> dict[str, list[LawBlock]]:
    """The blocks by section of the page.

    Args:
        time_limit: seconds for the algebra of one law. progress: called with the name of each law.
    """
    found: dict[str, list[LawBlock]] = {}
    unsolved = False  # dependent velocities without a formula: all laws of `reduced` contain them
    for entry in law_entries(robot):
        if progress:
            progress(entry.law)
        first, reduced = entry.law == "reduced.jacobian", entry.law.startswith("reduced.")
        seconds = 0.0 if reduced and unsolved else time_limit
        block = _block(robot, entry, 2 * seconds if first else seconds)
        unsolved = unsolved or (first and block.elements is None)
        found.setdefault(entry.section, []).append(block)
    return found


def _block(robot: Robot, entry: LawEntry, time_limit: float) -> LawBlock:
    """The block of a law; time_limit 0: by its intermediate variables only."""
    try:
        shown = shown_law(robot, entry.law)
    except RikigakuError as error:  # the loops do not close: nothing is known of this law
        notes = (_no_formula(error),)
        return LawBlock(entry.law, law_title(entry.law), "", {}, entry.textbook, "", notes=notes)
    block = LawBlock(
        law=shown.called,
        title=shown.title,
        about=shown.about,
        values=shown.options,
        textbook=entry.textbook,
        value_law=_value_law(robot, entry),
        call=shown.call,
    )
    try:
        block = replace(block, operations=str(shown.law.operations))
        return _with_formulas(block, shown.law, entry.symbol, time_limit)
    except RikigakuError as error:
        return replace(block, notes=(_no_formula(error),))


def _no_formula(error: RikigakuError) -> Note:
    return "formula.none", {"reason": str(error).split("\n")[0]}


def _value_law(robot: Robot, entry: LawEntry) -> str:
    from rikigaku.web.page_laws import draggable_frames

    if entry.law == "jacobian":
        frames, frame = draggable_frames(robot), shown_frame(robot)
        return f"jacobian_{frames.index(frame)}" if frame in frames else ""
    return f"reduced_{entry.own}" if entry.law.startswith("reduced.") else entry.own


def _with_formulas(block: LawBlock, bound: Any, symbol: str, time_limit: float) -> LawBlock:
    if (size := bound.operations.total) > _LONGEST_PROGRAM:
        code = {language: f'law.export("{name}")' for language, name in CODE_LANGUAGES.items()}
        return replace(block, notes=(("formula.programLeftOut", {"count": size}),), code=code)
    found = law_formulas(bound, time_limit) if time_limit else LawFormulas(notes=(("formula.unsolved", {}),))
    notes, formulas, steps, elements = list(found.notes), found.formulas, found.steps, None
    if formulas is not None:
        elements = element_lines(symbol, formulas, time_limit)
        if all(not line.right for line in elements.lines) and elements.lines:
            notes.append(("formula.tooLong", {"count": elements.terms}))
            elements = None
    lines: tuple[FormulaLine, ...] = ()
    try:
        steps = steps or bound.intermediates()
        short = elements is not None and elements.terms <= MOST_TERMS // 4
        lines = () if short else step_lines(symbol, steps)
        if not short and not lines:
            notes.append(("formula.stepsLeftOut", {"count": len(steps.steps)}))
    except RikigakuError:
        pass  # laws with comparisons have no formulas of this kind
    code = law_code(bound, _latex_text(symbol, elements, steps))
    return replace(block, elements=elements, steps=lines, notes=tuple(notes), code=code)


def law_code(bound: Any, latex: str) -> dict[str, str]:
    """Texts to copy; a text that would be too long is the line that writes it."""
    found = {}
    for language, name in CODE_LANGUAGES.items():
        try:
            text = latex if name == "latex" else str(bound.export(name))
        except RikigakuError:
            continue
        found[language] = text if len(text) <= _LONGEST_CODE else f'law.export("{name}")'
    return found


def _latex_text(symbol: str, elements: ElementLines | None, steps: Intermediates | None) -> str:
    """The elements as they are shown, or the intermediate variables where some element is too long."""
    if elements is not None and elements.whole:
        return f"{symbol} = {elements.whole}"
    if elements is not None and elements.lines and all(line.right for line in elements.lines):
        lines = r" \\ ".join(f"{line.left} &= {line.right}" for line in elements.lines)
        return rf"\begin{{aligned}}{lines}\end{{aligned}}"
    return "" if steps is None else latex_of(steps)
