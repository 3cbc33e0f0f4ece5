"""The documentation is true: its Python runs as it stands, and it names every law and every edit."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rikigaku
from rikigaku.laws.all import LAWS
from rikigaku.model.edit import EDITS

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )


def test_getting_started_runs_from_top_to_bottom(tmp_path):
    (description,) = blocks("getting-started.md", "toml")
    (tmp_path / "pendulum.robot.toml").write_text(description)
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("getting-started.md", "python")))
    environment = {**os.environ, "PYTHONPATH": str(Path(rikigaku.__file__).parents[1]), "MPLBACKEND": "Agg"}
    command = [sys.executable, "-W", "error", str(script)]
    answer = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert "True Frame 'hand' is at the target" in answer.stdout


@pytest.mark.parametrize("name", [*LAWS, *(edit.__name__ for edit in EDITS)])
def test_the_reference_names_every_law_and_every_edit(name):
    assert re.search(rf"^\| `{name}[`(]", (DOCS / "api.md").read_text("utf-8"), re.MULTILINE)


def test_commands_of_getting_started_are_understood():
    from rikigaku.cli.main import _parser

    lines = "\n".join(blocks("getting-started.md", "sh")).splitlines()
    commands = [line.split("#")[0].split()[1:] for line in lines]
    assert [_parser().parse_args(words).run.__module__.rsplit(".")[-1] for words in commands] == [
        "listing",
        "show",
        "analyze",
        "picture",
        "check",
    ]
