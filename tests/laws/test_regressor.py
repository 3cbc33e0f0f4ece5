"""The regressor: joint forces linear in the parameters, for any parameters."""

from dataclasses import replace

import numpy as np
import pytest
from law_cases import agree, state, trees
from law_kinds import KINDS, on_floats

from rikigaku.laws.tree.regressor import regressor_columns, regressor_parameters
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot

Array = np.ndarray
kinds = pytest.mark.parametrize("kind", KINDS)


def with_random_parameters(robot: Robot, rng: np.random.Generator) -> tuple[Robot, Array]:
    """The robot with ten arbitrary numbers on each moving link, and drives; with the vector of them.

    Links on fixed joints are left without inertia: their parameters are not columns of their own.
    """
    links, inertial = [], []
    for link in robot.links:
        if link.joint.type == "fixed":
            links.append(replace(link, inertia=None))
            continue
        ten = [Formula.of(f"{x:.4f}") for x in rng.uniform(-1, 1, 10)]
        rotor, viscous, coulomb = (Formula.of(f"{x:.4f}") for x in rng.uniform(0, 1, 3))
        joint = replace(link.joint, rotor=rotor, viscous=viscous, coulomb=coulomb)
        inertia = Inertia("origin", ten[0], tuple(ten[1:4]), tuple(ten[4:]), regrouped=True)  # type: ignore[arg-type]
        links.append(replace(link, joint=joint, inertia=inertia))
        inertial += [float(x) for x in ten]
    changed = replace(robot, links=tuple(links))
    drives = [
        [float(getattr(j, name)) for j in changed.joints for _ in range(j.nv)]
        for name in ("rotor", "viscous", "coulomb")
    ]
    return changed, np.concatenate([inertial, *drives])


@kinds
def test_the_regressor_times_any_parameters_is_the_force_of_the_robot_that_has_them(kind: str) -> None:
    for robot in trees(kind):
        q, v, a = state(robot)
        other, parameters = with_random_parameters(robot, np.random.default_rng(robot.nv))
        Y = KINDS[kind](robot, "regressor", q, v, a, joint_parameters=True)
        assert agree(Y @ parameters, on_floats(other, "inverse_dynamics", q, v, a))


@kinds
def test_the_regressor_times_the_robots_own_parameters_is_its_force(kind: str) -> None:
    """Links on fixed joints count with the link that carries them."""
    for robot in trees(kind):
        q, v, a = state(robot)
        Y = KINDS[kind](robot, "regressor", q, v, a, joint_parameters=True)
        own = np.array(regressor_parameters(instantiate(robot, FLOATS, {}), joint_parameters=True), float)
        assert agree(Y @ own, on_floats(robot, "inverse_dynamics", q, v, a))


@kinds
def test_the_columns_of_joint_parameters_follow_those_of_the_inertias(kind: str) -> None:
    robot = trees(kind)[0]
    inputs = state(robot)
    short, long = (KINDS[kind](robot, "regressor", *inputs, joint_parameters=more) for more in (False, True))
    assert long.shape[1] - short.shape[1] == 3 * robot.nv
    assert np.array_equal(short, long[:, : short.shape[1]])


def test_every_column_of_the_regressor_has_a_name() -> None:
    for robot in trees("floats"):
        mechanism = instantiate(robot, FLOATS, {})
        joints = [joint.name for joint in robot.joints for _ in range(joint.nv)]
        names = regressor_columns(mechanism, joints, joint_parameters=True)
        assert len(names) == on_floats(robot, "regressor", *state(robot), joint_parameters=True).shape[1]
        moving = [link.name for link in robot.links if link.joint.type != "fixed"]
        assert [name.split(" of ")[1] for name in names[: 10 * len(moving) : 10]] == moving
