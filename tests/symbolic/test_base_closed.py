"""Base parameters of closed robots: the worked example of ROSAM II, and Pinocchio along closed motions."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from linkages import hybrid
from pinocchio_regressor import oracle, rank

import rikigaku as rk
from rikigaku.core.errors import NotExact, WrongValue
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.robot_model import Coupling
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.base_parameters.relation_proof import proved

IN_PLANE = (0, "-9.81", 0)


@cache
def base(name: str, tree: bool = False, in_plane: bool = False) -> BaseParameters:
    return rk.load(name).base_parameters(gravity=IN_PLANE if in_plane else None, tree=tree)


@pytest.mark.parametrize(
    ("tree", "in_plane", "count"),
    [(False, False, 10), (False, True, 14), (True, False, 11), (True, True, 15)],
)
def test_the_example_of_rosam_has_ten_where_its_tree_has_eleven(
    tree: bool, in_plane: bool, count: int
) -> None:
    assert base("rosam_loop", tree, in_plane).count == count


def test_a_mass_at_the_pin_of_rosams_example_may_be_booked_on_either_link() -> None:
    """The column of m22 is that of m21, 2 L times that of msx31 and 4 L^2 times that of Izz31."""
    found = base("rosam_loop")
    into = {name: terms["m of l22"] for name, terms in found.formulas.items() if "m of l22" in terms}
    L = Formula.symbol("L")
    expected = {"m21": Formula.of(1), "msx31": 2 * L, "Izz31": 4 * L**2}
    assert {name.removesuffix(" (regrouped)"): x for name, x in into.items()} == expected
    assert "Inzz31 + 4*L**2*m22" in found.paper_form()
    assert "m22" in base("rosam_loop", tree=True).paper_form().split("\n")


@pytest.mark.parametrize("name", ["rosam_loop", "four_bar", "five_bar", "three_rrr", "stewart"])
def test_pinocchios_regressor_along_the_loops_has_that_rank_and_the_relations_we_found(name: str) -> None:
    robot = rk.load(name)
    found = base(name)
    rng = np.random.default_rng(5)
    theirs = oracle(robot.bind(**robot.declared_values) if robot.free_symbols else robot)
    Y = np.concatenate([theirs.rows(rng) for _ in range(60 if name == "stewart" else 120)])
    assert rank(Y) == found.count < base(name, tree=True).count
    error = np.abs(Y - Y[:, list(found.columns)] @ found.regrouping).max()
    assert error < 1e-9 * np.abs(Y).max()


@pytest.mark.parametrize("name", ["rosam_loop", "five_bar"])
def test_rotors_and_friction_of_a_closed_robot_count_as_pinocchio_and_newton_say(name: str) -> None:
    robot = rk.load(name)
    found = robot.base_parameters(joint_parameters=True)
    rng = np.random.default_rng(6)
    theirs = oracle(robot.bind(**robot.declared_values) if robot.free_symbols else robot)
    Y = np.concatenate([theirs.rows(rng, joint_parameters=True) for _ in range(120)])
    assert rank(Y) == found.count
    assert np.abs(Y - Y[:, list(found.columns)] @ found.regrouping).max() < 1e-9 * np.abs(Y).max()


def test_a_gear_merges_what_its_two_links_do() -> None:
    """Of three parallel joints the third turns back what the second turns: its link keeps its direction."""
    robot = rk.load("planar_3r")
    second, third = robot.joints[1:]
    geared = replace(robot, couplings=(Coupling(third.name, second.name, "-1"),))
    counts = [geared.base_parameters(tree=tree).count for tree in (True, False)]
    theirs = oracle(geared.bind(**dict.fromkeys(robot.free_symbols, 0.5)))
    G = np.array([[1, 0], [0, 1], [0, -1]])
    rows, rng = [], np.random.default_rng(8)
    for _ in range(60):
        q, v, a = (G @ x for x in rng.normal(size=(3, 2)))
        rows.append(G.T @ theirs.at(q, v, a))
    assert counts == [9, rank(np.concatenate(rows))]
    assert counts[1] < 9


def test_the_minimal_regressor_of_a_closed_robot_gives_its_driving_forces() -> None:
    """tau of the independent coordinates: those of the tree, projected, at a closed state."""
    robot = rk.load("five_bar")
    found = base("five_bar")
    from rikigaku.symbolic.loops.closed_configuration import consistent_state

    q = np.array([float(x) for x in consistent_state(robot, 4, 100).q])
    J = np.asarray(robot.loop_jacobian(q))
    _, s, Vt = np.linalg.svd(J)
    N = Vt[(s > 1e-9).sum() :].T
    rng = np.random.default_rng(0)
    v = N @ rng.normal(size=N.shape[1])
    a = N @ rng.normal(size=N.shape[1]) - np.linalg.pinv(J) @ np.asarray(robot.loop_bias(q, v))
    tree = replace(robot, loops=(), independent=())
    tau = np.asarray(tree.inverse_dynamics(q, v, a, friction=False))
    W = found.regressor(q, v, a)
    independent = [robot.v_slices[name].start for name in robot.independent] or [
        robot.v_slices[joint.name].start for joint in robot.joints if joint.actuated
    ]
    Jc = N @ np.linalg.inv(N[independent])
    assert np.allclose(W @ found.base_values(), Jc.T @ tau, rtol=0, atol=1e-12 * np.abs(tau).max() * 10)


def test_rules_are_for_trees() -> None:
    with pytest.raises(WrongValue, match="tree=True"):
        rk.load("four_bar").base_parameters(method="rules")


def test_a_symbol_in_an_angle_of_a_closed_robot_needs_a_value() -> None:
    robot = rk.load("four_bar")
    first = replace(robot.links[0], geometry=ModifiedDH(alpha=Formula.symbol("slope")))
    tilted = replace(robot, links=(first, *robot.links[1:]))
    with pytest.raises(NotExact, match="slope"):
        tilted.base_parameters()


@pytest.mark.parametrize("name", ["rosam_loop", "four_bar"])
def test_the_relations_of_a_small_loop_are_proved_modulo_its_closed_configurations(name: str) -> None:
    assert "proved modulo the ideal of the component" in base(name).verified


def test_a_relation_that_holds_in_the_tree_only_by_mistake_is_not_proved() -> None:
    found = base("rosam_loop")
    right = {"m of l22": _regrouped(found, "m of l22")}
    assert proved(found.problem, right, ())
    right["m of l22"]["Izz of l31"] = Formula.of("4*L**2 + 1/1000000")
    assert not proved(found.problem, right, ())


def _regrouped(found: BaseParameters, name: str) -> dict[str, Formula]:
    pairs = zip(found.found.kept, found.found.base, strict=True)
    return {kept: terms[name] for kept, terms in pairs if name in terms}


@pytest.mark.parametrize(
    ("serial", "count"),
    [(("revolute", "revolute"), 13), (("prismatic", "revolute"), 11), (("tilted", "revolute"), 21)],
)
def test_joints_in_series_on_a_loop_leave_its_lengths_symbolic(serial: tuple[str, ...], count: int) -> None:
    """Their rows hold few of the columns of the loop: more rows are needed, the rank does not change."""
    robot = hybrid(*serial)
    found = robot.base_parameters()
    assert found.count == count
    numbers = robot.bind(**robot.declared_values)
    theirs, rng = oracle(numbers), np.random.default_rng(5)
    Y = np.concatenate([theirs.rows(rng) for _ in range(20)])
    assert rank(Y) == count
    assert np.abs(Y - Y[:, list(found.columns)] @ found.matrix()).max() < 1e-8 * np.abs(Y).max()
