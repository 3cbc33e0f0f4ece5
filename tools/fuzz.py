"""Fuzzes every reader, and laws on array layouts, for some minutes: `python tools/fuzz.py [minutes]`.

The strategies are those of tests/fuzz, with fresh seeds. Each runs in a child process with limits: 2 s of
processor time and 500 MB for one input. An error that is not ours, a hang or exhaustion is a find: its input
is shortened and saved to tests/fuzz/corpus, which the tests replay. Ends with 1 if there was a find.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
SECONDS, MEGABYTES = 2.0, 500
BATCH = 500  # inputs between two reports of a child
KINDS = ("robot", "refused", "error", "hang", "memory")


class TooSlow(BaseException):
    """Not an Exception, so that no handler takes it for its own."""


def main() -> int:
    """Run the children one after the other, several at a time, until the minutes are over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float, nargs="?", default=10)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--only", help="one target, such as urdf")
    parser.add_argument("--child", nargs=3, metavar=("TARGET", "SECONDS", "CURRENT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path[:0] = [str(ROOT / "tests" / "fuzz"), str(ROOT / "tests")]
    if options.child:
        name, seconds, current = options.child
        return _child(name, float(seconds), Path(current))
    names = [options.only] if options.only else list(import_module("reader_targets").TARGETS)
    counts = _run(names, 60 * options.minutes, options.jobs)
    print(f"{'target':12}" + "".join(f"{kind:>10}" for kind in ("inputs", *KINDS)))
    for name in (*names, "all"):
        row = counts[name] if name != "all" else sum(counts.values(), Counter())
        print(f"{name:12}" + "".join(f"{n:>10}" for n in (row.total(), *(row[kind] for kind in KINDS))))
    finds = sum(row[kind] for row in counts.values() for kind in KINDS[2:])
    print(f"{finds} finds" + (f"; see {CORPUS.relative_to(ROOT)}" if finds else ""))
    return 1 if finds else 0


def _run(names: list[str], seconds: float, jobs: int) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    end, turn = time.monotonic() + seconds, 0
    share = max(10.0, min(120.0, seconds * jobs / len(names)))
    running: list[tuple[str, Any, Path, Path]] = []
    with tempfile.TemporaryDirectory() as folder:
        while running or time.monotonic() < end:
            while len(running) < jobs and time.monotonic() < end:
                name, stem = names[turn % len(names)], Path(folder) / str(turn)
                turn += 1
                left = str(min(share, end - time.monotonic()))
                current, log = stem.with_suffix(".current"), stem.with_suffix(".log")
                command = [sys.executable, __file__, "--child", name, left, str(current)]
                with log.open("w") as file:
                    running.append((name, subprocess.Popen(command, stdout=file), current, log))
            time.sleep(0.2)
            for one in [one for one in running if one[1].poll() is not None]:
                running.remove(one)
                _collect(one, counts[one[0]])
    return counts


def _collect(one: tuple[str, Any, Path, Path], counts: Counter[str]) -> None:
    """Add what a child counted; one ended by a signal had a hang that Python could not interrupt."""
    name, process, current, log = one
    for line in log.read_text().splitlines():
        counts.update(json.loads(line))
    if process.returncode > 0:
        raise RuntimeError(f"The child of {name} failed by itself, see above.")
    if process.returncode and process.returncode not in (-signal.SIGTERM, -signal.SIGINT):  # someone else's
        counts["hang"] += 1
        if current.exists():
            _save(name, json.loads(current.read_text()), f"the process ended with {process.returncode}")


def _child(name: str, seconds: float, current: Path) -> int:
    """Run batches of one target; each prints its counts."""
    module = import_module("reader_targets")
    target = module.TARGETS[name]
    if name == "layouts":
        _warm_up(module)
    end = time.monotonic() + seconds
    with open("/proc/self/statm") as file:
        most = int(file.read().split()[0]) * resource.getpagesize() + MEGABYTES * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.signal(signal.SIGPROF, _stop)
    rng = random.Random(random.SystemRandom().getrandbits(64))
    while time.monotonic() < end:
        counts = Counter[str]()

        def one(data: Any, counts: Counter[str] = counts) -> None:
            if time.monotonic() > end:
                return
            current.write_text(json.dumps(data))
            kind, what = _limited(lambda: module.outcome(target, data))
            counts[kind] += 1
            if what:
                _save(
                    name, _shortened(data, kind, lambda x: _limited(lambda: module.outcome(target, x))), what
                )

        if target.random is None:
            _batch(target.inputs, one)
        else:
            for _ in range(BATCH):
                one(target.random(rng))
        print(json.dumps(counts), flush=True)
    return 0


def _batch(inputs: Any, one: Callable[[Any], None]) -> None:
    """Call the function with new inputs."""
    from hypothesis import HealthCheck, Phase, given, seed, settings

    @settings(
        max_examples=BATCH,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @seed(random.SystemRandom().getrandbits(64))
    @given(inputs)
    def batch(data: Any) -> None:
        one(data)

    batch()


def _warm_up(module: Any) -> None:
    """Compile the laws before the limits hold."""
    layouts = import_module("array_layouts")
    plain = layouts.Layout((1,) * 5, 0, 0, (False,) * 3, "<f8", True)
    for robot in layouts.ROBOTS:
        for law in layouts.LAWS:
            for batch in ((), (17,)):
                layouts.check(layouts.Call(robot, law, batch, (plain,) * 3, None, False, 0))


def _stop(*_: Any) -> None:
    raise TooSlow


def _limited(call: Callable[[], str]) -> tuple[str, str]:
    """The kind of outcome, and for a find what happened."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = int(used.ru_utime + used.ru_stime + SECONDS) + 5  # where Python is not reached by a signal
    resource.setrlimit(resource.RLIMIT_CPU, (hard, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return call(), ""
    except TooSlow:
        return "hang", f"more than {SECONDS:g} s of processor time"
    except MemoryError:
        return "memory", f"more than {MEGABYTES} MB"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return "error", f"{type(error).__name__}: {error} ({Path(where.filename).name})"[:300]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _shortened(data: Any, kind: str, again: Callable[[Any], tuple[str, str]]) -> Any:
    """A text with the lines removed that the find does not need."""
    if not isinstance(data, str) or kind != "error":
        return data
    lines = data.splitlines(keepends=True)
    size = len(lines) // 2
    while size:
        for start in range(0, len(lines), size):
            fewer = lines[:start] + lines[start + size :]
            if len(fewer) < len(lines) and again("".join(fewer))[0] == kind:
                lines = fewer
                break
        else:
            size //= 2
    return "".join(lines)


def _save(name: str, data: Any, what: str) -> None:
    text = json.dumps({"target": name, "what": what, "input": data}, indent=1) + "\n"
    digest = hashlib.sha256(json.dumps(data).encode()).hexdigest()[:12]
    CORPUS.mkdir(exist_ok=True)
    (CORPUS / f"{name}_{digest}.json").write_text(text)
    print(f"find: {name}: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
