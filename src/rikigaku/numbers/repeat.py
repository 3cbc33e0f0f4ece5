"""The same function on many items: recorded once and run as a loop where unrolling would not pay."""

from collections.abc import Callable, Sequence

from rikigaku.numbers.graph import Graph, Node
from rikigaku.numbers.kind import Number
from rikigaku.numbers.program import trace

Function = Callable[[Sequence[Number], Sequence[Number]], Sequence[Number]]

# Unrolled operations beyond which a loop is faster to compile and, from the instruction cache, to run.
WORTH_A_LOOP = 12_000


def repeated(
    function: Function, shared: Sequence[Number], items: Sequence[Sequence[Number]]
) -> list[Sequence[Number]]:
    """[function(shared, item) for item in items].

    Where a traced program becomes a loop, what comes out may only be a result of that program.
    """
    graph = next((x.graph for item in items for x in item if isinstance(x, Node)), None)
    if graph is not None:
        shapes = [("shared", (len(shared),)), ("item", (len(items[0]),))]
        turn = trace("turn of a loop", shapes, lambda s, x: {"results": function(s, x)}, Graph())
        if turn.operations.total * len(items) > WORTH_A_LOOP:
            calls = [graph.call(turn, tuple(graph.lift(x) for x in (*shared, *item))) for item in items]
            return [[graph.result(call, k) for k in range(turn.outputs[0].size)] for call in calls]
    return [function(shared, item) for item in items]
