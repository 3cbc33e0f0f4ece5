"""Figures of a robot's laws: operation counts, values at a state, and how long they take on this machine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.records import CLOSED
from rikigaku.constraints.tree import tree
from rikigaku.errors import RikigakuError
from rikigaku.laws.all import LAWS
from rikigaku.laws.record import REQUIRED, Law
from rikigaku.model.robot import Robot
from rikigaku.states import State, random_state

Array = NDArray[np.float64]

# Batches stay below the size at which threads would share them, so that times are those of one thread.
_BATCH_NUMBERS, _LARGEST_BATCH = 150_000, 4096
_ROUNDS = 7


@dataclass(frozen=True, eq=False)
class LawFigures:
    """What is known of one law of a robot. `problem` says why something is missing."""

    name: str
    summary: str
    call: str
    operations: str = ""
    value: Array | None = None
    batch: int = 0
    batch_ns: float | None = None  # per state
    call_ns: float | None = None  # one state from Python
    first_s: float | None = None  # until the first value: recording and compiling, or reading from the cache
    problem: str = ""


def law_figures(
    robot: Robot,
    q: Array | None,
    progress: Callable[[str, int, int], None] | None = None,
    names: Sequence[str] | None = None,
) -> list[LawFigures]:
    """Figures of all laws (or those named) at q, v = 0.5, a = 1, tau = 0 for every coordinate.

    Args:
        q: None if the robot has symbols without a value; then only operations are counted.
        progress: called with a law's name, its place and how many there are, before each.
    """
    chosen = [LAWS[name] for name in (LAWS if names is None else names)]
    result = []
    for place, law in enumerate(chosen):
        if progress:
            progress(law.name, place, len(chosen))
        result.append(_figures(robot, law, q))
    return result


def stated_state(robot: Robot, q: Array) -> dict[str, Array]:
    """The state at which a report gives values."""
    ones = np.ones(robot.nv)
    return {"q": q, "v": 0.5 * ones, "a": ones, "tau": 0 * ones}


def shown_frame(robot: Robot) -> str:
    """The frame that laws of a frame are shown for: of those moved by most joints the last named one."""
    parents = {link.name: link for link in robot.links}

    def joints(name: str) -> int:
        count, link = 0, robot.frame(name).link
        while link in parents:
            count += parents[link].joint.nv
            link = parents[link].parent
        return count

    return max(reversed(robot.frame_names), key=joints)


def missing_symbols(robot: Robot) -> list[str]:
    """Symbols that occur in the robot and have no value."""
    known = robot.declared_values
    return [name for name in robot.free_symbols if name not in known]


def _figures(robot: Robot, law: Law, q: Array | None) -> LawFigures:
    options = {name: shown_frame(robot) for name, value in law.options.items() if value is REQUIRED}
    arguments = [*law.inputs, *(f"{key}={value!r}" for key, value in options.items())]
    figures = LawFigures(law.name, law.summary, f"robot.{law.name}({', '.join(arguments)})")
    try:
        bound = getattr(tree(robot) if law.name in CLOSED else robot, law.name)  # the page says so
        begin = perf_counter()
        fixed = bound.fix(**options) if options else bound
        if q is not None:
            figures = _evaluated(robot, law, fixed, q, figures, begin)
        return replace(figures, operations=str(fixed.operations))
    except RikigakuError as error:
        return replace(figures, problem=str(error))


def _evaluated(robot: Robot, law: Law, bound: Any, q: Array, figures: LawFigures, begin: float) -> LawFigures:
    state = stated_state(robot, q)
    inputs = [state[name] for name in law.inputs]
    with np.errstate(all="ignore"):
        value = np.asarray(bound(*inputs))
        first = perf_counter() - begin
        problem = "" if np.isfinite(value).all() else f"At this state: {bound.status(*inputs)}."
        call = _best(lambda: bound(*inputs), 0.002)
        numbers = sum(x.size for x in inputs) + value.size
        batch = max(1, min(_LARGEST_BATCH, _BATCH_NUMBERS // max(numbers, 1)))
        many = _batch_inputs(law, random_state(robot, 0, batch))
        out = np.empty((batch, *value.shape))
        bound(*many, out=out)
        per_state = _best(lambda: bound(*many, out=out), 0.003) / batch
    return replace(
        figures,
        value=value,
        problem=problem,
        first_s=first,
        call_ns=1e9 * call,
        batch=batch,
        batch_ns=1e9 * per_state,
    )


def _batch_inputs(law: Law, states: State) -> list[Array]:
    values = {"q": states.q, "v": states.v, "a": states.a, "tau": states.a}
    return [values[name] for name in law.inputs]


def _best(function: Callable[[], Any], span: float) -> float:
    """Seconds of one call: the best of some rounds, each about `span` long."""
    begin = perf_counter()
    function()
    count = max(1, min(20_000, int(span / max(perf_counter() - begin, 1e-9))))
    best = float("inf")
    for _ in range(_ROUNDS):
        begin = perf_counter()
        for _ in range(count):
            function()
        best = min(best, (perf_counter() - begin) / count)
    return best
