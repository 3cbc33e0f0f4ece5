"""The order of instructions inside long programs."""

import random

from rikigaku.codegen.instructions import Instruction, Operand
from rikigaku.codegen.order import few_waiting


def random_listing(seed: int, count: int = 300) -> list[Instruction]:
    """Instructions of two arguments, each an earlier one or (negative index) something from memory."""
    choice = random.Random(seed)
    return [
        Instruction(i, "add", tuple(Operand(choice.randrange(-20, i)) for _ in range(2)))
        for i in range(count)
    ]


def most_waiting(listing: list[Instruction]) -> int:
    """The largest number of values that are known and still needed."""
    last = {arg.index: place for place, x in enumerate(listing) for arg in x.args}
    waiting: set[int] = set()
    most = 0
    for place, x in enumerate(listing):
        waiting = {i for i in waiting if last[i] > place}
        if last.get(x.index, -1) > place:
            waiting.add(x.index)
        most = max(most, len(waiting))
    return most


def test_every_instruction_comes_once_and_after_its_arguments() -> None:
    for seed in range(10):
        listing = random_listing(seed)
        ordered = few_waiting(listing)
        places = {x.index: place for place, x in enumerate(ordered)}
        assert sorted(places) == [x.index for x in listing]
        assert all(places.get(arg.index, -1) < places[x.index] for x in listing for arg in x.args)


def test_fewer_values_wait() -> None:
    wide = [Instruction(i, "mul", (Operand(-1), Operand(-2))) for i in range(50)]
    sums = [Instruction(50 + i, "add", (Operand(49 + i if i else 0), Operand(i))) for i in range(50)]
    assert most_waiting(wide + sums) == 50
    assert most_waiting(few_waiting(wide + sums)) <= 3
    for seed in range(10):
        listing = random_listing(seed)
        assert most_waiting(few_waiting(listing)) < most_waiting(listing)


def test_what_is_equally_good_stays_in_order() -> None:
    listing = [Instruction(i, "mul", (Operand(-1), Operand(-2))) for i in range(9)]
    assert few_waiting(listing) == listing
