"""Text, LaTeX and SymPy expressions of the steps of a solution."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import latex
from rikigaku.symbolic.inverse_kinematics.solution_steps import Angle, Definition, Displacement, Root, Step

if TYPE_CHECKING:
    from rikigaku.symbolic.inverse_kinematics.ik_branches import Branch, JointFormulas


def steps_text(steps: Sequence[Step]) -> Iterator[str]:
    """One line a step."""
    for step in steps:
        match step:
            case Definition(name, formula):
                yield f"{name} = {formula}"
            case Root(name, radicand):
                yield f"{name} = ±sqrt({radicand})"
            case Angle(_, name, y, x):
                yield f"{name} = atan2({y}, {x})" if step.total is None else f"{name} = {step.total}"
            case Displacement(_, name, value):
                yield f"{name} = {value}"


def formulas_text(formulas: "JointFormulas") -> str:
    """Branches, conditions and steps as text."""
    robot = formulas.robot.name
    what = {"planar": "planar pose"}.get(formulas.target, formulas.target)
    head = f"Inverse kinematics of robot {robot!r}, {what} of frame {formulas.frame!r}: "
    count = len(formulas.signs)
    lines = [f"{head}{count} branch{'es' * (count != 1)}"]
    if formulas.conditions:
        lines.append("where the pose satisfies " + ", ".join(f"{x} = 0" for x in formulas.conditions))
    if count := formulas.more_conditions:
        also = "also " * bool(formulas.conditions)
        lines.append(f"where the pose satisfies {also}{count} more that differ from branch to branch")
    return "\n".join([*lines, *(f"  {line}" for line in steps_text(formulas.steps))])


def steps_latex(steps: Sequence[Step]) -> str:
    """An aligned display."""
    lines = []
    for step in steps:
        name = latex(Formula.symbol(step.name))
        match step:
            case Definition(_, formula):
                right = latex(formula)
            case Root(_, radicand):
                right = rf"\pm\sqrt{{{latex(radicand)}}}"
            case Angle(total=Formula() as total):
                right = latex(total)
            case Angle(_, _, y, x):
                right = rf"\operatorname{{atan2}}\left({latex(y)},\; {latex(x)}\right)"
            case Displacement(_, _, value):
                right = latex(value)
        lines.append(f"{name} &= {right}")
    body = " \\\\\n".join(lines)
    return f"$$\\begin{{aligned}}\n{body}\n\\end{{aligned}}$$"


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
