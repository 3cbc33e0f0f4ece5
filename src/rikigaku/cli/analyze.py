"""`rikigaku analyze`: everything about a robot in one HTML file, and a summary in the terminal."""

import argparse
import re
import sys
import webbrowser
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
from rikigaku.model.robot_tables import headline
from rikigaku.plotting import default_configuration
from rikigaku.report import LawFigures, html_report, law_figures
from rikigaku.report.law_figures import missing_symbols
from rikigaku.report.loop_section import loop_figures
from rikigaku.robot import Robot


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "analyze", help="write a report: picture, tables, laws with their values and speed"
    )
    add_robot(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="the report (default: report_NAME.html)")
    parser.add_argument("--open", action="store_true", help="show the report in the browser")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    output = None if options.output is None else output_path(options.output)
    robot, warnings = robot_and_warnings(options)
    missing = missing_symbols(robot)
    q = _configuration(robot)
    figures = law_figures(robot, q, _progress)
    loops = None if missing or q is None or not robot.loops else loop_figures(robot, q)
    _clear()
    path = output or Path(f"report_{re.sub(r'[^A-Za-z0-9._-]', '_', robot.name[:200])}.html")
    page = html_report(robot, q, figures, warnings, rikigaku.__version__, loops)
    write_whole(path, page.encode())
    print(f"{robot.name}: {headline(robot)}")
    for warning in warnings:
        print(f"warning: {warning}")
    if note := recognised_note(robot):
        print(note)
    if missing:
        print(f"no value for: {', '.join(missing)} (give them with --set {missing[0]}=...)")
    if loops is not None:
        print("\n".join(loops.lines()))
    print(_summary(figures))
    print(f"report: {path}")
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


def _summary(figures: list[LawFigures]) -> str:
    lines = [f"{'law':25} {'batch [ns/state]':>16} {'one call [ns]':>14}  operations a state"]
    for item in figures:
        batch = "" if item.batch_ns is None else f"{item.batch_ns:.1f}"
        call = "" if item.call_ns is None else f"{item.call_ns:.0f}"
        lines.append(
            f"{item.name:25} {batch:>16} {call:>14}  {item.operations or item.problem.splitlines()[0]}"
        )
    return "\n".join(lines)


def _progress(name: str, place: int, count: int) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[Kcompiling {place + 1}/{count}: {name}", end="", file=sys.stderr, flush=True)
    elif place == 0:
        print(f"compiling {count} laws ...", file=sys.stderr, flush=True)


def _clear() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
