"""Newton's method on the loops: it converges from almost anywhere, and abandons what does not close."""

import numpy as np
import pytest
from closed_robots import shipped

from rikigaku.closure.closure_plan import equations_of
from rikigaku.closure.loop_closure_newton import LoopEquations
from rikigaku.model.states import random_state


@pytest.mark.parametrize(("name", "least"), [("four_bar", 0.95), ("delta", 0.8)])
def test_with_the_actuators_held_nearly_every_start_closes(name: str, least: float) -> None:
    robot = shipped(name)
    plan, equations = robot.closure(), equations_of(robot)
    free = list(plan.structure.dependent)
    places = [robot.q_slices[joint].start for joint in plan.independent]
    parts = []
    for sample in plan.samples[:4]:
        q = random_state(robot, 0, 48).q
        q[:, places] = sample[places]
        found = equations.newton(q, free)
        np.testing.assert_array_equal(found.q[:, places], q[:, places])
        assert np.abs(found.residual[found.closed]).max() < 1e-11
        parts.append(found.closed.mean())
    assert np.mean(parts) > least


def test_targets_out_of_reach_are_abandoned_before_the_last_step(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = shipped("four_bar")
    targets = np.linspace(0.1, 0.3, 30)  # of the rocker; it begins at about 0.9
    robot.assemble({"rocker_angle": 1.6})
    tried, residual = [], LoopEquations.residual

    def counted(self: LoopEquations, q: np.ndarray) -> np.ndarray:
        tried.append(len(q))
        return residual(self, q)

    monkeypatch.setattr(LoopEquations, "residual", counted)
    found = robot.assemble({"rocker_angle": targets}, strict=False)
    assert np.isnan(found).all()
    assert sum(tried) < 0.5 * 48 * 60 * len(targets)  # of the starts and steps there might be


def test_no_step_makes_the_residual_longer() -> None:
    robot = shipped("four_bar")
    equations = equations_of(robot)
    q = random_state(robot, 1, 40).q
    sizes = np.array(
        [np.linalg.norm(equations.newton(q, [1, 2], k).residual, axis=1) for k in (0, 1, 2, 4, 8, 60)]
    )
    assert (np.diff(sizes, axis=0) <= 1e-15).all()
    assert np.isclose(sizes[0], np.linalg.norm(robot.loop_residual(q), axis=1)).all()


def test_near_a_solution_it_converges_quadratically_also_with_redundant_equations() -> None:
    for name in ("four_bar", "stewart"):
        robot = shipped(name)
        equations, rng = equations_of(robot), np.random.default_rng(0)
        start = equations.moved(robot.closure().samples[:4], 1e-3 * rng.normal(size=(4, robot.nv)))
        left = [np.abs(equations.newton(start, range(robot.nv), k).residual).max() for k in range(4)]
        assert left[1] < 10 * left[0] ** 1.5
        assert left[2] < 10 * left[1] ** 1.5
        assert left[3] < 1e-13
