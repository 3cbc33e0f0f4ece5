"""Linear relations of loops are substituted in laws: parallelograms, gears, rods of equal length."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from linkages import F, four_bar, geared_arm, palletiser, parallelogram, projected, two_sliders
from palletizers import palletizer
from pinocchio_regressor import oracle

import rikigaku as rk
from rikigaku.core.errors import UnclosedWarning
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.loops.linear_substitution import linear_substitution


def geared() -> rk.Robot:
    arm = geared_arm()
    return replace(arm, couplings=(replace(arm.couplings[0], offset=F("pi/3")),))


ROBOTS: dict[str, tuple[Callable[[], rk.Robot], int]] = {  # and how many coordinates are substituted
    "palletizer": (lambda: palletizer(False), 6),
    "sr400": (lambda: rk.load("sr400"), 2),
    "parallelogram": (parallelogram, 2),
    "palletiser": (palletiser, 2),
    "two_sliders": (two_sliders, 1),
    "kite": (lambda: four_bar("0.5", "0.8", "0.8", "0.5"), 1),
    "geared": (geared, 1),
}


@cache
def robot_of(name: str) -> rk.Robot:
    return ROBOTS[name][0]()


def closed_state(robot: rk.Robot, seed: int) -> tuple[Any, Any, Any, tuple[int, ...]]:
    """A configuration near the middle of the limits in the default mode, and rates of independent joints."""
    rng, plan = np.random.default_rng(seed), robot.closure()
    places = plan.structure.independent
    known = {"sr400": [0, -1.5, 0, 0, 0, 0.1], "2-PRR": [0, 0.5]}
    middle = np.array(known.get(robot.name, np.array(plan.samples[0])[list(places)]))
    q = robot.assemble(middle + rng.uniform(-0.2, 0.2, len(places)))
    return q, *rng.normal(size=(2, len(places))), places


@pytest.mark.parametrize("name", ROBOTS)
def test_laws_with_relations_substituted_have_the_values_of_projected_dynamics(name: str) -> None:
    robot = robot_of(name)
    linear = linear_substitution(robot)
    assert linear is not None
    assert len(linear.slopes) == ROBOTS[name][1]
    gone = {list(robot.joints)[k].name for k in linear.slopes}
    assert all(joint.nv == 1 for joint in robot.joints)
    for seed in range(3):
        q, v, a, places = closed_state(robot, seed)
        assert np.abs(robot.loop_residual(q)).max() < 1e-10
        tau, M = projected(robot, q, v, a, places)
        scale = max(1.0, np.abs(tau).max())
        reduced = robot.reduced
        for law, at, expected in (
            (reduced.mass_matrix, {}, M),
            (reduced.inverse_dynamics, {"v": v, "a": a}, tau),
            (reduced.gravity_forces, {}, projected(robot, q, 0 * v, 0 * a, places)[0]),
            (reduced.velocity_forces, {"v": v}, reduced.velocity_forces(q, v)),
            (reduced.coriolis_matrix, {"v": v}, reduced.coriolis_matrix(q, v)),
            (reduced.jacobian, {}, reduced.jacobian(q)),
        ):
            options = {"friction": False} if law is reduced.inverse_dynamics else {}
            found = law.formulas(**options)
            assert isinstance(found, Formulas)
            assert not {x.removesuffix("_dot").removesuffix("_d") for x in found.names} & gone
            assert np.abs(np.array(found.value(q=q, **at), float) - expected).max() < 1e-9 * scale
            steps = law.intermediates(**options)
            assert np.abs(steps.value(q=q, **at) - expected).max() < 1e-9 * scale


@pytest.mark.parametrize("name", ["palletizer", "sr400", "two_sliders"])
def test_forces_of_the_actuators_are_pinocchios_with_constraints(name: str) -> None:
    """tau from Pinocchio's tree and its own loop Jacobian: the passive joints transmit nothing."""
    robot = robot_of(name)
    robot = robot.bind(**robot.declared_values)
    theirs = oracle(robot)
    values = np.array(list(robot.parameters().values()), float)
    actuated = [k for k, joint in enumerate(robot.joints) if joint.actuated]
    for seed in range(3):
        q, v, a, _ = closed_state(robot, seed)
        full_v, full_a = robot.complete(q, v, a)
        tree = theirs.at(q, full_v, full_a) @ values
        gap, J = theirs.gap(theirs.model.createData(), q)
        assert np.abs(gap).max() < 1e-9
        N = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, 1e-8) :].T
        tau = np.linalg.lstsq(N.T[:, actuated], N.T @ tree, rcond=None)[0]
        found = robot.inverse_dynamics.formulas(friction=False).value(q=q, v=full_v, a=full_a)
        assert np.abs(np.array(found, float) - tau).max() < 1e-8 * max(1, np.abs(tau).max())


def test_formulas_of_a_palletizer_in_symbols_are_short_and_free_of_quotients() -> None:
    """Three parallelograms: velocity forces took gigabytes before their relations were substituted."""
    robot = palletizer()
    h = robot.reduced.velocity_forces.symbolic
    assert isinstance(h, Formulas)
    assert h.terms < 200
    assert all(x.denominator == 1 for x in h)
    g = robot.reduced.gravity_forces.symbolic
    assert g[1].names & {"theta1", "theta7", "theta3"} == set()  # the lower arm alone
    assert g[3].names & {"theta1", "theta2", "theta3"} == set()  # the crank alone
    assert "with theta3 = theta7 + pi - theta2, theta4 = pi - theta7" in repr(h)


def test_the_relations_of_the_sr400_are_its_constraints_and_explicit_solution() -> None:
    found = rk.load("sr400").loop_constraints(explicit=True)
    assert found.relations == ("theta3 = theta7 + pi/2 - theta2", "theta8 = theta2 - theta7")
    assert [str(x) for x in found.explicit] == list(found.relations)
    assert repr(found).count("theta3 = theta7 + pi/2 - theta2") == 1
    assert found.latex().count(r"\theta_{3} &= \theta_{7} + \frac{\pi}{2} - \theta_{2}") == 1
    assert r"\theta_{8} &= \theta_{2} - \theta_{7}" in found.latex()
    assert found.latex().count("=") == 2
    assert {row.why for row in found.dropped} == {"0 = 0", "holds by the linear relations"}
    assert [[int(x) for x in row] for row in found.jacobian] == [[0, -1, 0, 0, 0, 1], [0, 1, 0, 0, 0, -1]]


def test_a_configuration_of_the_crossed_twin_is_warned_of() -> None:
    robot = parallelogram()
    M = robot.reduced.mass_matrix.symbolic
    twin = next(q for q in robot.assemble([0.7], all=True) if abs(q[0] - q[2]) > 0.1)
    with pytest.warns(UnclosedWarning, match=r"another assembly mode .* coupler_angle = -crank_angle"):
        M.value(q=twin)
    with pytest.warns(UnclosedWarning, match="linear=False"):
        robot.loop_constraints().value(robot.loop_constraints().jacobian, twin)


def test_sides_that_are_equal_only_by_their_values_are_not_substituted() -> None:
    lengths = {"short": "0.5", "long": "0.7", "other": "0.5", "ground": "0.7"}
    symbols = tuple(rk.Symbol(name, F(x)) for name, x in lengths.items())
    robot = replace(four_bar(*lengths), symbols=symbols)
    assert robot.closure().relations  # at these values
    assert linear_substitution(robot) is None
    assert robot.loop_constraints().relations == ()


def test_other_independent_joints_give_the_relations_solved_for_the_others() -> None:
    found = parallelogram().loop_constraints(independent=["rocker_angle"])
    assert found.relations == ("crank_angle = rocker_angle", "coupler_angle = -rocker_angle")
    at = found.configurations({"rocker_angle": 0.4})
    assert np.abs(at - [[0.4, -0.4, 0.4]]).max() < 1e-15


@pytest.mark.parametrize("name", ["Iyy22", "Izz12"])
def test_a_coefficient_that_is_one_on_the_loop_comes_out_as_one(name: str) -> None:
    M = rk.load("rosam_loop").reduced.mass_matrix.symbolic
    found = M[0, 0].collect("parameters")
    assert found[name] == 1
    assert str(found[name]) == "1"
    assert str(found["msz22"]) == "2*d22"


def test_formulas_are_compared_where_the_loop_is_closed() -> None:
    robot = rk.load("rosam_loop")
    M = robot.reduced.mass_matrix.symbolic
    like = M[0, 0]._like
    ring = M.context.ring
    d22, d21, L = (like(ring.variable(x)) for x in ("q[4]", "q[1]", "L"))
    s31 = like(ring.variable("sin(q[2])"))
    assert d22 * d22 == 4 * L * L + d21 * d21 - 4 * L * d21 * s31
    assert d22 * d22 - (4 * L * L + d21 * d21 - 4 * L * d21 * s31) == 0
    assert d22 != d21
    assert (4 * L * L + d21 * d21 - 4 * L * d21 * s31) / (d22 * d22) == 1


@pytest.mark.parametrize(
    "bars", [("0.5", "0.7", "0.5", "0.7"), ("0.5", "0.8", "0.8", "0.5"), ("0.4", "1", "0.8", "0.9")]
)
def test_shortened_fractions_hold_on_every_component_of_the_loops(bars: tuple[str, ...]) -> None:
    """A fraction that is short on the crossed form alone would be wrong for the parallelogram."""
    robot = four_bar(*bars)
    c = robot.loop_constraints(linear=False)
    for angle in (0.4, 1.1, 2.0):
        for q in robot.assemble([angle], all=True):
            expected = robot.reduced.jacobian(q)[[1, 2]]
            assert np.abs(c.value(c.jacobian, q) - expected).max() < 1e-9


def half_geared(independent: str) -> rk.Robot:
    """The second joint turns by half the angle of the first."""
    arm = geared_arm()
    coupling = replace(arm.couplings[0], multiplier=F("1/2"), offset=F(0))
    return replace(arm, couplings=(coupling,), independent=(independent,))


def test_a_relation_with_half_an_angle_is_shown_and_not_substituted() -> None:
    robot = half_geared("q1")
    assert linear_substitution(robot) is None
    M, g = robot.reduced.mass_matrix.symbolic, robot.reduced.gravity_forces.symbolic
    for x in (M, g):
        assert str(x).splitlines()[1] == "where q2 = q1/2"
    q = np.array([0.7, 0.35])
    _, wanted = projected(robot, q, np.zeros(1), np.zeros(1), (0,))
    np.testing.assert_allclose(M.value(q=q), wanted, rtol=1e-12)
    whole = half_geared("q2")  # q1 = 2 q2 is substituted
    M = whole.reduced.mass_matrix.symbolic
    assert str(M).splitlines()[1] == "with q1 = 2*q2"
    assert "q1" not in M.names


def test_a_loop_that_gives_one_cosine_is_written_so() -> None:
    """Two rods of equal length on parallel rails."""
    rail, rod = rk.ModifiedDH(alpha="pi/2"), rk.ModifiedDH(alpha="-pi/2")
    links = (
        rk.Link("l1", "base", rk.Joint("d1", "prismatic"), rail),
        rk.Link("l2", "l1", rk.Joint("theta2"), rod),
        rk.Link("l3", "base", rk.Joint("d3", "prismatic"), replace(rail, a=F("b"))),
        rk.Link("l4", "l3", rk.Joint("theta4"), rod),
    )
    ends = (rk.LoopEnd(name, rk.ModifiedDH(a="L")) for name in ("l2", "l4"))
    values = (rk.Symbol("b", 0.6), rk.Symbol("L", 0.5))
    robot = rk.Robot("rails", links, loops=(rk.Loop("pin", "revolute", *ends),), symbols=values)
    constraints = robot.loop_constraints(explicit=True)
    relation = str(constraints.explicit[0])
    assert relation == "cos(theta4) = (L*cos(theta2) - b)/L, sin(theta4) = +-sqrt(1 - cos(theta4)**2)"
    assert r"\sin(\theta_{4}) &= \pm\sqrt{1 - \cos^{2}(\theta_{4})}" in constraints.latex()


@pytest.mark.parametrize("length", ["1", "2", "0.9"])
def test_sliders_on_one_rail_determine_the_rods_for_any_length(length: str) -> None:
    # random starts close it mostly with the sliders together, where the rods turn freely
    def rod(k: int) -> rk.Inertia:
        return rk.Inertia("origin", f"m{k}", (f"mx{k}", 0, 0), (0, 0, 0, 0, 0, f"zz{k}"))

    links = []
    for k in (1, 2):
        slider = rk.Joint(f"d{k}", "prismatic", axis=(1, 0, 0))
        links.append(rk.Link(f"s{k}", "base", slider, rk.Placement((0, 0, 0)), rod(k)))
        turning = rk.Joint(f"theta{k}", actuated=False)
        links.append(rk.Link(f"r{k}", f"s{k}", turning, rk.Placement((0, 0, 0)), rod(2 + k)))
    ends = [rk.LoopEnd(f"r{k}", rk.Placement((length, 0, 0))) for k in (1, 2)]
    robot = rk.Robot("rail", links, loops=(rk.Loop("cut", "revolute", *ends),), gravity=(0, -9.81, 0))
    constraints = robot.loop_constraints()
    assert [robot.joints[k].name for k in constraints.independent] == ["d1", "d2"]
    assert len(robot.assemble([0.0, 0.8], all=True)) == 2
    M = robot.reduced.mass_matrix.symbolic
    values = {name: 1.0 + 0.1 * k for k, name in enumerate(robot.free_symbols)}
    q = robot.assemble([0.0, 0.8])
    np.testing.assert_allclose(M.value(q=q, **values), robot.reduced.mass_matrix(q, **values), rtol=1e-9)


def test_a_relation_with_a_symbolic_angle_is_not_given_a_random_number() -> None:
    # theta2 = pi - theta1 - g would hold for one value of the symbol g only
    sides = parallelogram()
    first, *rest = sides.links
    turned = replace(first, geometry=rk.ModifiedDH(theta="g"))
    robot = replace(sides, links=(turned, *rest), symbols=(*sides.symbols, rk.Symbol("g")))
    written = str(robot.closure())
    assert "g" in robot.free_symbols
    assert not [word for word in written.split() if word.replace(".", "").isdigit() and "." in word]
