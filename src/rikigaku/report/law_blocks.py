"""Laws of a robot for a report: textbook form, formulas, intermediate variables, code, operation counts."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from rikigaku.core.errors import RikigakuError, UnknownName
from rikigaku.numbers.expanded_terms import most_terms
from rikigaku.report.formula_lines import (
    MOST_TERMS,
    ElementLines,
    FormulaLine,
    element_lines,
    latex_of,
    step_lines,
)
from rikigaku.report.law_figures import law_names, shown_frame
from rikigaku.robot import Robot
from rikigaku.symbolic.formulas.formula_array import SHOWN
from rikigaku.symbolic.formulas.intermediates import Intermediates

_LONGEST_CODE = 120_000  # characters of one text to copy
_LONGEST_LATEX = 200_000
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


@dataclass(frozen=True)
class _Entry:
    """A law that a report shows. symbol: of its elements; formula: its general form; group of the page."""

    law: str
    symbol: str
    textbook: str
    section: str
    frame: bool = False


_ENTRIES = (
    _Entry("pose", "T", r"T(q) = \begin{bmatrix} R(q) & p(q) \\ 0 & 1 \end{bmatrix}", "kinematics", True),
    _Entry(
        "jacobian", "J", r"\begin{bmatrix} \dot{p} \\ \omega \end{bmatrix} = J(q) \, v", "kinematics", True
    ),
    _Entry("mass_matrix", "M", r"M(q) = M(q)^{\top}", "dynamics"),
    _Entry("coriolis_matrix", "C", r"C(q, v) \, v = h(q, v)", "dynamics"),
    _Entry("velocity_forces", "h", r"h(q, v) = C(q, v) \, v", "dynamics"),
    _Entry("gravity_forces", "g", r"g(q) = \frac{\partial U}{\partial q}", "dynamics"),
    _Entry("inverse_dynamics", r"\tau", r"\tau = M(q) \, a + h(q, v) + g(q)", "dynamics"),
    _Entry("kinetic_energy", "K", r"K = \frac{1}{2} \, v^{\top} M(q) \, v", "energy"),
    _Entry("potential_energy", "U", "U(q)", "energy"),
    _Entry("regressor", "Y", r"\tau = Y(q, v, a) \, \pi", "identification"),
)
SYMBOLS = {entry.law: entry.symbol for entry in _ENTRIES}


@dataclass(frozen=True, eq=False)
class ShownLaw:
    """A law bound with the options that pages show: `law` is robot.<called>(<arguments>)."""

    law: Any
    called: str
    arguments: str
    options: dict[str, Any]
    symbol: str
    textbook: str

    @property
    def call(self) -> str:
        """How Python calls it."""
        return f"robot.{self.called}({self.arguments})"


@dataclass(frozen=True, eq=False)
class LawFormulas:
    """Formulas of a law within limits, or its steps; `notes` say what is missing and why."""

    formulas: Any = None
    steps: Intermediates | None = None
    notes: tuple[Note, ...] = ()


def shown_law(robot: Robot, name: str, frame: str = "") -> ShownLaw:
    """The law "mass_matrix", "tree.mass_matrix", "reduced.mass_matrix", ... of a robot, ready for formulas.

    Args:
        frame: for laws of a frame; the frame that reports show if left out.
    Raises:
        UnknownName: if the robot has no such law.
    """
    group, _, own = name.rpartition(".")
    owner: Any = (
        getattr(robot, group) if group in ("tree", "reduced") and (robot.loops or robot.couplings) else robot
    )
    law: Any = getattr(owner, own, None)
    if group not in ("", "tree", "reduced") or not hasattr(law, "law"):
        raise UnknownName("law", name, law_names(robot), f"robot {robot.name!r}")
    options = {"frame": frame or shown_frame(robot)} if "frame" in law.law.options else {}
    arguments = ", ".join([*law.law.inputs, *(f"{key}={value!r}" for key, value in options.items())])
    entry = next((one for one in _ENTRIES if one.law == own), None)
    bound = law.fix(**options) if options else law
    return ShownLaw(
        bound, name, arguments, options, entry.symbol if entry else "y", entry.textbook if entry else ""
    )


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
        elif (terms := most_terms(bound.program())) > longest:
            notes.append(("formula.expands", {"count": f"{terms:.0e}".replace("e+", "e")}))
        else:
            formulas = bound.formulas(time_limit=time_limit, progress=progress)
        if isinstance(formulas, Intermediates):
            steps, formulas = formulas, None
    except RikigakuError as error:
        if "TimeLimit" in type(error).__name__:
            notes.append(("formula.timeLimit", {"seconds": f"{time_limit:g}"}))
        else:
            notes.append(("formula.none", {"reason": str(error).split("\n")[0]}))
    return LawFormulas(formulas, steps, tuple(notes))


def law_blocks(
    robot: Robot, time_limit: float = 20.0, progress: Callable[[str], None] | None = None
) -> dict[str, list[LawBlock]]:
    """The blocks by section of the page. Of a closed robot these are laws of its spanning tree.

    Args:
        time_limit: seconds for the algebra of one law. progress: called with the name of each law.
    """
    found: dict[str, list[LawBlock]] = {}
    for entry in _ENTRIES:
        if progress:
            progress(entry.law)
        found.setdefault(entry.section, []).append(_block(robot, entry, time_limit))
    return found


def _block(robot: Robot, entry: _Entry, time_limit: float) -> LawBlock:
    prefix = "tree." if robot.loops and not entry.frame else ""
    shown = shown_law(robot, f"{prefix}{entry.law}")
    block = LawBlock(
        law=shown.called,
        title=f"law.{entry.law}",
        about=f"about.{entry.law}",
        values=shown.options,
        textbook=entry.textbook,
        value_law=_value_law(robot, entry),
        call=shown.call,
    )
    try:
        block = replace(block, operations=str(shown.law.operations))
        return _with_formulas(block, shown.law, entry.symbol, time_limit)
    except RikigakuError as error:
        return replace(block, notes=(("formula.none", {"reason": str(error).split("\n")[0]}),))


def _value_law(robot: Robot, entry: _Entry) -> str:
    from rikigaku.web.page_laws import draggable_frames

    if entry.law == "jacobian":
        frames, frame = draggable_frames(robot), shown_frame(robot)
        return f"jacobian_{frames.index(frame)}" if frame in frames else ""
    return entry.law


def _with_formulas(block: LawBlock, bound: Any, symbol: str, time_limit: float) -> LawBlock:
    if (size := bound.operations.total) > _LONGEST_PROGRAM:
        code = {language: f'law.export("{name}")' for language, name in CODE_LANGUAGES.items()}
        return replace(block, notes=(("formula.programLeftOut", {"count": size}),), code=code)
    found = law_formulas(bound, time_limit)
    notes, formulas, steps, elements = list(found.notes), found.formulas, found.steps, None
    if formulas is not None:
        elements = element_lines(symbol, formulas)
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
    return replace(
        block, elements=elements, steps=lines, notes=tuple(notes), code=law_code(bound, formulas, steps)
    )


def law_code(bound: Any, formulas: Any, steps: Intermediates | None) -> dict[str, str]:
    """Texts to copy; a text that would be too long is the line that writes it."""
    found = {}
    for language, name in CODE_LANGUAGES.items():
        try:
            text = _latex_text(formulas, steps) if name == "latex" else str(bound.export(name))
        except RikigakuError:
            continue
        found[language] = text if len(text) <= _LONGEST_CODE else f'law.export("{name}")'
    return found


def _latex_text(formulas: Any, steps: Intermediates | None) -> str:
    if formulas is not None and formulas.terms <= 500:
        # long ones as the page shows them: a search for short forms would take longer than the report
        text = latex_of(formulas if formulas.terms <= SHOWN else formulas.combined())
        if len(text) <= _LONGEST_LATEX:
            return text
    return "" if steps is None else latex_of(steps)
