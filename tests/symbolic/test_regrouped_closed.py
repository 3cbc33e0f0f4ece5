"""Closed robots regrouped: by their trees, so that every law stays, or by what forces along loops tell."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import NotVerified, WrongValue
from rikigaku.symbolic.base_parameters import regrouped_closed_robot

Array = np.ndarray


def parallelogram() -> rk.Robot:
    """Two cranks of 0.5 m, joined by a bar of 0.7 m."""
    bars = (("crank", "base", "0"), ("bar", "crank", "0.5"), ("rocker", "base", "0.7"))
    inertia = rk.Inertia("origin", 1, ("0.2", 0, 0), (0, 0, 0, "0.1", 0, "0.1"))
    links = tuple(
        rk.Link(
            name, parent, rk.Joint(f"{name}_angle", actuated=name == "crank"), rk.ModifiedDH(a=at), inertia
        )
        for name, parent, at in bars
    )
    ends = rk.LoopEnd("bar", rk.ModifiedDH(a="0.7")), rk.LoopEnd("rocker", rk.ModifiedDH(a="0.5"))
    gravity = tuple(rk.Formula.of(x) for x in (0, "-9.81", 0))
    return rk.Robot("parallelogram", links, loops=(rk.Loop("pin", "revolute", *ends),), gravity=gravity)


INDEPENDENT = {"five_bar": (0.3, 1.2), "sr400": (0.1, -1.3, 0.2, 0.3, 0.4, 0.2), "slider_crank": (0.7,)}


def motion(robot: rk.Robot) -> tuple[Array, Array, Array]:
    """A configuration and random rates and accelerations of the independent joints."""
    q = robot.assemble(INDEPENDENT[robot.name.removesuffix(" (regrouped)")])
    return q, *np.random.default_rng(0).normal(size=(2, robot.closure().mobility))


def same(x: Array, y: Array) -> bool:
    return bool(np.abs(x - y).max() <= 1e-11 * np.abs(y).max())


@pytest.mark.parametrize("name", INDEPENDENT)
def test_by_its_tree_every_law_of_a_closed_robot_stays(name: str) -> None:
    robot = rk.load(name)
    less = robot.regrouped()
    q, v, a = motion(robot)
    assert same(less.reduced.inverse_dynamics(q, v, a), robot.reduced.inverse_dynamics(q, v, a))
    assert same(less.reduced.mass_matrix(q), robot.reduced.mass_matrix(q))
    tau = robot.inverse_dynamics(q, *robot.complete(q, v, a))
    v_all, a_all = robot.complete(q, v, a)
    assert same(less.forward_dynamics(q, v_all, tau), robot.forward_dynamics(q, v_all, tau))
    assert same(less.loop_forces(q, v_all, a_all, tau), robot.loop_forces(q, v_all, a_all, tau))
    assert less.inverse_dynamics.operations.total <= robot.inverse_dynamics.operations.total


@pytest.mark.parametrize("name", INDEPENDENT)
def test_by_its_loops_forces_of_its_actuators_stay_for_still_less_work(name: str) -> None:
    robot = rk.load(name)
    less = robot.regrouped(loops=True)
    q, v, a = motion(robot)
    v_all, a_all = robot.complete(q, v, a)
    assert same(less.inverse_dynamics(q, v_all, a_all), robot.inverse_dynamics(q, v_all, a_all))
    assert same(less.reduced.mass_matrix(q), robot.reduced.mass_matrix(q))
    tree = robot.regrouped().inverse_dynamics.operations.total
    assert less.inverse_dynamics.operations.total < tree
    tau = np.ones(len(robot.closure().actuated))
    # links without mass: the equations of motion are projected onto the independent coordinates
    assert same(less.forward_dynamics(q, v_all, tau), robot.forward_dynamics(q, v_all, tau))


def test_base_parameters_of_a_closed_robot_become_as_many_inputs() -> None:
    robot = rk.load("sr400")
    model = robot.regrouped("symbols", loops=True)
    base = robot.base_parameters()
    assert len(model.free_symbols) == base.count == 39
    q, v, a = motion(robot)
    state = (q, *robot.complete(q, v, a))
    W, own = base.regressor(*state), base.base_values()
    assert same(model.reduced.inverse_dynamics(q, v, a), W @ own)
    k = 7
    changed = {model.free_symbols[k]: own[k] + 1}
    assert same(model.reduced.inverse_dynamics(q, v, a, **changed), W @ own + W[:, k])


def test_lengths_that_are_symbols_stay_inputs_beside_them() -> None:
    robot = rk.load("rosam_loop")
    model = robot.regrouped("symbols", loops=True)
    assert len(model.free_symbols) == 11
    assert "L" in model.free_symbols


def test_the_assembly_mode_is_chosen_by_a_configuration() -> None:
    """A parallelogram moves as one pendulum, its crossed twin does not."""
    robot = parallelogram()
    modes = robot.assemble([0.7], all=True)
    assert [len(robot.regrouped("symbols", loops=True, near=q).free_symbols) for q in modes] == [3, 8]


def test_loops_are_for_robots_that_have_them() -> None:
    with pytest.raises(WrongValue, match="no loops"):
        rk.load("scara").regrouped(loops=True)
    with pytest.raises(WrongValue, match="loops=True"):
        rk.load("five_bar").regrouped(near=[0, 0, 0, 0])


def test_wrong_base_parameters_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = regrouped_closed_robot.base_values
    monkeypatch.setattr(regrouped_closed_robot, "base_values", lambda *args: [x + 1e-5 for x in right(*args)])
    with pytest.raises(NotVerified, match="along the motions of its loops"):
        rk.load("five_bar").regrouped(loops=True)
