"""Identifiers in exported code: names of a robot's file made valid in a language, and safe in comments."""

import re
import unicodedata
from collections.abc import Callable, Iterable

from rikigaku.core.errors import WrongValue

_LONGEST = 48  # MATLAB cuts names at 63 characters, suffixes included


class Names:
    """Makes unique identifiers of one language, none of them a reserved word."""

    def __init__(self, reserved: Iterable[str] = (), render: Callable[[str], str] = str) -> None:
        self.taken = set(reserved)
        self.render = render

    def new(self, text: str, parts: Callable[[str], Iterable[str]] = lambda name: ()) -> str:
        """An identifier like the text; the text itself if it is valid and not taken.

        parts: other texts that come with the name (its elements) and must be free, too.
        """
        plain = identifier(text)
        for suffix in _suffixes():
            name = f"{plain}{suffix}"
            texts = {name, self.render(name), *parts(name)}
            if texts.isdisjoint(self.taken):
                break
        self.taken |= texts
        return name


def identifier(text: str) -> str:
    """The text as letters, digits and single underscores, beginning with a letter; Greek is spelled out."""
    letters = "".join(
        _spelled(x) for x in unicodedata.normalize("NFKD", text) if not unicodedata.combining(x)
    )
    letters = re.sub(r"_+", "_", letters)[:_LONGEST].strip("_")
    return letters if letters[:1].isalpha() else f"x{letters}"


def checked_name(name: str, reserved: Iterable[str], language: str) -> str:
    """The name a user chose for the function, if it is valid in the language."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in reserved or len(name) > 63 or "__" in name:
        raise WrongValue(
            f"{name!r} cannot be the name of a function in {language}; use a letter, then letters, digits "
            "and single _, at most 63, and no reserved word."
        )
    return name


def words(text: str) -> frozenset[str]:
    """The reserved words of a language, from a text."""
    return frozenset(text.split())


def plain(text: str) -> str:
    """Text that cannot end a comment or a string: names of links come from files."""
    return re.sub(r"[^\w .,:;=()\[\]/^+-]", "_", text)


def _spelled(letter: str) -> str:
    if letter.isascii():
        return letter if letter.isalnum() else "_"
    case, _, greek = unicodedata.name(letter, "").removeprefix("GREEK ").partition(" LETTER ")
    if greek.isalpha() and case in ("SMALL", "CAPITAL"):
        greek = {"LAMDA": "LAMBDA"}.get(greek, greek)
        return greek.lower() if case == "SMALL" else greek.capitalize()
    return "_"


def _suffixes() -> Iterable[str]:
    yield ""
    yield "_"
    n = 1
    while True:
        n += 1
        yield f"_{n}"
