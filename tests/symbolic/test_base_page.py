"""The page on base parameters is true: its Python runs, and prints what its comments say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import rikigaku as rk


def test_the_page_on_base_parameters_runs_and_says_what_is_true() -> None:
    text = (Path(__file__).parents[2] / "docs" / "base-parameters.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    code = "import warnings\nwarnings.simplefilter('ignore')\n" + "\n".join(blocks)
    said = [line.split("#")[1].strip() for line in code.splitlines() if line.startswith("[puma.")]
    code = re.sub(r"^(\[puma\..*?\])\s+#.*$", r"print(\1)", code, flags=re.MULTILINE)
    source = str(Path(rk.__file__).parents[1])
    answer = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr
    for line in (*said, "11 10", "Inzz11 + l1**2*m21"):
        assert line in answer.stdout.splitlines()
