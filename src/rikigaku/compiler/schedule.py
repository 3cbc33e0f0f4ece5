"""Order of a long program's loop iterations and output stores, which follow its chunks.

Every output is stored from front to back. Stores are interleaved with loop iterations, because store
bandwidth is the limit: a part of the known results is stored after each iteration. The scratch slots of
stored results are reused by later iterations.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from rikigaku.compiler.instructions import Operand, operand
from rikigaku.numbers.expression_graph import Node, Traced
from rikigaku.numbers.program import Program

_QUOTIENTS = ("div", "sqrt")
_PART_LENGTH = 3000  # nodes of the graph: about 12 kB of code, which fit the instruction cache
_LINE = 8  # doubles in a cache line: non-temporal stores write whole lines


@dataclass(frozen=True)
class Loop:
    """A loop: the program of its body, and the scratch slots of its values.

    shared: slots of the values that all iterations read; iterations: for each one the slots of its own inputs
    and of its results.
    """

    body: Program
    shared: tuple[int, ...]
    iterations: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Iteration:
    """One iteration of the loop with that number."""

    loop: int
    place: int


@dataclass(frozen=True)
class Write:
    """Elements start to stop of an output, row-major."""

    output: int
    start: int
    stop: int


class Schedule:
    """Loop iterations and output stores in order, and the scratch slots they read.

    maps: for each output the slot of every element when it is stored; equal elements (a symmetric matrix)
    share one.
    """

    def __init__(self, program: Program, places: Mapping[Operand, int], slots: int, width: int) -> None:
        """
        Args:
            places: the slot of each value that is live after the chunks.
            slots: how many slots the chunks use.
            width: doubles in a vector register.
        """
        self._width, self._group = width, max(width, _LINE)
        self.slots = slots
        self.constants: list[tuple[float, int]] = []
        self.steps: list[Iteration | Write] = []
        self._free = sorted(set(range(slots)) - set(places.values()))
        self._known: dict[object, int] = dict(places.items())
        self._shared: dict[Program, tuple[int, ...]] = {}
        self._iterations: dict[Program, list[tuple[int, ...]]] = {}
        self._readers = Counter(x for node in program.nodes if node.op == "call" for x in node.args)
        self._readers.update(x for elements in program.results for x in elements if isinstance(x, Node))
        self._readers.update(possibly_nonfinite(program))  # read at the end: their slots are never free
        self._results = program.results
        self._pending: list[tuple[int, int]] = []  # (output, start) of known groups, not yet stored
        alone = [i for i, elements in enumerate(program.results) if not is_contiguous_by_iteration(elements)]
        together = [i for i in range(len(program.results)) if i not in alone]
        for outputs in (together, *([i] for i in alone)):
            self._plan(outputs)
        self._write(self._pending)
        self.maps = tuple(tuple(map(self._slot, elements)) for elements in program.results)
        self.checked = tuple(map(self._slot, possibly_nonfinite(program)))
        self.parts = _parts(self.steps, self.loops)

    @property
    def loops(self) -> tuple[Loop, ...]:
        """All loops, in the order of their first iterations."""
        return tuple(
            Loop(body, self._shared[body], tuple(iterations)) for body, iterations in self._iterations.items()
        )

    def _plan(self, outputs: Sequence[int]) -> None:
        """Plan the iterations that some outputs need, and the stores between them."""
        needed = merged_order([list(dict.fromkeys(producing_iterations(self._results[i]))) for i in outputs])
        iterations = [call for call in needed if not self._has_run(call)]
        earlier, self._pending = self._pending, []
        share = -(-len(earlier) // max(1, len(iterations)))
        known = dict.fromkeys(outputs, 0)
        for call in iterations:
            if not self._has_run(call):
                self._run(call)
            # store the results of the iteration before: those of this one may still be in the store buffer
            self._write([*earlier[:share], *self._pending])
            earlier = earlier[share:]
            self._pending = [group for i in outputs for group in self._newly_known(i, known)]
        self._pending = [*earlier, *self._pending]
        for i in outputs:
            self._pending += self._groups(i, known[i], len(self._results[i]) + self._group)

    def _newly_known(self, i: int, known: dict[int, int]) -> list[tuple[int, int]]:
        """The groups of an output whose last element has become known; updates `known`."""
        elements, before = self._results[i], known[i]
        while known[i] < len(elements) and self._is_known(elements[known[i]]):
            known[i] += 1
        return self._groups(i, before, known[i])

    def _groups(self, i: int, start: int, stop: int) -> list[tuple[int, int]]:
        """The groups of an output that end between elements `start` and `stop`."""
        size = self._group
        first, last = (min(k, len(self._results[i]) + size - 1) // size for k in (start, stop))
        return [(i, k * size) for k in range(first, last)]

    def _is_known(self, x: Traced) -> bool:
        return not (isinstance(x, Node) and x.op == "result") or (x.args[0], x.value) in self._known

    def _write(self, groups: Sequence[tuple[int, int]]) -> None:
        """Plan the stores of some groups."""
        for output, own in groupby(groups, itemgetter(0)):
            starts = [start for _, start in own]
            size = len(self._results[output])
            self.steps.append(Write(output, starts[0], min(starts[-1] + self._group, size)))
            # the last group may overlap the one before it, so its slots stay in use
            written = range(starts[0], min(starts[-1] + self._group, size - self._width))
            for place in written:
                self._read(self._results[output][place])

    def _slot(self, x: Traced) -> int:
        """The slot of a value."""
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
        for other in producing_iterations(call.args):
            if not self._has_run(other):
                self._run(other)
        body: Program = call.value
        count = body.inputs[0].size
        if body not in self._shared:
            self._shared[body] = tuple(map(self._slot, call.args[:count]))
        item = tuple(map(self._slot, call.args[count:]))
        results = tuple(self._free.pop() if self._free else self._new() for _ in body.results[0])
        self._known.update({(call, k): slot for k, slot in enumerate(results)})
        iterations = self._iterations.setdefault(body, [])
        iterations.append((*item, *results))
        self.steps.append(Iteration(list(self._iterations).index(body), len(iterations) - 1))
        # Free inputs after the results have slots: an iteration may store results before it reads inputs.
        for x in call.args:
            self._read(x)

    def _read(self, x: Traced) -> None:
        """Count one read of a value; after the last its slot is free."""
        if isinstance(x, Node) and x.op not in ("const", "input"):  # these may have several slots
            self._readers[x] -= 1
            if not self._readers[x]:
                self._free.append(self._slot(x))

    def _new(self) -> int:
        self.slots += 1
        return self.slots - 1


def _parts(steps: Sequence[Iteration | Write], loops: Sequence[Loop]) -> list[list[Iteration | Write]]:
    """The steps, cut where the code of their loop bodies would no longer fit the instruction cache."""
    parts: list[list[Iteration | Write]] = [[]]
    lengths = [len(loop.body.nodes) for loop in loops]
    active: set[int] = set()
    for step in steps:
        if isinstance(step, Iteration):
            active.add(step.loop)
            if sum(lengths[i] for i in active) > _PART_LENGTH and active != {step.loop}:
                parts.append([])
                active = {step.loop}
        parts[-1].append(step)
    return parts


def live_after_chunks(program: Program) -> list[Operand]:
    """The values that iterations and stores read after the chunks, in about the order of reading."""
    calls = [node for node in program.nodes if node.op == "call"]
    shared = [x for call in calls for x in call.args[: call.value.inputs[0].size]]
    items = [x for call in calls for x in call.args[call.value.inputs[0].size :]]
    results = [x for elements in program.results for x in elements if isinstance(x, Node)]
    read = [*shared, *items, *results, *possibly_nonfinite(program)]
    return list(dict.fromkeys(operand(x) for x in read if x.op not in ("const", "result")))


def possibly_nonfinite(program: Program) -> list[Node]:
    """Nodes whose values show whether a finite state has results that are not finite.

    They are the quotients and roots; all results where a choice may skip some of these, or a loop has them.
    """
    bodies = {node.value for node in program.nodes if node.op == "call"}
    elsewhere = [node for body in bodies for node in body.nodes if node.op in _QUOTIENTS]
    quotients = [node for node in program.nodes if node.op in _QUOTIENTS]
    if not elsewhere and not (quotients and any(node.op == "choose" for node in program.nodes)):
        return quotients
    return list(dict.fromkeys(x for elements in program.results for x in elements if isinstance(x, Node)))


def producing_iterations(elements: Sequence[Traced]) -> list[Node]:
    """The iteration that computes each element, for elements computed in loops."""
    return [x.args[0] for x in elements if isinstance(x, Node) and x.op == "result"]


def is_contiguous_by_iteration(elements: Sequence[Traced]) -> bool:
    """Whether the results of each iteration are contiguous, so that they can be stored after it."""
    iterations = producing_iterations(elements)
    return len(list(groupby(iterations))) == len(set(iterations)) > 0


def merged_order(queues: Sequence[list[Node]]) -> list[Node]:
    """All iterations: each queue keeps its order, and iterations of one loop follow each other if possible.

    The code of the loop and its shared values are then still in the caches.
    """
    order: dict[Node, None] = {}
    last: object = None
    while queues := [queue for queue in queues if queue]:
        later = [{call.value for call in queue} - {queue[0].value} for queue in queues]
        # prefer the loop that has just run, then the one that fewest queues need again later
        ranks = [(q[0].value is not last, sum(q[0].value in loops for loops in later)) for q in queues]
        call = queues[ranks.index(min(ranks))].pop(0)
        order[call], last = None, call.value
    return list(order)
