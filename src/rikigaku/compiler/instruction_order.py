"""List scheduling of instructions that minimises live values (register pressure)."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from rikigaku.compiler.instructions import Instruction


def minimise_live_values(listing: Sequence[Instruction]) -> list[Instruction]:
    """The instructions reordered, arguments before uses: next is the one that leaves fewest live values.

    Values in memory and values that are only stored are not counted as live. Ties keep the original order.
    """
    places = {x.index: place for place, x in enumerate(listing)}
    needs = [{places[arg.index] for arg in x.args if arg.index in places} for x in listing]
    users: list[set[int]] = [set() for _ in listing]
    for place, own in enumerate(needs):
        for other in own:
            users[other].add(place)
    missing = [len(own) for own in needs]

    def entry(place: int) -> tuple[int, int]:
        ends = sum(len(users[other]) == 1 for other in needs[place])
        return (1 if users[place] else 0) - ends, place

    ready = [entry(place) for place, count in enumerate(missing) if not count]
    heapify(ready)
    result: list[Instruction] = []
    done: set[int] = set()
    while ready:
        _, place = heappop(ready)
        if place in done:  # the heap holds one entry for each time its priority rose
            continue
        done.add(place)
        result.append(listing[place])
        for user in users[place]:
            missing[user] -= 1
            if not missing[user]:
                heappush(ready, entry(user))
        for other in needs[place]:
            users[other].remove(place)
            if len(users[other]) == 1:  # its last use now ends its live range
                (last,) = users[other]
                if not missing[last]:
                    heappush(ready, entry(last))
    return result
