"""An order of instructions in which few values wait for their last use: registers are few."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from rikigaku.codegen.instructions import Instruction


def few_waiting(listing: Sequence[Instruction]) -> list[Instruction]:
    """The instructions, arguments before uses; next is always the one after which fewest values wait.

    Values from elsewhere (memory) and those that are only stored do not count. Among equals the first goes
    first.
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
        if place in done:  # it stands here once for each time it became better
            continue
        done.add(place)
        result.append(listing[place])
        for user in users[place]:
            missing[user] -= 1
            if not missing[user]:
                heappush(ready, entry(user))
        for other in needs[place]:
            users[other].remove(place)
            if len(users[other]) == 1:  # the last to use it now ends its wait
                (last,) = users[other]
                if not missing[last]:
                    heappush(ready, entry(last))
    return result
