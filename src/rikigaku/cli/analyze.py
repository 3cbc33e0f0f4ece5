"""`rikigaku analyze`: everything about a robot in one HTML file, and a summary in the terminal."""

import argparse
import json
import re
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rikigaku
from rikigaku.cli.file_arguments import output_path
from rikigaku.cli.robot_loading import add_robot, robot_and_warnings
from rikigaku.core.errors import MissingValue
from rikigaku.core.files import write_whole
from rikigaku.laws.structure import recognised_note
from rikigaku.plotting import default_configuration
from rikigaku.report import LawFigures, Report, html_report, report
from rikigaku.report.code_files import write_code
from rikigaku.report.latex_document import latex_report
from rikigaku.report.pdf_file import write_pdf
from rikigaku.robot import Robot
from rikigaku.web.texts import LANGUAGES
from rikigaku.web.visuals import file_visuals


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "analyze", help="write a live report: picture, tables, formulas, values, simulation, speed"
    )
    add_robot(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="the report (default: report_NAME.html)")
    parser.add_argument("--open", action="store_true", help="show the report in the browser")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language shown first")
    parser.add_argument("--json", metavar="FILE", help="also write the report as JSON")
    parser.add_argument("--tex", metavar="FILE", help="also write its formulas as a LaTeX document")
    parser.add_argument("--pdf", metavar="FILE", help="also print the report to PDF (needs Chromium)")
    parser.add_argument("--code", metavar="FOLDER", help="also write the laws as C, Python and WebAssembly")
    parser.add_argument(
        "--meshes", action="store_true", help="show the meshes of a URDF file too; the report becomes larger"
    )
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=float,
        default=8.0,
        help="for the algebra of one law (default: 8); what takes longer is given as intermediate variables",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    output = None if options.output is None else output_path(options.output)
    others = {
        name: output_path(given) for name in ("json", "tex", "pdf") if (given := getattr(options, name))
    }
    robot, warnings = robot_and_warnings(options)
    path = output or Path(f"report_{re.sub(r'[^A-Za-z0-9._-]', '_', robot.name[:200])}.html")
    q = _configuration(robot)
    visuals, notes = ([], []) if q is None else file_visuals(robot, Path(options.robot), options.meshes)
    warnings += notes
    found = report(
        robot,
        q,
        warnings=warnings,
        version=rikigaku.__version__,
        time_limit=options.time_limit,
        visuals=visuals,
        progress=_Progress(),
    )
    _clear()
    write_whole(path, html_report(found, options.language).encode())
    if "json" in others:
        write_whole(others["json"], json.dumps(found.json(), ensure_ascii=False, allow_nan=False).encode())
    if "tex" in others:
        write_whole(others["tex"], latex_report(found).encode())
    print("\n".join(_summary(found, warnings)))
    print(f"report: {path}")
    if "pdf" in others:
        write_pdf(path, others["pdf"])
    for name, file in others.items():
        print(f"{name}: {file}")
    if options.code:
        print(f"code: {write_code(robot, Path(options.code))} files in {options.code}")
    if options.open:
        _show(path)
    return 0


def _show(path: Path) -> None:
    try:
        found = webbrowser.open(path.resolve().as_uri())
    except webbrowser.Error:
        found = False
    if not found:
        print("no browser was found to show the report", file=sys.stderr)


def _configuration(robot: Robot) -> NDArray[np.float64] | None:
    """The configuration of the report; none where symbols without a value place the links."""
    try:
        return default_configuration(robot)
    except MissingValue:
        return None


def _summary(found: Report, warnings: Sequence[str]) -> list[str]:
    lines = [f"{found.robot.name}: {found.headline}"]
    lines += [f"warning: {warning}" for warning in warnings]
    if note := recognised_note(found.robot):
        lines.append(note)
    if found.missing:
        lines.append(
            f"no value for: {', '.join(found.missing)} (give them with --set {found.missing[0]}=...)"
        )
    if found.loops is not None:
        lines += found.loops.lines()
    inverse, base = found.inverse_kinematics, found.base_parameters
    if inverse is not None and inverse.branches:
        lines.append(f"inverse kinematics of {inverse.frame}: {inverse.branches} branches in closed form")
    if base.lines:
        lines.append(f"base parameters: {len(base.lines)} of {base.total}")
    return [*lines, _law_lines(found.figures)]


def _law_lines(figures: Sequence[LawFigures]) -> str:
    lines = [f"{'law':25} {'batch [ns/state]':>16} {'one call [ns]':>14}  operations a state"]
    for item in figures:
        batch = "" if item.batch_ns is None else f"{item.batch_ns:.1f}"
        call = "" if item.call_ns is None else f"{item.call_ns:.0f}"
        lines.append(
            f"{item.name:25} {batch:>16} {call:>14}  {item.operations or item.problem.splitlines()[0]}"
        )
    return "\n".join(lines)


_PHASES = {"formulas": "formulas", "laws": "compiling", "page": "page"}


class _Progress:
    """One line that changes in a terminal; elsewhere a line for each law of the formulas, and each phase."""

    def __init__(self) -> None:
        self.phase = ""

    def __call__(self, phase: str, what: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{_PHASES[phase]} {what}", end="", file=sys.stderr, flush=True)
        elif phase == "formulas":
            print(f"{_PHASES[phase]}: {what} ...", file=sys.stderr, flush=True)
        elif phase != self.phase:
            print(f"{_PHASES[phase]} ...", file=sys.stderr, flush=True)
        self.phase = phase


def _clear() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
