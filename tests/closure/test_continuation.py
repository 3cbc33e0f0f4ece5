"""Configurations continued from others stay in their assembly mode, however far the way is."""

import numpy as np
import pytest
from closed_robots import shipped

# start, how many targets are drawn, some that lead by a singular configuration, and the first few others
CASES = {
    "five_bar": ([1.2, 1.8], 3000, [1476, 1747, 2619, 2745, *range(20)]),
    "three_rrr": ([0.3, 0.5, 0.4], 300, [169, 0, 2, 5, 6, 7, 8]),
}


@pytest.mark.parametrize("name", CASES)
def test_one_long_way_ends_where_the_same_way_in_150_pieces_does(name: str) -> None:
    robot = shipped(name)
    start, drawn, chosen = CASES[name]
    begin, own = robot.assemble(start), list(robot.closure().structure.independent)
    targets = np.random.default_rng(0).uniform(-np.pi, np.pi, (drawn, len(start)))[chosen]
    found = robot.assemble(targets, near=begin)
    fine = np.broadcast_to(begin, found.shape)
    for part in np.linspace(0, 1, 151)[1:]:
        fine = robot.assemble(begin[own] + part * (targets - begin[own]), near=fine)
    np.testing.assert_allclose(np.exp(1j * found), np.exp(1j * fine), atol=1e-8)
    mode = robot.assembly_mode(begin).mode
    assert all(robot.assembly_mode(q).mode == mode for q in found)
