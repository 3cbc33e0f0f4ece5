"""The page on ROSAM II is true: its Python runs, and its table has every function of the paper's."""

import inspect
import re
from dataclasses import fields

from test_documentation import DOCS, blocks, run

from rikigaku import rosam


def test_the_page_runs_from_top_to_bottom(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("rosam.md", "python")))
    answer = run(script, "-W", "error")
    assert answer.returncode == 0, answer.stderr
    assert "B(1, 2) = -sin(beta)" in answer.stdout


def test_the_table_has_every_function_of_the_paper_with_its_own_arguments() -> None:
    text = (DOCS / "rosam.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    calls = {
        name: arguments for row in rows for name, arguments in re.findall(r"`(\w+)(?:\(([^)]*)\))?", row)
    }
    for function in rosam.TABLE_1:
        assert function.__name__ in calls
        if arguments := calls[function.__name__]:
            options = re.findall(r"(\w+)=", arguments)
            assert set(options) <= set(inspect.signature(function).parameters)


def test_every_field_of_robot_data_is_described() -> None:
    for kind in (rosam.RobotData, rosam.BranchInfo, rosam.LinkInfo):
        described = kind.__doc__ or ""
        for field in fields(kind):
            assert re.search(rf"\b{field.name}\b[^:]{{0,30}}:", described), f"{kind.__name__}.{field.name}"
