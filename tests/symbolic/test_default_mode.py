"""The default assembly mode of parallelograms is the one with linear relations, not its crossed twin."""

from dataclasses import replace

import numpy as np
import pytest
from linkages import F, four_bar, parallelogram, projected, two_sliders
from palletizers import palletizer
from pinocchio_regressor import oracle, rank

import rikigaku as rk

RELATIONS = (
    "theta3 = theta7 + pi - theta2",
    "theta4 = pi - theta7",
    "theta8 = theta2 - theta7",
    "theta9 = -theta2",
    "theta10 = theta2",
    "theta11 = theta7 + pi",
)


def parallel(q: np.ndarray) -> bool:
    """Relations of the three parallelograms, modulo revolutions."""
    t2, t3, t4, t7, t8, t9, t10, t11 = q[[1, 2, 3, 5, 6, 7, 8, 9]]
    gaps = [t3 + t2 - t7 - np.pi, t4 + t7 - np.pi, t8 - t2 + t7, t9 + t2, t10 - t2, t11 - t7 - np.pi]
    return bool(max(abs(np.sin(x / 2)) for x in gaps) < 1e-9)


def test_zero_angles_that_fold_a_palletizer_flat_do_not_give_its_crossed_twin() -> None:
    robot = palletizer(False)
    assert robot.closure().relations == RELATIONS
    rng = np.random.default_rng(3)
    for own in ([0, 0, 0, 0], *rng.uniform(-1, 1, (4, 4))):
        assert parallel(robot.assemble(own))
    assert all(map(parallel, robot.assemble(rng.uniform(0.1, 1, (5, 4)))))


def test_its_base_parameters_are_those_of_pinocchios_regressor_in_that_mode() -> None:
    robot = palletizer(False)
    numbers = robot.bind(**robot.declared_values)
    found = numbers.base_parameters()
    assert found.relations == RELATIONS
    theirs, rng = oracle(numbers), np.random.default_rng(5)
    theirs.around = np.array(numbers.assemble([0.1, 0.9, 0.2, -0.5]))
    Y = np.concatenate([theirs.rows(rng, meant=parallel) for _ in range(25)])
    assert rank(Y) == found.count == robot.base_parameters().count == 24
    assert np.abs(Y - Y[:, list(found.columns)] @ found.regrouping).max() < 1e-8 * np.abs(Y).max()


def test_a_neutral_configuration_that_is_closed_and_regular_chooses_the_mode() -> None:
    """The crossed form, symmetric about a line, has one relation; the parallelogram has two."""
    robot = parallelogram()
    twin = next(q for q in robot.assemble([0.7], all=True) if abs(q[0] - q[2]) > 0.1)
    zero = [float(x) for x in twin]
    links = [
        replace(link, geometry=replace(link.geometry, theta=F(f"{x:.17g}")))
        for link, x in zip(robot.links, zero, strict=True)
    ]
    crossed = replace(robot, links=tuple(links))
    assert np.abs(crossed.loop_residual(crossed.neutral())).max() < 1e-12
    assert crossed.closure().relations == ("rocker_angle = coupler_angle",)
    assert len(robot.closure().relations) == 2
    near = crossed.assemble([0.1])
    assert abs(near[0] + zero[0] - near[2] - zero[2]) > 0.1


def test_a_flat_parallelogram_is_assembled_to_all_digits() -> None:
    assert np.abs(parallelogram().assemble([0.0])).max() < 1e-15


@pytest.mark.parametrize("name", ["sr400", "five_bar", "slider_crank", "three_rrr", "four_bar", "stewart"])
def test_relations_of_shipped_robots(name: str) -> None:
    found = rk.load(name).closure().relations
    expected = ("theta3 = theta7 + pi/2 - theta2", "theta8 = theta2 - theta7") if name == "sr400" else ()
    assert found == expected


def test_a_kite_has_one_relation_and_general_bars_have_none() -> None:
    assert four_bar("0.5", "0.8", "0.8", "0.5").closure().relations == ("rocker_angle = -coupler_angle",)
    assert four_bar().closure().relations == ()


@pytest.mark.parametrize("named", [(), ("d1", "d2")])
def test_two_sliders_with_equal_rods_are_moved_by_their_two_actuated_joints(named: tuple[str, ...]) -> None:
    """The rods also close side by side, where the sliders do not determine them."""
    robot = two_sliders("L", named)
    assert robot.closure().independent == ("d1", "d2")
    assert robot.closure().relations == ("th2 = pi - th1",)
    up = np.arccos(0.6)
    modes = robot.assemble([0.0, 0.6], all=True)
    assert np.abs(modes - [[0, up, 0.6, np.pi - up], [0, -up, 0.6, up - np.pi]]).max() < 1e-9
    constraints = robot.loop_constraints()
    assert [constraints.coordinates[k] for k in constraints.independent] == ["d1", "d2"]
    found = constraints.configurations({"d1": 0.0, "d2": 0.6})
    assert {round(q[1], 9) for q in found} >= {round(up, 9)}


@pytest.mark.parametrize("rod", ["L", "0.6"])
def test_formulas_of_two_sliders_have_the_values_of_projected_dynamics(rod: str) -> None:
    robot, rng = two_sliders(rod), np.random.default_rng(7)
    for _ in range(3):
        q = robot.assemble(np.array([0.0, 0.6]) + rng.uniform(-0.1, 0.1, 2))
        v, a = rng.normal(size=(2, 2))
        tau, M = projected(robot, q, v, a, (0, 2))
        for law in (robot.reduced.mass_matrix, robot.reduced.inverse_dynamics):
            at = {"q": q} if law is robot.reduced.mass_matrix else {"q": q, "v": v, "a": a}
            found = np.array(law.symbolic.value(**at), float)
            assert np.abs(found - (M if found.ndim == 2 else tau)).max() < 1e-10
