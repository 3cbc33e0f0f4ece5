"""Energies, centre of mass and momentum: sums over bodies, and what the outside world can change."""

import numpy as np
import pose_reference as reference
import pytest
from law_cases import DIFFERENCES, agree, state, trees
from law_kinds import KINDS, on_floats
from pose_reference import moving_bodies, slope, tangent

from rikigaku.robot import Robot

Array = np.ndarray
kinds = pytest.mark.parametrize("kind", KINDS)


def momentum_of_bodies(robot: Robot, q: Array, about: str) -> Array:
    """6 x nv: linear momentum and angular momentum about a point, body by body."""
    bodies = moving_bodies(robot, q)
    point = center(robot, q) if about == "com" else np.zeros(3)
    linear = sum(b.m * b.linear for b in bodies)
    angular = sum(b.I @ b.angular + b.m * np.cross(b.c - point, b.linear.T).T for b in bodies)
    return np.concatenate([linear, angular])


def center(robot: Robot, q: Array) -> Array:
    bodies = moving_bodies(robot, q)
    return sum(b.m * b.c for b in bodies) / sum(b.m for b in bodies)


@kinds
def test_kinetic_energy_is_that_of_the_bodies_and_half_v_m_v(kind: str) -> None:
    for robot in trees(kind):
        q, v, _ = state(robot)
        T = sum(b.m * (b.linear @ v) @ (b.linear @ v) for b in moving_bodies(robot, q))
        T += sum((b.angular @ v) @ b.I @ (b.angular @ v) for b in moving_bodies(robot, q))
        T += reference.by_coordinate(robot, "rotor") @ v**2
        assert agree(KINDS[kind](robot, "kinetic_energy", q, v), T / 2)
        assert agree(v @ KINDS[kind](robot, "mass_matrix", q) @ v, T)


@kinds
def test_potential_energy_is_the_weight_times_the_height_of_the_centre_of_mass(kind: str) -> None:
    for robot in trees(kind):
        q, _, _ = state(robot)
        mass = sum(b.m for b in moving_bodies(robot, q))
        assert agree(KINDS[kind](robot, "center_of_mass", q), center(robot, q))
        U = -mass * reference.gravity(robot) @ center(robot, q)
        assert agree(KINDS[kind](robot, "potential_energy", q), U)


@kinds
@pytest.mark.parametrize("about", ["com", "world"])
def test_the_momentum_matrix_sums_the_momenta_of_the_bodies(kind: str, about: str) -> None:
    for robot in trees(kind):
        q, v, _ = state(robot)
        A = KINDS[kind](robot, "momentum_matrix", q, about=about)
        assert agree(A, momentum_of_bodies(robot, q, about))
        assert agree(KINDS[kind](robot, "momentum", q, v, about=about), A @ v)


@kinds
@pytest.mark.parametrize("about", ["com", "world"])
def test_a_floating_robot_changes_its_momentum_by_its_weight_alone(kind: str, about: str) -> None:
    """Whatever forces act inside: only the base, which is not driven, could hold on to the world."""
    for robot in trees(kind, drives=False, base="free"):
        q, v, tau = state(robot)
        tau[:6] = 0
        a = KINDS[kind](robot, "forward_dynamics", q, v, tau)

        def momentum(at: Array, robot: Robot = robot, n: int = robot.nq) -> Array:
            return on_floats(robot, "momentum", at[:n], at[n:], about=about)

        rate = slope(momentum, np.concatenate([q, v]), np.concatenate([tangent(robot, q) @ v, a]))
        mass = sum(b.m for b in moving_bodies(robot, q))
        weight = mass * reference.gravity(robot)
        moment = np.cross(center(robot, q), weight) if about == "world" else np.zeros(3)
        size = max(1, np.abs(a).max())
        assert agree(rate, np.concatenate([weight, moment]), 10 * DIFFERENCES * size)


@kinds
def test_the_first_rows_of_a_floating_robots_mass_matrix_are_its_momentum_at_the_base(kind: str) -> None:
    for robot in trees(kind, drives=False, base="free"):
        q, _, _ = state(robot)
        A = KINDS[kind](robot, "momentum_matrix", q, about="com")
        X = KINDS[kind](robot, "pose", q, frame="l1")
        base = on_floats(robot, "jacobian", q, frame="l1", axes="world")[:, :6]
        arm = KINDS[kind](robot, "center_of_mass", q) - X[:3, 3]
        A = np.concatenate([A[:3], A[3:] + np.cross(arm, A[:3].T).T])  # about the base's origin
        assert agree(KINDS[kind](robot, "mass_matrix", q)[:6], base.T @ A)
