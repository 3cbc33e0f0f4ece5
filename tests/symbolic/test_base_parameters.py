"""Base parameters of trees: formulas, conversions, the minimal regressor, names and errors."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from random_robots import ALL_JOINTS, random_robot, random_state

import rikigaku as rk
from rikigaku.core.errors import MissingValue, NotExact, NotVerified, UnknownName, WrongSize, WrongValue
from rikigaku.model.geometry import Geometry, ModifiedDH, Placement, StandardDH
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot
from rikigaku.symbolic.base_parameters import regressor_relations as base_regressor
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters

pytestmark = pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")


@cache
def base(name: str) -> BaseParameters:
    return rk.load(name).base_parameters()


def with_symbols(robot: Robot) -> Robot:
    """The robot with a symbol for every length that is not zero."""
    links = []
    for i, link in enumerate(robot.links, 1):
        links.append(replace(link, geometry=_with_symbols(link.geometry, i)))
    return replace(robot, links=tuple(links))


def _with_symbols(geometry: Geometry, i: int) -> Geometry:
    if isinstance(geometry, Placement):
        named = zip("xyz", geometry.xyz, strict=True)
        return replace(geometry, xyz=tuple(Formula.symbol(f"{a}{i}") if x.terms else x for a, x in named))
    lengths = [name for name in ("a", "d", "b") if getattr(geometry, name, Formula.of(0)).terms]
    return replace(geometry, **{name: Formula.symbol(f"{name}{i}") for name in lengths})


# -- formulas -----------------------------------------------------------------------------------------------
COUNTS = [("puma560", 36), ("panda", 43), ("iiwa14", 43), ("stanford", 33)]


@pytest.mark.parametrize(("name", "count"), COUNTS)
def test_formulas_with_symbols_for_lengths_take_the_values_found_with_numbers(name: str, count: int) -> None:
    robot = rk.load(name)
    general = with_symbols(robot)
    found = general.base_parameters()
    assert found.count == count
    numbers = {}
    for link, other in zip(robot.links, general.links, strict=True):
        for field, x in vars(other.geometry).items():
            for symbol, value in _pairs(x, getattr(link.geometry, field)):
                numbers[symbol] = float(value)
    assert found.found.kept == base(name).found.kept
    used = {s: x for s, x in numbers.items() if s in found.problem.robot.free_symbols}
    assert np.allclose(found.matrix(**used), base(name).regrouping, rtol=0, atol=1e-14)


def _pairs(general: object, numbers: object) -> list[tuple[str, Formula]]:
    if isinstance(general, tuple) and isinstance(numbers, tuple):
        return [pair for x, y in zip(general, numbers, strict=True) for pair in _pairs(x, y)]
    assert isinstance(general, Formula)
    assert isinstance(numbers, Formula)
    return [(str(general), numbers)] if general.symbols else []


def test_angles_that_are_symbols_stand_in_sines_and_cosines() -> None:
    """Two links: Iyy of the second goes to the first as a turned tensor does, msz and m with the offset."""
    s = Formula.symbol
    first = Link("l1", "base", Joint("j1"), ModifiedDH())
    second = Link("l2", "l1", Joint("j2"), ModifiedDH(s("tilt"), s("a"), 0, s("d")))
    found = Robot("elbow", (first, second)).base_parameters().formulas["Izz of l1 (regrouped)"]
    assert found["Iyy of l2"] == s("tilt").sin() ** 2
    assert found["msz of l2"] == 2 * s("d") * s("tilt").sin() ** 2
    assert found["m of l2"] == s("a") ** 2 + s("d") ** 2 * s("tilt").sin() ** 2


def test_an_angle_of_45_degrees_gives_square_roots() -> None:
    first = Link("l1", "base", Joint("j1"), ModifiedDH())
    second = Link("l2", "l1", Joint("j2"), ModifiedDH("pi/4", "0.5", 0, "0.2"))
    third = Link("l3", "l2", Joint("j3"), ModifiedDH("pi/4", "0.5", 0, "0.2"))
    found = Robot("bent", (first, second, third)).base_parameters()
    assert found.formulas["msy of l2 (regrouped)"]["msz of l3"] == -Formula.of("sqrt(2)/2")
    assert "all exact" in found.verified


def test_60_and_30_degrees_between_lengths_that_are_symbols_give_square_roots_too() -> None:
    first = Link("l1", "base", Joint("j1"), ModifiedDH())
    second = Link("l2", "l1", Joint("j2"), ModifiedDH("pi/3", "a", 0, "d"))
    third = Link("l3", "l2", Joint("j3"), ModifiedDH("pi/6", "b", 0, 0))
    found = Robot("bent", (first, second, third)).base_parameters()
    top = found.formulas["Izz of l1 (regrouped)"]
    assert str(top["Iyy of l2"]) == "0.75"
    assert str(top["Iyy of l3"]) == "0.5625"
    assert str(top["msz of l3"]) == "3*d*sqrt(3)/4"
    assert str(found.formulas["Ixz of l2 (regrouped)"]["msz of l3"]) == "-b*sqrt(3)/2"
    text = str(found)
    assert "sin" not in text
    assert "cos" not in text
    tilted = Link("l3", "l2", Joint("j3"), ModifiedDH("beta + pi/6", "b", 0, 0))  # a sum stays one
    kept = Robot("bent", (first, second, tilted)).base_parameters().formulas["msy of l2 (regrouped)"]
    assert str(kept["msz of l3"]) == "-sin(beta + pi/6)"


def test_angles_with_sines_of_their_own_are_written_as_those_where_that_is_short() -> None:
    first = Link("l1", "base", Joint("j1"), ModifiedDH())
    slide = Link("l2", "l1", Joint("j2", "prismatic"), ModifiedDH("pi/3", "0.3", "0.2", 0))
    third = Link("l3", "l2", Joint("j3"), ModifiedDH("pi/6", "0.25", 0, 0))
    robot = Robot("odd", (first, slide, third))
    found, rules = robot.base_parameters(), robot.base_parameters(method="rules")
    assert "decimals" not in found.verified
    assert "every coefficient, exactly" in found.verified
    assert str(found.formulas["msx of l2 (regrouped)"]["msz of l2"]) == "-sin(0.2)*sqrt(3)"
    assert found.formulas == rules.formulas


def test_an_angle_of_30_hundredths_gives_decimals_and_says_so() -> None:
    links = [
        Link(f"l{i}", f"l{i - 1}" if i > 1 else "base", Joint(f"j{i}"), ModifiedDH(x, "0.5", "0.7", "0.2"))
        for i, x in enumerate(["0.1", "0.3", "1.1", "0.4", "0.9"], 1)
    ]
    found = Robot("odd", tuple(links)).base_parameters()
    assert "decimals" in found.verified


def test_a_rounded_right_angle_is_recognised() -> None:
    exact, rounded = (
        Robot("x", (Link("l1", "base", Joint("j1")), Link("l2", "l1", Joint("j2"), ModifiedDH(angle, 1))))
        for angle in ("pi/2", "1.57079632679")
    )
    assert rounded.base_parameters().formulas == exact.base_parameters().formulas


def test_a_slanting_axis_divides_by_its_cosine() -> None:
    """In standard DH the axis slants in the link's frame: of msy and msz only what lies across it stays."""
    s = Formula.symbol
    row = StandardDH(0, s("d"), s("a"), s("al"))
    links = [Link(f"l{i}", f"l{i - 1}" if i > 1 else "base", Joint(f"j{i}"), row) for i in (1, 2, 3)]
    found = Robot("slant", tuple(links)).base_parameters()
    share = found.formulas["msy of l3 (regrouped)"]["msz of l3"].substitute({"al": Formula.of("0.4")})
    assert float(share) == pytest.approx(-np.tan(0.4))


# -- random trees -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(6))
def test_on_random_trees_the_kept_columns_make_all_columns(seed: int) -> None:
    robot = random_robot(seed, 5, ALL_JOINTS, right_angles=seed % 2 == 0, drives=True)
    found = robot.base_parameters(joint_parameters=True)
    Y = np.concatenate(
        [np.asarray(_full(robot, *random_state(robot, np.random.default_rng(i)))) for i in range(60)]
    )
    sizes = np.abs(Y).max(axis=0)
    scaled = Y[:, sizes > 0] / sizes[sizes > 0]
    values = np.linalg.svd(scaled, compute_uv=False)
    assert (values > 1e-10 * values[0]).sum() == found.count
    assert np.abs(Y - Y[:, list(found.columns)] @ found.regrouping).max() < 1e-10 * np.abs(Y).max()


def _full(robot: Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[list[float]]:
    from rikigaku.laws.tree.regressor import regressor
    from rikigaku.model.mechanism import instantiate
    from rikigaku.numbers.number_kind import FLOATS

    mechanism = instantiate(robot, FLOATS, {})
    return regressor(mechanism, q.tolist(), v.tolist(), a.tolist(), joint_parameters=True)


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", "space_arm_6"])
def test_rules_and_regressor_give_the_same_regrouping(name: str) -> None:
    rules = rk.load(name).base_parameters(method="rules")
    assert rules.found.kept == base(name).found.kept
    symbols = dict.fromkeys(base(name).problem.robot.free_symbols, 0.7)
    assert np.allclose(rules.matrix(**symbols), base(name).matrix(**symbols), rtol=0, atol=1e-14)


# -- conversions --------------------------------------------------------------------------------------------
def test_base_values_and_the_minimal_regressor_give_the_joint_forces() -> None:
    robot = rk.load("puma560")
    found = robot.base_parameters(joint_parameters=True)
    rng = np.random.default_rng(1)
    q, v, a = rng.uniform(-1, 1, (3, 20, 6))
    W = found.regressor(q, v, a)
    assert W.shape == (20, 6, 52)
    tau = np.asarray(robot.inverse_dynamics(q, v, a))
    assert np.abs(W @ found.base_values() - tau).max() < 1e-12 * np.abs(tau).max()


def test_the_minimal_regressor_as_formulas_has_the_values_of_the_native_one() -> None:
    found = base("planar_3r")
    q, v, a = np.random.default_rng(4).uniform(-1, 1, (3, 3))
    values = dict.fromkeys(found.problem.robot.free_symbols, 0.7)
    exact = found.regressor.symbolic
    assert exact.shape == (3, found.count)
    assert np.allclose(
        np.asarray(exact.value(q=q, v=v, a=a, **values), float),
        found.regressor(q, v, a, **values),
        atol=1e-13,
    )


def test_a_full_set_with_given_base_values_has_them() -> None:
    found = base("puma560")
    values = np.random.default_rng(2).normal(size=36)
    full = found.full_values(values)
    assert set(full) == set(found.parameters)
    assert np.allclose(found.base_values(full), values)
    assert np.allclose(found.base_values(list(full.values())), values)
    assert sum(x != 0 for x in full.values()) == 36


def test_what_never_matters_has_no_part_in_any_base_parameter() -> None:
    found = base("puma560")
    assert "m of link1" in found.unimportant
    assert len(found.unimportant) == 9  # all of link 1 but the moment about its axis
    never = [found.parameters.index(name) for name in found.unimportant]
    assert not found.regrouping[:, never].any()


# -- for people ---------------------------------------------------------------------------------------------
def test_the_regrouping_reads_as_text_table_and_latex() -> None:
    found = base("scara")
    assert repr(found).startswith("8 base parameters of robot 'scara', of 40:")
    assert "Izz of inner_link (regrouped) = [Izz of inner_link] + l1**2*[m of outer_link]" in repr(found)
    assert "Verified: rank 8" in repr(found)
    assert found._repr_html_().count("<tr>") == 9
    assert r"I_{zz,\mathrm{inner\_link}}" in found._repr_latex_()
    assert found.paper_form().split("\n")[0] == "Inzz11 + l1**2*m21"
    assert found.names[0] == "Izz of inner_link (regrouped)"
    assert list(found.columns.values()) == list(found.found.kept)
    assert len(found) == 8


def test_branches_are_numbered_as_in_rosam() -> None:
    form = rk.load("rosam_loop").base_parameters(tree=True).paper_form()
    assert "Inzz11 + Inyy21" in form
    assert "Inzz12 + Inyy22" in form


# -- errors -------------------------------------------------------------------------------------------------
def test_wrong_arguments_raise_errors_with_the_known_choices() -> None:
    robot = rk.load("planar_2r")
    with pytest.raises(UnknownName, match="regressor, rules"):
        robot.base_parameters(method="magic")
    with pytest.raises(UnknownName, match="viscous"):
        robot.base_parameters(joint_parameters="viscos")
    with pytest.raises(WrongValue, match="three numbers"):
        robot.base_parameters(gravity=9.81)
    with pytest.raises(WrongValue, match="'any'"):
        robot.base_parameters(gravity="down")
    with pytest.raises(UnknownName, match="no symbol named 'length'"):
        robot.base_parameters(length=1)
    found = robot.base_parameters()
    with pytest.raises(WrongSize, match=f"{found.count} base parameters"):
        found.full_values([1.0])
    with pytest.raises(WrongSize):
        found.base_values([1.0, 2.0])
    with pytest.raises(UnknownName, match="no parameter named 'mass of link1'"):
        found.base_values({"mass of link1": 1.0})
    with pytest.raises(MissingValue, match="lacks"):
        found.base_values({found.parameters[0]: 1.0})


def test_a_symbol_without_value_is_named_where_a_number_is_needed() -> None:
    s = Formula.symbol
    links = (Link("l1", "base", Joint("j1")), Link("l2", "l1", Joint("j2"), ModifiedDH("pi/2", s("reach"))))
    found = Robot("x", links).base_parameters()
    with pytest.raises(MissingValue, match=r"matrix\(reach=\.\.\.\)"):
        _ = found.regrouping
    assert found.matrix(reach=2.0).shape == (found.count, 20)
    assert Robot("x", links).base_parameters(reach=2).regrouping.shape == (found.count, 20)


def test_a_robot_that_cannot_move_is_refused() -> None:
    with pytest.raises(WrongValue, match="no moving joint"):
        Robot("rock", (Link("l1", "base", Joint("j1", "fixed")),)).base_parameters()


@pytest.fixture
def nothing_known() -> Iterator[None]:
    """Answers are kept while a process runs; here each is found anew, and a wrong one does not stay."""
    base_regressor.base_by_regressor.cache_clear()
    yield
    base_regressor.base_by_regressor.cache_clear()


@pytest.mark.usefixtures("nothing_known")
def test_a_wrong_relation_does_not_pass_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = base_regressor.relations

    def wrong(*args: object) -> object:
        rows = honest(*args)  # type: ignore[arg-type]
        row = next(row for row in rows.values() if row)
        name = next(iter(row))
        row[name] = row[name] + 1
        return rows

    monkeypatch.setattr(base_regressor, "relations", wrong)
    with pytest.raises(NotVerified, match="does not hold"):
        rk.load("planar_3r").base_parameters()


@pytest.mark.usefixtures("nothing_known")
def test_a_rank_too_low_does_not_pass_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = base_regressor.independent_columns

    def wrong(*args: object) -> object:
        kept, states = honest(*args)  # type: ignore[arg-type]
        return kept[:-1], states

    monkeypatch.setattr(base_regressor, "independent_columns", wrong)
    with pytest.raises((NotVerified, NotExact)):
        rk.load("planar_3r").base_parameters()


def test_one_robot_has_base_parameters_under_several_gravities() -> None:
    """What joints hide is found once; coefficients are in the symbols of each problem all the same."""
    robot = rk.load("rx90")
    before = [robot.base_parameters(gravity=g).matrix() for g in (None, "any", (0, 0, 0))]
    other = replace(robot, name="same")
    after = [other.base_parameters(gravity=g).matrix() for g in ((0, 0, 0), "any", None)]
    assert all(np.array_equal(x, y) for x, y in zip(before, reversed(after), strict=True))
