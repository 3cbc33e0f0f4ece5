"""The report as one HTML page that lives: no network; without scripts it still reads; prints well."""

import base64
import io
from html import escape

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import RikigakuError
from rikigaku.plotting import save_plot
from rikigaku.report.html_sections import (
    dynamics_section,
    identification_section,
    kinematics_section,
    law_section,
    loop_section,
    parameter_section,
    speed_section,
)
from rikigaku.report.report_data import Report
from rikigaku.web.drawn_robot import assumption
from rikigaku.web.model_document import SCHEMA, PageDocument
from rikigaku.web.page import page_html
from rikigaku.web.texts import marked, text


@checked
def html_report(report: Report, language: str = "en") -> str:
    """The page of a report; the reader can change the language.

    Raises:
        UnknownName: if there are no texts in the language.
    """
    robot = report.robot
    text("page.contents", language)  # an unknown language is refused before the work
    sections = {
        "parameters": parameter_section(report, language),
        "kinematics": kinematics_section(report, language),
        "loops": loop_section(report, language),
        "dynamics": dynamics_section(report, language),
        "energy": law_section(report, "energy", language),
        "identification": identification_section(report, language),
        "simulation": _simulation(language),
        "speed": speed_section(report.figures, language),
    }
    shown = {name: body for name, body in sections.items() if body}
    body = "\n".join(
        [
            _header(report, language),
            "<main>",
            _hero(report, language),
            _warnings(report, language),
            _contents(list(shown), language),
            *(
                f'<section id="{name}">{marked("h2", f"section.{name}", language)}{body}</section>'
                for name, body in shown.items()
            ),
            f"<footer>{marked('p', 'page.madeBy', language, version=report.version)}</footer></main>",
        ]
    )
    page = PageDocument(SCHEMA, "report", language, report.document)  # type: ignore[arg-type]
    return page_html(f"{robot.name}: report", body, page)


def _header(report: Report, language: str) -> str:
    source = f"<p class='rk-source'>{escape(report.robot.source)}</p>" if report.robot.source else ""
    title = f"<h1>{escape(report.robot.name)}</h1><p class='rk-lead'>{_headline(report, language)}</p>"
    return (
        f'<header class="rk-header"><div class="rk-title">{title}{source}</div>'
        '<div class="rk-tools"><div id="rk-languages" role="group"></div>'
        f'<button type="button" id="rk-theme" data-text="page.theme">{text("page.theme", language)}</button>'
        "</div></header>"
    )


def _headline(report: Report, language: str) -> str:
    """Counts of links, coordinates, loops, couplings and symbols."""
    robot = report.robot
    more = {"loops": robot.loops, "couplings": robot.couplings, "symbols": robot.free_symbols}
    links, *others = (
        marked("span", f"headline.{name}", language, count=len(items))
        for name, items in {"links": robot.links, **more}.items()
        if items or name == "links"
    )
    return ", ".join([links, f"nq {robot.nq}", f"nv {robot.nv}", *others])


def _hero(report: Report, language: str) -> str:
    picture = f'<div class="rk-place"><div id="rk-viewer">{_picture(report, language)}</div></div>'
    return (
        f'<div class="rk-hero"><div class="rk-stage">{picture}'
        f'<div id="rk-bar"></div>{marked("p", "viewer.help", language, "rk-help") if report.document else ""}'
        f'<p id="rk-failure" class="rk-problem"></p></div><div id="rk-controls"></div></div>'
        f"<noscript>{marked('p', 'page.noScript', language, 'rk-note')}</noscript>"
    )


def _picture(report: Report, language: str) -> str:
    buffer = io.BytesIO()
    try:
        save_plot(report.drawn or report.robot, buffer, report.drawn_q, dpi=110)
    except RikigakuError as error:
        return marked("p", "viewer.none", language, reason=str(error))
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return f'<img class="rk-picture" alt="{escape(report.robot.name)}" src="data:image/png;base64,{data}">'


def _warnings(report: Report, language: str) -> str:
    notes = [f"<pre>{escape(note)}</pre>" for note in report.warnings]
    if report.missing:
        names, first = ", ".join(report.missing), report.missing[0]
        notes.append(marked("pre", "note.missing", language, names=names, first=first))
    if report.assumed and report.document:
        notes.append(marked("pre", "note.assumed", language, values=assumption(report.assumed)))
    if report.robot.loops:
        notes.append(marked("pre", "note.loops", language))
    title = escape(text("section.warnings", language))
    return f'<section class="rk-notes" aria-label="{title}">{"".join(notes)}</section>' if notes else ""


def _contents(names: list[str], language: str) -> str:
    links = "".join(
        f'<a href="#{name}" data-text="section.{name}">{escape(text(f"section.{name}", language))}</a>'
        for name in names
    )
    return f'<nav class="rk-contents" aria-label="{escape(text("page.contents", language))}">{links}</nav>'


def _simulation(language: str) -> str:
    return f'<div id="rk-simulation">{marked("p", "simulation.onlyScript", language, "rk-note")}</div>'
