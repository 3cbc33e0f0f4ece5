"""The order in which the turns of a program's loops run."""

from collections.abc import Sequence
from itertools import groupby

from rikigaku.numbers.graph import Node, Traced


def makers(elements: Sequence[Traced]) -> list[Node]:
    """For each number a turn makes, that turn."""
    return [x.args[0] for x in elements if isinstance(x, Node) and x.op == "result"]


def turn_by_turn(elements: Sequence[Traced]) -> bool:
    """Whether what a turn makes stands together: then it can be written as soon as it is made."""
    turns = makers(elements)
    return len(list(groupby(turns))) == len(set(turns)) > 0


def merged(queues: Sequence[list[Node]]) -> list[Node]:
    """All turns, those of a queue in its order, and those of one loop after each other where that can be: its
    code, and the numbers all of them share, are then still near."""
    order: dict[Node, None] = {}
    last: object = None
    while queues := [queue for queue in queues if queue]:
        later = [{call.value for call in queue} - {queue[0].value} for queue in queues]
        # next is the loop that has just run, or one for which fewest others are not ready yet
        ranks = [(q[0].value is not last, sum(q[0].value in loops for loops in later)) for q in queues]
        call = queues[ranks.index(min(ranks))].pop(0)
        order[call], last = None, call.value
    return list(order)
