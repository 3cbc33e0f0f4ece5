"""Files to take home: laws as code, the robot in other formats, the report."""

import base64
import io
import json
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import rikigaku
from rikigaku.core.errors import MissingValue, NoPlace, RikigakuError
from rikigaku.core.types import Array
from rikigaku.export.identifiers import identifier
from rikigaku.export.languages import LANGUAGES
from rikigaku.plotting import default_configuration
from rikigaku.report import html_report, report
from rikigaku.report.code_files import write_code
from rikigaku.report.latex_document import latex_report
from rikigaku.report.shown_laws import shown_law
from rikigaku.robot import Robot
from rikigaku.symbolic.algebra.child_process import progress

RobotFormat = Literal["toml", "urdf", "mjcf", "par"]
ReportFormat = Literal["html", "json", "tex"]
LawLanguage = Literal[
    "c", "c++", "python", "julia", "matlab", "rust", "wasm", "latex", "markdown", "sympy", "casadi",
    "casadi c",
]  # fmt: skip

_ENDINGS = {
    "c": "c", "casadi c": "c", "c++": "cpp", "python": "py", "julia": "jl", "matlab": "m", "rust": "rs",
    "wasm": "wasm", "latex": "tex", "markdown": "md",
}  # fmt: skip
_FORMATS = {"toml": ".robot.toml", "urdf": ".urdf", "mjcf": ".xml", "par": ".par"}
_SHOWN = 20_000  # characters of a preview


@dataclass(frozen=True)
class LawExportRequest:
    """A law, or its derivatives by all inputs, as code. frame: "" for the shown one."""

    law: str
    frame: str
    language: LawLanguage
    derivative: bool = False


@dataclass(frozen=True)
class RobotExportRequest:
    """The robot in a file format."""

    format: RobotFormat


@dataclass(frozen=True)
class ReportExportRequest:
    """The report; language: of the page at first. time_limit of the algebra of one law [s]."""

    format: ReportFormat
    language: Literal["en", "ja"]
    time_limit: float


@dataclass(frozen=True)
class CodeExportRequest:
    """All laws as C and Python, and those of the page as WebAssembly, in one archive."""


@dataclass(frozen=True)
class ExportedFile:
    """A file. content: base64; text: its beginning, "" of binary files; size [bytes]."""

    name: str
    content: str
    text: str
    size: int


@dataclass(frozen=True)
class ExportResult:
    """Files, and what to know about them."""

    files: list[ExportedFile]
    notes: list[str]


def law_export(robot: Robot, arguments: LawExportRequest) -> ExportResult:
    """A law in a language, with its header where there is one."""
    shown = shown_law(robot, arguments.law, arguments.frame)
    language = arguments.language
    name = identifier(arguments.law.replace(".", "_") + "_derivative" * arguments.derivative)
    notes = [f"{shown.call}: {shown.law.operations}"]
    if not LANGUAGES[language].is_text:
        text = str(shown.law.export(language, derivative=arguments.derivative))
        return ExportResult([_file(f"{name}_{language}.txt", text.encode())], notes)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.{_ENDINGS[language]}"
        shown.law.export(language, path, name=name, derivative=arguments.derivative)
        return ExportResult(_files(Path(folder)), notes)


def robot_export(robot: Robot, arguments: RobotExportRequest) -> ExportResult:
    """The robot in a file format; formats without symbols take their values."""
    notes: list[str] = []
    if arguments.format in ("urdf", "mjcf") and robot.free_symbols:
        robot = robot.bind(**robot.declared_values)
    with TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot.save(Path(folder) / f"{identifier(robot.name)}{_FORMATS[arguments.format]}")
        except NoPlace as error:
            raise RikigakuError(str(error)) from error
        notes += [str(one.message) for one in caught]
        return ExportResult(_files(Path(folder)), notes)


def code_export(robot: Robot, arguments: CodeExportRequest) -> ExportResult:
    """An archive of all laws."""
    with TemporaryDirectory() as folder:
        count = write_code(robot, Path(folder))
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(Path(folder).iterdir()):
                archive.write(path, path.name)
        name = f"{identifier(robot.name)}_code.zip"
        return ExportResult([_file(name, content.getvalue())], [f"{count} files"])


def report_export(robot: Robot, arguments: ReportExportRequest) -> ExportResult:
    """The report as a page, as data or as LaTeX."""
    found = report(
        robot,
        _configuration(robot),
        version=rikigaku.__version__,
        time_limit=arguments.time_limit,
        progress=lambda phase, what: progress(f"{phase} {what}"),
    )
    if arguments.format == "html":
        content = html_report(found, arguments.language).encode()
    elif arguments.format == "json":
        content = json.dumps(found.json(), ensure_ascii=False, allow_nan=False).encode()
    else:
        content = latex_report(found).encode()
    return ExportResult([_file(f"report_{identifier(robot.name)}.{arguments.format}", content)], [])


def _configuration(robot: Robot) -> Array | None:
    try:
        return default_configuration(robot)
    except MissingValue:
        return None  # symbols without a value place the links


def _files(folder: Path) -> list[ExportedFile]:
    return [_file(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]


def _file(name: str, content: bytes) -> ExportedFile:
    try:
        text = content.decode()[:_SHOWN] if not name.endswith((".zip", ".wasm")) else ""
    except UnicodeDecodeError:
        text = ""
    return ExportedFile(name, base64.b64encode(content).decode("ascii"), text, len(content))
