"""One function applied to many items: in a traced program a loop, where that is better than unrolling."""

from collections.abc import Callable, Mapping, Sequence

from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.expression_graph import Graph, Node
from rikigaku.numbers.number_kind import Numbers
from rikigaku.numbers.program import Program, trace

Function = Callable[[Numbers, Numbers], Numbers]
Places = frozenset[int]

# Unrolled operations beyond which a loop is faster to compile and, from the instruction cache, to run.
WORTH_A_LOOP = 8_000
# An item uses the loop body of another pattern of zeros if that has at most this many times the operations of
# its own: fewer bodies mean less code.
_MOST_EXTRA = 1.2


def repeated(function: Function, shared: Numbers, items: Sequence[Numbers]) -> list[Numbers]:
    """[function(shared, item) for item in items].

    In a traced program the values may only be used as results, because they may come from a loop.
    """
    looped = _loop(function, shared, items)
    return [function(shared, item) for item in items] if looped is None else looped


def _loop(function: Function, shared: Numbers, items: Sequence[Numbers]) -> list[Numbers] | None:
    """The same as a loop in the program being traced; None if nothing is traced or unrolling is better.

    Items with structural zeros at about the same places share a loop body that omits them.
    """
    graph = next((x.graph for item in items for x in item if isinstance(x, Node)), None)
    if graph is None:
        return None
    bodies = {places: _body(function, shared, places, len(items[0])) for places in set(map(_places, items))}
    if sum(bodies[_places(item)].operations.total for item in items) <= WORTH_A_LOOP:
        return None
    chosen = _chosen_bodies(bodies)
    return [
        _iteration(
            graph, bodies[chosen[_places(item)]], shared, [item[k] for k in sorted(chosen[_places(item)])]
        )
        for item in items
    ]


def _places(item: Numbers) -> Places:
    """Indices of the elements that are no structural zeros."""
    return frozenset(k for k, x in enumerate(item) if not is_zero(x))


def _chosen_bodies(bodies: Mapping[Places, Program]) -> dict[Places, Places]:
    """For every pattern the pattern whose loop body it uses."""
    chosen: dict[Places, Places] = {}
    for places in sorted(bodies, key=lambda places: (-len(places), sorted(places))):
        most = _MOST_EXTRA * bodies[places].operations.total
        fitting = [x for x in chosen.values() if places < x and bodies[x].operations.total <= most]
        chosen[places] = min(fitting, key=len, default=places)
    return chosen


def _body(function: Function, shared: Numbers, places: Places, size: int) -> Program:
    def run(s: Numbers, x: Numbers) -> dict[str, Numbers]:
        values = dict(zip(sorted(places), x, strict=True))
        return {"results": function(s, [values.get(k, 0) for k in range(size)])}

    return trace("loop body", [("shared", (len(shared),)), ("item", (len(places),))], run, Graph())


def _iteration(graph: Graph, body: Program, shared: Numbers, item: Numbers) -> Numbers:
    call = graph.call(body, tuple(graph.lift(x) for x in (*shared, *item)))
    (results,) = body.results
    return [graph.result(call, k) if isinstance(x, Node) else x for k, x in enumerate(results)]
