"""Base parameters of closed robots hold on one component: a parallelogram, or its crossed form."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from linkages import four_bar, geared_arm, palletiser, parallelogram
from pinocchio_regressor import oracle, rank

import rikigaku as rk
from rikigaku.core.errors import CannotClose, WrongSize, WrongValue
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.base_parameters.relation_proof import proved
from rikigaku.symbolic.loops.component import component_of

Array = np.ndarray


def turned(*angles: float) -> bool:
    """Whether all angles are whole revolutions."""
    return all(abs(np.sin(x)) < 1e-9 and np.cos(x) > 0 for x in angles)


# For each robot: what tells its parallelogram from its twin, and relations as the literature has them.
PARALLEL: dict[str, Callable[[Array], bool]] = {
    "parallelogram": lambda q: turned(q[0] + q[1], q[0] - q[2]),
    "palletiser": lambda q: turned(q[2] - q[3] + q[1], q[4] + q[3] - q[1]),
    "sr400": lambda q: turned(q[2] - q[6] + q[1] - np.pi / 2, q[7] - q[1] + q[6]),
}


@cache
def named(name: str) -> rk.Robot:
    return {"parallelogram": parallelogram, "palletiser": palletiser}.get(name, lambda: rk.load(name))()


def crossed(name: str) -> Callable[[Array], bool]:
    """Away from where both meet: there the numeric rank is doubtful."""
    J = named(name).loop_jacobian
    return lambda q: not PARALLEL[name](q) and np.linalg.svd(J(q))[1][1] > 0.02


@cache
def base(name: str, twin: bool = False) -> BaseParameters:
    near = oracle(named(name)).configuration(np.random.default_rng(1), crossed(name)) if twin else None
    return named(name).base_parameters(near=near)


@pytest.mark.parametrize(
    ("name", "twin", "count"),
    [
        ("parallelogram", False, 3),
        ("parallelogram", True, 8),
        ("palletiser", False, 18),
        ("palletiser", True, 26),
        ("sr400", False, 39),
        ("sr400", True, 47),
    ],
)
def test_pinocchios_regressor_in_that_mode_has_that_rank_and_the_relations_we_found(
    name: str, twin: bool, count: int
) -> None:
    found, theirs, rng = base(name, twin), oracle(named(name)), np.random.default_rng(5)
    meant = crossed(name) if twin else PARALLEL[name]
    Y = np.concatenate([theirs.rows(rng, meant=meant) for _ in range(40)])
    assert rank(Y) == found.count == count
    assert np.abs(Y - Y[:, list(found.columns)] @ found.regrouping).max() < 1e-8 * np.abs(Y).max()
    assert "decimals" not in found.verified


def test_what_holds_for_the_parallelogram_does_not_for_its_twin() -> None:
    found, theirs, rng = base("palletiser"), oracle(named("palletiser")), np.random.default_rng(5)
    Y = np.concatenate([theirs.rows(rng, meant=crossed("palletiser")) for _ in range(10)])
    assert np.abs(Y - Y[:, list(found.columns)] @ found.regrouping).max() > 1e-2 * np.abs(Y).max()


@pytest.mark.parametrize("name", PARALLEL)
def test_by_default_it_is_the_mode_that_assemble_finds(name: str) -> None:
    robot = named(name)
    lower, upper = -1.0, 1.0
    size = len(robot.closure().independent)
    for k in range(3):
        own = np.random.default_rng(k).uniform(lower, upper, size)
        if name == "sr400":
            own[1] = -1.4 + 0.2 * own[1]
        q = robot.assemble(own)
        assert PARALLEL[name](q)
        assert PARALLEL[name](np.array(base(name).configuration))


def test_the_result_says_where_it_holds_and_can_be_requested_again() -> None:
    found = base("sr400")
    assert found.relations == ("theta3 = theta7 + pi/2 - theta2", "theta8 = theta2 - theta7")
    middle = np.array([0, -0.5, 1, 0, 0, 0, 0, -0.5]) * np.pi  # of the limits, where these do not hold zero
    assert np.abs(found.configuration - middle).max() < 1e-9
    assert "theta8 = theta2 - theta7" in repr(found)
    again = named("sr400").base_parameters(near=found.configuration)
    assert again.found == found.found
    twin = base("parallelogram", True)
    assert not twin.relations
    assert "component of q = (" in repr(twin)


@pytest.mark.parametrize(
    ("make", "count", "symbols"), [(parallelogram, 3, {"b"}), (palletiser, 18, {"a", "b"})]
)
def test_lengths_that_are_symbols_give_the_same_with_formulas(
    make: Callable[..., rk.Robot], count: int, symbols: set[str]
) -> None:
    """The coupler of a parallelogram moves without turning: its length does not matter."""
    found = make("a", "b").base_parameters()
    assert found.count == count
    assert {s for terms in found.found.base for x in terms.values() for s in x.symbols} == symbols
    numbers = make("0.9", "0.4").base_parameters()
    assert found.found.kept == numbers.found.kept
    assert np.abs(found.matrix(a=0.9, b=0.4) - numbers.matrix()).max() < 1e-12


def test_the_twin_has_formulas_in_its_lengths_too() -> None:
    numbers = base("parallelogram", True)
    symbols = (rk.Symbol("a", rk.Formula.of("0.7")), rk.Symbol("b", rk.Formula.of("0.5")))
    found = replace(parallelogram("a", "b"), symbols=symbols).base_parameters(near=numbers.configuration)
    assert found.count == 8
    assert found.found.kept == numbers.found.kept
    assert np.abs(found.matrix() - numbers.matrix()).max() < 1e-12


def test_sides_that_are_equal_only_by_their_values_make_no_parallelogram() -> None:
    """Four symbols stand for any four lengths: the answer must hold for all of them."""
    lengths = {"short": "0.5", "long": "0.7", "other": "0.5", "ground": "0.7"}
    symbols = tuple(rk.Symbol(name, rk.Formula.of(x)) for name, x in lengths.items())
    found = replace(four_bar(*lengths), symbols=symbols).base_parameters()
    assert not found.relations
    assert found.count == 8


def test_elbow_up_and_elbow_down_of_a_four_bar_are_one_component() -> None:
    robot = four_bar()
    modes = robot.assemble([0.7], all=True)
    up, down = (robot.base_parameters(near=q) for q in modes)
    assert len(modes) == 2
    assert up.found == down.found
    assert up.count == 8


@pytest.mark.parametrize("twin", [False, True])
def test_friction_of_joints_that_rotate_together_is_one(twin: bool) -> None:
    near = base("parallelogram", True).configuration if twin else None
    found = parallelogram().base_parameters(joint_parameters=True, near=near)
    theirs, rng = oracle(parallelogram()), np.random.default_rng(6)
    meant = crossed("parallelogram") if twin else PARALLEL["parallelogram"]
    Y = np.concatenate([theirs.rows(rng, joint_parameters=True, meant=meant) for _ in range(60)])
    assert rank(Y) == found.count == (12 if twin else 5)
    assert np.abs(Y - Y[:, list(found.columns)] @ found.regrouping).max() < 1e-8 * np.abs(Y).max()


def test_a_gear_is_followed_exactly() -> None:
    arm = geared_arm()
    second = replace(arm.couplings[0], offset=rk.Formula.of("pi/3"))
    found = replace(arm, couplings=(second,)).base_parameters()
    assert found.relations == ("q2 = pi/3 - 2*q1",)
    assert "exactly" in found.verified
    by_configurations = arm.base_parameters()  # an offset of 0.1 rad is no part of a turn
    assert not by_configurations.relations
    assert by_configurations.count == found.count


def test_relations_are_proved_modulo_the_ideal_of_their_component_and_of_no_other() -> None:
    found, twin = base("parallelogram"), base("parallelogram", True)
    assert "proved modulo the ideal of the component" in found.verified
    assert "proved modulo the ideal of the component" in twin.verified
    kept = twin.found.kept
    relations = {
        name: {
            k: terms[name]
            for k, terms in zip(found.found.kept, found.found.base, strict=True)
            if name in terms
        }
        for name in kept
        if name not in found.found.kept
    }
    geometry = found.problem.geometry
    here, there = ([component_of(geometry, x.configuration).state(256)] for x in (found, twin))
    assert proved(found.problem, relations, here)
    assert not proved(found.problem, relations, there)
    assert not proved(found.problem, relations, ())


def test_the_reference_configuration_of_a_kite_lets_its_crank_rotate() -> None:
    """Folded flat it turns about one pin, crank at rest: on that component the crank decides nothing."""
    kite = four_bar("0.5", "0.8", "0.8", "0.5")
    folded, turning = kite.base_parameters(near=[0, 1, 1]), kite.base_parameters()
    assert folded.relations == ("crank_angle = 0", "coupler_angle = rocker_angle")
    assert turning.count == 8 > folded.count == 3
    assert "proved" in turning.verified
    # formulas solved for the crank do not know the folded kite: nothing is proved of it by them
    assert "proved" not in folded.verified
    relations = {"m of rocker": {}}
    for x, proof in ((turning, True), (folded, False)):
        states = [component_of(x.problem.geometry, x.configuration).state(256)]
        assert proved(x.problem, relations, states) == proof


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("parallelogram", (0.03, -0.03, 0.03)),
        ("parallelogram", (0.03, -0.18, -0.18)),
        (
            "palletiser",
            (-0.7582705294128622, 3.376726327260133, -2.914836312, -0.2557765433606733, -2.914836312),
        ),
    ],
)
def test_walks_that_begin_beside_a_singular_configuration_stay_on_their_component(
    name: str, near: tuple[float, ...]
) -> None:
    component = component_of(named(name), near)
    assert {PARALLEL[name](q) for q in component.configurations(400)} == {near[1] == -near[0]}


def test_a_singular_configuration_belongs_to_no_component() -> None:
    with pytest.raises(WrongValue, match=r"\(0, 0, 0\) leads to a singular configuration .* farther from it"):
        parallelogram().base_parameters(near=[0, 0, 0])


def test_a_configuration_that_cannot_be_closed_is_reported() -> None:
    short = four_bar("0.1", "0.1", "0.1", "0.9")
    with pytest.raises(CannotClose, match=r"near=\(0, 0, 0\).*assemble"):
        short.base_parameters(near=[0, 0, 0])


def test_near_is_for_closed_robots_and_of_their_size() -> None:
    with pytest.raises(WrongValue, match="a tree has one set"):
        rk.load("scara").base_parameters(near=[0, 0, 0, 0])
    with pytest.raises((WrongValue, WrongSize), match="3 numbers"):
        four_bar().base_parameters(near=[0, 0])


@pytest.mark.parametrize(("name", "count"), [("slider_crank", 6), ("cassie_leg", 71)])
def test_other_shipped_robots_have_the_rank_of_pinocchios_regressor(name: str, count: int) -> None:
    """Coefficients of Cassie's leg, whose frames are decimals, are decimals too."""
    found, rng = rk.load(name).base_parameters(), np.random.default_rng(5)
    theirs = oracle(rk.load(name).bind(**rk.load(name).declared_values))
    Y = np.concatenate([theirs.rows(rng) for _ in range(30)])
    assert rank(Y) == found.count == count
    assert np.abs(Y - Y[:, list(found.columns)] @ found.regrouping).max() < 1e-9 * np.abs(Y).max()
    assert ("30 decimals" in found.verified) == (name == "cassie_leg")


def test_at_the_reference_configuration_the_platform_of_a_delta_does_not_rotate() -> None:
    """Its rods are parallelograms; the six equations also close with the platform tilted, in other ways."""
    robot = rk.load("delta")
    found, rng = robot.base_parameters(), np.random.default_rng(5)
    theirs = oracle(robot)
    theirs.around = np.array(found.configuration)
    theirs.around[3:7] = (0, 0, 0, 1)  # Pinocchio's order of a quaternion
    Y = np.concatenate(
        [theirs.rows(rng, meant=lambda q: bool(np.abs(q[3:6]).max() < 1e-9)) for _ in range(40)]
    )
    assert rank(Y) == found.count == 34
    assert np.abs(Y - Y[:, list(found.columns)] @ found.regrouping).max() < 1e-9 * np.abs(Y).max()
