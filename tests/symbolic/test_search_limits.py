"""The search for short forms is limited: long ones run in a child process that can be stopped."""

import subprocess
import sys

import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.numbers.formula_layout import operations
from rikigaku.symbolic.algebra import child_process, job_dispatch
from rikigaku.symbolic.formulas import formula_grouping
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.textbook_form import TextbookForms


@pytest.fixture(scope="module")
def element() -> ExactFormula:
    found: ExactFormula = rk.load("rx90").mass_matrix.symbolic[2, 4]
    assert found.terms > 12  # fewer are never long
    return found


@pytest.fixture
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of earlier runs are not read from disk."""
    monkeypatch.setattr(child_process, "cached_result", lambda job, data: None)


@pytest.mark.usefixtures("no_cache")
def test_a_search_beyond_its_limit_gives_a_quick_form_with_the_reason(element: ExactFormula) -> None:
    stopped = element.factored(time_limit=0)
    assert stopped == element
    assert element.factored().shown_operations < stopped.shown_operations < operations(element.formula)
    assert f"a short form of {element.terms} terms takes time, and time_limit is 0" in stopped.reason
    assert "factored(time_limit=...)" in stopped.reason
    with pytest.raises(WrongValue, match="time_limit is a number of seconds"):
        element.factored(time_limit=-1)
    some = rk.load("rx90").mass_matrix.symbolic[2:4, 3:5].factored(time_limit=0)
    assert "time_limit is 0" in some.reason


@pytest.mark.usefixtures("no_cache")
def test_a_long_search_moves_to_a_child_process(
    element: ExactFormula, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = element.factored()
    assert here.reason == ""
    assert here.shown_operations < operations(element.formula)
    monkeypatch.setattr(job_dispatch, "IN_PROCESS_BUDGET", 0.0)
    there = element.factored()
    assert str(there) == str(here)


@pytest.mark.usefixtures("no_cache")
def test_a_child_process_returns_the_very_form_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # a text would be read back as 9.81*D3*... + 9.81*MX2: numbers are multiplied into sums
    monkeypatch.setattr(job_dispatch, "IN_PROCESS_BUDGET", 0.0)
    g = rk.load("rx90").gravity_forces.symbolic[1].factored()
    assert g.reason == ""
    assert str(g).startswith("9.81*(cos(q2)*(D3*(M3 + M4 + M5 + M6) + MX2) + ")


def test_equal_elements_of_an_array_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[object] = []
    search = TextbookForms.__call__
    monkeypatch.setattr(TextbookForms, "__call__", lambda self, x: [search(self, x), searched.append(x)][0])
    M = rk.load("rx90").mass_matrix.formulas()[3:5, 3:5]
    M.latex()
    assert M[0, 1] == M[1, 0] != 0
    assert searched.count(M[0, 1].number) == 1


def test_a_search_with_little_work_gives_a_shorter_form_than_none(element: ExactFormula) -> None:
    forms = [element.shortest_within(work) for work in (0.0, 100.0, 1000.0, 10_000.0)]
    counts = [operations(form) for form in forms]
    assert operations(element.formula) > counts[0] >= counts[1] >= counts[2] >= counts[3]
    assert counts[0] > counts[3] == element.factored().shown_operations
    for form in forms:
        assert element.context.forms._number(form) - element.number == 0


def test_a_limited_search_does_not_depend_on_what_was_found_before() -> None:
    def forms(*before: float) -> list[str]:
        formula_grouping._known.clear()
        M = rk.load("rx90").mass_matrix.formulas()
        for work in before:
            M[2, 5].shortest_within(work)
            M[3, 3].shortest_within(work)
        return [str(M[3, 3].shortest_within(work)) for work in (30.0, 700.0)]

    cold = forms()
    assert cold[0] != cold[1]
    assert forms(3000.0, 300.0) == cold


_PRINTED = """
import sys, time
if sys.argv[1] == "slow":  # a machine on which everything takes twenty times as long
    for clock in ("thread_time", "process_time", "monotonic", "perf_counter"):
        def slow(clock=getattr(time, clock), began=getattr(time, clock)()):
            return began + 20 * (clock() - began)
        setattr(time, clock, slow)
import rikigaku as rk

def arm(n, parent, joint, **geometry):
    inertia = rk.Inertia("origin", f"m{n}", (f"mx{n}", 0, 0), (0, 0, 0, 0, 0, f"zz{n}"))
    return rk.Link(f"link{n}", parent, rk.Joint(joint), rk.ModifiedDH(**geometry), inertia)

torso = rk.Robot("torso", (
    arm(1, "base", "waist"),
    arm(2, "link1", "l1", alpha="pi/2", a="w"), arm(3, "link2", "l2", a="u"),
    arm(4, "link1", "r1", alpha="pi/2", a="-w"), arm(5, "link4", "r2", a="u"),
))
M = torso.mass_matrix.symbolic
print(M[0, 0].shown_operations)
print(M)
"""


def test_a_formula_prints_the_same_in_every_process_at_every_speed() -> None:
    def printed(speed: str, seed: str) -> str:
        environment = {**child_process.child_environment(), "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", _PRINTED, speed]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    first = printed("fast", "0")
    assert int(first.split("\n")[0]) <= 42  # zz1 + (m3*(u*cos(l1) + w) + ...)*(u*cos(l1) + w) + ...
    assert printed("slow", "5") == first
