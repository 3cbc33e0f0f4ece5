"""The report on a robot: one live HTML file that needs nothing else, JSON, LaTeX, PDF."""

from rikigaku.report.html_page import html_report
from rikigaku.report.law_figures import LawFigures, law_figures
from rikigaku.report.report_data import Report, report

__all__ = ["LawFigures", "Report", "html_report", "law_figures", "report"]
