"""Compilations of more than two seconds are reported once, in notebooks for a while; short ones are not."""

import io
import sys
import time
from types import SimpleNamespace

import pytest

from rikigaku.compiler import compile_progress as progress


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    monkeypatch.setattr(progress, "INTERVAL", 0.02)
    monkeypatch.setattr(progress, "_series", progress._Series())


def test_a_long_compilation_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.compile_progress("forward_dynamics", 20_000, "batch"):
        time.sleep(0.3)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("rikigaku: compiling forward_dynamics for batches, 20000 operations, about ")


def test_a_short_compilation_is_not_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.compile_progress("forward_dynamics", 20_000, "one"):
        pass
    assert capsys.readouterr().err == ""


def test_short_compilations_in_a_row_are_reported_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(6):
        with progress.compile_progress("terms", 3000, "function"):
            time.sleep(0.03)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("rikigaku: compiling several programs, now terms for simulation")
    monkeypatch.setattr(progress, "PAUSE", 0.01)
    for _ in range(6):
        time.sleep(0.03)  # as long as a pause: not in a row
        with progress.compile_progress("terms", 3000, "function"):
            time.sleep(0.01)
    assert capsys.readouterr().err == ""


def test_progress_on_a_terminal_rises_and_ends_with_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "_rate", 100_000.0)
    with progress.compile_progress("mass_matrix", 20_000, "one"):
        time.sleep(0.4)
    *updates, last = screen.getvalue().split("\r\033[K")[1:]
    shares = [int(text.split(": ")[2].split(" %")[0]) for text in updates]
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shares[-1] < 100
    assert last == "rikigaku: compiling mass_matrix for one state, 20000 operations: done\n"


def test_a_notebook_shows_progress_in_one_text_that_ends_empty(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[tuple[str, str, bool]] = []

    class Publisher:
        def publish(self, data: dict[str, str], *, transient: dict[str, str], update: bool) -> None:
            published.append((data["text/plain"], transient["display_id"], update))

    shell = SimpleNamespace(kernel=None, execution_count=3, display_pub=Publisher())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    for _ in range(2):
        with progress.compile_progress("mass_matrix", 20_000, "one"):
            time.sleep(0.2)
    assert capsys.readouterr().err == ""
    texts, displays, updates = zip(*published, strict=True)
    assert texts[0].startswith("rikigaku: compiling mass_matrix for one state, 20000 operations: ")
    assert texts[-1] == ""
    assert texts.count("") == 2
    assert len(set(displays)) == 1
    assert updates == (False, *[True] * (len(updates) - 1))


def test_a_process_without_stderr_compiles_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with progress.compile_progress("mass_matrix", 20_000, "one"):
        time.sleep(0.1)


def test_the_rate_follows_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_rate", 1.0)
    with progress.compile_progress("mass_matrix", 20_000, "one"):
        time.sleep(0.05)
    assert 20_000 < progress._rate < 400_001
