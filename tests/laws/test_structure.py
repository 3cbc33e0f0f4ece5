"""Parameters, patterns and rounded angles of a robot; saving it."""

from pathlib import Path

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.laws.structure import recognised_note


def test_regressor_times_parameters_is_inverse_dynamics_with_drives() -> None:
    robot = rk.load("iiwa14")
    q, v, a = robot.random_state(0)
    parameters = robot.parameters(joint_parameters=True)
    Y = robot.regressor(q, v, a, joint_parameters=True)
    assert Y.shape == (robot.nv, len(parameters))
    np.testing.assert_allclose(
        Y @ list(parameters.values()), robot.inverse_dynamics(q, v, a), rtol=0, atol=1e-12
    )


def test_the_packed_mass_matrix_has_every_entry_that_is_not_zero() -> None:
    robot = rk.load("humanoid_32")
    q = robot.random_state(0).q
    rows, columns = robot.mass_pattern()
    packed = robot.mass_matrix(q, packed=True)
    M = np.zeros((robot.nv, robot.nv))
    M[rows, columns] = M[columns, rows] = packed
    np.testing.assert_array_equal(M, robot.mass_matrix(q))
    assert len(packed) < robot.nv * (robot.nv + 1) / 2


def test_matrices_of_a_robot_without_joints_have_neither_rows_nor_columns() -> None:
    robot = rk.Robot("post", (rk.Link("l", "base", rk.Joint("j", type="fixed")),))
    none, batch = np.zeros(0), np.zeros((4, 0))
    for law in (robot.mass_matrix, robot.inverse_mass_matrix):
        assert (law(none).shape, law(batch).shape) == ((0, 0), (4, 0, 0))
    assert robot.regressor(batch, batch, batch).shape == (4, 0, 0)
    for law in (robot.inverse_dynamics, robot.forward_dynamics):
        assert [x.shape for x in law.derivative(batch, batch, batch)] == [(4, 0, 0)] * 3
    assert robot.mass_matrix(none, packed=True).shape == robot.mass_pattern()[0].shape == (0,)


def test_rounded_right_angles_are_reported_and_exact_ones_are_not() -> None:
    def one(rpy: object) -> rk.Robot:
        joint = rk.Joint("j")
        return rk.Robot("r", (rk.Link("l", "base", joint, rk.Placement(rpy=(0, rpy, 0))),))

    assert one("1.57079632679").recognised_angles() == {"links[0].geometry.rpy[1]": "pi/2"}
    assert "as pi/2" in recognised_note(one("1.57079632679"))
    for angle in ("pi/2", "1.5708", "0", "0.3"):
        assert one(angle).recognised_angles() == {}


def test_a_saved_robot_is_read_back_equal(tmp_path: Path) -> None:
    robot = rk.load("panda").attach("hand", rk.Inertia("com", 1.5, (0, 0, "0.05")), name="tool")
    robot.save(tmp_path / "with_tool.robot.toml")
    assert rk.load(tmp_path / "with_tool.robot.toml") == robot


def test_edits_say_what_they_take() -> None:
    robot = rk.load("panda")
    with pytest.raises(WrongValue, match=r"rk\.Inertia\('com', 1\)"):
        robot.attach("hand", {"m": 1})
    with pytest.raises(WrongValue, match="three numbers"):
        robot.with_gravity(9.81)
