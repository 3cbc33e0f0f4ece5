"""Figures of a robot's laws: operation counts, values at a state, and how long they take on this machine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from rikigaku.closure.closure_plan import closure, coordinate_names
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import MissingValue, RikigakuError, UnknownName
from rikigaku.core.types import Array
from rikigaku.core.validation import numbers
from rikigaku.laws.catalogue import LAWS, laws_of
from rikigaku.laws.law import REQUIRED, Law
from rikigaku.model.states import random_state
from rikigaku.robot import Robot

# Batches stay below the size at which threads would share them, so that times are those of one thread.
_BATCH_NUMBERS, _LARGEST_BATCH = 150_000, 4096
_ROUNDS = 7
_MOST_COMPILED = 25_000  # operations of a law that is evaluated and timed: larger ones compile for minutes
NO_CONFIGURATION = "Symbols without a value place the links, so there is no configuration to evaluate it at."


@dataclass(frozen=True, eq=False)
class LawFigures:
    """Figures of one law of a robot. `problem` says why one is missing."""

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


@checked
def law_figures(
    robot: Robot,
    q: Array | None,
    progress: Callable[[str, int, int], None] | None = None,
    names: Sequence[str] | None = None,
) -> list[LawFigures]:
    """Figures of all laws (or those named) at q, v = 0.5, a = 1, tau = 0 for every coordinate.

    Of a closed robot these are v and a of the independent coordinates, the others move along; laws over the
    independent coordinates are named as in "reduced.mass_matrix".

    Args:
        q: None if symbols without a value leave none; then only operations are counted. Laws that need
            such symbols have no value, and `problem` names them.
        progress: called with a law's name, its place and how many there are, before each.
    """
    q = None if q is None else numbers(f"q of robot {robot.name!r}", q, (robot.nq,))
    chosen = law_names(robot) if names is None else names
    result = []
    for place, name in enumerate(chosen):
        if progress:
            progress(name, place, len(chosen))
        result.append(_figures(robot, name, q))
    return result


def law_names(robot: Robot) -> list[str]:
    """The laws a report shows: of robots with loops or gears those over independent coordinates, too."""
    if not (robot.loops or robot.couplings):
        return [name for name, law in laws_of("tree").items() if not law.loops]
    called = [law.called for group in ("tree", "closed", "reduced") for law in laws_of(group).values()]
    called = [name for name in called if "." in name or hasattr(robot if robot.loops else type(robot), name)]
    return list(dict.fromkeys(called))


def stated_state(robot: Robot, q: Array) -> dict[str, Array]:
    """The state at which a report gives values."""
    ones = np.ones(robot.nv)
    v, a = 0.5 * ones, ones
    if robot.loops or robot.couplings:
        own = np.ones(closure(robot).mobility)
        v, a = robot.complete(q, 0.5 * own, own)
    return {"q": q, "v": v, "a": a, "tau": 0 * ones}


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


def _figures(robot: Robot, name: str, q: Array | None) -> LawFigures:
    law = next((LAWS[key] for key in (name, f"tree.{name}", f"closed.{name}") if key in LAWS), None)
    if law is None:
        raise UnknownName("law", name, LAWS, "the catalogue")
    options = {name: shown_frame(robot) for name, value in law.options.items() if value is REQUIRED}
    arguments = [*law.inputs, *(f"{key}={value!r}" for key, value in options.items())]
    figures = LawFigures(name, law.summary, f"robot.{name}({', '.join(arguments)})")
    try:
        begin = perf_counter()
        owner: Any = robot.reduced if name.startswith("reduced.") else robot
        bound = getattr(owner, name.removeprefix("reduced."))
        fixed = bound.fix(**options) if options else bound
        if (size := fixed.operations.total) > _MOST_COMPILED:
            reason = f"Not timed: a program of {size} operations takes minutes to compile."
            return replace(
                figures, summary=fixed.law.summary, operations=str(fixed.operations), problem=reason
            )
        try:
            if q is None:
                raise MissingValue(NO_CONFIGURATION)
            figures = _evaluated(robot, fixed, q, figures, begin)
        except MissingValue as error:  # operations need no values
            figures = replace(figures, problem=str(error))
        return replace(figures, summary=fixed.law.summary, operations=str(fixed.operations))
    except RikigakuError as error:
        return replace(figures, problem=str(error))


def _evaluated(robot: Robot, bound: Any, q: Array, figures: LawFigures, begin: float) -> LawFigures:
    inputs = law_inputs(robot, bound.law, stated_state(robot, q))
    with np.errstate(all="ignore"):
        value = np.asarray(bound(*inputs))  # several results of one size are shown as rows
        first = perf_counter() - begin
        problem = "" if np.isfinite(value).all() else f"At this state: {bound.status(*inputs)}."
        call = _best(lambda: bound(*inputs), 0.002)
        numbers = sum(x.size for x in inputs) + value.size
        batch = max(1, min(_LARGEST_BATCH, _BATCH_NUMBERS // max(numbers, 1)))
        many = law_inputs(robot, bound.law, _batch(robot, batch))
        out = bound(*many)
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


def _batch(robot: Robot, size: int) -> dict[str, Array]:
    """Random states; for a closed robot with its loops closed."""
    states = random_state(robot, 0, size)
    q, v, a = states.q, states.v, states.a
    if robot.loops:
        q = np.resize(closure(robot).samples, q.shape)
        own = list(closure(robot).structure.independent)
        v, a = robot.complete(q, v[:, own], a[:, own])
    return {"q": q, "v": v, "a": a, "tau": states.a}


def law_inputs(robot: Robot, law: Law, state: dict[str, Array]) -> list[Array]:
    """The law's inputs from a state; some inputs have only some coordinates."""
    places = {name: k for k, name in enumerate(coordinate_names(robot))}
    return [
        np.ascontiguousarray(state[name][..., [places[own] for own in law.coordinates[name]]])
        if name in law.coordinates
        else state[name]
        for name in law.inputs
    ]


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
