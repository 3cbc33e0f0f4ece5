"""The documentation is true: its Python runs as it stands, and it names every law and every edit."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from readers import parse_toml

import rikigaku
from rikigaku.laws.catalogue import laws_of
from rikigaku.model.editing import EDITS

LAWS = laws_of("tree")

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )


def run(script, *options):
    environment = {**os.environ, "PYTHONPATH": str(Path(rikigaku.__file__).parents[1]), "MPLBACKEND": "Agg"}
    command = [sys.executable, *options, str(script)]
    return subprocess.run(command, cwd=script.parent, env=environment, capture_output=True, text=True)


def test_getting_started_runs_from_top_to_bottom(tmp_path):
    (description,) = blocks("getting-started.md", "toml")
    (tmp_path / "pendulum.robot.toml").write_text(description)
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("getting-started.md", "python")))
    answer = run(script, "-W", "error")
    assert answer.returncode == 0, answer.stderr
    assert "True Frame 'hand' is at the target" in answer.stdout


def test_the_code_on_the_first_page_runs_and_counts_what_it_says(tmp_path):
    code = "\n".join(blocks("../README.md", "python"))
    script = tmp_path / "script.py"
    counted = ("puma.inverse_dynamics", "puma.regrouped().inverse_dynamics")
    script.write_text(code + "".join(f"\nprint({law}.operations)" for law in counted))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    counts = re.findall(r"# (\d+ mul, \d+ add)", code)
    assert [line.split(", 6 sign")[0] for line in answer.stdout.splitlines()] == counts
    assert "void puma560_inverse_dynamics(" in (tmp_path / "puma.c").read_text()


def test_the_code_on_the_architecture_page_runs(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("architecture.md", "python")))
    answer = run(script, "-W", "error")
    assert answer.returncode == 0, answer.stderr


def test_packed_derivatives_on_the_api_page_have_the_shapes_it_says(tmp_path):
    script = tmp_path / "script.py"
    compared = "assert np.allclose(Minv, ur5.inverse_mass_matrix(q)); print(Minv.shape)"
    script.write_text("\n".join([*blocks("api.md", "python"), compared]))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == ["(100, 21)", "(100, 6, 6)"]


def test_the_conversion_on_the_page_of_conventions_agrees_with_pinocchio(tmp_path):
    rikigaku.load("scara").bind(**rikigaku.load("scara").declared_values).save(tmp_path / "robot.urdf")
    script = tmp_path / "script.py"
    mass = "M = pin.crba(model, data, theirs.q(q)); M = np.triu(M) + np.triu(M, 1).T"
    compared = "assert np.allclose(T.T @ M @ T, robot.mass_matrix(q))"
    script.write_text("\n".join([*blocks("conventions.md", "python"), mass, compared]))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("name", [*LAWS, *(edit.__name__ for edit in EDITS)])
def test_the_reference_names_every_law_and_every_edit(name):
    assert re.search(rf"^\| `{name}[`(]", (DOCS / "api.md").read_text("utf-8"), re.MULTILINE)


def test_commands_of_getting_started_are_understood():
    from rikigaku.cli.main import _parser

    lines = "\n".join(blocks("getting-started.md", "sh")).splitlines()
    commands = [line.split("#")[0].split()[1:] for line in lines]
    assert [_parser().parse_args(words).run.__module__.rsplit(".")[-1] for words in commands] == [
        "show",
        "show",
        "analyze",
        "plot_robot",
        "check",
        "convert",
    ]


def test_the_robot_of_the_file_format_page_reads_and_works():
    (text,) = blocks("file-format.md", "toml")
    robot = parse_toml(text)
    assert robot.free_symbols == ("L", "payload")
    # the lift carries 4 kg and 2 kg and the payload
    assert robot.gravity_forces([0.1, 0.2], payload=1.0)[0] == pytest.approx(7 * 9.81)
