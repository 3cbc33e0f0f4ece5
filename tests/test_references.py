"""Reference keys in docstrings, such as [Luh1980], are listed in the bibliography of the docs."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEY = re.compile(r"\[[A-Z][A-Za-z]*[0-9]{4}[a-z]?\]")
LISTED = re.findall(r"^\*\*(\[\w+\])\*\*", (ROOT / "docs" / "references.md").read_text("utf-8"), re.MULTILINE)


def test_every_key_in_the_source_is_in_the_bibliography() -> None:
    used = {key for file in (ROOT / "src").rglob("*.py") for key in KEY.findall(file.read_text("utf-8"))}
    assert {"[Luh1980]", "[Walker1982]", "[Featherstone1983]"} <= used
    assert not used - set(LISTED)


def test_the_bibliography_is_in_order_and_names_each_work_once() -> None:
    assert sorted(set(LISTED)) == LISTED


def test_the_bibliography_is_a_page_of_the_documentation() -> None:
    assert re.search(r"^references$", (ROOT / "docs" / "index.md").read_text("utf-8"), re.MULTILINE)
