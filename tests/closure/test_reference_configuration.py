"""The mobility of the reference configuration is used: in the plan, in assemble, in the laws."""

from dataclasses import replace

import numpy as np
import pytest
from folding_linkages import sarrus, scissor

import rikigaku as rk
from rikigaku.closure import rank_sampling

LEVEL = np.array([-0.6, 1.2 - np.pi, 0.6, np.pi - 1.2, np.pi - 0.6])  # arms bent alike, the plate level
FOLDED = np.array([0.3, np.pi, -0.2, np.pi, -0.3 - np.pi])  # forearms back at the base, where all turn alone


def test_a_scissor_lift_that_closes_at_rest_has_one_freedom_and_carries_its_deck() -> None:
    robot, zero = scissor(), np.zeros(7)
    assert np.abs(robot.loop_residual(zero)).max() < 1e-15
    plan = robot.closure()
    assert plan.mobility == 1
    assert plan.actuated == ("drive",)
    tau = robot.inverse_dynamics(zero, zero, zero)
    # virtual work by hand: x = 2 cos of the slope and heights k sin, so dz/dx = -(k/2) cos/sin = -(k/2) 4/3
    heights = 1 + 1 + 3 + 3 + 30 * 4 + 1 * 4  # masses times k: four arms, the deck, its shoe
    weight = abs(float(robot.gravity[2])) * heights
    np.testing.assert_allclose(np.abs(tau), [weight * 2 / 3], rtol=1e-12)


def test_a_scissor_lift_falls_along_the_null_space_of_all_its_equations() -> None:
    robot, zero = scissor(), np.zeros(7)
    a = robot.forward_dynamics(zero, zero, [0.0])
    J, M, g = robot.loop_jacobian(zero), robot.tree.mass_matrix(zero), robot.tree.gravity_forces(zero)
    N = np.linalg.svd(J)[2][6:].T
    np.testing.assert_allclose(a, N @ np.linalg.solve(N.T @ M @ N, -N.T @ g), rtol=1e-10)
    fall = rk.simulate(robot, zero, duration=0.2)
    assert fall.status == "done"
    assert fall.residual.max() < 1e-13
    assert fall.energy_audit().relative < 1e-8


@pytest.mark.parametrize("independent", [(), ("a1",)])
def test_a_sarrus_linkage_has_one_freedom_though_it_also_folds(independent: tuple[str, ...]) -> None:
    robot = sarrus(independent=independent)
    assert robot.closure().mobility == 1
    assert robot.loop_constraints().mobility == 1
    modes = robot.assemble({"a1": -0.6}, all=True)
    assert [robot.assembly_mode(q).mobility for q in modes] == [1] * len(modes)
    assert min(np.abs(np.sin((modes - LEVEL) / 2)).max(axis=1)) < 1e-9
    q = robot.assemble([-0.6])
    assert robot.assembly_mode(q).mobility == 1


def test_the_plan_near_any_configuration_can_be_inspected() -> None:
    robot = sarrus()
    assert np.abs(robot.loop_residual(FOLDED)).max() < 1e-14
    assert robot.closure(near=FOLDED).mobility == 2
    assert robot.closure(near=LEVEL).mobility == robot.closure().mobility == 1
    folding = replace(robot, independent=("a1", "b1"))  # two named joints: mobility 2
    assert folding.closure().mobility == 2
    assert np.abs(folding.loop_residual(folding.closure().samples)).max() < 1e-13


@pytest.mark.parametrize("name", ["five_bar", "delta", "three_rrr", "stewart"])
def test_base_parameters_and_laws_use_the_same_mobility(name: str) -> None:
    from rikigaku.symbolic.loops.component import component_of

    robot = rk.load(name)
    assert component_of(robot).mobility == robot.closure().mobility


def test_the_reference_configuration_is_among_the_samples_however_few_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rank_sampling, "_SAMPLES", 2)  # others are further from singular configurations
    assert np.abs(rank_sampling.samples(scissor()).q).max(axis=1).min() < 1e-6


def test_near_an_almost_closed_configuration_its_own_mobility_is_reported() -> None:
    robot = sarrus()
    near = FOLDED + 0.02  # by the number of actuators mobility 1 would be chosen
    plan = robot.closure(near=near)
    assert plan.mobility == 2
    # walks from there, not configurations from anywhere that have the same mobility
    assert np.linalg.norm(plan.samples - near, axis=1).max() < 6 * 0.25 + 0.1
