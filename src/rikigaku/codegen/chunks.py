"""A long program cut into chunks that fit the instruction cache.

Each chunk is a function of its own. Values one chunk computes and another needs pass through numbered slots
of a scratch array. A batch runs one chunk over several blocks of states before the next chunk, so code is
fetched once for all of them; and the compiler's effort stays proportional to the length of the program.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from rikigaku.codegen.instructions import Instruction, operand
from rikigaku.codegen.order import few_waiting
from rikigaku.numbers.graph import Node, Traced
from rikigaku.numbers.program import Program

CHUNK_LENGTH = 1200  # instructions: about 10 kB of code
# Results of longer programs, and more results than this, wait in slots for a loop that writes them in order.
MOST_DIRECT_RESULTS = 200

_LEAVES = ("const", "input")
_QUOTIENTS = ("div", "sqrt")
_SHARED = (*_LEAVES, "result")  # what may stand in a slot under another name too


@dataclass(frozen=True)
class Store:
    """Consecutive elements start to stop of an output, written together when the last is known."""

    output: int
    start: int
    stop: int


@dataclass
class Chunk:
    """Instructions with what comes in from and goes out to other chunks."""

    instructions: list[Instruction] = field(default_factory=list)
    incoming: dict[int, int] = field(default_factory=dict)  # value -> slot
    outgoing: dict[int, int] = field(default_factory=dict)
    results: dict[int, list[tuple[bool, int]]] = field(default_factory=dict)  # value -> (negative, slot)
    stores: dict[int, list[Store]] = field(default_factory=dict)  # after which instruction; -1: at the end


@dataclass(frozen=True)
class LoopPlan:
    """A loop that runs after the chunks: a program for one turn and the slots it works on.

    shared: slots of what all turns read; turns: for each turn the slots of its item and of its results.
    """

    turn: Program
    shared: tuple[int, ...]
    turns: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Plan:
    """The chunks in order and how many slots they share.

    maps: for each output the slot of every element, where results are written by a loop at the end.
    """

    chunks: tuple[Chunk, ...]
    slots: int
    maps: tuple[tuple[int, ...], ...] = ()
    constants: tuple[tuple[float, int], ...] = ()  # (value, slot) of results that are constant
    loops: tuple[LoopPlan, ...] = ()
    watched: tuple[int, ...] = ()  # slots of what may be not finite at a finite state


def plan(program: Program, listing: Sequence[Instruction], width: int, length: int = CHUNK_LENGTH) -> Plan:
    """Cut the instructions into chunks and give slots to the values that cross."""
    body = [instruction for instruction in listing if instruction.op not in _LEAVES]
    leaves = {instruction.index: instruction for instruction in listing if instruction.op in _LEAVES}
    count = max(1, -(-len(body) // length))
    size = max(1, -(-len(body) // count))
    parts = [body[i * size : (i + 1) * size] for i in range(count)]
    chunks = [Chunk(few_waiting(part) if count > 1 else part) for part in parts]
    home = {x.index: number for number, chunk in enumerate(chunks) for x in chunk.instructions}
    uses: dict[int, set[int]] = {}
    for number, chunk in enumerate(chunks):
        for instruction in chunk.instructions:
            for arg in instruction.args:
                if arg.index in home and home[arg.index] != number:
                    uses.setdefault(arg.index, set()).add(number)
    slots = _assign_slots(chunks, home, uses)
    waiting = _Waiting(program, chunks, home, slots)
    maps: tuple[tuple[int, ...], ...] = ()
    watched: tuple[int, ...] = ()
    if count > 1 or sum(port.size for port in program.outputs) > MOST_DIRECT_RESULTS:
        watched = tuple(waiting.slot(x) for x in risky(program))
        maps = tuple(tuple(waiting.slot(x) for x in elements) for elements in program.results)
    else:
        _store_directly(program, chunks[0], {x.index: i for i, x in enumerate(body)}, width)
    for chunk in chunks:  # constants and inputs are read where they are used
        wanted = {arg.index for x in chunk.instructions for arg in x.args} | set(chunk.results)
        wanted |= {i for stores in chunk.stores.values() for store in stores for i in _values(program, store)}
        chunk.instructions[:0] = [leaves[i] for i in sorted(wanted) if i in leaves]
    return Plan(tuple(chunks), waiting.slots, maps, tuple(waiting.constants), waiting.loops(), watched)


def risky(program: Program) -> list[Node]:
    """Nodes that tell a finite state whose results are not finite: its quotients and roots, or all results
    where a choice may pass over some of these, or a loop has them."""
    turns = {node.value for node in program.nodes if node.op == "call"}
    elsewhere = [node for turn in turns for node in turn.nodes if node.op in _QUOTIENTS]
    quotients = [node for node in program.nodes if node.op in _QUOTIENTS]
    if not elsewhere and not (quotients and any(node.op == "choose" for node in program.nodes)):
        return quotients
    return list(dict.fromkeys(x for elements in program.results for x in elements if isinstance(x, Node)))


def _store_directly(program: Program, chunk: Chunk, place: dict[int, int], width: int) -> None:
    """Outputs stored in groups, each as soon as its last element is known."""
    for store in _stores(program, width):
        needed = [i for i in _values(program, store) if i in place]
        last = max(needed, key=place.__getitem__) if needed else -1
        chunk.stores.setdefault(last, []).append(store)


class _Waiting:
    """Slots of their own for results that wait for the end; equal ones (a symmetric matrix) share a slot."""

    def __init__(self, program: Program, chunks: list[Chunk], home: dict[int, int], slots: int) -> None:
        self.chunks, self.home, self.slots = chunks, home, slots
        self.uses = Counter(x for node in program.nodes if node.op == "call" for x in node.args)
        self.uses.update(x for elements in program.results for x in elements if isinstance(x, Node))
        self.uses.update(risky(program))
        self.free = list(range(slots))
        self.known: dict[object, int] = {}
        self.constants: list[tuple[float, int]] = []
        self._turns: dict[Program, list[tuple[int, ...]]] = {}
        self._shared: dict[Program, tuple[int, ...]] = {}

    def slot(self, x: Traced) -> int:
        """Where this result waits."""
        if isinstance(x, Node) and x.op == "result":
            self._run(x.args[0])
            return self.known[x.args[0], x.value]
        value = operand(x) if isinstance(x, Node) and x.op != "const" else _constant(x)
        if value not in self.known:
            slot = self.known[value] = self._new()
            if isinstance(value, float):
                self.constants.append((value, slot))
            else:
                owner = self.chunks[self.home.get(value.index, len(self.chunks) - 1)]
                owner.results.setdefault(value.index, []).append((value.negative, slot))
        return self.known[value]

    def _run(self, call: Node) -> None:
        """Plan one turn of a loop, unless it is planned."""
        turn: Program = call.value
        if (call, 0) in self.known:
            return
        count = turn.inputs[0].size
        if turn not in self._shared:
            self._shared[turn] = tuple(self.slot(x) for x in call.args[:count])
        item = tuple(self.slot(x) for x in call.args[count:])
        # A turn's own numbers make room for its results; what passed between chunks is not needed any more.
        own = [self.slot(x) for x in call.args[count:] if self.uses[x] == 1 and x.op not in _SHARED]
        spare = self.free + own
        results = tuple(spare.pop() if spare else self._new() for _ in range(turn.outputs[0].size))
        self.free = spare[: len(self.free)]
        self.known.update({(call, k): slot for k, slot in enumerate(results)})
        self._turns.setdefault(turn, []).append((*item, *results))

    def loops(self) -> tuple[LoopPlan, ...]:
        """All loops with their turns."""
        return tuple(LoopPlan(turn, self._shared[turn], tuple(turns)) for turn, turns in self._turns.items())

    def _new(self) -> int:
        self.slots += 1
        return self.slots - 1


def _constant(x: Traced) -> float:
    return float(x.value) if isinstance(x, Node) else float(x)


def _assign_slots(chunks: list[Chunk], home: dict[int, int], uses: dict[int, set[int]]) -> int:
    """Slots by linear scan: a slot is free again after the last chunk that reads its value."""
    free: list[int] = []
    ending: dict[int, list[int]] = {}
    total = 0
    by_home: dict[int, list[int]] = {}
    for index in uses:
        by_home.setdefault(home[index], []).append(index)
    for number, chunk in enumerate(chunks):
        for index in sorted(by_home.get(number, ())):
            if free:
                slot = free.pop()
            else:
                slot, total = total, total + 1
            chunk.outgoing[index] = slot
            for reader in uses[index]:
                chunks[reader].incoming[index] = slot
            ending.setdefault(max(uses[index]), []).append(slot)
        free += ending.pop(number, [])
    return total


def _stores(program: Program, width: int) -> list[Store]:
    """Every output in groups of a register's width, the last one overlapping; whole where it is smaller."""
    result = []
    for i, port in enumerate(program.outputs):
        for bounds in sorted({group(port.size, width, element) for element in range(port.size)}):
            result.append(Store(i, *bounds))
    return result


def group(size: int, width: int, element: int) -> tuple[int, int]:
    """The elements (start, stop) moved together with this one."""
    if size < width:
        return 0, size
    start = min(element // width * width, size - width)
    return start, start + width


def _values(program: Program, store: Store) -> set[int]:
    """The instructions whose results a store writes."""
    elements = program.results[store.output][store.start : store.stop]
    return {operand(x).index for x in elements if isinstance(x, Node)}
