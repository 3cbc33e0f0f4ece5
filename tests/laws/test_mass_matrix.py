"""The mass matrix, its inverse, forward dynamics and the Coriolis matrix."""

import numpy as np
import pose_reference as reference
import pytest
from law_cases import DIFFERENCES, ROUNDING, agree, state, trees
from law_kinds import KINDS, on_states
from pose_reference import slope, slopes, tangent

from rikigaku.robot import Robot

Array = np.ndarray
kinds = pytest.mark.parametrize("kind", KINDS)


def conditioned(M: Array) -> float:
    """Rounding times what solving with M makes of it."""
    return ROUNDING * float(np.linalg.cond(M))


def mass_slope(robot: Robot, q: Array, v: Array) -> Array:
    """dM/dt along v."""
    return slope(lambda at: on_states(robot, "mass_matrix", at[None])[0], q, tangent(robot, q) @ v)


@kinds
def test_the_mass_matrix_is_the_sum_over_bodies_of_their_partial_velocities(kind: str) -> None:
    for robot in trees(kind):
        q, _, _ = state(robot)
        M = KINDS[kind](robot, "mass_matrix", q)
        assert agree(M, reference.mass_matrix(robot, q))


@kinds
def test_the_mass_matrix_is_symmetric_and_positive(kind: str) -> None:
    for robot in trees(kind):
        q, _, _ = state(robot)
        M = KINDS[kind](robot, "mass_matrix", q)
        assert np.array_equal(M, M.T)
        assert np.linalg.eigvalsh(M)[0] > 0


@kinds
def test_the_inverse_mass_matrix_times_the_mass_matrix_is_one(kind: str) -> None:
    for robot in trees(kind):
        q, _, _ = state(robot)
        M, inverse = (KINDS[kind](robot, name, q) for name in ("mass_matrix", "inverse_mass_matrix"))
        assert agree(inverse @ M, np.eye(robot.nv), conditioned(M))
        assert np.array_equal(inverse, inverse.T)


@kinds
@pytest.mark.parametrize("method", ["factors", "articulated"])
def test_forward_dynamics_undoes_inverse_dynamics_but_for_coulomb_friction(kind: str, method: str) -> None:
    value = KINDS[kind]
    for robot in trees(kind):
        q, v, a = state(robot)
        M = reference.mass_matrix(robot, q)
        wrenches = {"tip": np.array([1.0, -2.0, 3.0, 0.5, -0.4, 0.3])}
        smooth = value(robot, "inverse_dynamics", q, v, a, friction=False, wrenches=wrenches)
        back = value(
            robot, "forward_dynamics", q, v, smooth, friction=False, wrenches=wrenches, method=method
        )
        assert agree(back, a, conditioned(M))
        tau = value(robot, "inverse_dynamics", q, v, a)
        push = reference.by_coordinate(robot, "coulomb") * np.sign(v)
        pushed = value(robot, "forward_dynamics", q, v, tau, method=method)
        assert agree(pushed, a + np.linalg.solve(M, push), conditioned(M))


@kinds
def test_forward_dynamics_chooses_one_of_its_methods(kind: str) -> None:
    robot = trees(kind)[0]
    q, v, tau = state(robot)
    a, *ways = (
        KINDS[kind](robot, "forward_dynamics", q, v, tau, method=method)
        for method in ("auto", "factors", "articulated")
    )
    assert any(np.array_equal(a, way) for way in ways)


@kinds
def test_the_coriolis_matrix_times_v_is_the_velocity_force(kind: str) -> None:
    for robot in trees(kind):
        q, v, _ = state(robot)
        C = KINDS[kind](robot, "coriolis_matrix", q, v)
        assert agree(C @ v, KINDS[kind](robot, "velocity_forces", q, v))


@kinds
def test_the_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(kind: str) -> None:
    for robot in trees(kind):
        q, v, _ = state(robot)
        C = KINDS[kind](robot, "coriolis_matrix", q, v)
        N = mass_slope(robot, q, v) - 2 * C
        assert agree(N, -N.T, DIFFERENCES)
        assert robot.nv == 1 or np.abs(N).max() > 0


@kinds
def test_the_coriolis_matrix_is_christoffels_where_v_is_the_rate_of_q(kind: str) -> None:
    """C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k."""
    for robot in trees(kind, rates_only=True):
        q, v, _ = state(robot)
        dM = slopes(lambda at, robot=robot: on_states(robot, "mass_matrix", at), q, np.eye(robot.nq))
        first = np.einsum("ijk,k->ij", dM, v)
        second = np.einsum("ikj,k->ij", dM, v)
        C = (first + second - second.T) / 2
        assert agree(KINDS[kind](robot, "coriolis_matrix", q, v), C, DIFFERENCES)
