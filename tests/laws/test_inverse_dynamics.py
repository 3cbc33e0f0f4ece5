"""Inverse dynamics, velocity forces and gravity forces against Kane, Lagrange, Hamel and energy."""

from functools import cache

import numpy as np
import pose_reference as reference
import pytest
from law_cases import DIFFERENCES, agree, state, trees
from law_kinds import KINDS, on_floats, on_states
from pose_reference import slope, slopes, tangent
from random_robots import ALL_JOINTS, RATE_JOINTS

from rikigaku.robot import Robot

Array = np.ndarray
kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
def test_every_joint_type_is_among_the_trees(kind: str) -> None:
    for types, rates_only in ((ALL_JOINTS, False), (RATE_JOINTS, True)):
        robots = trees(kind, rates_only=rates_only)
        assert {joint.type for robot in robots for joint in robot.joints} == set(types) - {"fixed"}


@kinds
def test_joint_forces_are_those_of_kanes_equations(kind: str) -> None:
    for robot in trees(kind):
        tau = KINDS[kind](robot, "inverse_dynamics", *state(robot), friction=False)
        assert agree(tau, kane(robot), DIFFERENCES)


@cache
def kane(robot: Robot) -> Array:
    return reference.kane(robot, *state(robot))


@kinds
def test_friction_adds_viscous_and_coulomb_forces(kind: str) -> None:
    for robot in trees(kind):
        q, v, a = state(robot)
        v[0] = 0.0  # at rest Coulomb friction is zero, of either sign
        with_friction = KINDS[kind](robot, "inverse_dynamics", q, v, a)
        without = KINDS[kind](robot, "inverse_dynamics", q, v, a, friction=False)
        viscous, coulomb = (reference.by_coordinate(robot, name) for name in ("viscous", "coulomb"))
        assert agree(with_friction - without, viscous * v + coulomb * np.sign(v))


@kinds
def test_velocity_forces_satisfy_lagranges_equation(kind: str) -> None:
    """h = Mdot v - 1/2 d(v^T M v)/dq where v = dq/dt."""
    for robot in trees(kind, rates_only=True):
        q, v, _ = state(robot)
        h = KINDS[kind](robot, "velocity_forces", q, v)
        assert agree(h, lagrange(robot), DIFFERENCES)


@kinds
def test_velocity_forces_satisfy_hamels_equation_for_quasi_velocities(kind: str) -> None:
    """Free and spherical joints: the momenta p = M v are seen from turning axes, hence Hamel's term."""
    for robot in trees(kind):
        q, v, _ = state(robot)
        h = KINDS[kind](robot, "velocity_forces", q, v)
        assert agree(h, lagrange(robot) + hamel(robot, q, v), DIFFERENCES)


@cache
def lagrange(robot: Robot) -> Array:
    """Mdot v - 1/2 d(v^T M v)/dq at the robot's state, derivatives along the tangent, M of our own law."""
    q, v, _ = state(robot)
    dM = slopes(lambda at: on_states(robot, "mass_matrix", at), q, tangent(robot, q))
    return np.einsum("ijk,k,j->i", dM, v, v) - np.einsum("ijk,i,j->k", dM, v, v) / 2


def hamel(robot: Robot, q: Array, v: Array) -> Array:
    """What turning body axes add: omega x n for a spherical joint; a free one has omega x f and v x f too."""
    p = on_floats(robot, "mass_matrix", q) @ v
    term = np.zeros(robot.nv)
    rotor = reference.by_coordinate(robot, "rotor")
    p = p - rotor * v  # a reflected rotor turns about its own axis and follows no body
    for joint in robot.joints:
        own = robot.v_slices[joint.name]
        if joint.type == "spherical":
            term[own] = np.cross(v[own], p[own])
        if joint.type == "free":
            (u, w), (f, n) = v[own].reshape(2, 3), p[own].reshape(2, 3)
            term[own] = np.concatenate([np.cross(w, f), np.cross(w, n) + np.cross(u, f)])
    return term


@kinds
def test_gravity_forces_are_the_slope_of_the_potential_energy(kind: str) -> None:
    for robot in trees(kind):
        q, _, _ = state(robot)

        def U(at: Array, robot: Robot = robot) -> Array:
            return on_states(robot, "potential_energy", at)

        g = KINDS[kind](robot, "gravity_forces", q)
        assert agree(g, slopes(U, q, tangent(robot, q)), DIFFERENCES)


@kinds
def test_forces_are_the_sum_of_inertia_velocity_gravity_and_friction(kind: str) -> None:
    value = KINDS[kind]
    for robot in trees(kind):
        q, v, a = state(robot)
        M = value(robot, "mass_matrix", q)
        parts = M @ a + value(robot, "velocity_forces", q, v) + value(robot, "gravity_forces", q)
        assert agree(value(robot, "inverse_dynamics", q, v, a, friction=False), parts)


@kinds
def test_power_of_the_joint_forces_is_the_rate_of_energy_and_the_friction_loss(kind: str) -> None:
    for robot in trees(kind):
        q, v, a = state(robot)

        def energy(at: Array, robot: Robot = robot, n: int = robot.nq) -> Array:
            kinetic = on_floats(robot, "kinetic_energy", at[:n], at[n:])
            return kinetic + on_floats(robot, "potential_energy", at[:n])

        rate = slope(energy, np.concatenate([q, v]), np.concatenate([tangent(robot, q) @ v, a]))
        viscous, coulomb = (reference.by_coordinate(robot, name) for name in ("viscous", "coulomb"))
        loss = viscous @ v**2 + coulomb @ abs(v)
        tau = KINDS[kind](robot, "inverse_dynamics", q, v, a)
        assert agree(tau @ v, rate + loss, DIFFERENCES)


@kinds
def test_gravity_given_in_the_call_replaces_the_robots_own(kind: str) -> None:
    value, g = KINDS[kind], np.array([1.5, -2.0, 7.0])
    for robot in trees(kind)[:1]:  # five laws with an input more: the wiring, once for each kind
        q, v, a = state(robot)
        other = robot.with_gravity(g.tolist())
        for name, inputs in (
            ("inverse_dynamics", (q, v, a)),
            ("forward_dynamics", (q, v, a)),
            ("gravity_forces", (q,)),
            ("potential_energy", (q,)),
            ("regressor", (q, v, a)),
        ):
            given = value(robot, name, *inputs, gravity=g)
            assert agree(given, on_floats(other, name, *inputs), 1e-11)
            assert not np.allclose(given, on_floats(robot, name, *inputs), atol=1e-3)


@kinds
def test_a_wrench_on_a_frame_relieves_the_joints_by_its_power(kind: str) -> None:
    """tau = ... - J^T w: checked with the poses' own Jacobians, two wrenches at once."""
    for robot in trees(kind):
        q, v, a = state(robot)
        rng = np.random.default_rng(5)
        wrenches = {"tip": rng.normal(size=6), "l1": rng.normal(size=6), "base": rng.normal(size=6)}
        without = KINDS[kind](robot, "inverse_dynamics", q, v, a)
        pushed = KINDS[kind](robot, "inverse_dynamics", q, v, a, wrenches=wrenches)
        frames, relief = reference.jacobians(robot, q), np.zeros(robot.nv)
        for name, w in wrenches.items():
            J = frames[name]
            relief += J.linear.T @ w[:3] + J.angular.T @ w[3:]
        assert agree(without - pushed, relief)
        assert np.abs(relief).max() > 0.1
