"""Processes killed during saves of every kind leave whole files; `tools/kill_saves.py` does it at length."""

import os
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "kill_saves.py"


def test_a_killed_save_tears_nothing_and_its_leftovers_go() -> None:
    """Two kills at random of each of ten kinds, and one before every system call of a save."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(TOOL), "--kills", "2"], env=environment, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[-1:]) == (0, ["nothing torn, nothing mismatched"]), (
        done.stdout + done.stderr
    )
    assert len(lines) == 11
    pairs = [line for line in lines if line.startswith(("urdf:", "c:"))]
    assert all("refused" in line for line in pairs)  # killed between the two renames
