"""Coulomb friction of closed robots: its relations hold beyond where rates change their signs."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from linkages import four_bar, parallelogram

import rikigaku as rk
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.base_parameters.velocity_signs import drawn_signs, sign_groups
from rikigaku.symbolic.loops.component import component_of

COULOMB = (0.3, 0.5, 0.7, 1.1)


@cache
def crank_rocker() -> rk.Robot:
    """Four turning joints in a ring, cut through its last link; the crank goes round, two joints swing."""
    links, at = [], (0, "1/2", "3/2", "5/4")
    for k, (a, friction) in enumerate(zip(at, COULOMB, strict=True), 1):
        joint = rk.Joint(f"q{k}", actuated=k == 1, coulomb=friction)
        links.append(rk.Link(f"l{k}", f"l{k - 1}" if k > 1 else "base", joint, rk.ModifiedDH(a=a)))
    ends = rk.LoopEnd("l4"), rk.LoopEnd("base", rk.Placement(xyz=("8/5", 0, 0)))
    still = (rk.Formula.of(0),) * 3
    loops = (rk.Loop("cut", "fixed", *ends),)
    return rk.Robot("ring", tuple(links), loops=loops, independent=("q1",), gravity=still)


@cache
def postures() -> list[np.ndarray]:
    """Round one turn of the crank, one mode."""
    robot = crank_rocker()
    q = robot.assemble([0.0])
    found = []
    for angle in np.linspace(0, 2 * np.pi, 24, endpoint=False):
        q = robot.assemble([angle], near=q)
        found.append(q)
    return found


@cache
def base(k: int | None = None) -> BaseParameters:
    near = None if k is None else postures()[k]
    return crank_rocker().base_parameters(joint_parameters="coulomb", near=near)


@pytest.mark.parametrize("k", [4, 9, 14, 20])
def test_parameters_found_near_any_configuration_of_a_component_are_the_same(k: int) -> None:
    assert base(k).found == base().found
    assert base(k).count == 8
    assert "signs of rates drawn freely" in base(k).verified


def test_torques_from_base_parameters_are_right_round_the_whole_turn_of_a_crank() -> None:
    """Two joints swing: their rates change sign, at different places."""
    robot, found, patterns = crank_rocker(), base(4), set()
    for q in postures():
        v, a = robot.complete(q, [1.3], [0.0])
        patterns.add(tuple(np.sign(v)))
        by_newton = robot.inverse_dynamics(q, v, a)[0]
        assert by_newton == pytest.approx(np.abs(v) @ COULOMB / 1.3, rel=1e-12)  # power of the friction
        assert found.regressor(q, v, a) @ found.base_values() == pytest.approx(by_newton, rel=1e-9)
    assert len(patterns) >= 4


def test_rates_in_a_constant_ratio_share_a_sign_and_others_do_not() -> None:
    """Opposite corners of a crossed parallelogram open alike; all corners of an uncrossed one do."""
    modes = parallelogram().assemble([0.7], all=True)
    found = set()
    for q in modes:
        component = component_of(parallelogram(), q)
        shared = tuple(sign_groups([component.state(256) for _ in range(4)]))
        found.add((bool(np.isclose(q[0] + q[1], 0)), shared))
    assert found == {(True, ((0, 1), (0, -1), (0, 1))), (False, ((0, 1), (1, 1), (1, 1)))}


def test_a_rate_that_never_moves_has_no_friction() -> None:
    """Folded flat, a kite turns about one pin: its crank is at rest."""
    kite = four_bar("0.5", "0.8", "0.8", "0.5")
    component = component_of(kite, [0, 1, 1])
    found = sign_groups([component.state(256) for _ in range(4)])
    assert found == [None, (0, 1), (0, 1)]
    assert drawn_signs(found, np.random.default_rng(0))[0] == 0


def test_signs_are_drawn_alone_where_lengths_are_symbols_too() -> None:
    lengths = {"crank_length": "4", "coupler_length": "10", "rocker_length": "8", "ground_length": "9"}
    symbols = tuple(rk.Symbol(name, rk.Formula.of(x)) for name, x in lengths.items())
    robot = replace(four_bar(*lengths), symbols=symbols)
    found = robot.base_parameters(joint_parameters="coulomb")
    numbers = four_bar(*lengths.values()).base_parameters(joint_parameters="coulomb")
    assert found.found.kept == numbers.found.kept
    assert found.count == 8 + 3
    assert np.abs(found.matrix() - numbers.matrix()).max() < 1e-12
