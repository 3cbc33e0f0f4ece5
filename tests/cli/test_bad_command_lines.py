"""Command lines that cannot work: each ends with a sentence and a documented exit code, never a traceback."""

import io
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rikigaku.cli import main

ARM = """
schema = 1
name = "arm"
[symbols]
m1 = { value = 1.0, unit = "kg" }
[[link]]
name = "l1"
parent = "base"
joint = { name = "j1", type = "revolute", actuated = true }
placement = { xyz = [0, 0, 0], rpy = [0, 0, 0] }
inertia = { about = "com", m = "m1", com = [0.1, 0, 0], I = [0.1, 0, 0, 0.1, 0, 0.1] }
"""
ENDINGS = ("robot.toml", "urdf", "xml", "sdf", "mjcf")
CONTENTS = {
    "empty": b"",
    "binary": bytes(range(256)) * 16,
    "latin": '<robot name="é">'.encode("latin-1"),
    "utf16": '<robot name="a"/>'.encode("utf-16"),
    "nul": b'<robot\0 name="a"/>',
    "words": b"hello world",
}
OTHERS = ("directory", "pipe", "loop", "dangling", "unreadable")
LONG = "x" * 300

NAMES = (
    LONG, f"{LONG}.urdf", "a" * 5000 + ".urdf", "../" * 2000 + "x.urdf", "a\0b", "a\0b.urdf", "", " ", ".",
    "..", "/", "/dev/null", "/dev/zero", "~", "-", "\udcff", "\udcff.urdf", "力学", "力.urdf", "%s", "{}",
    "\U0001f916", "nowhere.urdf", "a/b/c.urdf", "arm.robot.toml/x.urdf", "x.stl", "PUMA560",
    "directory.urdf/",
)  # fmt: skip
VALUES = (
    "m1", "m1=", "=1", "", "=", "m1==1", "m1=1=2", "zz=1", "m1=10**5000", "m1=10^5000", "m1=-10^5000",
    "m1=1e5000", "m1=nan", "m1=inf", "m1=-inf", "m1=1/0", "m1=0^-1", "m1=sqrt(-1)", "m1=10^10^10", "m1=x",
    "m1=m1", "m1=(", "m1=\0", "m1=\udcff", "m1=力", "m1=1;2", "m1=__import__('os')", "m1=" + "9" * 5000,
    "m1=" + "(" * 5000, "m1=" + "-" * 5000 + "1", "m1=" + "sin(" * 1000,
)  # fmt: skip
PICTURES = (
    "", "no/x.png", "directory.urdf", "pipe.urdf", f"x.{LONG}", f"{LONG}.png", "a\0.png", "/dev/full",
    "/dev/null", "/x" * 2000, ".", "/", "arm.robot.toml/x.png",
)  # fmt: skip
CONVERTED = (
    "", "no/x.urdf", "directory.urdf", "pipe.urdf", f"{LONG}.urdf", "a\0.urdf", "/dev/full", "/dev/null",
    "/proc/x.urdf", ".", "x", "x.sdf", "x.stl", "x.loops.toml", ".urdf", "arm.robot.toml/x.urdf",
)  # fmt: skip
POSITIONS = (["nan"], ["inf"], ["1e400"], ["1", "2"])
# argparse ends these itself, with its usage
USAGE = (
    [], ["fly"], ["show"], ["show", "a", "b"], ["list", "x"], ["--frob"], ["show", "--set"], ["convert"],
    ["convert", "x"], ["plot", "-o"], ["check"], ["check", "--strict"], ["analyze", "--open"], ["\0"],
    ["\udcff"], ["plot", "arm.robot.toml", "--q"], ["plot", "arm.robot.toml", "--q", "x"],
)  # fmt: skip

LINES: list[list[str]] = [
    *(["show", f"{kind}.{ending}"] for kind in (*CONTENTS, *OTHERS) for ending in ENDINGS),
    *(["check", f"{kind}.{ending}"] for kind in (*CONTENTS, *OTHERS) for ending in ENDINGS),
    *([command, name] for name in NAMES for command in ("show", "plot", "check")),
    *(["show", "arm.robot.toml", "--set", value] for value in VALUES),
    *(["plot", "arm.robot.toml", "-o", name] for name in PICTURES),
    *(["plot", "arm.robot.toml", "-o", name] for name in ("x.bad", "/proc/x.png")),
    *(["analyze", "arm.robot.toml", "-o", name] for name in PICTURES),
    *(["convert", "arm.robot.toml", name] for name in CONVERTED),
    *(["plot", "arm.robot.toml", "-o", "x.png", "--q", *numbers] for numbers in POSITIONS),
    ["convert", "nowhere.urdf", "x.urdf"],
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lines")
    (path / "arm.robot.toml").write_text(ARM)
    for ending in ENDINGS:
        for kind, content in CONTENTS.items():
            (path / f"{kind}.{ending}").write_bytes(content)
        (path / f"directory.{ending}").mkdir()
        os.mkfifo(path / f"pipe.{ending}")
        (path / f"loop.{ending}").symlink_to(f"loop.{ending}")
        (path / f"dangling.{ending}").symlink_to("nowhere")
        # Also where the tests may read every file, this one fails: its first page is not mapped.
        (path / f"unreadable.{ending}").symlink_to("/proc/self/mem")
    return path


@pytest.fixture(autouse=True)
def _within(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def hangs(*_: object) -> None:
        raise AssertionError("the command waits for ever")

    monkeypatch.chdir(folder)
    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def shown(line: list[str]) -> str:
    return ascii(" ".join(word if len(word) < 40 else f"{word[:20]}({len(word)})" for word in line))


def test_there_are_enough_lines() -> None:
    assert len(LINES) + len(USAGE) >= 120


@pytest.mark.parametrize("line", LINES, ids=shown)
def test_a_line_that_cannot_work_says_why(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code = main(line)
    out, err = capsys.readouterr()
    said = err if code == 2 else out
    assert code == 2 or (code == 1 and line[0] == "check")
    assert said.strip()
    assert "Unexpected" not in said
    assert "Traceback" not in said
    assert code == 1 or err.startswith("rikigaku: ")


@pytest.mark.parametrize("line", USAGE, ids=shown)
def test_a_line_that_is_no_command_shows_how_it_goes(
    line: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(line)
    assert end.value.code == 2
    assert "usage: rikigaku" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp932", "cp1252", "utf-16", "utf-8"])
@pytest.mark.parametrize("line", [["list"], ["show", "力学.robot.toml"], ["check", "力学.robot.toml"]])
def test_characters_the_output_does_not_have_are_replaced(
    line: list[str], encoding: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "力学.robot.toml").write_text(ARM.replace('"arm"', '"力学 é ≤"'), encoding="utf-8")
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, encoding, errors="strict"))
    assert main(line) == 0
    text = output.getvalue().decode(encoding)
    if line != ["list"]:
        assert ("力学" in text) == (encoding in ("cp932", "utf-16", "utf-8"))
        assert ("?" in text) == (encoding not in ("utf-16", "utf-8"))


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_stream_that_is_full_is_an_error_and_not_a_traceback(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, name, full)
        assert main(["list"] if name == "stdout" else ["show", "nowhere.urdf"]) == 2
        monkeypatch.undo()
    if name == "stdout":
        assert "The output could not be written: No space left on device." in capsys.readouterr().err


def test_a_reader_that_left_ends_the_command_with_141(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        assert main(["list"]) == 141
        monkeypatch.undo()


def test_a_closed_output_is_reported_after_the_work_is_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["convert", "arm.robot.toml", "copy.robot.toml"]) == 2
    monkeypatch.undo()
    assert "The standard output is closed" in capsys.readouterr().err
    assert (folder / "copy.robot.toml").exists()


def test_a_fault_of_ours_is_one_sentence_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(*_: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr("rikigaku.cli.show.headline", wrong)
    assert main(["show", "arm.robot.toml"]) == 2
    assert "Unexpected IndexError: list index out of range." in capsys.readouterr().err
    monkeypatch.setenv("RIKIGAKU_TRACEBACK", "1")
    with pytest.raises(IndexError):
        main(["show", "arm.robot.toml"])
