"""What base parameters say of their own checking is true, and misspelt symbols are reported."""

from dataclasses import replace

import pytest
from linkages import four_bar

import rikigaku as rk
from rikigaku.core.errors import NotExact, NotVerified, TimeLimit, UnknownName
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.base_parameters import geometric_rules
from rikigaku.symbolic.base_parameters.regrouping import Regrouping
from rikigaku.symbolic.base_parameters.relation_proof import proved


def test_a_misspelt_symbol_is_reported_with_those_there_are() -> None:
    base = rk.load("scara").base_parameters()
    with pytest.raises(UnknownName, match=r"'L1'.*l1"):
        base.matrix(L1=0.5)
    with pytest.raises(UnknownName, match="L1"):
        base.base_values([0.0] * len(base.parameters), L1=0.5)


@pytest.mark.parametrize("name", ["puma560", "scara", "panda"])
def test_what_geometric_rules_find_is_held_against_the_regressor(name: str) -> None:
    assert "exactly, at" in rk.load(name).base_parameters(method="rules", joint_parameters=True).verified


def test_rules_are_verified_where_lengths_have_square_roots() -> None:
    robot = rk.load("planar_3r").bind(l1="sqrt(5)", l2="sqrt(7)/2")
    assert "exactly, at" in robot.base_parameters(method="rules").verified


def test_rules_that_err_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = geometric_rules.base_by_rules

    def wrong(robot: rk.Robot, joint_parameters: tuple[str, ...] = ()) -> Regrouping:
        found = right(robot, joint_parameters)
        terms = [dict(x) for x in found.base]
        k, name = next((k, n) for k, x in enumerate(terms) for n in x if n != found.kept[k])
        terms[k][name] = terms[k][name] + Formula.of("1/1000000")
        return replace(found, base=tuple(terms))

    monkeypatch.setattr(geometric_rules, "base_by_rules", wrong)
    with pytest.raises(NotVerified):
        rk.load("puma560").base_parameters(method="rules")


def test_no_relations_are_no_proof() -> None:
    assert not proved(rk.load("four_bar").base_parameters().problem, {}, ())


def test_loops_that_close_near_their_declared_lengths_only_are_closed_there() -> None:
    """Lengths drawn at random hardly ever make a four-bar of 4, 5, 6 and 13 (at most 15 must be bridged)."""
    lengths = {"crank_length": "4", "coupler_length": "5", "rocker_length": "6", "ground_length": "13"}
    symbols = tuple(rk.Symbol(name, Formula.of(x)) for name, x in lengths.items())
    robot = replace(four_bar(*lengths), symbols=symbols)
    found = robot.base_parameters()
    numbers = four_bar(*lengths.values()).base_parameters()
    assert found.found.kept == numbers.found.kept
    assert abs(found.matrix() - numbers.matrix()).max() < 1e-12


def test_an_angle_too_fine_for_a_root_of_unity_is_named() -> None:
    geometry = rk.ModifiedDH(alpha=Formula.of("0.123456789*pi"))
    arm = rk.Robot("arm", (rk.Link("l", "base", rk.Joint("j"), geometry),))
    with pytest.raises(NotExact, match=r"123456789.*fewer digits"):
        arm.base_parameters()


@pytest.mark.parametrize("angle", ["0.1234*pi", "0.123456789012345", "beta/7 + 0.3", "pi/7 + 1/3"])
def test_angles_of_many_digits_and_parts_of_symbols_are_divided_as_they_need(angle: str) -> None:
    """Three turning joints on slanted axes, gravity along the first: 1 + 7 + 7 base parameters."""
    links = [rk.Link("l0", "base", rk.Joint("j0"))]
    for k in (1, 2):
        geometry = rk.ModifiedDH(alpha=Formula.of(angle), a=Formula.of("0.4"))
        links.append(rk.Link(f"l{k}", f"l{k - 1}", rk.Joint(f"j{k}"), geometry))
    assert rk.Robot("arm", tuple(links)).base_parameters().count == 15


def test_a_time_limit_gives_the_rules_for_trees_and_an_error_for_loops() -> None:
    tree = rk.load("stanford").with_gravity((0, 0, -1.25))  # another robot than those of other tests
    found = tree.base_parameters(time_limit=0)
    assert found.count == rk.load("stanford").base_parameters(method="rules").count
    assert found.verified.startswith("geometric rules, not compared with the regressor: The search for the")
    with pytest.raises(TimeLimit, match=r"time_limit is 0\. Give more time .*tree=True"):
        rk.load("four_bar").with_gravity((0, 0, -1.25)).base_parameters(time_limit=0)
