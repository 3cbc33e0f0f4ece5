"""The languages a program can be exported to, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from rikigaku.codegen.export_record import Export
from rikigaku.errors import UnknownName, WrongValue


@dataclass(frozen=True)
class Target:
    """Where a language's function is."""

    module: str
    function: str = "source"
    ending: str = ""  # a file must end so, and be called like the function it holds
    header: str = ""  # the function for a file beside it, which ends in .h


TEXTS = {
    "c": Target("export_c", header="header"),
    "c header": Target("export_c", "header"),
    "c++": Target("export_cpp"),
    "python": Target("export_python"),
    "julia": Target("export_julia"),
    "matlab": Target("export_matlab", ending=".m"),
    "rust": Target("export_rust"),
    "latex": Target("export_document", "latex"),
    "markdown": Target("export_document", "markdown"),
}
OTHER_NAMES = {"cpp": "c++", "numpy": "python", "octave": "matlab", "md": "markdown", "tex": "latex"}
OBJECTS = ("casadi", "sympy")  # not texts


def known_language(language: str) -> str:
    """The language's own name. Raises UnknownName, with what comes near."""
    name = language.lower() if isinstance(language, str) else language
    name = OTHER_NAMES.get(name, name)
    if name not in TEXTS and name not in OBJECTS:
        raise UnknownName("language", language, (*TEXTS, *OBJECTS, *OTHER_NAMES), "export")
    return name


def texts(language: str, export: Export, path: Path | None) -> tuple[str, dict[Path, str]]:
    """The text, and what belongs into which file if a path was given."""
    target = TEXTS[language]
    text = _function(target.module, target.function)(export)
    if path is None:
        return text, {}
    if target.ending and (path.suffix != target.ending or path.stem != export.name):
        raise WrongValue(
            f"A function {export.name!r} of {language} must be in a file {export.name}{target.ending}, "
            f"not in {path.name!r}; give another path, or name=."
        )
    files = {path: text}
    if target.header:
        if path.suffix == ".h":
            raise WrongValue(
                f"{path.name!r} is where the header goes; give the path of the source, as in law.c."
            )
        files[path.with_suffix(".h")] = _function(target.module, target.header)(export)
    return text, files


def _function(module: str, name: str) -> Callable[[Export], str]:
    result: Callable[[Export], str] = getattr(import_module(f"rikigaku.codegen.{module}"), name)
    return result
