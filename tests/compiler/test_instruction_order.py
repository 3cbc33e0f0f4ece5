"""The order of instructions inside long programs."""

import random

from rikigaku.compiler.instruction_order import minimise_live_values
from rikigaku.compiler.instructions import Instruction, Operand


def random_listing(seed: int, count: int = 300) -> list[Instruction]:
    """Instructions of two arguments, each an earlier one or (negative index) something from memory."""
    choice = random.Random(seed)
    return [
        Instruction(i, "add", tuple(Operand(choice.randrange(-20, i)) for _ in range(2)))
        for i in range(count)
    ]


def most_live_values(listing: list[Instruction]) -> int:
    """The largest number of live values."""
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
        ordered = minimise_live_values(listing)
        places = {x.index: place for place, x in enumerate(ordered)}
        assert sorted(places) == [x.index for x in listing]
        assert all(places.get(arg.index, -1) < places[x.index] for x in listing for arg in x.args)


def test_fewer_values_are_live() -> None:
    wide = [Instruction(i, "mul", (Operand(-1), Operand(-2))) for i in range(50)]
    sums = [Instruction(50 + i, "add", (Operand(49 + i if i else 0), Operand(i))) for i in range(50)]
    assert most_live_values(wide + sums) == 50
    assert most_live_values(minimise_live_values(wide + sums)) <= 3
    for seed in range(10):
        listing = random_listing(seed)
        assert most_live_values(minimise_live_values(listing)) < most_live_values(listing)


def test_what_is_equally_good_stays_in_order() -> None:
    listing = [Instruction(i, "mul", (Operand(-1), Operand(-2))) for i in range(9)]
    assert minimise_live_values(listing) == listing
