"""Kill processes during saves of every kind, and look at what is left.

    python tools/kill_saves.py [--kills 1000] [--kinds urdf c ...]

A child process saves two versions in turn; it is killed at random times of the writing (--kills for each
kind), and once before every system call of a save. The file must be one version or the other, whole. Two
files that belong together (a URDF and its loops file, C and its header) must be of one version, or their
reader must refuse them. Afterwards one more save must remove all temporary files. Exits with 1 if any of this
fails.
"""

import argparse
import contextlib
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ["MPLBACKEND"] = "Agg"

import rikigaku as rk
from rikigaku.cli import analyze
from rikigaku.cli.main import main as command_line
from rikigaku.core import disk_cache, files
from rikigaku.core.errors import BadModel
from rikigaku.plotting import save_plot
from rikigaku.simulation import solution_plots

CALLS = ("open", "chmod", "fsync", "replace", "unlink", "close")  # of `os`, before which a save is killed


@dataclass(frozen=True)
class Kind:
    """One kind of save: `save(version, folder)` for versions 0 and 1.

    version: of what is in the folder; an error of the package where it is refused, any other if it is torn.
    """

    save: Callable[[int, Path], object]
    version: Callable[[Path], int | str]


def bound(name: str) -> rk.Robot:
    robot = rk.load(name)
    return robot.bind(**robot.declared_values)


def same_bytes(save: Callable[[int, Path], object], refused: Callable[[Path], bool] | None = None) -> Kind:
    """A kind whose files are compared byte by byte with those of a save that was not killed."""
    wanted: list[dict[str, bytes]] = []
    for k in range(2):
        with tempfile.TemporaryDirectory() as folder:
            save(k, Path(folder))
            wanted.append(contents(Path(folder)))

    def version(folder: Path) -> int | str:
        found = contents(folder)
        if found in wanted:
            return wanted.index(found)
        whole = all(any(x == one.get(name) for one in wanted) for name, x in found.items())
        return "refused" if whole and refused is not None and refused(folder) else "torn"

    return Kind(save, version)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not is_temporary(path)}


def is_temporary(path: Path) -> bool:
    return path.name.startswith(".rikigaku-")


# -- the kinds ----------------------------------------------------------------------------------------------
def robots(ending: str) -> Kind:
    two = (bound("four_bar"), bound("five_bar"))
    return same_bytes(lambda k, folder: two[k].save(folder / f"robot.{ending}"), refused_urdf)


def refused_urdf(folder: Path) -> bool:
    try:
        rk.load(folder / "robot.urdf")
    except BadModel as error:
        return "different saves" in str(error)
    return False


def exports(language: str, file: str) -> Kind:
    two = (bound("planar_2r"), bound("planar_3r"))
    return same_bytes(
        lambda k, folder: two[k].gravity_forces.export(language, folder / file, name="law"), refused_c
    )


def refused_c(folder: Path) -> bool:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise SystemExit("kills of C exports need a C compiler")
    command = [compiler, "-fsyntax-only", str(folder / "law.c")]
    return "another export" in subprocess.run(command, capture_output=True, text=True).stderr


def pictures() -> Kind:
    two = (bound("planar_2r"), bound("planar_3r"))
    return same_bytes(lambda k, folder: save_plot(two[k], folder / "robot.png", dpi=30))


def motions() -> tuple[rk.Robot, list[rk.Solution]]:
    robot = bound("planar_2r")
    return robot, [rk.simulate(robot, [0.1 + k, 0.2], duration=0.5) for k in range(2)]


def films() -> Kind:
    """The frames are drawn once: drawing takes long and writes nothing."""
    (_, two), drawn, now = motions(), dict[int, bytes](), [0]
    make = solution_plots._gif

    def made(film: Any, fps: int) -> bytes:
        if now[0] not in drawn:
            drawn[now[0]] = make(film, fps)
        return drawn[now[0]]

    def save(k: int, folder: Path) -> None:
        now[0] = k
        two[k].animate(folder / "film.gif", fps=4)

    patch.object(solution_plots, "_gif", made).start()
    return same_bytes(save)


def solutions() -> Kind:
    robot, two = motions()

    def version(folder: Path) -> int:
        q = rk.load_solution(folder / "motion.npz", robot).q
        return [q.tobytes() == x.q.tobytes() for x in two].index(True)

    return Kind(lambda k, folder: two[k].save(folder / "motion.npz"), version)


def reports() -> Kind:
    """The pages are made once: their making takes seconds and writes nothing."""
    names, pages = ("planar_2r", "planar_3r"), {}
    make = analyze.report

    def made(robot: Any, *others: Any, **options: Any) -> Any:
        if robot.name not in pages:
            pages[robot.name] = make(robot, *others, **options)
        return pages[robot.name]

    patch.object(analyze, "report", made).start()

    def save(k: int, folder: Path) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            command_line(["analyze", names[k], "-o", str(folder / "report.html")])

    return same_bytes(save)


def caches() -> Kind:
    bodies = [bytes([k]) * 300_000 for k in range(2)]

    def save(k: int, folder: Path) -> None:
        os.environ["RIKIGAKU_CACHE"] = str(folder)
        disk_cache.write("entry.rko", b"magic", bodies[k], 10**9)

    def version(folder: Path) -> int:
        os.environ["RIKIGAKU_CACHE"] = str(folder)
        body = disk_cache.read("entry.rko", b"magic")
        return [body == x for x in bodies].index(True)

    return Kind(save, version)


KINDS: dict[str, Callable[[], Kind]] = {
    "toml": lambda: robots("robot.toml"),
    "urdf": lambda: robots("urdf"),
    "mjcf": lambda: robots("xml"),
    "c": lambda: exports("c", "law.c"),
    "python": lambda: exports("python", "law.py"),
    "picture": pictures,
    "film": films,
    "solution": solutions,
    "report": reports,
    "cache": caches,
}


# -- the kills ----------------------------------------------------------------------------------------------
@contextlib.contextmanager
def child(kind: Kind, folder: Path, die_at: int = 0) -> Iterator[tuple[int, int]]:
    """A process that saves both versions in turn, without end, and a pipe with a byte for every writing.

    die_at: it saves once and kills itself before that call of the system instead.
    """
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.close(read)
            if die_at:
                die_before_call(die_at)
                kind.save(1, folder)
                os._exit(0)
            announce(write)
            for k in range(10**9):
                kind.save(k % 2, folder)
        finally:
            os._exit(1)
    os.close(write)
    try:
        yield process, read
    finally:
        os.close(read)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def announce(pipe: int) -> None:
    """Let every temporary file be announced by a byte."""
    make = files._temporary

    def announced(folder: Path) -> Path:
        os.write(pipe, b".")
        return make(folder)

    patch.object(files, "_temporary", announced).start()


def die_before_call(count: int) -> None:
    """Kill this process before that call of the system, counted from the first temporary file."""
    left, counting = [count], [False]
    make = files._temporary

    def begin(folder: Path) -> Path:
        counting[0] = True
        return make(folder)

    def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if counting[0]:
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return call

    patch.object(files, "_temporary", begin).start()
    for name in CALLS:
        setattr(os, name, deadly(getattr(os, name)))


def outcome(kind: Kind, folder: Path) -> str:
    try:
        found = kind.version(folder)
    except Exception as error:
        return f"torn ({type(error).__name__})"
    return found if isinstance(found, str) else f"version {found}"


def killed(kind: Kind, kills: int, seed: int) -> tuple[Counter[str], int, int, int]:
    """Outcomes; the number of calls before which it was killed; temporary files left, before and after."""
    chance, outcomes = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        kind.save(0, folder)
        duration = writing_time(kind, folder)
        for _ in range(kills):
            with child(kind, folder) as (process, pipe):
                for _ in range(chance.randint(1, 2)):
                    os.read(pipe, 1)
                time.sleep(chance.uniform(0.0, 1.3 * duration))
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
            outcomes[outcome(kind, folder)] += 1
        calls = 0
        for n in range(1, 1000):
            kind.save(0, folder)
            with child(kind, folder, n) as (process, _):
                _, status = os.waitpid(process, 0)
            if os.WIFEXITED(status):
                break
            calls = n
            outcomes[outcome(kind, folder)] += 1
        left = [path for path in folder.iterdir() if is_temporary(path)]
        for path in left:
            os.utime(path, (time.time() - 120, time.time() - 120))
        kind.save(0, folder)
        files.remove_abandoned(folder)  # the cache does so at one write in 64
        after = sum(map(is_temporary, folder.iterdir()))
    return outcomes, calls, len(left), after


def writing_time(kind: Kind, folder: Path) -> float:
    """Seconds from the first temporary file of a save to its end."""
    begun: list[float] = []
    make = files._temporary

    def noted(folder: Path) -> Path:
        begun.append(time.perf_counter())
        return make(folder)

    with patch.object(files, "_temporary", noted):
        kind.save(1, folder)
    return time.perf_counter() - begun[0]


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill processes during saves of every kind.")
    parser.add_argument("--kills", type=int, default=1000, help="at random times, for each kind")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = False
    for name in options.kinds:
        outcomes, calls, left, after = killed(KINDS[name](), options.kills, options.seed)
        torn = sum(count for what, count in outcomes.items() if what.startswith("torn"))
        failed |= bool(torn or after or not calls)
        listed = ", ".join(f"{count} {what}" for what, count in sorted(outcomes.items()))
        print(f"{name}: {options.kills} kills at random, {calls} before a call: {listed}; torn {torn}; "
              f"temporary files {left}, after the next save {after}", flush=True)  # fmt: skip
    print("FAILED" if failed else "nothing torn, nothing mismatched")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
