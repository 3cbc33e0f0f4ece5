"""Sections of a report's HTML: parameters, kinematics, loops, dynamics, energy, base parameters, speed."""

import platform
from collections.abc import Sequence
from html import escape
from typing import Any

from rikigaku.closure.closure_plan import closure
from rikigaku.core.errors import RikigakuError
from rikigaku.core.types import Array
from rikigaku.model.robot_tables import Table
from rikigaku.report.formula_lines import FormulaLine
from rikigaku.report.html_parts import (
    LONGEST_MATHML,
    code_part,
    definitions,
    formula,
    law_part,
    line_part,
    number,
    table_part,
    value_part,
)
from rikigaku.report.kinematics_blocks import BRANCHES
from rikigaku.report.law_blocks import LawBlock
from rikigaku.report.law_figures import LawFigures
from rikigaku.report.report_data import Report
from rikigaku.report.shown_laws import (
    CONSTRAINED_MOTION,
    MOTION,
    REDUCED_MOTION,
    is_closed,
    law_entries,
)
from rikigaku.report.translated_words import equation_name, parameter_name, summary, verification
from rikigaku.robot import Robot
from rikigaku.web.texts import marked

_FEW_COORDINATES = 12  # that a table of assembly modes can show


def parameter_section(report: Report, language: str) -> str:
    parts = [table_part(key, table, language) for key, table in report.tables.items()]
    gravity = ", ".join(str(g) for g in report.robot.gravity)
    parts.append(
        f"<p>{marked('b', 'table.gravity', language)} ({escape(gravity)}) m/s² · "
        f"{marked('b', 'table.base', language)} <code>{escape(report.robot.base)}</code></p>"
    )
    return "".join(parts)


def law_section(report: Report, section: str, language: str) -> str:
    """The laws of one section, each with its value at the configuration."""
    return "".join(_law(report, block, language) for block in report.laws.get(section, ()))


def kinematics_section(report: Report, language: str) -> str:
    return law_section(report, "kinematics", language) + _inverse_kinematics(report, language)


def dynamics_section(report: Report, language: str) -> str:
    """Laws of motion; of a closed robot over its independent coordinates, then those of its spanning tree."""
    laws = law_section(report, "dynamics", language)
    if not is_closed(report.robot):
        return _motion(MOTION) + laws
    tree = law_section(report, "tree", language)
    title = marked("summary", "section.tree", language, "rk-heading")
    about = marked("p", "about.tree", language, "rk-about")
    folded = f'<details class="rk-tree">{title}{about}{_motion(CONSTRAINED_MOTION)}{tree}</details>'
    return _independent(report, language) + _motion(REDUCED_MOTION) + laws + folded


def _motion(equation: str) -> str:
    return f'<div class="rk-textbook rk-motion">{formula(equation, display=True)}</div>'


def _independent(report: Report, language: str) -> str:
    """Which coordinates the laws of a closed robot are over."""
    try:
        names = ", ".join(closure(report.robot).independent)
    except RikigakuError:  # the loops do not close; the laws say so
        return ""
    return marked("p", "about.reduced", language, "rk-about", names=names)


def identification_section(report: Report, language: str) -> str:
    return law_section(report, "identification", language) + _base_parameters(report, language)


def loop_section(report: Report, language: str) -> str:
    if report.loops is None:
        return ""
    loops, plan = report.loops, report.loops.plan

    def named(key: str, text: str) -> tuple[str, str]:
        return marked("span", f"loops.{key}", language), text

    counts: dict[str, Any] = {"independent": len(plan.equations), "redundant": plan.redundancy}
    facts = [
        named("mobility", str(plan.mobility)),
        named("equations", marked("span", "loops.equationCount", language, **counts)),
        named("independent", _codes(plan.independent)),
        named("dependent", _codes(plan.dependent)),
        named("actuated", _codes(plan.actuated)),
    ]
    if plan.redundant:
        facts.append(named("redundant", ", ".join(equation_name(name, language) for name in plan.redundant)))
    if plan.unactuated:
        facts.append(named("unactuated", _codes(plan.unactuated)))
    parts = [_block("law.mobility", "about.mobility", definitions(facts), language)]
    if loops.constraints:
        lines = "".join(_constraint(line, language) for line in loops.constraints)
        if loops.explicit:
            solved = "".join(f'<div class="rk-line">{formula(latex)}</div>' for latex in loops.explicit)
            title = marked("summary", "loops.explicit", language)
            lines += f"<details>{title}{solved}</details>"
        parts.append(_block("law.loop_residual", "about.loop_residual", lines, language))
    if loops.singularity is not None:
        s = loops.singularity
        facts = [
            named("singularLoops", f"{s.loops:.4g}"),
            named("singularActuation", f"{s.actuation:.4g}"),
        ]
        parts.append(_block("law.singularity", "about.loopSingularity", definitions(facts), language))
    parts.append(_modes(report, language))
    return "".join(parts)


def speed_section(figures: Sequence[LawFigures], language: str) -> str:
    """Operation counts and times of all laws on this machine."""
    heads = "".join(
        marked("th", f"speed.{name}", language) for name in ("law", "operations", "batch", "call", "first")
    )
    rows = "".join(_speed_row(item, language) for item in figures)
    table = f'<table class="rk-data rk-numbers"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    note = _timing_note(figures, language)
    return f"<div class='rk-wide' tabindex='0'>{table}</div>{note}{_all_values(figures, language)}"


def _all_values(figures: Sequence[LawFigures], language: str) -> str:
    """Values of every law at the state of the report, folded."""
    shown = [
        f"<div><code>{escape(item.call)}</code>"
        f"{value_part('', item.value, item.problem, language, item.call)}</div>"
        for item in figures
        if item.value is not None
    ]
    if not shown:
        return ""
    title = marked("summary", "speed.values", language)
    return f"<details>{title}{marked('p', 'speed.state', language, 'rk-note')}{''.join(shown)}</details>"


def _law(report: Report, block: LawBlock, language: str) -> str:
    symbols = {entry.law: entry.symbol for entry in law_entries(report.robot)}
    return law_part(block, symbols[block.law], *_value(report, block), language)


def _value(report: Report, block: LawBlock) -> tuple[Array | None, str]:
    """The value of a law at the configuration, or why there is none."""
    figure = next((item for item in report.figures if item.name == block.law), None)
    if figure is None:
        return report.block_values.get(block.law), ""
    return figure.value, figure.problem


def _inverse_kinematics(report: Report, language: str) -> str:
    block = report.inverse_kinematics
    if block is None:
        return ""
    if block.problem:
        body = marked("p", "ik.none", language, "rk-note", reason=block.problem)
    else:
        body = f"<p><b>{marked('span', 'ik.branches', language, count=block.branches)}</b></p>"
        if block.conditions:
            shown = "".join(f'<div class="rk-line">{formula(f"{x} = 0")}</div>' for x in block.conditions)
            body += f"<details>{marked('summary', 'ik.condition', language)}{shown}</details>"
        if block.more_conditions:
            body += marked("p", "ik.moreConditions", language, "rk-note", count=block.more_conditions)
        lines = "".join(line_part(line, language) for line in block.steps)
        opened = " open" if len(block.steps) <= 40 else ""
        body += f"<details{opened}>{marked('summary', 'ik.steps', language)}"
        body += f'<div class="rk-steps">{lines}</div></details>'
        body += _branches(report, block.configurations, language)
        latex = r" \\ ".join(f"{line.left} &= {line.right}" for line in block.steps)
        body += code_part({"LaTeX": rf"\begin{{aligned}}{latex}\end{{aligned}}"})
    return _block(
        "law.inverse_kinematics", "about.inverse_kinematics", body, language, frame=block.frame
    ) + _hand(report, language)


def _hand(report: Report, language: str) -> str:
    """Distance of the shown frame from singularity."""
    if report.hand_singularity is None:
        return ""
    term = marked("span", "loops.singularHand", language, frame=report.frame)
    value = f'<span data-singularity="{escape(report.frame)}">{number(report.hand_singularity)}</span>'
    facts = definitions([(term, value)])
    return _block("law.singularity", "about.singularity", facts, language)


def _branches(report: Report, configurations: Sequence[Sequence[float]], language: str) -> str:
    robot = report.robot
    if not configurations or report.q is None or robot.nq > _FEW_COORDINATES:
        return ""
    rows = [(str(k + 1), *(number(x) for x in q)) for k, q in enumerate(configurations)]
    note = marked("p", "value.branchesAt", language, "rk-note", frame=report.frame)
    return f'{note}<div data-branches="{BRANCHES}">{_coordinate_table(robot, rows)}</div>'


def _coordinate_table(robot: Robot, rows: Sequence[tuple[str, ...]]) -> str:
    from rikigaku.model.robot_tables import html_table

    titles = ("#", *(joint.name for joint in robot.joints for _ in range(joint.nq)))
    return f"<div class='rk-wide' tabindex='0'>{html_table(Table(titles, rows), 'rk-data rk-right')}</div>"


def _modes(report: Report, language: str) -> str:
    assert report.loops is not None
    modes = report.loops.modes
    title = marked("p", "loops.modes", language, "rk-note", count=len(modes))
    if report.robot.nq > _FEW_COORDINATES:
        return title
    rows = [(str(k + 1), *(number(x) for x in q)) for k, q in enumerate(modes)]
    return title + _coordinate_table(report.robot, rows)


def _base_parameters(report: Report, language: str) -> str:
    block = report.base_parameters
    if block.problem:
        body = marked("p", "base.failed", language, "rk-note", reason=block.problem)
        return _block("law.base_parameters", "", body, language)
    heads = [marked("th", "base.regrouping", language)]
    if block.numbers:
        heads.append(marked("th", "base.value", language))
    longest = LONGEST_MATHML if len(block.lines) <= 60 else 0
    rows = []
    for k, line in enumerate(block.lines):
        same = line.left == line.right
        text = line.left if same else f"{line.left} = {line.right}"
        cells = [f"<td>{formula(text, longest=longest)}</td>"]
        if block.numbers:
            cells.append(f"<td class='rk-number'>{number(block.numbers[k])}</td>")
        rows.append(f"<tr><td>{k + 1}</td>{''.join(cells)}</tr>")
    head, content = "".join(heads), "".join(rows)
    table = f'<table class="rk-data"><thead><tr><th>#</th>{head}</tr></thead><tbody>{content}</tbody></table>'
    opened = " open" if len(rows) <= 40 else ""
    title = marked("summary", "law.base_parameters", language)
    body = f"<details{opened}>{title}<div class='rk-wide' tabindex='0'>{table}</div></details>"
    if block.unimportant:
        names = ", ".join(parameter_name(name, language) for name in block.unimportant)
        body += f"<p class='rk-note'>{marked('span', 'base.unimportant', language)}: {names}.</p>"
    checked = verification(block.verified, language)
    body += f"<p class='rk-note'>{marked('span', 'base.verified', language)}: {checked}.</p>"
    latex = r" \\ ".join(f"{line.left} &= {line.right}" for line in block.lines)
    body += code_part({"LaTeX": rf"\begin{{aligned}}{latex}\end{{aligned}}"})
    values = {"count": len(block.lines), "total": block.total}
    return _block("law.base_parameters", "about.base_parameters", body, language, **values)


def _constraint(line: FormulaLine, language: str) -> str:
    name = f'<span class="rk-soft">{equation_name(line.left, language)}</span> '
    if not line.right:
        note = marked("span", "formula.tooLongElement", language, "rk-soft", count=line.terms)
        return f'<div class="rk-line">{name}{note}</div>'
    return f'<div class="rk-line">{name}{formula(f"{line.right} = 0")}</div>'


def _block(title: str, about: str, body: str, language: str, **values: object) -> str:
    sentence = marked("p", about, language, "rk-about", **values) if about else ""
    return (
        f'<article class="rk-law"><header>{marked("h3", title, language)}</header>{sentence}{body}</article>'
    )


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"<code>{escape(name)}</code>" for name in names) or "–"


def _speed_row(item: LawFigures, language: str) -> str:
    def shown(x: float | None, digits: int = 0) -> str:
        return "" if x is None else f"{x:.{digits}f}" if x >= 10 or digits else f"{x:.1f}"

    problem = f"<br><span class='rk-problem'>{escape(item.problem)}</span>" if item.value is None else ""
    about = summary(item.summary, "span", "rk-soft", language)
    cells = [
        f"<td><b>{escape(item.name)}</b><br>{about}{problem}</td>",
        f"<td>{escape(item.operations)}</td>",
        f"<td>{shown(item.batch_ns)}</td><td>{shown(item.call_ns)}</td><td>{shown(item.first_s, 2)}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _timing_note(figures: Sequence[LawFigures], language: str) -> str:
    sizes = sorted({item.batch for item in figures if item.batch})
    if sizes:
        batches = f"{sizes[0]}–{sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        timed = marked("span", "speed.about", language, machine=machine, batches=batches)
    else:
        timed = marked("span", "speed.none", language)
    return f"<p class='rk-note'>{timed} {marked('span', 'speed.counted', language)}</p>"
