"""What the repository promises about itself: pins, one version, commands that start, no machine's paths."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rikigaku

ROOT = Path(__file__).parent.parent
REQUIREMENTS = sorted((ROOT / "requirements").glob("*.txt"))
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

# A pin is "name==version" followed by its hashes; nothing else may stand in a requirement file.
PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9._-]*)==[^\s;]+(?: ; [^\\]+)?( --hash=sha256:[0-9a-f]{64})+")


def pins(file: Path) -> list[str]:
    """The requirements of a file, continuation lines joined, comments and blank lines left out."""
    joined = re.sub(r"\s*\\\n\s*", " ", file.read_text("utf-8"))
    return [
        line.strip() for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]


def pinned_names(file: Path) -> set[str]:
    return {line.split("==")[0] for line in pins(file)}


def test_the_requirement_files_exist():
    assert [file.name for file in REQUIREMENTS] == ["audit.txt", "run.txt", "test.txt", "torch.txt"]


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.name)
def test_requirement_files_name_no_address_and_no_index(file):
    text = file.read_text("utf-8")
    assert not re.search(r"https?:", text)  # httpx is a package
    assert "://" not in text
    assert not re.search(r"^\s*(--?(extra-)?index|-i\b|--find-links|-f\b|--trusted-host)", text, re.MULTILINE)


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.name)
def test_every_requirement_is_one_version_with_hashes(file):
    assert [line for line in pins(file) if not PIN.fullmatch(line)] == []


def test_the_test_environment_contains_the_run_environment():
    run, test = (ROOT / "requirements" / name for name in ("run.txt", "test.txt"))
    assert set(pins(run)) <= set(pins(test))


def test_every_declared_dependency_is_pinned():
    project = PYPROJECT["project"]
    extras = [name for group in project["optional-dependencies"].values() for name in group]
    declared = {re.split(r"[\[<>=!~ ]", name)[0] for name in [*project["dependencies"], *extras]}
    known = set().union(*(pinned_names(ROOT / "requirements" / f"{name}.txt") for name in ("test", "torch")))
    assert declared <= known


def test_the_package_says_the_version_of_the_project():
    assert rikigaku.__version__ == PYPROJECT["project"]["version"]


@pytest.mark.parametrize("command", ["dev", ".ci/run"])
def test_the_commands_of_the_repository_are_executable(command):
    assert os.access(ROOT / command, os.X_OK)


def test_an_unknown_dev_command_names_the_known_ones():
    answer = subprocess.run([ROOT / "dev", "tset"], capture_output=True, text=True)
    assert answer.returncode == 1
    assert "no command 'tset'" in answer.stderr
    assert all(word in answer.stderr for word in ("demo", "test", "lint", "docs", "bench"))


def test_dev_needs_python_alone(tmp_path):
    """No shell, no PATH, no package: the door opens."""
    script = tmp_path / "tools" / "dev.py"
    script.parent.mkdir()
    script.write_bytes((ROOT / "tools" / "dev.py").read_bytes())
    environment = {"PATH": "", "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    command = [sys.executable, "-I", "-S", script]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert all(name in shown.stdout for name in ("demo", "studio", "test", "lint", "docs", "web", "bench"))


def test_no_tracked_file_holds_the_path_of_a_machine():
    roots = "|".join(["root", "home", "work", "Users"])  # joined here so that this file does not match itself
    found = subprocess.run(
        ["git", "grep", "-nIE", rf"(^|[ \"'=(`:])/({roots})/", "--", "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    # git grep: 0 = found some, 1 = found none, more = could not search
    assert found.returncode == 1, found.stdout or found.stderr
