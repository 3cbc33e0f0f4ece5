"""What follows the chunks of a long program: the turns of its loops, and the writing of its results.

One output after the other, each from front to back. What is known is written while turns run, a part after
each: memory takes in what is written more slowly than it can be handed over, and does so while the next turn
is at work. Slots of what is written are free for the results of later turns.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from rikigaku.codegen.instructions import operand
from rikigaku.numbers.graph import Node, Traced
from rikigaku.numbers.program import Program

_QUOTIENTS = ("div", "sqrt")
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

    kept: for every value that chunks leave for later, the slots it waits in, with a sign.
    maps: for each output the slot of every element when it is written; equal ones (a symmetric matrix) share
    one.
    """

    def __init__(self, program: Program, slots: int, width: int) -> None:
        """Slots below `slots` are free when the chunks are done; a register holds `width` elements."""
        self._width, self._group = width, max(width, _LINE)
        self.slots = slots
        self.kept: dict[int, list[tuple[bool, int]]] = {}
        self.constants: list[tuple[float, int]] = []
        self.steps: list[Turn | Write] = []
        self._free = list(range(slots))
        self._known: dict[object, int] = {}
        self._shared: dict[Program, tuple[int, ...]] = {}
        self._turns: dict[Program, list[tuple[int, ...]]] = {}
        self._readers = Counter(x for node in program.nodes if node.op == "call" for x in node.args)
        self._readers.update(x for elements in program.results for x in elements if isinstance(x, Node))
        self._readers.update(risky(program))  # read last: never free
        self._results = program.results
        self._waiting: list[tuple[int, int]] = []  # (output, start) of the groups that are known, not written
        self.maps = tuple(map(self._output, range(len(program.results))))
        self._write(self._waiting)
        self.watched = tuple(map(self._slot, risky(program)))

    @property
    def loops(self) -> tuple[Loop, ...]:
        """All loops, in the order of their first turns."""
        return tuple(Loop(turn, self._shared[turn], tuple(turns)) for turn, turns in self._turns.items())

    def _output(self, i: int) -> tuple[int, ...]:
        """The slots of an output, its turns and the writes between them planned."""
        elements = self._results[i]
        calls = [x.args[0] for x in elements if isinstance(x, Node) and x.op == "result"]
        turns = [call for call in dict.fromkeys(calls) if (call, 0) not in self._known]
        earlier, self._waiting = self._waiting, []
        share, known = -(-len(earlier) // max(1, len(turns))), 0
        for call in turns:
            self._run(call)
            # what the turn before has made is written now: stores of this one may still be on their way
            self._write([*earlier[:share], *self._waiting])
            earlier, before = earlier[share:], known
            while known < len(elements) and self._is_known(elements[known]):
                known += 1
            self._waiting = self._groups(i, before, known)
        self._waiting = [*earlier, *self._waiting, *self._groups(i, known, len(elements) + self._group)]
        return tuple(map(self._slot, elements))

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
        value = operand(x) if isinstance(x, Node) and x.op != "const" else _constant(x)
        if value not in self._known:
            slot = self._known[value] = self._new()
            if isinstance(value, float):
                self.constants.append((value, slot))
            else:
                self.kept.setdefault(value.index, []).append((value.negative, slot))
        return self._known[value]

    def _run(self, call: Node) -> None:
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


def risky(program: Program) -> list[Node]:
    """Nodes that tell a finite state whose results are not finite: its quotients and roots, or all results
    where a choice may pass over some of these, or a loop has them."""
    turns = {node.value for node in program.nodes if node.op == "call"}
    elsewhere = [node for turn in turns for node in turn.nodes if node.op in _QUOTIENTS]
    quotients = [node for node in program.nodes if node.op in _QUOTIENTS]
    if not elsewhere and not (quotients and any(node.op == "choose" for node in program.nodes)):
        return quotients
    return list(dict.fromkeys(x for elements in program.results for x in elements if isinstance(x, Node)))


def _constant(x: Traced) -> float:
    return float(x.value) if isinstance(x, Node) else float(x)
