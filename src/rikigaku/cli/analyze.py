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
from rikigaku.cli.reading import add_robot, robot_and_warnings
from rikigaku.display import headline
from rikigaku.errors import MissingValue, RikigakuError
from rikigaku.model.robot import Robot
from rikigaku.plotting import default_posture
from rikigaku.report import LawFigures, html_report, law_figures
from rikigaku.report.figures import missing_symbols
from rikigaku.report.loops import loop_figures
from rikigaku.structure import recognised_note


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "analyze", help="write a report: picture, tables, laws with their values and speed"
    )
    add_robot(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="the report (default: report_NAME.html)")
    parser.add_argument("--open", action="store_true", help="show the report in the browser")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    robot, warnings = robot_and_warnings(options)
    missing = missing_symbols(robot)
    q = _posture(robot)
    figures = law_figures(robot, q, _progress)
    loops = None if missing or q is None or not robot.loops else loop_figures(robot, q)
    _clear()
    path = Path(options.output or f"report_{re.sub(r'[^A-Za-z0-9._-]', '_', robot.name)}.html")
    page = html_report(robot, q, figures, warnings, rikigaku.__version__, loops)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise RikigakuError(f"The report could not be written to {str(path)!r}: {error.strerror}.") from error
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
        webbrowser.open(path.resolve().as_uri())
    return 0


def _posture(robot: Robot) -> NDArray[np.float64] | None:
    """The posture of the report; none where symbols without a value place the links."""
    try:
        return default_posture(robot)
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
