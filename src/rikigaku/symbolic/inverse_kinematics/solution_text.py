"""Text, LaTeX and SymPy expressions of the steps of a solution."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import (
    PAGE,
    Indices,
    displayed,
    equation,
    equation_rows,
    latex,
    latex_lines,
    latex_width,
    text,
)
from rikigaku.numbers.latex_names import escaped, latex_name
from rikigaku.symbolic.inverse_kinematics.angle_sums import AngleSum
from rikigaku.symbolic.inverse_kinematics.free_signs import PrintedStep, RootDisplacement, SignedAngle
from rikigaku.symbolic.inverse_kinematics.solution_steps import Angle, Definition, Displacement, Root

if TYPE_CHECKING:
    from rikigaku.symbolic.inverse_kinematics.ik_branches import Branch, JointFormulas


_LATEX_SIGNS = (r"\pm ", r"\mp ")


def steps_text(steps: Sequence[PrintedStep], short: Indices | None = None) -> Iterator[str]:
    """One line a step."""

    def write(formula: Formula) -> str:
        return text(formula, short)

    for step in steps:
        match step:
            case Definition(name, formula):
                yield f"{name} = {write(formula)}"
            case Root(name, radicand):
                yield f"{name} = ±sqrt({write(radicand)})"
            case Angle(_, name, y, x):
                yield f"{name} = atan2({write(y)}, {write(x)})"
            case Displacement(_, name, value):
                yield f"{name} = {write(value)}"
            case AngleSum(_, name, y, x, rest):
                first = f"atan2({write(y)}, {write(x)})" if y is not None and x is not None else ""
                yield f"{name} = {_angle_sum(first, write(rest))}"
            case SignedAngle(_, name, _, y, x):
                yield f"{name} = atan2({_signed(y, write)}, {_signed(x, write)})"
            case RootDisplacement(_, name, _, sign, radicand):
                yield f"{name} = {'±' if sign > 0 else '∓'}sqrt({write(radicand)})"


def _signed(formula: Formula, write: Callable[[Formula], str], signs: Sequence[str] = "±∓") -> str:
    """±y, ∓y of a formula that is negative, ±(x + y) of a sum; the upper signs belong together."""
    if not formula:
        return "0"
    negative = write(formula).startswith("-")
    body = write(-formula if negative else formula)
    return signs[negative] + (f"({body})" if len(formula.terms) > 1 else body)


def _angle_sum(first: str, rest: str) -> str:
    """atan2(b, a) - q1 - q2."""
    if not first:
        return rest
    return f"{first} - {rest[1:]}" if rest.startswith("-") else f"{first} + {rest}"


def formulas_text(formulas: "JointFormulas", style: str = "full") -> str:
    """Branches, conditions and steps as text."""
    robot = formulas.robot.name
    what = {"planar": "planar pose"}.get(formulas.target, formulas.target)
    head = f"Inverse kinematics of robot {robot!r}, {what} of frame {formulas.frame!r}: "
    lines = [f"{head}{_branches(formulas)}"]
    if formulas.conditions:
        lines.append("where the pose satisfies " + ", ".join(f"{x} = 0" for x in formulas.conditions))
    also = "also " * bool(formulas.conditions)
    if known := formulas.branch_conditions:
        lines.append(f"where the pose satisfies {also}in each branch " + ", ".join(f"{x} = 0" for x in known))
        also = "also "
    if count := formulas.more_conditions - len(known):
        lines.append(f"where the pose satisfies {also}{count} more that differ from branch to branch")
    steps = steps_text(formulas.shown_steps, formulas.short_indices(style))
    return "\n".join([*lines, *(f"  {line}" for line in steps)])


def _branches(formulas: "JointFormulas") -> str:
    count = len(formulas.signs)
    left = f", {formulas.undecided} undecided (status)" if formulas.undecided else ""
    return f"{count} branch{'es' * (count != 1)}{left}"


def _condition_lines(conditions: Sequence[Formula], where: str = "where") -> list[str]:
    """Conditions on the pose as rows; short ones share a row."""
    whole = r",\; ".join(f"{latex(x)} = 0" for x in conditions)
    if latex_width(whole) <= PAGE:
        return [rf"& \text{{{where} }} {whole}"]
    rows = [rf"& \text{{{where}}}"]
    for x in conditions:
        *before, last = latex_lines(x)
        rows += equation([*before, f"{last} = 0"])
    return rows


def formulas_lines(formulas: "JointFormulas", style: str = "full") -> list[str]:
    """Rows of an aligned display: branches, conditions on the pose, steps."""
    lines = [rf"& \text{{{escaped(_branches(formulas))}}}"]
    if formulas.conditions:
        lines += _condition_lines(formulas.conditions)
    if known := formulas.branch_conditions:
        lines += _condition_lines(known, "where, in each branch,")
    if count := formulas.more_conditions - len(known):
        lines.append(rf"& \text{{where {count} more conditions differ from branch to branch}}")
    return [*lines, *steps_lines(formulas.shown_steps, formulas.short_indices(style))]


def steps_lines(steps: Sequence[PrintedStep], short: Indices | None = None) -> Iterator[str]:
    """Rows of an aligned display, in lines that fit the page."""
    for step, (left, right) in zip(steps, step_equations(steps, short), strict=True):
        match step:
            case Definition(_, formula) | Displacement(_, _, formula):
                yield from equation_rows(formula, left, short)
            case Angle(_, _, y, x):
                yield f"{left} &= {_atan2(y, x, short)}"
            case _:
                yield f"{left} &= {right}"


def step_equations(steps: Sequence[PrintedStep], short: Indices | None = None) -> Iterator[tuple[str, str]]:
    """Left and right side of each step in LaTeX, each in one line."""

    def atan2(y: Formula, x: Formula) -> str:
        return rf"\operatorname{{atan2}}\left({latex(y, short)},\; {latex(x, short)}\right)"

    for step in steps:
        match step:
            case Definition(_, formula) | Displacement(_, _, formula):
                right = latex(formula, short)
            case Root(_, radicand):
                right = rf"\pm\sqrt{{{latex(radicand, short)}}}"
            case Angle(_, _, y, x):
                right = atan2(y, x)
            case AngleSum(_, _, y, x, rest):
                first = atan2(y, x) if y is not None and x is not None else ""
                right = _angle_sum(first, latex(rest, short))
            case SignedAngle(_, _, _, y, x):
                both = [_signed(f, lambda f: latex(f, short), _LATEX_SIGNS) for f in (y, x)]
                right = rf"\operatorname{{atan2}}\left({both[0]},\; {both[1]}\right)"
            case RootDisplacement(_, _, _, sign, radicand):
                right = rf"{_LATEX_SIGNS[sign < 0]}\sqrt{{{latex(radicand, short)}}}"
        yield latex_name(step.name), right


def _atan2(y: Formula, x: Formula, short: Indices | None) -> str:
    """The two arguments, in two lines if one does not fit."""
    one = rf"\operatorname{{atan2}}\left({latex(y, short)},\; {latex(x, short)}\right)"
    lines = [displayed(y, short), displayed(x, short)]
    if "aligned" not in "".join(lines):
        return one
    return rf"\operatorname{{atan2}}\left(\begin{{gathered}}{lines[0]},\\ {lines[1]}\end{{gathered}}\right)"


def branch_sympy(branch: "Branch", expanded: bool) -> tuple[list[Any], list[Any]]:
    """(definitions, joints) as pairs of SymPy's symbols and expressions."""
    import sympy

    from rikigaku.symbolic.formulas.sympy_conversion import sympy_formula

    definitions: list[Any] = []
    joints: list[Any] = []
    known: dict[Any, Any] = {}
    for step in branch.steps:
        match step:
            case Definition(_, formula):
                value = sympy_formula(formula)
            case Angle(total=Formula() as total):
                value = sympy_formula(total)
            case Angle(_, _, y, x):
                value = sympy.atan2(sympy_formula(y), sympy_formula(x))
            case Displacement(_, _, formula):
                value = sympy_formula(formula)
        symbol = sympy.Symbol(step.name, real=True)
        if expanded:
            value = value.xreplace(known)
            known[symbol] = value
        (definitions if isinstance(step, Definition) else joints).append((symbol, value))
    return ([] if expanded else definitions), joints
