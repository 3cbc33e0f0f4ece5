"""The same function on many items: recorded once and run as a loop where unrolling would not pay."""

from collections.abc import Callable, Mapping, Sequence

from rikigaku.numbers.functions import is_zero
from rikigaku.numbers.graph import Graph, Node
from rikigaku.numbers.kind import Number
from rikigaku.numbers.program import Program, trace

Numbers = Sequence[Number]
Function = Callable[[Numbers, Numbers], Numbers]
Places = frozenset[int]

# Unrolled operations beyond which a loop is faster to compile and, from the instruction cache, to run.
WORTH_A_LOOP = 8_000
# How much longer a turn may be for an item than one of its own, rather than be one more piece of code.
_SPARE = 1.2


def repeated(function: Function, shared: Numbers, items: Sequence[Numbers]) -> list[Numbers]:
    """[function(shared, item) for item in items].

    Where a traced program becomes a loop, what comes out may only be a result of that program.
    """
    looped = _loop(function, shared, items)
    return [function(shared, item) for item in items] if looped is None else looped


def _loop(function: Function, shared: Numbers, items: Sequence[Numbers]) -> list[Numbers] | None:
    """The same as a loop in the program being traced; None where there is none or unrolling is better.

    Items with zeros in about the same places share a turn that knows of them.
    """
    graph = next((x.graph for item in items for x in item if isinstance(x, Node)), None)
    if graph is None:
        return None
    turns = {places: _turn(function, shared, places, len(items[0])) for places in set(map(_places, items))}
    if sum(turns[_places(item)].operations.total for item in items) <= WORTH_A_LOOP:
        return None
    hosts = _hosts(turns)
    return [
        _run(graph, turns[hosts[_places(item)]], shared, [item[k] for k in sorted(hosts[_places(item)])])
        for item in items
    ]


def _places(item: Numbers) -> Places:
    """Where an item holds something else than zero."""
    return frozenset(k for k, x in enumerate(item) if not is_zero(x))


def _hosts(turns: Mapping[Places, Program]) -> dict[Places, Places]:
    """For every set of places the one whose turn serves it: code pays only where it saves work."""
    hosts: dict[Places, Places] = {}
    for places in sorted(turns, key=lambda places: (-len(places), sorted(places))):
        most = _SPARE * turns[places].operations.total
        fitting = [x for x in hosts.values() if places < x and turns[x].operations.total <= most]
        hosts[places] = min(fitting, key=len, default=places)
    return hosts


def _turn(function: Function, shared: Numbers, places: Places, size: int) -> Program:
    def run(s: Numbers, x: Numbers) -> dict[str, Numbers]:
        given = dict(zip(sorted(places), x, strict=True))
        return {"results": function(s, [given.get(k, 0) for k in range(size)])}

    return trace("turn of a loop", [("shared", (len(shared),)), ("item", (len(places),))], run, Graph())


def _run(graph: Graph, turn: Program, shared: Numbers, item: Numbers) -> Numbers:
    call = graph.call(turn, tuple(graph.lift(x) for x in (*shared, *item)))
    (results,) = turn.results
    return [graph.result(call, k) if isinstance(x, Node) else x for k, x in enumerate(results)]
