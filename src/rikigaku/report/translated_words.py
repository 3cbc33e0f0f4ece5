"""Words of tables and descriptions of laws that pages show in the reader's language.

Tables of robots are made of English words. Those that the table of texts has, under "head.", "word." and
"joint.", become elements that the page translates; descriptions of laws are under "summary.".
"""

import re
from functools import cache
from html import escape

from rikigaku.model.robot_tables import Table
from rikigaku.web.texts import marked, texts

_PROSE = {"type", "where", "about", "note", "value", "placement"}  # columns of words; others hold names


def translated_table(table: Table, css: str, language: str) -> str:
    """An HTML table; its heads and the words in it follow the language, names stay."""
    prose = [head.partition(" [")[0] in _PROSE for head in table.head]
    if table.head[:1] == ("loop",):
        prose = [k > 0 for k in range(len(table.head))]
    head = "".join(f"<th>{_head(cell, language)}</th>" for cell in table.head)

    def cells(row: tuple[str, ...]) -> str:
        shown = (words(x, language) if p else escape(x) for x, p in zip(row, prose, strict=True))
        return "".join(f"<td>{cell}</td>" for cell in shown)

    rows = "".join(f"<tr>{cells(row)}</tr>" for row in table.rows)
    return f'<table class="{escape(css)}"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def words(text: str, language: str) -> str:
    """The text as HTML, its known words as elements that follow the language."""
    known, pattern = _known_words()
    parts = pattern.split(text)
    return "".join(marked("span", known[x], language) if x in known else escape(x) for x in parts)


def summary(text: str, tag: str, css: str, language: str) -> str:
    """The description of a law."""
    key = _keys("summary.").get(text)
    return marked(tag, key, language, css) if key else f'<{tag} class="{css}">{escape(text)}</{tag}>'


def summary_key(text: str) -> str:
    """Key of the text that describes a law, or the description itself where there is none."""
    return _keys("summary.").get(text, text)


def parameter_name(name: str, language: str) -> str:
    """An inertial parameter: "m of link2"."""
    parameter, of, link = name.partition(" of ")
    if not of:
        return escape(name)
    return marked("span", "parameter.of", language, parameter=parameter, link=link)


def equation_name(name: str, language: str) -> str:
    """A loop equation: "cut: gap x", "cut: x.z", "gear of elbow"."""
    if found := re.fullmatch(r"(.*): gap ([xyz])", name):
        return marked("span", "equation.translation", language, loop=found[1], axis=found[2])
    if found := re.fullmatch(r"gear of (.*)", name):
        return marked("span", "equation.gear", language, joint=found[1])
    return escape(name)


def verification(text: str, language: str) -> str:
    """How base parameters were verified; the details, in English, are its title."""
    found = re.search(r"\brank (\d+) (and every coefficient)?", text)
    if not found:
        return escape(text)
    key = "base.verifiedExactly" if found[2] else "base.verifiedClosely"
    return f'<span title="{escape(text)}">{marked("span", key, language, count=found[1])}</span>'


def _head(cell: str, language: str) -> str:
    name, bracket, unit = cell.partition(" [")
    key = _keys("head.").get(name)
    return (marked("span", key, language) if key else escape(name)) + escape(bracket + unit)


@cache
def _keys(prefix: str) -> dict[str, str]:
    """Keys with the prefix by their English texts."""
    return {text: key for key, text in texts()["en"].items() if key.startswith(prefix)}


@cache
def _known_words() -> tuple[dict[str, str], re.Pattern[str]]:
    known = {**_keys("word."), **_keys("joint.")}
    choices = "|".join(re.escape(word) for word in sorted(known, key=len, reverse=True))
    return known, re.compile(rf"(?<!\w)({choices})(?!\w)")
