"""The report as one HTML page: no network, no scripts; light and dark."""

import base64
import io
import platform
from collections.abc import Sequence
from html import escape

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import RikigakuError
from rikigaku.core.types import Array
from rikigaku.core.validation import numbers
from rikigaku.model.robot_tables import (
    Table,
    frame_table,
    headline,
    html_table,
    link_table,
    loop_table,
    symbol_table,
)
from rikigaku.model.states import is_length
from rikigaku.plotting import save_plot
from rikigaku.report.law_figures import LawFigures, missing_symbols
from rikigaku.report.loop_section import LoopFigures, loop_section
from rikigaku.report.page_style import CSS
from rikigaku.robot import Robot

_MOST_SHOWN = 4000  # numbers of one value; beyond, only its shape
_OPEN = 60  # a value with at most this many numbers is shown unfolded


@checked
def html_report(
    robot: Robot,
    q: Array | None,
    figures: Sequence[LawFigures],
    warnings: Sequence[str] = (),
    version: str = "",
    loops: LoopFigures | None = None,
) -> str:
    """The page. q: the configuration shown and evaluated; None if symbols without a value place the links."""
    q = None if q is None else numbers(f"q of robot {robot.name!r}", q, (robot.nq,))
    parts = [
        f"<h1>{escape(robot.name)}</h1><p class='lead'>{escape(headline(robot))}</p>",
        _source(robot),
        _warnings(robot, warnings),
        f"<section><h2>Picture</h2>{_picture(robot, q)}</section>",
        _structure(robot),
        "" if loops is None else loop_section(loops),
        _state(robot, q) if any(item.value is not None for item in figures) else "",
        _laws(robot, figures),
        f"<footer>Made by rikigaku {escape(version)}. SI units and radians throughout.</footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(robot.name)}: report</title><style>{CSS}</style></head>\n<body><main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main></body></html>\n"
    )


def _source(robot: Robot) -> str:
    return f"<p class='source'>{escape(robot.source)}</p>" if robot.source else ""


def _warnings(robot: Robot, warnings: Sequence[str]) -> str:
    notes = list(warnings)
    if missing := missing_symbols(robot):
        notes.append(
            f"These symbols have no value: {', '.join(missing)}. What needs them is left out. Give values in "
            f"the file, on the command line (--set {missing[0]}=...), or with robot.bind({missing[0]}=...)."
        )
    if robot.loops:
        notes.append(
            "The robot has closed loops: q and v have all joints of its spanning tree. inverse_dynamics, "
            "forward_dynamics and the laws after loop_alignment include the loops; mass_matrix and the "
            "other laws are those of the tree; robot.reduced.mass_matrix is that of the closed robot."
        )
    if not notes:
        return ""
    return "<section class='notes'>" + "".join(f"<pre>{escape(note)}</pre>" for note in notes) + "</section>"


def _picture(robot: Robot, q: Array | None) -> str:
    buffer = io.BytesIO()
    try:
        save_plot(robot, buffer, q, dpi=140)
    except RikigakuError as error:
        return f"<p>No picture. {escape(str(error))}</p>"
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return f'<img class="robot" alt="{escape(robot.name)}" src="data:image/png;base64,{data}">'


def _structure(robot: Robot) -> str:
    tables = [
        ("Links and joints", link_table(robot)),
        ("Frames", frame_table(robot)),
        ("Loop closures", loop_table(robot)),
        ("Symbols", symbol_table(robot)),
    ]
    sections = [
        f"<section><h2>{title}</h2><div class='wide'>{html_table(table, 'data')}</div></section>"
        for title, table in tables
        if table.rows
    ]
    gravity = ", ".join(str(g) for g in robot.gravity)
    sections.append(f"<p>Gravity ({escape(gravity)}) m/s², base <b>{escape(robot.base)}</b>.</p>")
    return "\n".join(sections)


def _state(robot: Robot, q: Array | None) -> str:
    if q is None or not robot.nq:
        return ""
    rows = []
    lengths = is_length(robot)
    for joint in robot.joints:
        for i, k in enumerate(range(robot.nq)[robot.q_slices[joint.name]]):
            quaternion = (joint.type == "free" and i > 2) or joint.type == "spherical"
            value = f"{q[k]:.6g}" if quaternion else f"{q[k]:.6g} m" if lengths[k] else f"{q[k]:.6g} rad"
            degrees = "" if quaternion or lengths[k] else f"{np.degrees(q[k]):.2f}°"
            rows.append((f"q[{k}]", joint.name, value, degrees))
    table = html_table(Table(("", "joint", "value", ""), rows), "data")
    opened = " open" if robot.nq <= 12 else ""
    own = " of an independent coordinate" if robot.loops else ""
    return (
        "<section><h2>State of the values below</h2>"
        f"<p>q as in the picture; every v{own} is 0.5, every a{own} is 1, every tau is 0 (SI units).</p>"
        f"<details{opened}><summary>q</summary>{table}</details></section>"
    )


def _laws(robot: Robot, figures: Sequence[LawFigures]) -> str:
    if not figures:
        return ""
    titles = ("law", "operations a state", "batch<br>[ns a state]", "one call<br>[ns]", "first call<br>[s]")
    head = f"<tr>{''.join(f'<th>{title}</th>' for title in titles)}</tr>"
    rows = "".join(_law_row(item) for item in figures)
    blocks = "".join(_law_block(item) for item in figures)
    blocks += "".join(_left_out(why, names) for why, names in _reasons(figures).items())
    return (
        f"<section><h2>Laws</h2><div class='wide'><table class='data numbers'>{head}{rows}</table></div>"
        f"<p class='source'>{escape(_wording(figures))}</p></section>"
        f"<section><h2>Values</h2>{blocks}</section>"
    )


def _reasons(figures: Sequence[LawFigures]) -> dict[str, list[str]]:
    """The laws without a value, by what is missing; the reason without the law's own name."""
    reasons: dict[str, list[str]] = {}
    for item in figures:
        if item.value is None:
            own = item.name.removeprefix("reduced.")
            reasons.setdefault(item.problem.replace(own, "law"), []).append(item.name)
    return reasons


def _left_out(why: str, names: Sequence[str]) -> str:
    listed = ", ".join(f"<code>{escape(name)}</code>" for name in names)
    return f"<p class='problem'>Without a value: {listed}. {escape(why[:1].upper() + why[1:])}</p>"


def _wording(figures: Sequence[LawFigures]) -> str:
    counted = "Operations are those of the program that runs; sincos is one sine and cosine pair."
    sizes = sorted({item.batch for item in figures if item.batch})
    if not sizes:
        return f"Nothing was timed: no law has a value here. {counted}"
    batches = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    return (
        f"Times were measured once, on this machine ({machine}), while this report was made: the best "
        "of seven short rounds, to exclude disturbances by other programs. "
        f"Batch: {batches} random states in one call, one thread, results written to an existing "
        "array. One call: one state from Python, with a new array for the result. First call: until "
        "the first value; recording and compiling, or reading the code from the cache of an earlier "
        f"run. {counted}"
    )


def _law_row(item: LawFigures) -> str:
    def number(x: float | None, digits: int = 0) -> str:
        return "" if x is None else f"{x:.{digits}f}" if x >= 10 or digits else f"{x:.1f}"

    cells = [
        f"<td><b>{escape(item.name)}</b><br><span class='source'>{escape(item.summary)}</span></td>",
        f"<td>{escape(item.operations)}</td>",
        f"<td>{number(item.batch_ns)}</td><td>{number(item.call_ns)}</td><td>{number(item.first_s, 2)}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _law_block(item: LawFigures) -> str:
    problem = f"<p class='problem'>{escape(item.problem)}</p>" if item.problem else ""
    title = f"<code>{escape(item.call)}</code>"
    if item.value is None:
        return ""
    opened = " open" if item.value.size <= _OPEN or problem else ""
    return f"<details{opened}><summary>{title}</summary>{problem}{_value(item.value)}</details>"


def _value(value: Array) -> str:
    if not value.size:
        return f"<p>Nothing: an array of shape {value.shape}.</p>"
    if value.size > _MOST_SHOWN:
        return f"<p>An array of shape {value.shape}: too large to be shown.</p>"
    if value.ndim > 2:
        return "".join(f"<p>[{k}]</p>{_value(part)}" for k, part in enumerate(value))
    rows = np.atleast_2d(value)
    cells = "".join(f"<tr>{''.join(f'<td>{_number(x)}</td>' for x in row)}</tr>" for row in rows)
    return f"<div class='wide'><table class='matrix'>{cells}</table></div>"


def _number(x: float) -> str:
    return "0" if x == 0 else f"{x:.5g}"
