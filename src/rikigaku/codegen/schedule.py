"""What follows the chunks of a long program: the turns of its loops, and the writing of its results.

Every output is written from front to back. What is known is written while turns run, a part after each:
memory takes in what is written more slowly than it can be handed over, and does so while the next turn is at
work. Slots of what is written are free for the results of later turns.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from rikigaku.codegen.instructions import Operand, operand
from rikigaku.codegen.turn_order import makers, merged, turn_by_turn
from rikigaku.numbers.graph import Node, Traced
from rikigaku.numbers.program import Program

_QUOTIENTS = ("div", "sqrt")
_PART_LENGTH = 3000  # nodes of the graph: about 12 kB of code
_LINE = 8  # numbers in a line of the cache: what goes past the caches goes by whole lines


@dataclass(frozen=True)
class Loop:
    """A program for one turn and the slots it works on.

    shared: slots of what all turns read; turns: for each turn the slots of its item and of its results.
    """

    turn: Program
    shared: tuple[int, ...]
    turns: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Turn:
    """One turn of the loop with that number."""

    loop: int
    place: int


@dataclass(frozen=True)
class Write:
    """Elements start to stop of an output, row-major."""

    output: int
    start: int
    stop: int


class Schedule:
    """Turns and writes in order, and the slots of all they read.

    maps: for each output the slot of every element when it is written; equal ones (a symmetric matrix) share
    one.
    """

    def __init__(self, program: Program, places: Mapping[Operand, int], slots: int, width: int) -> None:
        """
        Args:
            places: where everything `waiting` stands when the chunks are done.
            slots: how many there are by then; all others are free.
            width: elements in a register.
        """
        self._width, self._group = width, max(width, _LINE)
        self.slots = slots
        self.constants: list[tuple[float, int]] = []
        self.steps: list[Turn | Write] = []
        self._free = sorted(set(range(slots)) - set(places.values()))
        self._known: dict[object, int] = dict(places.items())
        self._shared: dict[Program, tuple[int, ...]] = {}
        self._turns: dict[Program, list[tuple[int, ...]]] = {}
        self._readers = Counter(x for node in program.nodes if node.op == "call" for x in node.args)
        self._readers.update(x for elements in program.results for x in elements if isinstance(x, Node))
        self._readers.update(risky(program))  # read last: never free
        self._results = program.results
        self._waiting: list[tuple[int, int]] = []  # (output, start) of the groups that are known, not written
        alone = [i for i, elements in enumerate(program.results) if not turn_by_turn(elements)]
        together = [i for i in range(len(program.results)) if i not in alone]
        for outputs in (together, *([i] for i in alone)):
            self._plan(outputs)
        self._write(self._waiting)
        self.maps = tuple(tuple(map(self._slot, elements)) for elements in program.results)
        self.watched = tuple(map(self._slot, risky(program)))
        self.parts = _parts(self.steps, self.loops)

    @property
    def loops(self) -> tuple[Loop, ...]:
        """All loops, in the order of their first turns."""
        return tuple(Loop(turn, self._shared[turn], tuple(turns)) for turn, turns in self._turns.items())

    def _plan(self, outputs: Sequence[int]) -> None:
        """Plan the turns of some outputs, and the writes between them."""
        wanted = merged([list(dict.fromkeys(makers(self._results[i]))) for i in outputs])
        turns = [call for call in wanted if not self._has_run(call)]
        earlier, self._waiting = self._waiting, []
        share = -(-len(earlier) // max(1, len(turns)))
        known = dict.fromkeys(outputs, 0)
        for call in turns:
            if not self._has_run(call):
                self._run(call)
            # what the turn before has made is written now: stores of this one may still be on their way
            self._write([*earlier[:share], *self._waiting])
            earlier = earlier[share:]
            self._waiting = [group for i in outputs for group in self._newly_known(i, known)]
        self._waiting = [*earlier, *self._waiting]
        for i in outputs:
            self._waiting += self._groups(i, known[i], len(self._results[i]) + self._group)

    def _newly_known(self, i: int, known: dict[int, int]) -> list[tuple[int, int]]:
        """The groups of an output that have become whole; moves its mark."""
        elements, before = self._results[i], known[i]
        while known[i] < len(elements) and self._is_known(elements[known[i]]):
            known[i] += 1
        return self._groups(i, before, known[i])

    def _groups(self, i: int, start: int, stop: int) -> list[tuple[int, int]]:
        """The groups of an output that are whole with element `stop`, and were not with `start`."""
        size = self._group
        first, last = (min(k, len(self._results[i]) + size - 1) // size for k in (start, stop))
        return [(i, k * size) for k in range(first, last)]

    def _is_known(self, x: Traced) -> bool:
        return not (isinstance(x, Node) and x.op == "result") or (x.args[0], x.value) in self._known

    def _write(self, groups: Sequence[tuple[int, int]]) -> None:
        """Plan the writing of some groups."""
        for output, own in groupby(groups, itemgetter(0)):
            starts = [start for _, start in own]
            size = len(self._results[output])
            self.steps.append(Write(output, starts[0], min(starts[-1] + self._group, size)))
            # the last group may lie over the one before it: what it holds stays
            written = range(starts[0], min(starts[-1] + self._group, size - self._width))
            for place in written:
                self._read(self._results[output][place])

    def _slot(self, x: Traced) -> int:
        """Where a number waits."""
        if isinstance(x, Node) and x.op == "result":
            return self._known[x.args[0], x.value]
        if isinstance(x, Node) and x.op != "const":
            return self._known[operand(x)]
        value = float(x.value) if isinstance(x, Node) else float(x)
        if value not in self._known:
            self._known[value] = self._new()
            self.constants.append((value, self._known[value]))
        return self._known[value]

    def _has_run(self, call: Node) -> bool:
        return (call, 0) in self._known

    def _run(self, call: Node) -> None:
        for maker in makers(call.args):
            if not self._has_run(maker):
                self._run(maker)
        turn: Program = call.value
        count = turn.inputs[0].size
        if turn not in self._shared:
            self._shared[turn] = tuple(map(self._slot, call.args[:count]))
        item = tuple(map(self._slot, call.args[count:]))
        results = tuple(self._free.pop() if self._free else self._new() for _ in turn.results[0])
        self._known.update({(call, k): slot for k, slot in enumerate(results)})
        turns = self._turns.setdefault(turn, [])
        turns.append((*item, *results))
        self.steps.append(Turn(list(self._turns).index(turn), len(turns) - 1))
        for x in call.args:  # after its results have their places: a turn may read when it has begun to write
            self._read(x)

    def _read(self, x: Traced) -> None:
        """One reader of a number is done; after the last its slot is free."""
        if isinstance(x, Node) and x.op not in ("const", "input"):  # those may wait under other names too
            self._readers[x] -= 1
            if not self._readers[x]:
                self._free.append(self._slot(x))

    def _new(self) -> int:
        self.slots += 1
        return self.slots - 1


def _parts(steps: Sequence[Turn | Write], loops: Sequence[Loop]) -> list[list[Turn | Write]]:
    """The steps, cut where the code of their turns would no longer fit the instruction cache."""
    parts: list[list[Turn | Write]] = [[]]
    lengths = [len(loop.turn.nodes) for loop in loops]
    at_work: set[int] = set()
    for step in steps:
        if isinstance(step, Turn):
            at_work.add(step.loop)
            if sum(lengths[i] for i in at_work) > _PART_LENGTH and at_work != {step.loop}:
                parts.append([])
                at_work = {step.loop}
        parts[-1].append(step)
    return parts


def waiting(program: Program) -> list[Operand]:
    """What the instructions of a program leave for its turns and writes, in about the order of these."""
    calls = [node for node in program.nodes if node.op == "call"]
    shared = [x for call in calls for x in call.args[: call.value.inputs[0].size]]
    items = [x for call in calls for x in call.args[call.value.inputs[0].size :]]
    results = [x for elements in program.results for x in elements if isinstance(x, Node)]
    read = [*shared, *items, *results, *risky(program)]
    return list(dict.fromkeys(operand(x) for x in read if x.op not in ("const", "result")))


def risky(program: Program) -> list[Node]:
    """Nodes that tell a finite state whose results are not finite: its quotients and roots, or all results
    where a choice may pass over some of these, or a loop has them."""
    turns = {node.value for node in program.nodes if node.op == "call"}
    elsewhere = [node for turn in turns for node in turn.nodes if node.op in _QUOTIENTS]
    quotients = [node for node in program.nodes if node.op in _QUOTIENTS]
    if not elsewhere and not (quotients and any(node.op == "choose" for node in program.nodes)):
        return quotients
    return list(dict.fromkeys(x for elements in program.results for x in elements if isinstance(x, Node)))
