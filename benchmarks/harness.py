"""Fair timing: one core, interleaved rounds; values are compared before they are timed."""

import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.errors import Disagreement
from benchmarks.laws import Law
from benchmarks.states import Array, States

FEWEST_ROUNDS = 12
AGREEMENT = 1e-9  # relative to the largest magnitude of that result over the run


@dataclass(frozen=True)
class Job:
    """One library's way to compute one law for all states.

    Attributes:
        run: fills the output buffer; this, and nothing else, is timed.
        value: the answers for some of the states, in the reference layout; read after `run`.
    """

    run: Callable[[], object]
    value: Callable[[NDArray[np.intp]], Array]


class Engine(Protocol):
    """A library that can compute laws. Several ways to compute one law compete; the fastest counts."""

    name: str

    def jobs(self, law: Law, states: States, out: Array) -> Sequence[Job]:
        """The ways it offers, writing into the flat buffer `out`; none if it lacks the law."""
        ...


@dataclass(frozen=True)
class Timing:
    """Nanoseconds a state: the best and the median round."""

    best: float
    median: float


@contextmanager
def one_core() -> Iterator[int]:
    """Pins this process to one core (the last one it may use), without the garbage collector."""
    before = os.sched_getaffinity(0)
    core = max(before)
    os.sched_setaffinity(0, {core})
    gc.collect()
    gc.disable()
    try:
        yield core
    finally:
        gc.enable()
        os.sched_setaffinity(0, before)


def lined_up(size: int) -> Array:
    """A buffer aligned to a cache line; an arbitrary alignment would change the times."""
    spare = np.empty(size + 8)
    first = -spare.ctypes.data % 64 // 8
    return spare[first : first + size]


def sample(count: int, size: int = 400) -> NDArray[np.intp]:
    """Indices of states to compare: spread over the run, and its whole tail (where vector loops end)."""
    spread = np.linspace(0, count - 1, min(size, count)).astype(np.intp)
    return np.union1d(spread, np.arange(max(0, count - 16), count))


def relative_error(value: Array, reference: Array) -> float:
    """Largest difference over the largest magnitude; infinite if a NaN is on either side."""
    if not (np.isfinite(value).all() and np.isfinite(reference).all()):
        return float("inf")
    return float(np.abs(value - reference).max() / max(np.abs(reference).max(), 1e-300))


def check_agreement(law: Law, jobs: Mapping[str, Job], count: int, out: Array) -> dict[str, float]:
    """Relative error of every job against the first one.

    Raises:
        Disagreement: if one is above AGREEMENT. The buffer is filled with NaN before each run, so an
            answer not written cannot pass for the one before.
    """
    rows, errors = sample(count), {}
    reference: tuple[str, Array] | None = None
    for name, job in jobs.items():
        out.fill(np.nan)
        job.run()
        value = job.value(rows)
        if reference is None:
            reference = (name, value)
            if not np.isfinite(value).all():
                raise Disagreement(law.name, name, "a finite answer", float("inf"), AGREEMENT)
            continue
        errors[name] = relative_error(value, reference[1])
        if errors[name] > AGREEMENT:
            raise Disagreement(law.name, name, reference[0], errors[name], AGREEMENT)
    return errors


def interleaved(
    runs: Mapping[str, Callable[[], object]], count: int, rounds: int, budget: float = 2.5
) -> dict[str, Timing]:
    """Times every run once a round, one by one, so that a slow phase of the machine affects all alike.

    Rounds end early once the budget of processor time [s] is spent, but not before FEWEST_ROUNDS.

    Each run is made twice and the second one counts: what the library before it left in the caches is no
    property of this one. The clock is the processor time of the whole process. On a busy core the wall clock
    would count the time slices of others, and those hit a long run (a peer's) but seldom a short one (ours);
    and hidden threads of a library are counted, not credited.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    begun = time.process_time()
    for done in range(rounds):
        if done >= FEWEST_ROUNDS and time.process_time() - begun > budget:
            break
        for name, run in runs.items():
            run()
            start = time.process_time_ns()
            run()
            times[name].append((time.process_time_ns() - start) / count)
    return {name: Timing(min(t), median(t)) for name, t in times.items()}


def shortest(call: Callable[[], object], rounds: int) -> float:
    """The shortest processor time of a call [s]."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def best_seconds(runs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The shortest processor time [s] of each run, one after the other in every round."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            best[name] = min(best[name], shortest(run, 1))
    return best
