"""The command as a process: interruptions while it starts and works, closed streams, settings of the user."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Python imports this module at its start: SIGINT arrives when the named module is imported.
INTERRUPTING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background starts without it
class Interruption:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interruption())
"""


def command(*words: str, redirected: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    line = f'"$@" {redirected}'
    return subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, "-m", "rikigaku", *words],
        env=own, capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("module", ["numpy", "rikigaku.cli.main", "rikigaku.formats.toml.toml_file"])
def test_ctrl_c_ends_the_command_with_one_line_at_any_time(tmp_path: Path, module: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = command("show", "planar_2r", PYTHONPATH=path, INTERRUPTED_AT=module)
    assert done.returncode == 130
    assert done.stderr == "\nrikigaku: interrupted.\n"
    assert done.stdout == ""


def test_ctrl_c_in_a_program_of_the_user_stays_a_keyboard_interrupt(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING)
    own = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "INTERRUPTED_AT": "numpy"}
    program = [sys.executable, "-c", "import rikigaku"]
    done = subprocess.run(program, env={**os.environ, **own}, capture_output=True, text=True)
    assert done.returncode != 130
    assert "KeyboardInterrupt" in done.stderr


@pytest.mark.parametrize(
    ("redirected", "words"),
    [
        (">/dev/full", "The output could not be written: No space left on device."),
        (">&-", "The standard output is closed"),
        (">/dev/full 2>/dev/full", ""),
        ("<&- >&- 2>&-", ""),
    ],
)
def test_an_output_that_takes_nothing_is_an_error(redirected: str, words: str) -> None:
    done = command("--help", redirected=redirected)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") <= 1


def test_a_backend_that_matplotlib_does_not_have_is_named(tmp_path: Path) -> None:
    done = command("plot", "planar_2r", "-o", str(tmp_path / "p.png"), MPLBACKEND="nonsense")
    assert done.returncode == 2
    assert "matplotlib does not start" in done.stderr
    assert "MPLBACKEND" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_user_without_home_terminal_or_settings_gets_the_same_list(tmp_path: Path) -> None:
    done = command(
        "list", HOME="/dev/null", XDG_CACHE_HOME="", RIKIGAKU_CACHE="", TERM="dumb", COLUMNS="x",
        MPLCONFIGDIR="/dev/null", LC_ALL="C", PYTHONIOENCODING="ascii",
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.isascii()
