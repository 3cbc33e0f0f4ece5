"""A long program cut into chunks that fit the instruction cache.

Each chunk is a function of its own. Values that one chunk computes and another reads pass through spill slots
of a scratch array. A batch runs one chunk over several blocks of states before the next chunk, so its code is
fetched once for all of them. Compile time stays proportional to the length of the program.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rikigaku.compiler.instruction_order import minimise_live_values
from rikigaku.compiler.instructions import Instruction, Operand, operand
from rikigaku.compiler.schedule import Schedule, live_after_chunks
from rikigaku.numbers.expression_graph import Node
from rikigaku.numbers.program import Program

CHUNK_LENGTH = 1200  # instructions: about 15 kB of code, which the cache of decoded instructions holds too
# Results of longer programs, and more results than this, are kept in slots until a loop stores them in order.
MOST_DIRECT_RESULTS = 200

_LEAVES = ("const", "input")


@dataclass(frozen=True)
class Store:
    """Consecutive elements start to stop of an output, stored together when the last is known."""

    output: int
    start: int
    stop: int


@dataclass
class Chunk:
    """Instructions, with the values read from and stored for other chunks."""

    instructions: list[Instruction] = field(default_factory=list)
    incoming: dict[int, int] = field(default_factory=dict)  # value -> slot
    outgoing: dict[int, list[tuple[bool, int]]] = field(default_factory=dict)  # value -> (negative, slot)
    stores: dict[int, list[Store]] = field(default_factory=dict)  # after which instruction; -1: at the end


@dataclass(frozen=True)
class ChunkPlan:
    """The chunks in order, how many slots they share, and the schedule after them.

    There is no schedule where the chunks store all results themselves.
    """

    chunks: tuple[Chunk, ...]
    slots: int
    following: Schedule | None = None


def chunk_plan(
    program: Program, listing: Sequence[Instruction], width: int, length: int = CHUNK_LENGTH
) -> ChunkPlan:
    """Cut the instructions into chunks and assign slots to the values that cross a cut."""
    body = [instruction for instruction in listing if instruction.op not in _LEAVES]
    leaves = {instruction.index: instruction for instruction in listing if instruction.op in _LEAVES}
    count = max(1, -(-len(body) // length))
    size = max(1, -(-len(body) // count))
    parts = [body[i * size : (i + 1) * size] for i in range(count)]
    chunks = [Chunk(minimise_live_values(part) if count > 1 else part) for part in parts]
    chunk_of = {x.index: number for number, chunk in enumerate(chunks) for x in chunk.instructions}
    following = None
    if count == 1 and not _has_loops(program) and _results(program) <= MOST_DIRECT_RESULTS:
        slots = 0
        _store_directly(program, chunks[0], {x.index: i for i, x in enumerate(body)}, width)
    else:
        live = live_after_chunks(program)
        if any(value.index not in chunk_of and value.index not in leaves for value in live):
            raise AssertionError("A result of a loop can only be an output or an input of another loop.")
        slots, places = _assign_slots(chunks, chunk_of, live)
        following = Schedule(program, places, slots, width)
        slots = following.slots
    for chunk in chunks:  # constants and inputs are read where they are used
        wanted = {arg.index for x in chunk.instructions for arg in x.args} | set(chunk.outgoing)
        wanted |= {i for stores in chunk.stores.values() for store in stores for i in _values(program, store)}
        chunk.instructions[:0] = [leaves[i] for i in sorted(wanted) if i in leaves]
    return ChunkPlan(tuple(chunks), slots, following)


def _results(program: Program) -> int:
    return sum(port.size for port in program.outputs)


def _has_loops(program: Program) -> bool:
    return any(node.op == "call" for node in program.nodes)


def _store_directly(program: Program, chunk: Chunk, place: dict[int, int], width: int) -> None:
    """Outputs stored in groups, each as soon as its last element is known."""
    for store in _stores(program, width):
        needed = [i for i in _values(program, store) if i in place]
        last = max(needed, key=place.__getitem__) if needed else -1
        chunk.stores.setdefault(last, []).append(store)


def _assign_slots(
    chunks: list[Chunk], chunk_of: dict[int, int], live: Sequence[Operand]
) -> tuple[int, dict[Operand, int]]:
    """Linear-scan allocation: the number of slots, and the slot of each value of `live`.

    A slot is free again after the last chunk that reads its value.
    """
    readers: dict[Operand, set[int]] = {value: {len(chunks)} for value in live}
    for number, chunk in enumerate(chunks):
        for arg in (arg for instruction in chunk.instructions for arg in instruction.args):
            if chunk_of.get(arg.index, number) != number:
                readers.setdefault(Operand(arg.index), set()).add(number)
    made: list[list[Operand]] = [[] for _ in chunks]
    for value in readers:
        made[chunk_of.get(value.index, -1)].append(value)  # constants and inputs are stored by the last chunk
    rank = {value: k for k, value in enumerate(live)}
    places: dict[Operand, int] = {}
    ending: list[list[int]] = [[] for _ in (*chunks, None)]
    free: list[int] = []
    total = 0
    for number, chunk in enumerate(chunks):
        place = {x.index: k for k, x in enumerate(chunk.instructions)}
        order = {value: rank.get(value, place.get(value.index, 0)) for value in made[number]}
        free.sort(reverse=True)
        # values with the same readers are neighbours: a reader uses whole cache lines
        for value in sorted(order, key=lambda x: (sorted(readers[x]), order[x])):
            if free:
                slot = free.pop()
            else:
                slot, total = total, total + 1
            places[value] = slot
            chunk.outgoing.setdefault(value.index, []).append((value.negative, slot))
            for reader in readers[value] - {len(chunks)}:
                chunks[reader].incoming[value.index] = slot
            ending[max(readers[value])].append(slot)
        free += ending[number]
    return total, {value: places[value] for value in live}


def _stores(program: Program, width: int) -> list[Store]:
    """Every output in groups of a register's width; the last may overlap, a small output is one group."""
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
    """Indices of the instructions whose results a store writes."""
    elements = program.results[store.output][store.start : store.stop]
    return {operand(x).index for x in elements if isinstance(x, Node)}
