"""Configurations that determine base parameters of closed robots: enough of them, on one component."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from linkages import four_bar

import rikigaku as rk
from rikigaku.core.errors import CannotClose
from rikigaku.symbolic.base_parameters.closed_base_parameters import closed_relations
from rikigaku.symbolic.loops.component import component_of
from rikigaku.symbolic.loops.precise_closure import ConsistentState


def test_configurations_that_say_the_same_are_found_out_by_a_fresh_one() -> None:
    """The first ones repeat one configuration, at which more columns are dependent than on the component."""
    problem = four_bar().base_parameters().problem
    columns = list(four_bar().base_parameters(tree=True).found.kept)
    component = component_of(problem.geometry)
    repeated = [component.state(256)] * (len(columns) // 3 + 1)
    used: list[ConsistentState] = []

    def draw(_: object) -> ConsistentState:
        used.append(repeated.pop() if repeated else component.state(256))
        return used[-1]

    found = closed_relations(problem, columns, {}, np.random.default_rng(0), draw)
    assert not repeated
    assert len(found.echelon.pivots) == four_bar().base_parameters().count == 8
    assert found.states == len(used) - 1


def test_lengths_that_carry_a_configuration_far_away_give_none() -> None:
    """There it might be of another component: near a configuration of this one, or not at all."""
    lengths = {"crank_length": "4", "coupler_length": "10", "rocker_length": "8", "ground_length": "9"}
    symbols = tuple(rk.Symbol(name, rk.Formula.of(x)) for name, x in lengths.items())
    component = component_of(replace(four_bar(*lengths), symbols=symbols))
    near, refused = 0, 0
    for rocker in np.linspace(4, 14, 21):
        try:
            q = component.state(64, {"rocker_length": Fraction(rocker)}).q
        except CannotClose:
            refused += 1
            continue
        away = np.abs(np.array(component.configurations(8)) - np.array(q, float)).max(axis=1)
        assert away.min() < 0.3
        near += 1
    assert near
    assert refused
