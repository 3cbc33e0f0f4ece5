"""What a study shows: a robot that moves, plots, events, formulas beside those of the paper, and facts."""

from dataclasses import dataclass, field

from rikigaku.studio.plot_records import EventRecord, PlotRecord
from rikigaku.web.model_document import Motion, RobotDocument


@dataclass(frozen=True)
class ComparedFormula:
    """A formula of the paper and ours, in LaTeX; title: key of a text, or the formula's own name."""

    title: str
    paper: str
    here: str
    equal: bool


@dataclass(frozen=True)
class StudyFact:
    """A number to know; key: of a text "papers.fact.<key>"."""

    key: str
    value: str


@dataclass(frozen=True)
class StudyResult:
    """The study of a paper. speed: at which its motion is played, 1 for real time."""

    robot: RobotDocument
    motion: Motion
    speed: float
    plots: list[PlotRecord] = field(default_factory=list)
    events: list[EventRecord] = field(default_factory=list)
    formulas: list[ComparedFormula] = field(default_factory=list)
    facts: list[StudyFact] = field(default_factory=list)
