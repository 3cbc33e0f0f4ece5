"""Elimination in loops keeps its time, can be stopped, and does not begin what cannot end."""

import threading
import time
from collections import Counter
from math import factorial

import pytest

import rikigaku as rk
from rikigaku.core.errors import JobCancelled, NoFormula, TimeLimit
from rikigaku.symbolic.algebra import child_process
from rikigaku.symbolic.loops import explicit_relations
from rikigaku.symbolic.loops.elimination_limits import orders

ROWS = [(0, 0, "0.3"), ("pi/2", 0, "0.1"), (0, "0.5", 0), ("pi/2", "0.05", "0.4"), ("-pi/2", 0, 0)]
ROWS += [("pi/2", 0, "0.1")]
AT = {"a": ("0", "0"), "b": ("0.6", "0")}


def arms(names: str) -> rk.Robot:
    """Arms of six turning joints that hold one body: all of its coordinates hang together."""
    links = []
    for b in names:
        links.append(rk.Link(f"{b}0", "base", rk.Joint(f"{b}f", "fixed"), rk.Placement(xyz=(*AT[b], "0"))))
        for k, (alpha, a, d) in enumerate(ROWS, 1):
            joint, geometry = rk.Joint(f"{b}{k}"), rk.ModifiedDH(alpha=alpha, a=a, d=d)
            links.append(rk.Link(f"{b}{k}", f"{b}{k - 1}", joint, geometry))
    held = [rk.Loop(f"hold {b}", "fixed", rk.LoopEnd("a6"), rk.LoopEnd(f"{b}6")) for b in names[1:]]
    return rk.Robot("arms", tuple(links), loops=tuple(held))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_unknowns_are_tried_in_every_order(n: int) -> None:
    assert len(set(orders(n, 24))) == len(orders(n, 24)) == factorial(n)
    assert orders(n, 24)[0] == tuple(range(n))


@pytest.mark.parametrize("n", [5, 6, 12, 40])
def test_of_many_orders_a_few_are_drawn_in_which_each_unknown_may_be_first(n: int) -> None:
    found = orders(n, 24)
    assert len(set(found)) == len(found) == 24
    assert all(sorted(order) == list(range(n)) for order in found)
    first = Counter(order[0] for order in found)
    assert len(first) == min(n, 24)
    assert max(first.values()) - min(first.values()) <= 1
    assert found == orders(n, 24)


@pytest.mark.parametrize(
    ("most", "why"),
    [(6, "too many coefficients for elimination"), (5, r"too many for elimination \(at most 5")],
)
def test_arms_that_hold_one_body_are_refused_before_any_order_is_tried(
    most: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One order would take ten seconds, and a hundred with three arms."""
    tried: list[object] = []
    monkeypatch.setattr(explicit_relations, "_ordered", lambda *given: tried.append(given))
    monkeypatch.setattr(explicit_relations, "_MOST_UNKNOWN", most)
    with pytest.raises(NoFormula, match=rf"b5.*{why}.*'hold b: gap x'.*numerically"):
        arms("ab").loop_constraints().eliminated(time_limit=3)
    assert not tried


def test_the_clock_runs_while_orders_are_tried_here(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def slow(system: object) -> None:
        tried.append(system)
        time.sleep(0.06)

    monkeypatch.setattr(explicit_relations, "quick_basis", slow)
    three = rk.load("three_rrr").loop_constraints()
    with pytest.raises(TimeLimit, match=r"'three_rrr' took longer than 0\.1 s.*independent"):
        three.eliminated(time_limit=0.1)
    assert len(tried) <= 2  # two take longer than that


def test_the_child_has_what_is_left_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def stopped(*_: object, time_limit: float, **__: object) -> None:
        given.append(time_limit)
        raise TimeLimit(f"It took longer than {time_limit:g} s and was stopped.")

    monkeypatch.setattr(explicit_relations, "quick_basis", lambda _: time.sleep(0.02))
    monkeypatch.setattr(child_process, "run", stopped)
    with pytest.raises(TimeLimit, match="longer than 50 s"):
        rk.load("three_rrr").loop_constraints().eliminated(time_limit=50)
    assert 0 < given[0] <= 50 - 24 * 0.02


def test_work_is_cancelled_between_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    cancel, tried = threading.Event(), []

    def cancelled(system: object) -> None:
        tried.append(system)
        cancel.set()

    monkeypatch.setattr(explicit_relations, "quick_basis", cancelled)
    with pytest.raises(JobCancelled, match="'three_rrr' was cancelled"):
        rk.load("three_rrr").loop_constraints().eliminated(time_limit=0, cancel=cancel)
    assert len(tried) == 1
