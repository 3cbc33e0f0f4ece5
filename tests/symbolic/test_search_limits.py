"""The search for short forms is limited: long ones run in a child process that can be stopped."""

import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.numbers.formula_layout import operations
from rikigaku.symbolic.algebra import child_process, job_dispatch
from rikigaku.symbolic.formulas import formula_array
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
def test_a_search_beyond_its_limit_gives_the_stored_form_with_the_reason(element: ExactFormula) -> None:
    stopped = element.factored(time_limit=0)
    assert stopped == element
    assert str(stopped) == str(element.formula)
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


def test_long_searches_of_an_array_end_with_quick_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formula_array, "_SEARCHING", 0.0)
    M = rk.load("rx90").mass_matrix.formulas()[1:2, 5:6]
    quick = [operations(x.shortest) for x in M.array.flat] if M.latex() else []
    assert all(q < operations(x.formula) for q, x in zip(quick, M.array.flat, strict=True))
    assert all(q > x.factored().shown_operations for q, x in zip(quick, M.array.flat, strict=True))
    (x,) = M[0, :1].array.flat
    assert x.context.forms._number(x.shortest) - x.number == 0
