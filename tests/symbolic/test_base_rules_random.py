"""Geometric rules on random trees: as many base parameters as the regressor has rank, and the same span."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from random_robots import random_robot, random_state

import rikigaku  # noqa: F401 - gives Robot what it can do
from rikigaku.closure.closure_plan import coordinate_names
from rikigaku.laws.tree.regressor import regressor, regressor_columns
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.symbolic.base_parameters.geometric_rules import base_by_rules, numbers_by_rules
from rikigaku.symbolic.base_parameters.regressor_samples import ANY_GRAVITY

Array = np.ndarray
NONE = (Formula.of(0),) * 3
STATES = 25  # with a row for each joint, two or more times the columns
SIMPLE = ("revolute", "prismatic", "revolute", "fixed")


def stacked_regressor(robot: Robot, joint_parameters: bool = False) -> tuple[list[str], Array]:
    """Names of the columns, and the rows at many states under every direction gravity may have."""
    rng = np.random.default_rng(7)
    any_direction = robot.gravity == ANY_GRAVITY
    fields: Sequence[Any] = np.eye(3) if any_direction else [[float(g) for g in robot.gravity]]
    mechanism = instantiate(replace(robot, gravity=NONE), FLOATS, {})
    rows = []
    for g in fields:
        q, v, a = random_state(robot, rng, STATES)
        Y = regressor(mechanism, list(q.T), list(v.T), list(a.T), tuple(g), joint_parameters)
        rows += [np.array([np.broadcast_to(x, STATES) for x in row], float).T for row in Y]
    return regressor_columns(mechanism, coordinate_names(robot), joint_parameters), np.concatenate(rows)


def spans_all(names: list[str], Y: Array, base: dict[str, dict[str, Any]]) -> bool:
    """Whether the kept columns are independent, as many as the rank, and combine to all others as said."""
    places = {name: k for k, name in enumerate(names)}
    K = np.zeros((len(base), len(names)))
    for row, parts in zip(K, base.values(), strict=True):
        for name, c in parts.items():
            row[places[name]] = float(c)
    kept = Y[:, [places[name] for name in base]]
    size = np.abs(Y).max() * max(1.0, np.abs(K).max())
    # Rounding leaves 1e-15; the smallest true singular values of these robots are above 1e-7.
    values = np.linalg.svd(np.linalg.qr(Y, mode="r"), compute_uv=False)
    rank = int((values > 1e-11 * values[0]).sum())
    smallest = np.linalg.svd(kept, compute_uv=False)[-1] if base else 1.0
    return rank == len(base) and smallest > 1e-11 * values[0] and np.abs(Y - kept @ K).max() < 1e-11 * size


def under(robot: Robot, case: int) -> Robot:
    """Gravity none, along z, of any direction, or as the random robot has it."""
    along_z = tuple(Formula.of(x) for x in (0, 0, -9.81))
    return replace(robot, gravity=(NONE, along_z, ANY_GRAVITY, robot.gravity)[case % 4])  # type: ignore[arg-type]


@pytest.mark.parametrize("start", range(0, 100, 10))
def test_on_100_random_trees_the_rules_find_the_span_of_the_regressor(start: int) -> None:
    for seed in range(start, start + 10):
        types = {} if seed % 2 else {"types": SIMPLE}
        robot = under(random_robot(seed, 3 + seed % 3, right_angles=seed % 3 == 0, **types), seed)
        names, Y = stacked_regressor(robot)
        assert spans_all(names, Y, numbers_by_rules(robot)), (seed, [j.type for j in robot.joints])


@pytest.mark.parametrize("seed", range(8))
def test_exact_coefficients_with_rotors_and_friction_hold_on_random_trees(seed: int) -> None:
    robot = under(random_robot(seed, 4, drives=True, right_angles=seed % 2 == 0), seed)
    names, Y = stacked_regressor(robot, joint_parameters=True)
    found = base_by_rules(robot, ("rotor", "viscous", "coulomb"))
    assert spans_all(names, Y, dict(zip(found.kept, map(dict, found.base), strict=True)))


@pytest.mark.parametrize("seed", range(6))
def test_rules_and_regressor_give_the_same_base_parameters(seed: int) -> None:
    """Combinations of the one are combinations of the other, whichever parameters each names them by."""
    robot = random_robot(seed, 3, right_angles=True)
    K, L = (robot.base_parameters(method=method).regrouping for method in ("rules", "regressor"))
    assert K.shape == L.shape
    assert np.linalg.matrix_rank(np.concatenate([K, L]), tol=1e-9) == len(K)
