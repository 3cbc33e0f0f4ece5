"""The laws people call most, as native code, against Pinocchio: arms, a hand and legs, batches of states."""

import numpy as np
import pinocchio as pin
import pytest
from public_robots import CASES, Case
from random_robots import random_state

NAMES = ("panda", "ur5_robot", "kinova", "allegro_right_hand", "solo12", "bolt")
arms = pytest.mark.parametrize("case", [c for c in CASES if c.name in NAMES], ids=lambda case: case.name)
Array = np.ndarray
STATES = 9  # a full vector register and one more


def states(case: Case) -> tuple[Array, Array, Array]:
    return random_state(case.robot, np.random.default_rng(17), STATES)


def agree(mine: Array, theirs: list[Array]) -> bool:
    """Equal to 1e-10 of the largest element over the run."""
    assert np.abs(mine - np.array(theirs)).max() <= 1e-10 * np.abs(theirs).max()
    return True


def each(case: Case) -> list[tuple[Array, Array, Array, Array]]:
    """Pinocchio's q, v, a and the joint forces tau = a as numbers, state by state."""
    q, v, a = states(case)
    return list(zip(case.layout.q(q), case.layout.v(q, v), case.layout.a(q, v, a), a @ case.T.T, strict=True))


@arms
def test_native_joint_forces_are_pinocchios(case: Case) -> None:
    q, v, a = states(case)
    tau = case.robot.inverse_dynamics(q, v, a, friction=False)
    assert agree(tau @ case.T.T, [pin.rnea(case.model, case.data, *x[:3]).copy() for x in each(case)])
    plain = case.robot.inverse_dynamics.fix(friction=False)
    assert np.array_equal(plain(q[3], v[3], a[3]), tau[3])


@arms
def test_native_accelerations_are_pinocchios(case: Case) -> None:
    q, v, tau = states(case)
    a = case.robot.forward_dynamics(q, v, tau, friction=False)
    assert agree(a @ case.T.T, [pin.aba(case.model, case.data, *x[:2], x[3]).copy() for x in each(case)])


@arms
def test_native_mass_matrices_are_pinocchios(case: Case) -> None:
    M = case.robot.mass_matrix(states(case)[0])
    theirs = [np.triu(pin.crba(case.model, case.data, x[0])) for x in each(case)]
    assert agree(np.triu(case.T @ M @ case.T.T), theirs)


@arms
def test_native_jacobians_are_pinocchios(case: Case) -> None:
    J = case.robot.jacobian(states(case)[0], case.frame)
    which = (case.frame_id, pin.LOCAL_WORLD_ALIGNED)
    theirs = [pin.computeFrameJacobian(case.model, case.data, x[0], *which).copy() for x in each(case)]
    assert agree(J @ case.T.T, theirs)


@arms
def test_native_derivatives_of_joint_forces_are_pinocchios(case: Case) -> None:
    q, v, a = states(case)
    mine = case.robot.inverse_dynamics.derivative(q, v, a, friction=False)
    for k in range(2):
        # Pinocchio answers with views of its own workspace: each is kept before the next call.
        theirs = [pin.computeRNEADerivatives(case.model, case.data, *x[:3])[k].copy() for x in each(case)]
        assert agree(case.T @ mine[k] @ case.T.T, theirs)
