"""Edits of valid robot files: tokens, lines and elements deleted, repeated, moved or replaced by odd ones.

An edit is data (what, where, with what), so that Hypothesis can shrink a list of them.
"""

import re
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

NUMBERS = (
    *("0", "-0", "1", "-1", "2", "0.1", "1e30", "1e31", "1e150", "1e-150", "1e-200", "1e-320", "5e-324"),
    *("1e308", "-1e308", "1.7976931348623157e308", "1e309", "1e400", "1e-400", "1e401", "1e5000", "nan"),
    *("inf", "-inf", "Infinity", "9" * 99, "9" * 400, "9" * 1000, "9" * 1001, "9" * 5000, "0." + "3" * 999),
    *(
        "0." + "3" * 5000,
        "0x1f",
        "0x" + "f" * 400,
        "1_0",
        "1_",
        "\u0661",
        "1,5",
        "",
        "--1",
        "1e",
        ".",
        "1.",
        ".5",
    ),
    *("${x}", "2147483648", "9223372036854775808", "3.141592653589793", "1.5707963267948966", "pi", "q", "L"),
)
WORDS = (
    *(
        "",
        " ",
        "a",
        "b",
        "base",
        "world",
        "main",
        "__model__",
        "q",
        "pi",
        "L",
        "x" * 100,
        "x" * 101,
        "x" * 3000,
    ),
    *(
        "${x}",
        "$(x)",
        "\ud800",
        "\x00",
        "\x1b[31m",
        "\u202e",
        "\u00e9",
        "\u4e2d",
        "a b",
        "a.b",
        "a\nb",
        "../a",
    ),
    *(
        "/dev/zero",
        "true",
        "false",
        "fixed",
        "revolute",
        "prismatic",
        "helical",
        "universal",
        "spherical",
        "planar",
    ),
    *(
        "free",
        "continuous",
        "floating",
        "hinge",
        "slide",
        "ball",
        "gearbox",
        "screw",
        "mesh",
        "box",
        "capsule",
    ),
    *(
        "origin",
        "com",
        "sin(1)",
        "1/0",
        "sqrt(-1)",
        "2^99999",
        "q*q",
        "1979-05-27",
        "[]",
        "{}",
        "[[]]",
        "[1, 2, 3]",
    ),
    *(
        '{ link = "a" }',
        "<",
        ">",
        "&",
        "&lt;",
        "&#0;",
        "&#xD800;",
        "]]>",
        "<!--",
        "-->",
        "<![CDATA[x]]>",
        "\\",
        "#",
    ),
    *(
        "<!DOCTYPE r [<!ENTITY a 'b'>]>",
        "<?xml version='1.0' encoding='latin-1'?>",
        '"""',
        "'''",
        "=",
        "[",
        "]]",
    ),
)
_TOKENS = {
    "number": re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"),
    "quoted": re.compile(r"(?<=\")[^\"\n]*(?=\")|(?<=')[^'\n]*(?=')"),
    "word": re.compile(r"[A-Za-z_][A-Za-z_0-9]*"),
    "tag": re.compile(r"<[^<>]*>"),
    "line": re.compile(r"[^\n]+\n?"),
    "text": re.compile(r"(?<=>)[^<>\n]+(?=<)"),
}
MOST_CHARACTERS = 200_000


class Edit(NamedTuple):
    """What is done to the k-th token of a kind (k modulo their number), and with which other one."""

    action: str
    kind: str
    place: int
    other: int


ACTIONS = ("odd number", "odd word", "delete", "repeat", "copy", "swap", "cut")
PLACES = 10_000


def _edit(number: int) -> Edit:
    """An edit as one number, which Hypothesis draws and shrinks four times as fast."""
    number, action = divmod(number, len(ACTIONS))
    number, kind = divmod(number, len(_TOKENS))
    other, place = divmod(number, PLACES)
    return Edit(ACTIONS[action], tuple(_TOKENS)[kind], place, other)


_COUNT = len(ACTIONS) * len(_TOKENS) * PLACES * PLACES
MOST_EDITS = 6
edits = st.lists(st.integers(0, _COUNT - 1).map(_edit), min_size=1, max_size=MOST_EDITS)


def random_edits(rng: Random) -> list[Edit]:
    """Edits of the same kind without Hypothesis."""
    return [_edit(rng.randrange(_COUNT)) for _ in range(rng.randint(1, MOST_EDITS))]


def edited(text: str, changes: list[Edit]) -> str:
    """The text after all the edits."""
    for change in changes:
        text = _once(text, change)[:MOST_CHARACTERS]
    return text


def _once(text: str, change: Edit) -> str:
    spans = [(m.start(), m.end()) for m in _TOKENS[change.kind].finditer(text)]
    if not spans:
        return text
    (a, b), (c, d) = spans[change.place % len(spans)], spans[change.other % len(spans)]
    if change.kind == "tag" and change.place % 2:
        a, b = _element(text, a, b)
    match change.action:
        case "odd number":
            return text[:a] + NUMBERS[change.other % len(NUMBERS)] + text[b:]
        case "odd word":
            return text[:a] + WORDS[change.other % len(WORDS)] + text[b:]
        case "delete":
            return text[:a] + text[b:]
        case "repeat":
            return text[:a] + text[a:b] * (2, 3, 30)[change.other % 3] + text[b:]
        case "copy":
            return text[:a] + text[c:d] + text[b:]
        case "swap" if b <= c:
            return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
        case "cut":
            return text[:a]
    return text


def _element(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole element that a tag opens."""
    tag = text[start:end]
    name = re.match(r"<([A-Za-z_:]+)", tag)
    if name is None or tag.endswith("/>"):
        return start, end
    depth = 0
    for match in re.finditer(rf"<(/?){re.escape(name[1])}\b[^<>]*?(/?)>", text[start:]):
        depth += -1 if match[1] else 0 if match[2] else 1
        if depth == 0:
            return start, start + match.end()
    return start, end
