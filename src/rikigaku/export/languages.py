"""The languages a program can be exported to, by name; `register_language` adds one of the user's own."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.export.export_record import Export

Exporter = Callable[[Export], Any]


@dataclass(frozen=True)
class ExportLanguage:
    """One language: its exporter, and rules for files.

    Args:
        exporter: makes the text (or object) of an `Export`.
        ending: that a file must have, with its dot; empty: any.
        named_by_file: the function must have the name of its file.
        header: makes the text of a file beside the first, which ends in .h.
        header_check: lines for the end of the first file, by which a compiler refuses a header of another
            export; a function of the `Export` and the name of the header.
        is_text: False if exports are objects, which are not written to files.
        is_binary: True if exports are bytes.
    """

    name: str
    exporter: Exporter
    ending: str = ""
    named_by_file: bool = False
    header: Exporter | None = None
    header_check: Callable[[Export, str], str] | None = None
    is_text: bool = True
    is_binary: bool = False


@checked
def register_language(name: str, exporter: Exporter, *, ending: str = "") -> None:
    """Make `law.export(name)` call the exporter.

    Args:
        name: of the language, in lower case.
        exporter: a function of an `Export`, which holds the program, the name of the function and its
            documentation; it returns the text.
        ending: that files must have, with its dot (".lua"); empty: any.
    Raises:
        WrongValue: if the name is taken, or the exporter cannot be called.
    """
    if not isinstance(name, str) or not name or name != name.lower():
        raise WrongValue(f"The name of a language is text in lower case; {name!r} was given.")
    if name in LANGUAGES or name in _OTHER_NAMES:
        raise WrongValue(f"There is a language {name!r} already; choose another name.")
    if not callable(exporter):
        raise WrongValue(f"The exporter of {name!r} is a function of an Export; {exporter!r} was given.")
    LANGUAGES[name] = ExportLanguage(name, exporter, ending)


def known_language(name: str) -> ExportLanguage:
    """The language of that name, or of another name for it. Raises UnknownName, with the nearest name."""
    wanted = name.lower() if isinstance(name, str) else name
    wanted = _OTHER_NAMES.get(wanted, wanted)
    if wanted not in LANGUAGES:
        raise UnknownName("language", name, (*LANGUAGES, *_OTHER_NAMES), "export")
    return LANGUAGES[wanted]


def contents(
    language: ExportLanguage, export: Export, path: Path | None
) -> tuple[str | bytes, dict[Path, bytes]]:
    """The text (or bytes), and the content of each file if a path was given."""
    text = language.exporter(export)
    kind, word = (bytes, "bytes") if language.is_binary else (str, "text")
    if not isinstance(text, kind):
        raise WrongValue(f"The exporter of {language.name!r} returns {word}; it returned {text!r}.")
    if path is None:
        return text, {}
    if language.named_by_file and (path.suffix != language.ending or path.stem != export.name):
        raise WrongValue(
            f"A function {export.name!r} of {language.name} must be in a file "
            f"{export.name}{language.ending}, not in {path.name!r}; give another path, or name=."
        )
    if language.ending and path.suffix != language.ending:
        raise WrongValue(f"A file of {language.name} ends in {language.ending!r}; {path.name!r} was given.")
    if isinstance(text, bytes):
        return text, {path: text}
    files = {path: text}
    if language.header is not None:
        if path.suffix == ".h":
            raise WrongValue(
                f"{path.name!r} is where the header goes; give the path of the source, as in law.c."
            )
        beside = path.with_suffix(".h")
        if language.header_check is not None:
            text += language.header_check(export, beside.name)
        files = {path: text, beside: language.header(export)}
    return text, {path: content.encode() for path, content in files.items()}


def _module(module: str, function: str = "source") -> Callable[..., Any]:
    """The function of a module of this package, imported at its first call."""

    def exporter(*arguments: Any) -> Any:
        return getattr(import_module(f"rikigaku.export.{module}"), function)(*arguments)

    return exporter


def _by_caller(export: Export) -> Any:
    raise AssertionError("SymPy's exporter belongs to a package above; `RobotLaw` supplies it.")


_C_HEADER = _module("c_source", "header")
LANGUAGES = {
    language.name: language
    for language in (
        ExportLanguage(
            "c", _module("c_source"), header=_C_HEADER, header_check=_module("c_source", "header_check")
        ),
        ExportLanguage("c header", _C_HEADER),
        ExportLanguage("c++", _module("cpp_source")),
        ExportLanguage("python", _module("python_source")),
        ExportLanguage("julia", _module("julia_source")),
        ExportLanguage("matlab", _module("matlab_source"), ending=".m", named_by_file=True),
        ExportLanguage("rust", _module("rust_source")),
        ExportLanguage("wasm", _module("wasm_module"), ending=".wasm", is_binary=True),
        ExportLanguage("latex", _module("latex_markdown", "latex")),
        ExportLanguage("markdown", _module("latex_markdown", "markdown")),
        ExportLanguage("casadi", _module("casadi_function", "function"), is_text=False),
        ExportLanguage("casadi c", _module("casadi_source"), ending=".c"),
        ExportLanguage("sympy", _by_caller, is_text=False),
    )
}
_OTHER_NAMES = {
    "acados": "casadi c",
    "cpp": "c++",
    "numpy": "python",
    "octave": "matlab",
    "webassembly": "wasm",
    "md": "markdown",
    "tex": "latex",
}
