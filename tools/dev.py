"""One door to the project: sets up .venv when needed, then runs a command in it.

`./dev` starts this on systems with a shell; on Windows it is `py tools\\dev.py`. It needs Python 3.11 alone.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")

USAGE = """\
usage: ./dev <command> [arguments]        (Windows: py tools\\dev.py <command> [arguments])

  demo [robot]    analyse a shipped robot (puma560 if none is named)
  studio [file]   edit and analyse robots in a browser
  test [args]     run the tests; the arguments go to pytest
  lint            ruff, formatting, types, and which package may import which
  docs            build the documentation into docs/_build/html
  web             test and build the front end (needs node 20 or newer)
  bench [args]    compare with other engines; the arguments go to the benchmarks
  audit           licences of the pinned packages, and their known vulnerabilities
  fuzz [minutes]  random input for every reader and for laws (10 minutes if none are named)

The first run makes .venv from the pinned requirements; later runs skip that.
Needed: Python 3.11 or newer (or uv, which can bring its own)."""


def say(text: str) -> None:
    print(f"dev: {text}", file=sys.stderr, flush=True)


def fail(text: str) -> NoReturn:
    say(text)
    raise SystemExit(1)


# -- the environment ----------------------------------------------------------------------------------------
def fingerprint(name: str) -> str:
    """What an environment is made from: a requirement file and pyproject.toml."""
    content = (ROOT / "requirements" / f"{name}.txt").read_bytes() + (ROOT / "pyproject.toml").read_bytes()
    return hashlib.sha256(content).hexdigest()


def holds(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text("utf-8").strip() == text


def is_made() -> bool:
    """The scripts in a virtual environment name its place: one that was moved, or copied, is of no use."""
    return PYTHON.exists() and holds(VENV / "made-at", str(ROOT))


def is_ready(name: str) -> bool:
    return is_made() and holds(VENV / f"made-for-{name}", fingerprint(name))


def succeeds(*command: object) -> bool:
    return subprocess.run([str(x) for x in command], capture_output=True).returncode == 0


def installer() -> list[str]:
    """The command that installs into .venv; uv makes environments without pip."""
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--quiet", "--python", str(PYTHON)]
    return [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def make_environment() -> None:
    """An empty .venv, by uv where there is one."""
    if uv := shutil.which("uv"):
        if is_made():
            return
        if subprocess.run([uv, "venv", "--quiet", "--clear", "--python", "3.11", VENV]).returncode:
            fail("uv could not make .venv, see above.")
    elif not is_made() or not succeeds(PYTHON, "-m", "pip", "--version"):
        python = getattr(sys, "_base_executable", sys.executable)  # not that of the .venv to be cleared
        if subprocess.run([python, "-m", "venv", "--clear", VENV]).returncode:
            fail(f"{python} could not make .venv (on Debian: apt install python3-venv).")
    (VENV / "made-at").write_text(f"{ROOT}\n", "utf-8")


def set_up(name: str) -> None:
    """Makes .venv hold requirements/<name>.txt ("run" or "test") and the package itself, editable."""
    # test.txt contains run.txt, so an environment for the tests serves everything.
    if is_ready("test") or (name == "run" and is_ready("run")):
        return
    say(f"setting up .venv from requirements/{name}.txt (once; some minutes on a slow line)")
    for mark in VENV.glob("made-for-*"):  # an interrupted set-up must not look finished
        mark.unlink()
    make_environment()
    pinned = ["--require-hashes", "-r", str(ROOT / "requirements" / f"{name}.txt")]
    if subprocess.run([*installer(), *pinned]).returncode:
        fail(f"the pinned packages of requirements/{name}.txt could not be installed, see above.")
    # The build backend is among the pinned packages: nothing unpinned is fetched to build ours.
    if subprocess.run([*installer(), "--no-deps", "--no-build-isolation", "-e", str(ROOT)]).returncode:
        fail("the package itself could not be installed, see above.")
    (VENV / f"made-for-{name}").write_text(fingerprint(name) + "\n", "utf-8")


def set_up_torch() -> None:
    """PyTorch for the tests, in its build for the processor: the other needs gigabytes of CUDA."""
    if succeeds(PYTHON, "-c", "import torch"):
        return
    say("setting up PyTorch for the processor (once)")
    pinned = ROOT / "requirements" / "torch.txt"
    if not subprocess.run([*installer(), "--require-hashes", "--no-deps", "-r", str(pinned)]).returncode:
        return
    say("the package index has no build for the processor alone: taking its own (some gigabytes on Linux)")
    version = re.search(r"^torch==([0-9.]*)", pinned.read_text("utf-8"), re.MULTILINE)
    assert version is not None
    if subprocess.run([*installer(), f"torch=={version[1].rstrip('.')}"]).returncode:
        fail("PyTorch could not be installed, see above.")


# -- commands -----------------------------------------------------------------------------------------------
def run(command: Sequence[object], where: Path = ROOT) -> int:
    """The exit status of a program of .venv, or of the system."""
    program = shutil.which(str(command[0])) or str(command[0])
    return subprocess.run([program, *map(str, command[1:])], cwd=where).returncode


def demo(arguments: list[str]) -> int:
    set_up("run")
    return run(["rikigaku", "analyze", *(arguments or ["puma560"])])


def studio(arguments: list[str]) -> int:
    set_up("run")
    return run(["rikigaku", "studio", *arguments])


def test(arguments: list[str]) -> int:
    set_up("test")
    set_up_torch()
    # A process a core; threads of BLAS beside them would wait for one another.
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    processes = ["-n", "auto", "--dist", "loadfile", "--max-worker-restart=0"]
    return run([PYTHON, "-m", "pytest", *processes, *arguments])


def lint(_arguments: list[str]) -> int:
    """Every check speaks, so that one run shows all there is to mend."""
    set_up("test")
    checks = (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"], ["lint-imports"])
    failed = [" ".join(check[:2]) for check in checks if run(check)]
    if failed:
        fail(f"lint failed: {', '.join(failed)}")
    return 0


def docs(_arguments: list[str]) -> int:
    set_up("test")
    set_up_torch()
    status = run(["sphinx-build", "-W", "--keep-going", "-q", "-b", "html", "docs", "docs/_build/html"])
    if not status:
        say("open docs/_build/html/index.html")
    return status


def web(_arguments: list[str]) -> int:
    """The front end: types, build into the package, tests on documents of shipped robots."""
    set_up("test")
    if shutil.which("npm") is None:
        fail("npm was not found. Install node 20 or newer; users of the package need none.")
    with tempfile.TemporaryDirectory() as documents:
        os.environ["RIKIGAKU_DOCUMENTS"] = documents
        steps: tuple[tuple[list[object], Path], ...] = (
            ([PYTHON, "tools/web_types.py"], ROOT),
            ([PYTHON, "tools/web_documents.py", documents], ROOT),
            # not "npm ci": it refuses locks without the optional packages of other systems
            (["npm", "install", "--no-save", "--no-audit", "--no-fund"], ROOT / "web"),
            (["npx", "tsc", "--noEmit"], ROOT / "web"),
            (["npx", "vitest", "run"], ROOT / "web"),
            (["npx", "vite", "build"], ROOT / "web"),
        )
        return next((status for step, where in steps if (status := run(step, where))), 0)


def in_tests_environment(*command: str) -> Callable[[list[str]], int]:
    """A command that is one program in the environment of the tests."""

    def started(arguments: list[str]) -> int:
        set_up("test")
        return run([PYTHON, *command, *arguments])

    return started


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "demo": demo,
    "studio": studio,
    "test": test,
    "lint": lint,
    "docs": docs,
    "web": web,
    "bench": in_tests_environment("-m", "benchmarks"),
    "audit": in_tests_environment("tools/audit.py"),
    "fuzz": in_tests_environment("tools/fuzz.py"),
}


def main(arguments: list[str]) -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 - started by whatever Python is there
        fail(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.")
    command, *rest = arguments or ["help"]
    if command in ("help", "-h", "--help"):
        print(USAGE)
        return 0
    if command not in COMMANDS:
        print(USAGE, file=sys.stderr)
        fail(f"there is no command {command!r}; the commands are {', '.join(COMMANDS)}.")
    os.chdir(ROOT)
    os.environ["PATH"] = os.pathsep.join([str(SCRIPTS), os.environ.get("PATH", "")])
    try:
        return COMMANDS[command](rest)
    except KeyboardInterrupt:  # the command was stopped, and has said so
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
