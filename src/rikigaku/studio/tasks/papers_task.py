"""The studies of five papers, by name and case."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from rikigaku.core.errors import UnknownName
from rikigaku.studio.studies.study_records import StudyResult

PaperName = Literal["constrained_arm", "rosam", "portal_frame", "humanoid_friction", "capture"]


@dataclass(frozen=True)
class PaperRequest:
    """A paper, and one of its cases ("": the first)."""

    paper: PaperName
    case: str


@dataclass(frozen=True)
class PaperResult:
    """The study, the case that was computed, and all cases."""

    paper: PaperName
    case: str
    cases: list[str]
    study: StudyResult


def paper(robot: None, arguments: PaperRequest) -> PaperResult:
    """The study of a paper; it needs no robot of a document."""
    module: Any = import_module(f"rikigaku.studio.studies.{arguments.paper}_study")
    study: Callable[[str], StudyResult] = getattr(module, arguments.paper)
    cases = list(module.CASES)
    case = arguments.case or cases[0]
    if case not in cases:
        raise UnknownName("case", case, cases, f"the study {arguments.paper!r}")
    return PaperResult(arguments.paper, case, cases, study(case))
