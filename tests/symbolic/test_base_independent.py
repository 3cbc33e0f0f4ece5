"""A closed robot's minimal regressor has the rows of robot.reduced, whatever is called independent."""

from dataclasses import replace

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.closure.closure_plan import closure


@pytest.mark.parametrize("independent", [("right_motor", "left_motor"), ()])
def test_rows_are_those_of_the_reduced_robot_and_of_the_formulas_in_the_same_order(
    independent: tuple[str, ...],
) -> None:
    robot = replace(rk.load("five_bar"), independent=independent)
    found = robot.base_parameters()
    plan = closure(robot)
    rng = np.random.default_rng(2)
    q = plan.samples[:3]
    N = np.asarray(robot.reduced.jacobian(q))
    J = np.asarray(robot.loop_jacobian(q))
    assert np.abs(J @ N).max() < 1e-9
    v = np.einsum("kij,kj->ki", N, rng.normal(size=(3, 2)))
    bias = np.asarray(robot.loop_bias(q, v))
    a = np.einsum("kij,kj->ki", N, rng.normal(size=(3, 2))) - np.einsum("kij,kj->ki", np.linalg.pinv(J), bias)
    tree = replace(robot, loops=(), independent=())
    tau = np.asarray(tree.inverse_dynamics(q, v, a, friction=False))
    mine = found.regressor(q, v, a) @ found.base_values()
    # in the order the plan names, the rows of N over the independent coordinates are the identity
    assert np.abs(N[:, plan.structure.independent] - np.eye(2)).max() < 1e-12
    assert np.abs(mine - np.einsum("kji,kj->ki", N, tau)).max() < 1e-10 * np.abs(tau).max()
    assert robot.loop_constraints().independent == plan.structure.independent


@pytest.mark.parametrize("name", ["four_bar", "three_rrr"])
def test_without_a_list_formulas_and_numbers_choose_the_same_joints(name: str) -> None:
    """Also where no joint is driven, so that nothing hints at a choice."""
    robot = replace(rk.load(name), independent=())
    idle = tuple(replace(x, joint=replace(x.joint, actuated=False)) for x in robot.links)
    for one in (robot, replace(robot, links=idle)):
        assert one.loop_constraints().independent == closure(one).structure.independent
