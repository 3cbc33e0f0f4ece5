"""What follows the chunks of a program: every slot holds what is read from it, when it is read."""

import random

import numpy as np
import pytest

from rikigaku.compiler import chunks, kernel, llvm_batch_loop, schedule
from rikigaku.compiler.instructions import Operand, instructions, operand
from rikigaku.compiler.schedule import (
    Iteration,
    Schedule,
    live_after_chunks,
    merged_order,
    possibly_nonfinite,
)
from rikigaku.numbers import repeated_function
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.expression_graph import Graph, Node, Traced
from rikigaku.numbers.number_kind import Number
from rikigaku.numbers.program import Program, trace
from rikigaku.numbers.repeated_function import repeated


@pytest.fixture(autouse=True)
def _loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeated_function, "WORTH_A_LOOP", 0)
    monkeypatch.setenv("RIKIGAKU_CACHE", "off")


@pytest.mark.parametrize("seed", range(60))
def test_every_slot_holds_what_is_read_from_it(seed: int) -> None:
    rng = random.Random(seed)
    program = _random_program(rng)
    values = live_after_chunks(program)
    slots = len(values) + seed % 4 * 10
    places = dict(zip(values, rng.sample(range(slots), len(values)), strict=True))
    for width in (1, 2, 4, 8):
        _simulate(program, Schedule(program, places, slots, width), places, width)


@pytest.mark.parametrize("seed", range(60))
def test_every_chunk_reads_what_others_have_left(seed: int) -> None:
    program = _random_program(random.Random(seed))
    listing = list(instructions(program))
    for length in (1, 3, 7, 100):
        cut = chunks.chunk_plan(program, listing, 4, length)
        memory: dict[int, object] = {}
        for chunk in cut.chunks:
            own = {x.index for x in chunk.instructions}
            read = {arg.index for x in chunk.instructions for arg in x.args}
            assert read <= own | chunk.incoming.keys()
            for index, slot in chunk.incoming.items():
                assert memory[slot] == Operand(index)
            for index, left in chunk.outgoing.items():
                memory.update({slot: Operand(index, negative) for negative, slot in left})
            assert not {s for left in chunk.outgoing.values() for _, s in left} & set(chunk.incoming.values())
        if (following := cut.following) is None:  # it writes its results itself
            assert len(cut.chunks) == 1
            continue
        assert max(memory, default=-1) < following.slots
        places = {value: slot for slot, value in memory.items()}
        _simulate(program, following, {value: places[value] for value in live_after_chunks(program)}, 4)


def test_iterations_of_one_loop_follow_each_other_through_two_results() -> None:
    def run(x: list[Number]) -> dict[str, list[Number]]:
        by_q, by_v = [[k + x[0], x[1]] for k in range(3)], [[k - x[0], x[1]] for k in range(2)]
        first = repeated(lambda s, item: [s[0] * item[0], item[0] + item[1]], [x[2]], by_q + by_v)
        second = repeated(lambda s, item: [s[0] - item[0], item[1]], [x[2]], by_v)
        flat = [[y for row in rows for y in row] for rows in (first[:3], second + first[3:])]
        return {"q": flat[0], "v": flat[1]}

    program = trace("two", [("x", (3,))], run)
    places = {value: slot for slot, value in enumerate(live_after_chunks(program))}
    steps = Schedule(program, places, len(places), 4).steps
    assert [step.loop for step in steps if isinstance(step, Iteration)] == [0, 0, 1, 1, 1, 1, 1]


def test_queues_that_come_back_to_a_loop_are_merged_by_loops() -> None:
    graph = Graph()
    x = graph.lift(1.0)
    turns = {
        name: trace(name, [("s", (1,)), ("i", (1,))], lambda s, i: {"y": [s[0] + i[0]]}) for name in "ab"
    }
    queues = [
        [graph.call(turns[name], (x, graph.lift(k + 10.0 * j))) for k, name in enumerate("aaba")]
        for j in (0, 1)
    ]
    assert [call.value.name for call in merged_order(queues)] == [*"aaaabbaa"]


@pytest.mark.parametrize("seed", range(8))
def test_parts_hold_all_steps_and_few_loops(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _random_program(random.Random(seed))
    places = {value: slot for slot, value in enumerate(live_after_chunks(program))}
    whole = Schedule(program, places, len(places), 4)
    monkeypatch.setattr(schedule, "_PART_LENGTH", 1)
    cut = Schedule(program, places, len(places), 4)
    assert len(whole.parts) == 1
    assert [step for part in cut.parts for step in part] == cut.steps == whole.steps
    assert all(len({step.loop for step in part if isinstance(step, Iteration)}) <= 1 for part in cut.parts)
    x = np.random.default_rng(0).uniform(1, 2, (70, 4))
    with_parts = kernel.Kernel("cut", lambda: program).batch(x)
    monkeypatch.setattr(schedule, "_PART_LENGTH", 10**6)
    at_once = kernel.Kernel("whole", lambda: program).batch(x)
    for one, other in zip(*(y if isinstance(y, tuple) else (y,) for y in (with_parts, at_once)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_loop_may_feed_another_whose_results_come_first() -> None:
    def run(x: list[Number]) -> dict[str, list[Number]]:
        made = repeated(lambda s, item: [s[0] * item[0]], [x[0]], [[x[1]], [x[2]], [x[1] + x[2]]])
        more = repeated(lambda s, item: [s[0] + item[0]], [x[0]], [made[0], made[2]])
        return {"y": [*more[0], *made[1]], "z": [*made[0], *more[1]]}

    x = np.array([[2.0, 3.0, 5.0], [7.0, 1.0, 4.0]])
    y, z = kernel.Kernel("fed", lambda: trace("fed", [("x", (3,))], run)).batch(x)
    np.testing.assert_array_equal(y, [[8.0, 10.0], [14.0, 28.0]])
    np.testing.assert_array_equal(z, [[6.0, 18.0], [7.0, 42.0]])


def test_loops_follow_what_a_choice_passes_over() -> None:
    """All results are watched then, and results of loops have slots only when their turns are planned."""

    def run(x: list[Number]) -> dict[str, list[Number]]:
        factor = 1.0 / where(x[0] < 0.5, x[1], x[2])
        rows = repeated(lambda s, item: [s[0] * item[0], item[1]], [factor], [[x[1], x[2]], [x[2], x[0]]])
        return {"y": [y for row in rows for y in row]}

    x = np.array([[0.2, 4.0, 0.0], [0.7, 4.0, 2.0], [0.2, 0.0, 2.0]])
    with np.errstate(all="ignore"):
        y = kernel.Kernel("choice", lambda: trace("choice", [("x", (3,))], run)).batch(x)
    expected = [[1.0, 0.0, 0.0, 0.2], [2.0, 2.0, 1.0, 0.7], [np.nan] * 4]
    np.testing.assert_array_equal(y, expected)


def test_a_quotient_inside_an_iteration_makes_its_state_nan() -> None:
    def run(x: list[Number]) -> dict[str, list[Number]]:
        rows = repeated(lambda s, item: [s[0] / item[0], item[0]], [x[0]], [[x[1]], [x[2]]])
        return {"y": [y for row in rows for y in row]}

    x = np.array([[6.0, 3.0, 2.0], [6.0, 3.0, 0.0]])
    compiled = kernel.Kernel("quotient", lambda: trace("quotient", [("x", (3,))], run))
    with np.errstate(all="ignore"):
        y = compiled.batch(x)
    np.testing.assert_array_equal(y, [[2.0, 3.0, 3.0, 2.0], [np.nan] * 4])
    one = compiled.one("quotient", lambda *args: "asked to complain")
    np.testing.assert_array_equal(one(x[0]), y[0])
    assert one(x[1]) == "asked to complain"


def test_what_a_loop_makes_can_only_be_a_result() -> None:
    def run(x: list[Number]) -> dict[str, list[Number]]:
        rows = repeated(lambda s, item: [s[0] * item[0]], [x[0]], [[x[1]], [x[2]]])
        return {"y": [-row[0] for row in rows]}

    with pytest.raises(AssertionError, match="an input of another loop"):
        kernel.Kernel("used", lambda: trace("used", [("x", (3,))], run)).batch(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("size", "padding", "shift"),
    [(204, 0, 0), (204, 0, 2), (206, 0, 0), (203, 1, 0), (205, 0, 1), (202, 2, 2), (3, 1, 0)],
)
def test_results_written_past_the_caches_are_the_same(
    size: int, padding: int, shift: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever their sizes, rows and first addresses (shift: numbers beyond a line of the cache)."""

    def run(x: list[Number]) -> dict[str, list[Number]]:
        items = [[x[0] * k + x[1], x[1] - k] for k in range(size)]
        rows = repeated(lambda s, item: [s[0] * item[0] + item[1]], x[:1], items)
        return {"y": [row[0] for row in rows], "z": [x[1] * k + 1.0 for k in range(size + padding)]}

    def answers(name: str) -> list[np.ndarray]:
        y, z = (_lying(37, size + padding, shift) for _ in range(2))
        compiled = kernel.Kernel(name, lambda: trace(name, [("x", (2,))], run))
        with np.errstate(all="ignore"):
            compiled.batch(x, out=(y[:, :size], z))
        return [y, z]

    x = np.random.default_rng(4).uniform(-1, 1, (37, 2))
    x[11, 1] = np.nan
    expected = answers(f"cached {size} {padding} {shift}")
    monkeypatch.setattr(llvm_batch_loop, "CACHED_BYTES", 0)
    for streamed, cached in zip(answers(f"streamed {size} {padding} {shift}"), expected, strict=True):
        np.testing.assert_array_equal(streamed, cached)
    assert np.isnan(expected[0][11, :size]).all()
    assert np.isfinite(np.delete(expected[0], 11, axis=0)).all()


def _lying(rows: int, columns: int, shift: int) -> np.ndarray:
    """Zeros that begin so many numbers behind a line of the cache."""
    spare = np.zeros(rows * columns + 16)
    first = -spare.ctypes.data % 64 // 8 + shift
    return spare[first : first + rows * columns].reshape(rows, columns)


def _simulate(program: Program, planned: Schedule, places: dict[Operand, int], width: int) -> None:
    """Run the steps with names instead of numbers."""
    memory: dict[int, object] = {slot: value for value, slot in places.items()}
    for value, slot in planned.constants:
        assert slot not in memory
        memory[slot] = value
    calls: dict[Program, list[Node]] = {loop.body: [] for loop in planned.loops}
    for call in (node for node in program.nodes if node.op == "call"):
        calls[call.value].append(call)
    written: list[set[int]] = [set() for _ in program.results]
    for step in planned.steps:
        if isinstance(step, Iteration):
            loop = planned.loops[step.loop]
            count = len(loop.body.results[0])
            own, results = loop.iterations[step.place][:-count], loop.iterations[step.place][-count:]
            read = (*loop.shared, *own)
            names = [memory[slot] for slot in read]
            (call,) = [x for x in calls[loop.body] if [_name(arg) for arg in x.args] == names]
            calls[loop.body].remove(call)
            assert len(set(results)) == count
            assert not set(results) & set(read)
            memory.update({slot: (call, k) for k, slot in enumerate(results)})
            continue
        elements, slots_of = program.results[step.output], planned.maps[step.output]
        for start in range(step.start, step.stop, width):
            first = max(0, min(start, len(elements) - width))  # the last group lies over the one before
            for place in range(first, min(first + width, len(elements))):
                assert memory[slots_of[place]] == _name(elements[place])
                written[step.output].add(place)
    assert not any(calls.values())
    assert written == [set(range(len(elements))) for elements in program.results]
    assert [memory[slot] for slot in planned.checked] == [_name(x) for x in possibly_nonfinite(program)]


def _name(x: Traced) -> object:
    if isinstance(x, Node) and x.op == "result":
        return x.args[0], x.value
    if isinstance(x, Node) and x.op != "const":
        return operand(x)
    return float(x.value) if isinstance(x, Node) else float(x)


def _random_program(rng: random.Random) -> Program:
    """Loops over values that are shared, repeated, constant or inputs; results in any order, some twice."""

    def run(x: list[Number]) -> dict[str, list[Number]]:
        pool: list[Number] = [*x, 1.5, 0.0, 2.0]
        for _ in range(rng.randint(3, 30)):
            a, b = rng.choice(pool), rng.choice(pool)
            pool.append(rng.choice((a + b, a * b, a - b)))
        if rng.random() < 0.5:
            pool.append(1.0 / (x[0] + 3.0))
        made: list[Number] = []
        for _ in range(rng.randint(1, 4)):
            size, factor = rng.randint(1, 5), rng.randint(0, 1)
            items = [[x[0], *rng.choices(pool, k=size)] for _ in range(rng.randint(1, 6))]

            def turn(s: list[Number], item: list[Number], factor: int = factor) -> list[Number]:
                return [y * s[factor] + s[1 - factor] for y in item] + [-(item[0] * s[0]), item[-1]]

            made += [y for row in repeated(turn, rng.choices(pool, k=2), items) for y in row]
        sizes = [rng.randint(1, 40) for _ in range(rng.randint(1, 4))]
        return {
            f"y{i}": [rng.choice(rng.choice((made, pool))) for _ in range(n)] for i, n in enumerate(sizes)
        }

    return trace("random", [("x", (4,))], run)
