"""What base parameters say of their own checking is true, and misspelt symbols are told."""

from dataclasses import replace

import pytest

import rikigaku as rk
from rikigaku.errors import NotVerified, UnknownName
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.base import rules
from rikigaku.symbolic.base.proof import proved
from rikigaku.symbolic.base.regrouping import Regrouping


def test_a_misspelt_symbol_is_told_with_those_there_are() -> None:
    base = rk.load("scara").base_parameters()
    with pytest.raises(UnknownName, match="'L1'.*l1"):
        base.matrix(L1=0.5)
    with pytest.raises(UnknownName, match="L1"):
        base.base_values([0.0] * len(base.parameters), L1=0.5)


@pytest.mark.parametrize("name", ["puma560", "scara", "panda"])
def test_what_geometric_rules_find_is_held_against_the_regressor(name: str) -> None:
    assert "exactly, at" in rk.load(name).base_parameters(method="rules", drives=True).verified


def test_rules_are_verified_where_lengths_have_square_roots() -> None:
    robot = rk.load("planar_3r").bind(l1="sqrt(5)", l2="sqrt(7)/2")
    assert "exactly, at" in robot.base_parameters(method="rules").verified


def test_rules_that_err_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rules.base_by_rules

    def wrong(robot: rk.Robot, drives: tuple[str, ...] = ()) -> Regrouping:
        found = right(robot, drives)
        terms = [dict(x) for x in found.base]
        k, name = next((k, n) for k, x in enumerate(terms) for n in x if n != found.kept[k])
        terms[k][name] = terms[k][name] + Formula.of("1/1000000")
        return replace(found, base=tuple(terms))

    monkeypatch.setattr(rules, "base_by_rules", wrong)
    with pytest.raises(NotVerified):
        rk.load("puma560").base_parameters(method="rules")


def test_no_relations_are_no_proof() -> None:
    assert not proved(rk.load("four_bar").base_parameters().question, {})
