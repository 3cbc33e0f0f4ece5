"""What follows the chunks of a program: every slot holds what is read from it, when it is read."""

import random

import numpy as np
import pytest

from rikigaku.codegen import kernel, llvm_loop
from rikigaku.codegen.instructions import Operand, operand
from rikigaku.codegen.schedule import Schedule, Turn, risky
from rikigaku.numbers import repeat
from rikigaku.numbers.functions import where
from rikigaku.numbers.graph import Node, Traced
from rikigaku.numbers.kind import Number
from rikigaku.numbers.program import Program, trace
from rikigaku.numbers.repeat import repeated


@pytest.fixture(autouse=True)
def _loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeat, "WORTH_A_LOOP", 0)
    monkeypatch.setenv("RIKIGAKU_CACHE", "off")


@pytest.mark.parametrize("seed", range(60))
def test_every_slot_holds_what_is_read_from_it(seed: int) -> None:
    program = _random_program(random.Random(seed))
    for width in (1, 2, 4, 8):
        _simulate(program, Schedule(program, seed % 4 * 10, width), seed % 4 * 10, width)


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


def test_a_quotient_inside_a_turn_spoils_its_state() -> None:
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


def test_what_a_loop_makes_can_only_be_handed_on() -> None:
    def run(x: list[Number]) -> dict[str, list[Number]]:
        rows = repeated(lambda s, item: [s[0] * item[0]], [x[0]], [[x[1]], [x[2]]])
        return {"y": [-row[0] for row in rows]}

    with pytest.raises(AssertionError, match="given to another loop"):
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
    monkeypatch.setattr(llvm_loop, "_CACHED_BYTES", 0)
    for streamed, cached in zip(answers(f"streamed {size} {padding} {shift}"), expected, strict=True):
        np.testing.assert_array_equal(streamed, cached)
    assert np.isnan(expected[0][11, :size]).all()
    assert np.isfinite(np.delete(expected[0], 11, axis=0)).all()


def _lying(rows: int, columns: int, shift: int) -> np.ndarray:
    """Zeros that begin so many numbers behind a line of the cache."""
    spare = np.zeros(rows * columns + 16)
    first = -spare.ctypes.data % 64 // 8 + shift
    return spare[first : first + rows * columns].reshape(rows, columns)


def _simulate(program: Program, schedule: Schedule, slots: int, width: int) -> None:
    """Run the steps with names instead of numbers."""
    memory: dict[int, object] = {slot: value for value, slot in schedule.constants}
    for index, places in schedule.kept.items():
        for negative, slot in places:
            assert slot >= slots
            assert slot not in memory
            memory[slot] = Operand(index, negative)
    calls = iter(_in_order(program))
    written: list[set[int]] = [set() for _ in program.results]
    for step in schedule.steps:
        if isinstance(step, Turn):
            loop, call = schedule.loops[step.loop], next(calls)
            assert loop.turn is call.value
            count = len(call.value.results[0])
            own, results = loop.turns[step.place][:-count], loop.turns[step.place][-count:]
            read = (*loop.shared, *own)
            assert [memory[slot] for slot in read] == [_name(x) for x in call.args]
            assert len(set(results)) == count
            assert not set(results) & set(read)
            memory.update({slot: (call, k) for k, slot in enumerate(results)})
            continue
        elements, slots_of = program.results[step.output], schedule.maps[step.output]
        for start in range(step.start, step.stop, width):
            first = max(0, min(start, len(elements) - width))  # the last group lies over the one before
            for place in range(first, min(first + width, len(elements))):
                assert memory[slots_of[place]] == _name(elements[place])
                written[step.output].add(place)
    assert written == [set(range(len(elements))) for elements in program.results]
    assert [memory[slot] for slot in schedule.watched] == [_name(x) for x in risky(program)]


def _in_order(program: Program) -> list[Node]:
    """Turns in the order in which results ask for them."""
    made = (x for elements in program.results for x in elements if isinstance(x, Node) and x.op == "result")
    return list(dict.fromkeys(x.args[0] for x in made))


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
