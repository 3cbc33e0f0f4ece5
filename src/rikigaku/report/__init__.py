"""The report on a robot: one HTML file that needs nothing else."""

from rikigaku.report.html_page import html_report
from rikigaku.report.law_figures import LawFigures, law_figures

__all__ = ["LawFigures", "html_report", "law_figures"]
