"""Pieces of a report's HTML: tables, formulas (MathML, or LaTeX where MathML would be long), values, code."""

import re
from collections.abc import Sequence
from html import escape

import numpy as np

from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.model.robot_tables import Table
from rikigaku.report.formula_lines import ElementLines, FormulaLine
from rikigaku.report.law_blocks import LawBlock
from rikigaku.report.translated_words import translated_table
from rikigaku.web.mathml import mathml
from rikigaku.web.page import json_block
from rikigaku.web.texts import marked

_RATES = re.compile(r"[(,] ?[va]\b")  # a call with velocities or accelerations
_LONGEST_TABLE = 24  # rows of a table that is not folded
LONGEST_MATHML = 2400  # characters of LaTeX in a folded part; of longer ones a script renders the LaTeX
_LONGEST_OPEN = 6000  # characters of LaTeX of elements that are not folded
_MOST_NUMBERS = 1600  # of a value
_OPEN_NUMBERS = 64  # a value with at most this many numbers is shown unfolded


def table_part(key: str, table: Table, language: str) -> str:
    """A titled table that scrolls if it is wide, and is folded if it is long."""
    title, wide = (
        marked("h3", key, language),
        f"<div class='rk-wide' tabindex='0'>{translated_table(table, 'rk-data', language)}</div>",
    )
    if len(table.rows) <= _LONGEST_TABLE:
        return f"{title}{wide}"
    rows = marked("summary", "table.rows", language, count=len(table.rows))
    return f"{title}<details>{rows}{wide}</details>"


def formula(latex: str, display: bool = False, longest: int = LONGEST_MATHML) -> str:
    """A formula; `longest`: characters of LaTeX up to which it has MathML, to keep long lists small."""
    if len(latex) <= longest:
        try:
            flag = " data-display" if display else ""
            return (
                f'<span class="rk-formula"{flag} data-latex="{escape(latex)}">{mathml(latex, display)}</span>'
            )
        except WrongValue:
            pass  # LaTeX of a language extension: shown as it is, and by KaTeX
    return f'<code class="rk-formula" data-latex>{escape(latex)}</code>'


def line_part(line: FormulaLine, language: str, longest: int = LONGEST_MATHML) -> str:
    """left = right on a line of its own."""
    if line.right:
        return f'<div class="rk-line">{formula(f"{line.left} = {line.right}", longest=longest)}</div>'
    left, note = (
        formula(line.left),
        marked("span", "formula.tooLongElement", language, "rk-soft", count=line.terms),
    )
    return f'<div class="rk-line">{left} {note}</div>'


def elements_part(symbol: str, elements: ElementLines, language: str) -> str:
    """The elements of a law: one matrix, or lines; folded where they are many."""
    if elements.whole:
        return f'<div class="rk-line rk-whole">{formula(f"{symbol} = {elements.whole}", display=True)}</div>'
    notes = ""
    if elements.symmetric:
        notes += marked("p", "formula.symmetric", language, "rk-note")
    if elements.zeros:
        notes += marked("p", "formula.zeros", language, "rk-note")
    size = sum(len(line.right) for line in elements.lines)
    longest, opened = (2 * _LONGEST_OPEN, " open") if size <= _LONGEST_OPEN else (LONGEST_MATHML, "")
    lines = "".join(line_part(line, language, longest) for line in elements.lines)
    title = marked("span", "formula.elements", language)
    count = marked("span", "formula.terms", language, "rk-soft", count=elements.terms)
    return f"<details{opened}><summary>{title} {count}</summary>{notes}{lines}</details>"


def law_part(block: LawBlock, symbol: str, value: Array | None, problem: str, language: str) -> str:
    """One law: title, textbook form, elements, intermediate variables, value at the configuration, code."""
    parts = [
        f'<article class="rk-law" id="law-{escape(block.law.replace(".", "-"))}">',
        f"<header>{marked('h3', block.title, language)}"
        f'<code class="rk-call">{escape(block.call)}</code></header>',
        marked("p", block.about, language, "rk-about", **block.values) if block.about else "",
        f'<div class="rk-textbook">{formula(block.textbook, display=True)}</div>',
    ]
    parts += [marked("p", key, language, "rk-note", **values) for key, values in block.notes]
    if block.elements is not None and block.elements.lines:
        parts.append(elements_part(symbol, block.elements, language))
    if block.steps:
        title = marked("span", "formula.intermediates", language)
        lines = "".join(line_part(line, language, longest=0) for line in block.steps)
        parts.append(f'<details><summary>{title}</summary><div class="rk-steps">{lines}</div></details>')
    parts.append(value_part(block.value_law, value, problem, language, block.call))
    if block.operations:
        parts.append(operations_part(block.operations, language))
    shown = block.elements is not None and all(line.right for line in block.elements.lines)
    return "".join(
        [*parts, code_part(block.code, "" if shown or not block.steps else ".rk-steps"), "</article>"]
    )


def operations_part(operations: str, language: str) -> str:
    """Operation counts of the program that runs."""
    title = marked("span", "formula.operations", language)
    return f'<p class="rk-counts">{title}: {escape(operations)}</p>'


def code_part(code: dict[str, str], lines: str = "") -> str:
    """Texts to copy; buttons are made by the script. lines: the part of the article that is the LaTeX."""
    if not code:
        return ""
    if lines:
        code = {language: text for language, text in code.items() if language != "LaTeX"}
    place = f' data-lines="{lines}"' if lines else ""
    return f'<div class="rk-copy"{place}><script type="application/json">{json_block(code)}</script></div>'


def value_part(law: str, value: Array | None, problem: str, language: str, call: str) -> str:
    """A value as a table of numbers that the script keeps at the configuration shown.

    call: "robot.inverse_dynamics(q, v, a)"; the title names the velocities that a law takes.
    """
    if value is None or not value.size:
        return f'<p class="rk-problem">{escape(problem)}</p>' if problem else ""
    title = marked("span", "value.titleMoving" if _RATES.search(call) else "value.title", language)
    if value.size > _MOST_NUMBERS or value.ndim > 2:
        shape = " × ".join(map(str, value.shape))
        return marked("p", "value.shape", language, "rk-note", shape=shape)
    rows = value.reshape(-1, 1) if value.ndim == 1 else np.atleast_2d(value)
    if value.ndim == 1 and value.size <= 12:
        rows = value.reshape(1, -1)
    cells = "".join(f"<tr>{''.join(f'<td>{number(x)}</td>' for x in row)}</tr>" for row in rows)
    name = f' data-law="{escape(law)}"' if law else ""
    opened = " open" if value.size <= _OPEN_NUMBERS else ""
    note = f'<p class="rk-problem">{escape(problem)}</p>' if problem else ""
    return (
        f"<details{opened}><summary>{title}</summary>{note}<div class='rk-wide' tabindex='0'>"
        f'<table class="rk-matrix"{name}><tbody>{cells}</tbody></table></div></details>'
    )


def number(x: float) -> str:
    """Five digits."""
    return "0" if abs(x) < 5e-13 else f"{x:.5g}"


def definitions(rows: Sequence[tuple[str, str]]) -> str:
    """Pairs of a term (HTML) and its text (HTML)."""
    return f'<dl class="rk-facts">{"".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in rows)}</dl>'
