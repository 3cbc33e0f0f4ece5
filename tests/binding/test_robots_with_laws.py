"""Robots and their laws as values: few joints, copies, pickles, equality, shared code."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from bound_cases import arm, arm_with_length, pendulum

import rikigaku as rk
from rikigaku.compiler import kernel as kernels
from rikigaku.core.errors import WrongSize
from rikigaku.laws.catalogue import laws_of
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.numbers.formula import Formula

LAWS = laws_of("tree")


def test_a_robot_that_cannot_move_still_has_poses_and_energies() -> None:
    link = rk.Link("l", "base", Joint("j", "fixed"), inertia=pendulum().bind(m=2).links[0].inertia)
    for robot in (rk.Robot("fixed", (link,)), rk.Robot("empty")):
        nothing = np.empty(0)
        assert robot.pose(nothing, "base").tolist() == np.eye(4).tolist()
        assert robot.poses(np.empty((4, 0))).shape == (4, len(robot.frame_names), 4, 4)
        assert robot.inverse_dynamics(nothing, nothing, nothing).shape == (0,)
        assert robot.forward_dynamics(np.empty((3, 0)), nothing, nothing).shape == (3, 0)
        assert robot.jacobian(nothing, "base").shape == (6, 0)
        assert robot.kinetic_energy(np.empty((2, 0)), nothing).tolist() == [0.0, 0.0]
        assert robot.integrate(nothing, nothing).shape == (0,)
        assert robot.inverse_dynamics.status(nothing, nothing, nothing) == "ok"
        with pytest.raises(WrongSize, match="has 0 numbers"):
            robot.inverse_dynamics([0.0], [0.0], [0.0])


def test_a_single_pendulum_obeys_its_textbook_equation() -> None:
    inertia = Inertia(
        "origin",
        Formula.of(2),
        (Formula.of("1"), Formula.of(0), Formula.of(0)),  # first moment: 2 kg at 0.5 m
        tuple(Formula.of(x) for x in ("0.01", "0", "0", "0.6", "0", "0.6")),
    )
    robot = pendulum(Joint("j", axis=tuple(Formula.of(x) for x in (0, 1, 0))), inertia)
    for q, v, a in np.random.default_rng(0).normal(size=(5, 3)):
        # about +y, a positive angle lowers a bob on the x axis
        wanted = 0.6 * a - 2 * 0.5 * 9.81 * np.cos(q)
        assert robot.inverse_dynamics([q], [v], [a]) == pytest.approx([wanted], rel=1e-12)
        assert robot.forward_dynamics([q], [v], [wanted]) == pytest.approx([a], rel=1e-10, abs=1e-12)
    assert robot.mass_matrix([[0.1]]).shape == (1, 1, 1)


def test_robots_whose_laws_ran_copy_pickle_and_compare_as_data() -> None:
    robot = replace(arm(), name="used")
    q = np.array([0.1, 0.2])
    wanted = robot.inverse_dynamics(q, q, q)
    for twin in (copy.copy(robot), copy.deepcopy(robot), pickle.loads(pickle.dumps(robot)), replace(robot)):
        assert twin == robot
        assert hash(twin) == hash(robot)
        assert twin.digest == robot.digest
        assert twin.inverse_dynamics(q, q, q).tobytes() == wanted.tobytes()
        assert twin.inverse_dynamics is not robot.inverse_dynamics
    assert len(pickle.dumps(robot)) == len(pickle.dumps(replace(robot)))
    assert {robot: 1}[replace(robot)] == 1


def test_bound_laws_pickle_and_copy() -> None:
    law = arm().jacobian.fix(frame="hand", axes="local")
    q = np.array([0.1, 0.2])
    for twin in (pickle.loads(pickle.dumps(law)), copy.deepcopy(law), copy.copy(law)):
        assert twin(q).tobytes() == law(q).tobytes()
        assert twin.fixed == law.fixed
    assert pickle.loads(pickle.dumps(arm().mass_matrix))(q).tobytes() == arm().mass_matrix(q).tobytes()


def test_a_law_is_bound_once_and_kept() -> None:
    robot = replace(arm(), name="kept")
    assert robot.mass_matrix is robot.mass_matrix
    assert type(robot).mass_matrix.__doc__ == LAWS["mass_matrix"].text
    assert "mass_matrix(q) of robot 'kept'" in repr(robot.mass_matrix)


def test_a_closed_robots_law_has_formulas_and_steps_like_any() -> None:
    law = rk.load("five_bar").inverse_dynamics
    assert law.symbolic.shape == (2,)
    assert law.intermediates().shape == (2,)


def test_equal_robots_share_their_code() -> None:
    q = np.zeros((2, 2))
    first, second = arm_with_length("L").bind(L=0.123), arm_with_length("L").bind(L=0.123)
    before = len(kernels._loaded)
    first.gravity_forces(q)
    second.gravity_forces(q)
    assert len(kernels._loaded) == before + 1
