"""Section: cost against size. Chains of 5 to 200 links: operations, compile time, run time, growth."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.chains import TIP, our_chain, pinocchio_chain, random_links
from benchmarks.errors import CompilationFailed
from benchmarks.harness import Engine, check_agreement, interleaved, one_core
from benchmarks.laws import LAWS
from benchmarks.one_call import repeated
from benchmarks.options import Options
from benchmarks.ours import Ours, bound_law
from benchmarks.peers.pinocchio_cpp import PinocchioCpp
from benchmarks.peers.pinocchio_model import PinocchioModel
from benchmarks.peers.pinocchio_python import PinocchioPython
from benchmarks.report import figure, table
from benchmarks.scaling_plot import save_plot
from benchmarks.states import random_states
from rikigaku.core.errors import TooLarge

SIZES = (5, 10, 20, 50, 100, 200)
MEASURED = ("inverse_dynamics", "forward_dynamics", "jacobian", "mass_matrix")
FITTED = (20, 200)  # the growth exponent is that of the line through these sizes in the log-log plot
# Operations; more would compile too, but for half a minute and longer. The matrix grows with the square.
COMPILED = {"mass_matrix": 60_000}
COMPILED_OTHERS = 120_000
HEADER = ("links", "operations", "trace s", "batch s", "one s", "ns a state", "ns a call", "Pin C++", "ratio")


@dataclass(frozen=True)
class Point:
    """One law of one chain: operations a state; seconds to record, to compile the batch and the one-state
    code; nanoseconds a state in a batch, one call, and a state in Pinocchio's loop. None: not measured."""

    links: int
    operations: int
    trace: float
    compile: float | None = None
    compile_one: float | None = None
    batch: float | None = None
    call: float | None = None
    peer: float | None = None


@contextmanager
def no_cache() -> Iterator[None]:
    """Compiles without the disk cache."""
    before = os.environ.get("RIKIGAKU_CACHE")
    os.environ["RIKIGAKU_CACHE"] = "off"
    try:
        yield
    finally:
        del os.environ["RIKIGAKU_CACHE"]
        if before is not None:
            os.environ["RIKIGAKU_CACHE"] = before


def seconds(call: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def measured(law_name: str, count: int, rounds: int) -> Point:
    """Everything about one law of one chain.

    Raises:
        TooLarge: from the compiler, for a program beyond what unrolled code can carry.
    """
    law, links = LAWS[law_name], random_links(count)
    robot, model = our_chain(links), pinocchio_chain(links)
    size = int(np.prod(law.shape(count, count)))
    states = random_states(model.joints, False, max(64, min(4000, 4_000_000 // (count * count))))
    out = np.empty(len(states.q) * size)
    bound = bound_law(robot, law_name, TIP)
    with no_cache(), one_core():
        trace = seconds(bound.program)
        operations = bound.operations.total
        if operations > COMPILED.get(law_name, COMPILED_OTHERS):
            return Point(count, operations, trace)
        engine = Ours(robot, TIP, False)
        ours = engine.jobs(law, states, out)[0]
        # The first run compiles; the run itself is small beside that, and subtracted.
        compiling = seconds(ours.run) - seconds(ours.run)
        call = engine.one_call(law, states, np.empty(size))
        compiling_one = seconds(call)
        peer = _peer(model)
        jobs = {"Pinocchio": peer.jobs(law, states, out)[0], "ours": ours}
        check_agreement(law, jobs, len(states.q), out)
        runs = {"ours": ours.run}
        if isinstance(peer, PinocchioCpp):
            ways = peer.jobs(law, states, out)
            runs |= {f"peer {i}": job.run for i, job in enumerate(ways)}
        times = {name: x.best for name, x in interleaved(runs, len(states.q), rounds, 1.0).items()}
        calls = 200
        once = interleaved({"call": repeated(call, calls)}, calls, rounds, 0.5)["call"].best
    theirs = min((t for name, t in times.items() if name != "ours"), default=None)
    return Point(count, operations, trace, compiling, compiling_one, times["ours"], once, theirs)


def _peer(model: PinocchioModel) -> Engine:
    try:
        return PinocchioCpp(model)
    except CompilationFailed:
        return PinocchioPython(model)


def exponent(points: list[Point], quantity: str) -> float | None:
    """p in cost ~ n^p, by least squares in the log-log plot over the FITTED sizes."""
    values = [(p.links, getattr(p, quantity)) for p in points if FITTED[0] <= p.links <= FITTED[1]]
    pairs = [(n, y) for n, y in values if y is not None]
    if len(pairs) < 2:
        return None
    x, y = np.log(np.array(pairs, dtype=float)).T
    return float(np.polyfit(x, y, 1)[0])


def run(options: Options) -> dict[str, Any]:
    """Measures, prints one table a law, saves the plot, and returns everything."""
    curves: dict[str, list[Point]] = {}
    record: dict[str, Any] = {}
    sizes = SIZES[:4] if options.quick else SIZES
    for law in (name for name in MEASURED if name in options.laws):
        points, stopped = curves.setdefault(law, []), ""
        for count in sizes:
            try:
                points.append(measured(law, count, options.rounds))
            except TooLarge as error:
                stopped = f"{count} links: {error}"
                break
            if points[-1].compile is None:
                stopped = stopped or f"From {count} links on: counted, not compiled, to save time."
        quantities = ("operations", "trace", "compile", "compile_one", "batch", "call", "peer")
        powers = {name: exponent(points, name) for name in quantities}
        rows = [_row(point) for point in points]
        rows.append(["growth n^", *(figure(powers[name], 2) for name in quantities), ""])
        print(table(f"{law}: chains, no cache", HEADER, rows) + (f"{stopped}\n" if stopped else ""))
        record[law] = {"points": [asdict(p) for p in points], "growth": powers, "stopped": stopped}
    if not options.quick:
        print(f"drawn in docs/_static/{save_plot(record).name}\n")
    return record


def _row(p: Point) -> list[str]:
    ratio = None if p.peer is None or p.batch is None else p.peer / p.batch
    seconds_spent = [figure(x, 2) for x in (p.trace, p.compile, p.compile_one)]
    nanoseconds = [figure(x) for x in (p.batch, p.call, p.peer)]
    return [str(p.links), str(p.operations), *seconds_spent, *nanoseconds, figure(ratio, 1)]
