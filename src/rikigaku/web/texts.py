"""Texts of pages in English and Japanese, from the table that the front end is built with."""

import json
from functools import cache
from html import escape
from importlib.resources import files

from rikigaku.core.errors import UnknownName

LANGUAGES = ("en", "ja")


@cache
def texts() -> dict[str, dict[str, str]]:
    """The texts by language and key."""
    table: dict[str, dict[str, str]] = json.loads(_static("texts.json"))
    return table


def text(key: str, language: str = "en", **values: object) -> str:
    """The text of a key, with {names} replaced.

    Raises:
        UnknownName: if the table has no such key or language.
    """
    if language not in texts():
        raise UnknownName("language", language, texts(), "the page")
    table = texts()[language]
    if key not in table:
        raise UnknownName("text", key, table, "the table of texts")
    result = table[key]
    for name, value in values.items():
        result = result.replace(f"{{{name}}}", str(value))
    return result


def marked(tag: str, key: str, language: str = "en", css: str = "", **values: object) -> str:
    """An HTML element with the text; the page replaces it where the reader changes the language."""
    data = f' data-values="{escape(json.dumps(values, ensure_ascii=False))}"' if values else ""
    name = f' class="{css}"' if css else ""
    return f'<{tag}{name} data-text="{key}"{data}>{escape(text(key, language, **values))}</{tag}>'


def _static(name: str) -> str:
    return (files("rikigaku.web") / "static" / name).read_text("utf-8")
