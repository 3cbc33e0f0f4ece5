"""The report on a robot: one HTML file that needs nothing else."""

from rikigaku.report.figures import LawFigures, law_figures
from rikigaku.report.page import html_report

__all__ = ["LawFigures", "html_report", "law_figures"]
