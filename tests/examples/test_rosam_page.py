"""The page on ROSAM II is true: its Python runs, and its table has every function of the paper's."""

import re

from test_documentation import DOCS, blocks, run

from rikigaku import rosam


def test_the_page_runs_from_top_to_bottom(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("rosam.md", "python")))
    answer = run(script, "-W", "error")
    assert answer.returncode == 0, answer.stderr
    assert "[0, 1] = -sin(beta)" in answer.stdout


def test_the_table_names_every_function_of_the_paper_and_ours() -> None:
    text = (DOCS / "rosam.md").read_text("utf-8")
    rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| ")]
    papers = {name for paper, _ in rows for name in re.findall(r"\w+", paper)}
    assert set(rosam.TABLE_1) <= papers
    for paper, ours in rows:
        for name in re.findall(r"\w+", paper)[:1]:
            if name in rosam.TABLE_1:
                assert f"`{rosam.TABLE_1[name].__name__}(" in ours
