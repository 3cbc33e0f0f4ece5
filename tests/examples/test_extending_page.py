"""The examples of the page on extending, run from top to bottom in a new process."""

import re
import subprocess
import sys
from pathlib import Path

import rikigaku as rk

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"


def test_the_page_runs_from_top_to_bottom(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 9
    script = tmp_path / "script.py"
    shown = [
        "print(w(q, 'hand'), w.derivative(q, frame='hand').q.shape)",
        "print(plunger.mass_matrix([0, 0]))",
        "print(puma.gravity_forces.export('header-only c').count('static inline void'))",
    ]
    script.write_text("\n".join([*blocks, *shown]))
    answer = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    first, *matrix, count = answer.stdout.splitlines()
    assert 0 < float(first.split()[0]) < 1
    assert first.endswith("(6,)")
    assert "2." in "".join(matrix)  # the mass of the rod
    assert int(count) >= 1
    assert (tmp_path / "two.masses.csv").read_text() == "upper,2.0\nlower,1.5"
    written = [joint.name for joint in rk.load(tmp_path / "gantry.urdf").joints]
    assert written == ["rail_x", "rail_y", "rail_z", "wrist_yaw", "wrist_pitch", "wrist_roll"]


def test_sections_name_what_can_be_added() -> None:
    titles = re.findall(r"^## An? (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert titles == ["law", "joint type", "surface", "controller", "file format", "export language"]
