"""How many base parameters robots have: published counts, and ranks of Pinocchio's regressor."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from pinocchio_regressor import oracle, rank

import rikigaku as rk
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters

pytestmark = pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")

NONE = (0, 0, 0)
# Robot, gravity, joint parameters: count. Published, see the specification of ROSAM II's successor; a general
# direction is written out in numbers, to be independent of what "any" means.
PUBLISHED = [
    ("puma560", None, False, 36),
    ("puma560", (1, 2, -9), False, 38),
    ("puma560", "any", False, 38),
    ("puma560", NONE, False, 34),
    ("puma560", None, "rotor", 40),
    ("puma560", None, True, 52),
    ("ur5", None, False, 36),
    ("rx90", None, False, 36),
    ("panda", None, False, 43),
    ("iiwa14", None, False, 43),
    ("scara", None, False, 8),
    ("stanford", None, False, 33),
    ("stanford", NONE, False, 31),
]
ROBOTS = ["puma560", "ur5", "rx90", "panda", "stanford", "scara", "planar_3r", "space_arm_6", "humanoid_17"]


@cache
def base(name: str, gravity: Any, joint_parameters: Any) -> BaseParameters:
    return rk.load(name).base_parameters(gravity=gravity, joint_parameters=joint_parameters)


@pytest.mark.parametrize(("name", "gravity", "joint_parameters", "count"), PUBLISHED)
def test_the_published_count_is_found(name: str, gravity: Any, joint_parameters: Any, count: int) -> None:
    found = base(name, gravity, joint_parameters)
    assert found.count == count
    assert found.verified.startswith(f"rank {count} ")


def general_6r(first_axis: str) -> Robot:
    """Six revolute joints with a symbol for every length and angle."""
    links = []
    for i in range(1, 7):
        alpha, a, d = (Formula.symbol(f"{letter}{i}") for letter in ("alpha", "a", "d"))
        row = ModifiedDH(alpha, a, 0, d) if i > 1 else ModifiedDH(Formula.of(first_axis), 0, 0, d)
        links.append(Link(f"link{i}", f"link{i - 1}" if i > 1 else "base", Joint(f"q{i}"), row))
    return Robot("general 6R", tuple(links))


def test_a_general_arm_of_six_turning_joints_has_36_with_gravity_along_the_first_axis_else_38() -> None:
    assert general_6r("0").base_parameters().count == 36
    assert general_6r("pi/2").base_parameters().count == 38


@pytest.mark.parametrize("name", ROBOTS)
def test_pinocchios_regressor_has_that_rank_and_the_relations_we_found(name: str) -> None:
    robot = rk.load(name)
    values = {s: 0.3 + 0.1 * k for k, s in enumerate(robot.free_symbols)}
    found = base(name, None, False)
    rng = np.random.default_rng(3)
    theirs = oracle(robot.bind(**values))
    Y = np.concatenate([theirs.rows(rng) for _ in range(100)])
    assert Y.shape[1] == len(found.parameters)
    assert rank(Y) == found.count
    used = {s: x for s, x in values.items() if s in found.problem.robot.free_symbols}
    K = found.matrix(**used)
    # tau = Y pi = Y[:, kept] K pi for all parameters pi; digits are lost where columns are small.
    assert np.abs(Y - Y[:, list(found.columns)] @ K).max() < 1e-10 * np.abs(Y).max()
