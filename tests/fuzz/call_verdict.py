"""What a bad call may do: succeed, or raise an error of the package that is a sentence of bounded length.

    python tests/fuzz/call_verdict.py --count 5000 --seed 1

runs that many bad calls, chosen at random, and prints those that ended otherwise.
"""

import argparse
import contextlib
import io
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bad_values import BadCall, double_mutations, single_mutations

import rikigaku as rk

_PACKAGE = str(Path(rk.__file__).parent)
LONGEST = 10_000  # characters of a message
SHORTEST = 20
_SECONDS = 30  # of one call


class TooSlow(BaseException):
    """A call that took longer than `_SECONDS`."""


def verdict(call: BadCall) -> str | None:
    """None, or what is wrong with the way the call ended."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            call()
    except rk.RikigakuError as error:
        text = str(error)
        if not SHORTEST <= len(text) <= LONGEST or " " not in text:
            return (
                f"{call.name}: {type(error).__name__} with a message of {len(text)} characters: {text[:60]!r}"
            )
    except TypeError as error:
        if not rejected_by_python(error):
            return raw(call, error)
    except TooSlow:
        return f"{call.name}: took longer than {_SECONDS} s"
    except Exception as error:
        return raw(call, error)
    return None


def rejected_by_python(error: TypeError) -> bool:
    """Whether Python refused the call itself: the innermost frame is the one of the call."""
    frames = traceback.extract_tb(error.__traceback__)
    text = str(error)
    words = ("missing", "unexpected keyword", "positional argument", "multiple values", "takes no")
    return any(word in text for word in words) and not frames[-1].filename.startswith(_PACKAGE)


def raw(call: BadCall, error: Exception) -> str:
    """The place in the package where an error without a name came from."""
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if f"{os.sep}rikigaku{os.sep}" in f.filename
    ]
    place = f"{frames[-1].filename[len(_PACKAGE) :]}:{frames[-1].lineno}" if frames else "?"
    try:
        text = str(error)
    except Exception as inner:
        text = f"(no text: {inner})"
    return f"{call.name}: {type(error).__name__} at {place}: {text[:100]!r}"


def bad_calls(recipes: tuple[Any, ...], seed: int, doubles: int = 5) -> Iterator[BadCall]:
    """Every bad call of one argument and some of two, in an order given by the seed."""
    generator = random.Random(seed)
    calls = [call for recipe in recipes for call in single_mutations(recipe)]
    calls += [call for recipe in recipes for call in double_mutations(recipe, generator, doubles)]
    generator.shuffle(calls)
    yield from calls


def _alarm(*_: Any) -> None:
    raise TooSlow


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=2_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--doubles", type=int, default=5, help="pairs of arguments for each recipe")
    options.add_argument("--only", default="", help="recipes whose name contains this text")
    options.add_argument("--verbose", action="store_true")
    chosen = options.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    signal.signal(signal.SIGALRM, _alarm)
    from call_recipes import recipes

    faults: list[str] = []
    count, begin = 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        known = tuple(r for r in recipes(Path(folder)) if chosen.only in r.name)
        for recipe in known:
            recipe.function(*recipe.args, **recipe.keywords)  # the recipe itself is valid
        print(f"{len(known)} recipes, valid after {time.perf_counter() - begin:.0f} s", flush=True)
        for call in bad_calls(known, chosen.seed, chosen.doubles):
            if count == chosen.count:
                break
            count += 1
            began = time.perf_counter()
            signal.alarm(_SECONDS)
            fault = verdict(call)
            signal.alarm(0)
            if fault:
                faults.append(fault)
                print(fault.encode("ascii", "backslashreplace").decode(), flush=True)
            if chosen.verbose and time.perf_counter() - began > 1:
                print(f"slow: {call.name} {time.perf_counter() - began:.1f} s", flush=True)
    places = Counter(fault.split(" at ")[-1].split(": ")[0] for fault in faults)
    print(f"{count} bad calls, {len(faults)} without a named error, at {len(places)} places")
    for place, times in places.most_common():
        print(f"{times:6d} {place}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
