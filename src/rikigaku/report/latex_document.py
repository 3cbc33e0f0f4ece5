"""The formulas of a report as a LaTeX document."""

from collections.abc import Iterator

from rikigaku.report.formula_lines import FormulaLine
from rikigaku.report.law_blocks import LawBlock
from rikigaku.report.report_data import Report
from rikigaku.web.texts import text

_SPECIAL = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_SECTIONS = ("kinematics", "dynamics", "tree", "energy", "identification")


def latex_report(report: Report) -> str:
    """A complete document; formulas are broken into lines, and amsmath is all that it needs."""
    parts = [
        r"\documentclass[10pt]{article}",
        r"\usepackage[a4paper,margin=18mm]{geometry}",
        r"\usepackage{amsmath}",
        r"\begin{document}",
        rf"\title{{{escaped(report.robot.name)}}}\author{{}}\date{{}}\maketitle",
        escaped(report.headline) + ".",
    ]
    for section in (one for one in _SECTIONS if one in report.laws):
        parts.append(rf"\section{{{escaped(text(f'section.{section}'))}}}")
        for block in report.laws.get(section, ()):
            parts += _law(block)
        if section == "kinematics" and report.inverse_kinematics is not None:
            parts.append(rf"\subsection*{{{escaped(text('law.inverse_kinematics'))}}}")
            parts += _lines(report.inverse_kinematics.steps)
        if section == "identification":
            parts.append(rf"\subsection*{{{escaped(text('law.base_parameters'))}}}")
            parts += _lines(report.base_parameters.lines)
    if report.loops is not None and report.loops.constraints:
        parts.append(rf"\section{{{escaped(text('law.loop_residual'))}}}")
        parts += [_equation(f"{line.right} = 0") for line in report.loops.constraints if line.right]
    return "\n".join([*parts, r"\end{document}", ""])


def escaped(words: str) -> str:
    """Plain text in LaTeX."""
    return "".join(_SPECIAL.get(letter, letter) for letter in words)


def _law(block: LawBlock) -> Iterator[str]:
    yield rf"\subsection*{{{escaped(text(block.title))}}}"
    yield _equation(block.textbook)
    for key, values in block.notes:
        yield escaped(text(key, **values))
    if block.elements is not None:
        yield from _lines(block.elements.lines)
    elif block.steps:
        yield from _lines(block.steps)


def _lines(lines: tuple[FormulaLine, ...]) -> Iterator[str]:
    for line in lines:
        if line.right:
            yield _equation(f"{line.left} = {line.right}" if line.left != line.right else line.left)
        else:
            yield rf"${line.left}$: {escaped(text('formula.tooLongElement', count=line.terms))}"


def _equation(latex: str) -> str:
    return rf"\begin{{equation*}} {latex} \end{{equation*}}"
