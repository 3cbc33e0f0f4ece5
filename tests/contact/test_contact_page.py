"""The page on contact is true: its Python runs as it stands."""

import re
import subprocess
import sys
from os import environ
from pathlib import Path

import pytest

import rikigaku

PAGE = Path(__file__).parents[2] / "docs" / "contact.md"


def test_the_page_runs_from_top_to_bottom(tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "page.py").write_text("\n".join(blocks))
    answer = subprocess.run(
        [sys.executable, "-W", "error", "page.py"],
        cwd=tmp_path,
        env={**environ, "PYTHONPATH": str(Path(rikigaku.__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr
    assert "('stick',)" in answer.stdout
    assert "done [(1.367534, 'hand stops'), (3.479492, 'hand stops')]" in answer.stdout
    assert ", 3, 6)" in answer.stdout
    assert "done ('ball free', 'ball stick') ['ball lands']\nTrue 9.8" in answer.stdout  # fixed steps
    assert "(100, 7)" in answer.stdout
    assert re.search(r"^0\.59819475\d* 0\.59819475\d*$", answer.stdout, re.MULTILINE)  # f_n jumps with f_t
    paths = re.search(
        r"^(4\.1415\d*) (4\.1415\d*)$", answer.stdout, re.MULTILINE
    )  # a ball rolls at 5/7 g sin
    assert paths is not None
    assert float(paths[1]) == pytest.approx(float(paths[2]), abs=1e-7)
    assert "(0.6163, 'ball (1) lifts off'), (0.8158, 'ball (2) lands')]" in answer.stdout
    times = re.search(r"^0\.7357\d* 0\.7357\d*$", answer.stdout, re.MULTILINE)  # the box slips at mu m g
    assert times is not None
