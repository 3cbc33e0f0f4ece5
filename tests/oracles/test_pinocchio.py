"""26 real robots against Pinocchio, law by law, on the recursion itself (plain floats).

Both engines are given right angles in full (public_robots says why); one test takes the files as they are.
"""

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from public_robots import CASES, SINGULAR, Case

from rikigaku.laws.catalogue import laws_of
from rikigaku.laws.tree.regressor import regressor_parameters
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import flatten, shape_of

LAWS = laws_of("tree")

Array = np.ndarray
TOLERANCE = 1e-10
# Solving with a mass matrix of condition 1e7 costs Pinocchio 8e-10 and us 2e-11 (test_fifty_digits.py).
SOLVING = {"icub_reduced": 5e-9}
AXES = {"world": pin.LOCAL_WORLD_ALIGNED, "local": pin.LOCAL, "spatial": pin.WORLD}
every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
regular = pytest.mark.parametrize(
    "case", [case for case in CASES if case.name not in SINGULAR], ids=lambda case: case.name
)


def ours(case: Case, name: str, *inputs: Array, **options: Any) -> Array:
    """A law of ours on floats."""
    mechanism = instantiate(case.robot, FLOATS, {})
    result = LAWS[name].recursion(mechanism, *(x.tolist() for x in inputs), **options)
    return np.array(list(flatten(result)), float).reshape(shape_of(result))


def agree(mine: Array, theirs: Array, tolerance: float = TOLERANCE) -> bool:
    """Equal relative to the largest element."""
    mine, theirs = np.asarray(mine), np.asarray(theirs)
    assert mine.shape == theirs.shape
    error = np.abs(mine - theirs).max() / np.abs(theirs).max()
    assert error <= tolerance, f"differs by {error:.1e} of the largest element"
    return True


def solving(case: Case) -> float:
    return SOLVING.get(case.name, TOLERANCE)


def full(upper: Array) -> Array:
    """A symmetric matrix of which Pinocchio fills the upper half."""
    return np.triu(upper) + np.triu(upper, 1).T


@every
def test_joint_forces_are_pinocchios(case: Case) -> None:
    tau = ours(case, "inverse_dynamics", *case.state, friction=False)
    assert agree(case.T @ tau, pin.rnea(case.model, case.data, *case.theirs))


@every
def test_joint_forces_are_pinocchios_with_the_files_as_they_are_written(case: Case) -> None:
    """Right angles of 11 digits included: they move the forces by less than the tolerance."""
    model = case.model_as_written
    tau = ours(case, "inverse_dynamics", *case.state, friction=False)
    assert agree(case.T @ tau, pin.rnea(model, model.createData(), *case.theirs))


@every
def test_joint_forces_under_an_outer_wrench_are_pinocchios(case: Case) -> None:
    wrench = np.random.default_rng(2).normal(size=6) * 30
    tau = ours(case, "inverse_dynamics", *case.state, friction=False, wrenches={case.frame: wrench.tolist()})
    pin.framesForwardKinematics(case.model, case.data, case.theirs[0])
    frame = case.model.frames[case.frame_id]
    joint = frame.parentJoint
    at_frame = pin.SE3(np.eye(3), case.data.oMf[case.frame_id].translation)
    forces = [pin.Force.Zero() for _ in range(case.model.njoints)]
    forces[joint] = case.data.oMi[joint].actInv(at_frame.act(pin.Force(wrench)))
    assert agree(case.T @ tau, pin.rnea(case.model, case.data, *case.theirs, forces))


@every
def test_velocity_and_gravity_forces_are_pinocchios(case: Case) -> None:
    q, v, _ = case.state
    g = pin.computeGeneralizedGravity(case.model, case.data, case.theirs[0])
    bias = pin.nonLinearEffects(case.model, case.data, *case.theirs[:2])
    assert agree(case.T @ ours(case, "gravity_forces", q), g)
    assert agree(case.T @ ours(case, "velocity_forces", q, v), bias - g)


@every
def test_the_mass_matrix_is_pinocchios(case: Case) -> None:
    M = ours(case, "mass_matrix", case.state[0])
    assert agree(case.T @ M @ case.T.T, full(pin.crba(case.model, case.data, case.theirs[0])))


@regular
def test_the_inverse_mass_matrix_is_pinocchios(case: Case) -> None:
    inverse = ours(case, "inverse_mass_matrix", case.state[0])
    assert agree(
        case.T @ inverse @ case.T.T,
        full(pin.computeMinverse(case.model, case.data, case.theirs[0])),
        solving(case),
    )


@regular
@pytest.mark.parametrize("method", ["factors", "articulated"])
def test_accelerations_are_pinocchios(case: Case, method: str) -> None:
    q, v, tau = case.state
    a = ours(case, "forward_dynamics", q, v, tau, friction=False, method=method)
    assert agree(case.T @ a, pin.aba(case.model, case.data, *case.theirs[:2], case.T @ tau), solving(case))


@every
def test_the_coriolis_matrix_is_pinocchios(case: Case) -> None:
    C = ours(case, "coriolis_matrix", *case.state[:2])
    assert agree(case.T @ C @ case.T.T, pin.computeCoriolisMatrix(case.model, case.data, *case.theirs[:2]))


@every
@pytest.mark.parametrize("axes", AXES)
def test_jacobians_are_pinocchios(case: Case, axes: str) -> None:
    J = ours(case, "jacobian", case.state[0], frame=case.frame, axes=axes)
    theirs = pin.computeFrameJacobian(case.model, case.data, case.theirs[0], case.frame_id, AXES[axes])
    assert agree(J @ case.T.T, theirs)


@every
@pytest.mark.parametrize("axes", AXES)
def test_jacobian_rates_are_pinocchios(case: Case, axes: str) -> None:
    q, v = case.theirs[:2]
    pin.computeJointJacobiansTimeVariation(case.model, case.data, q, v)
    pin.updateFramePlacements(case.model, case.data)
    theirs = pin.getFrameJacobianTimeVariation(case.model, case.data, case.frame_id, AXES[axes])
    rate = ours(case, "jacobian_rate", *case.state[:2], frame=case.frame, axes=axes)
    assert agree(rate, theirs @ v)


@every
@pytest.mark.parametrize("axes", AXES)
def test_velocities_and_accelerations_of_frames_are_pinocchios(case: Case, axes: str) -> None:
    q, v, a = case.theirs
    pin.forwardKinematics(case.model, case.data, q, v, a)
    pin.updateFramePlacements(case.model, case.data)
    theirs = pin.getFrameVelocity(case.model, case.data, case.frame_id, AXES[axes])
    assert agree(ours(case, "velocity", *case.state[:2], frame=case.frame, axes=axes), theirs.vector)
    if axes == "world":  # of the point; in the other axes Pinocchio gives the spatial acceleration
        theirs = pin.getFrameClassicalAcceleration(case.model, case.data, case.frame_id, AXES[axes])
    else:
        theirs = pin.getFrameAcceleration(case.model, case.data, case.frame_id, AXES[axes])
    assert agree(ours(case, "acceleration", *case.state, frame=case.frame, axes=axes), theirs.vector)


@every
def test_derivatives_of_joint_forces_are_pinocchios(case: Case) -> None:
    derivative = LAWS["inverse_dynamics"].derivative
    assert derivative is not None
    mechanism = instantiate(case.robot, FLOATS, {})
    mine = derivative.recursion(mechanism, *(x.tolist() for x in case.state), friction=False)
    theirs = pin.computeRNEADerivatives(case.model, case.data, *case.theirs)
    for x, y in zip(mine[:2], theirs[:2], strict=True):
        assert agree(case.T @ np.array(x, float) @ case.T.T, y)
    assert agree(case.T @ np.array(mine.a, float) @ case.T.T, full(theirs[2]))


@regular
def test_derivatives_of_accelerations_are_pinocchios(case: Case) -> None:
    derivative = LAWS["forward_dynamics"].derivative
    assert derivative is not None
    q, v, tau = case.state
    mechanism = instantiate(case.robot, FLOATS, {})
    mine = derivative.recursion(mechanism, q.tolist(), v.tolist(), tau.tolist(), friction=False)
    theirs = pin.computeABADerivatives(case.model, case.data, *case.theirs[:2], case.T @ tau)
    for x, y in zip(mine[:2], theirs[:2], strict=True):
        assert agree(case.T @ np.array(x, float) @ case.T.T, y, solving(case))
    assert agree(case.T @ np.array(mine.tau, float) @ case.T.T, full(theirs[2]), solving(case))


@every
def test_the_regressor_is_pinocchios(case: Case) -> None:
    """Its ten parameters a joint: m, mc, then Ixx Ixy Iyy Ixz Iyz Izz; bodies in the order of its joints."""
    Y = ours(case, "regressor", *case.state)
    theirs = pin.computeJointTorqueRegressor(case.model, case.data, *case.theirs)
    order = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # where ours (Ixx Ixy Ixz Iyy ..) stand among theirs
    columns = []
    for joint in case.robot.joints:
        name = "root_joint" if joint.type == "free" else joint.name
        first = 10 * (case.model.getJointId(name) - 1)
        columns += [first + k for k in order]
    assert agree(case.T @ Y, theirs[:, columns])
    own = np.array(regressor_parameters(instantiate(case.robot, FLOATS, {})), float)
    dynamic = np.concatenate(
        [case.model.inertias[i].toDynamicParameters() for i in range(1, case.model.njoints)]
    )
    assert agree(own, dynamic[columns])


@every
def test_energies_and_the_centre_of_mass_are_pinocchios(case: Case) -> None:
    q, v, _ = case.state
    assert agree(
        ours(case, "kinetic_energy", q, v), pin.computeKineticEnergy(case.model, case.data, *case.theirs[:2])
    )
    assert agree(
        ours(case, "potential_energy", q), pin.computePotentialEnergy(case.model, case.data, case.theirs[0])
    )
    assert agree(ours(case, "center_of_mass", q), pin.centerOfMass(case.model, case.data, case.theirs[0]))


@every
def test_the_centroidal_momentum_matrix_is_pinocchios(case: Case) -> None:
    A = ours(case, "momentum_matrix", case.state[0])
    pin.ccrba(case.model, case.data, *case.theirs[:2])
    assert agree(A @ case.T.T, case.data.Ag)
    assert agree(ours(case, "momentum", *case.state[:2]), case.data.hg.vector)


@every
def test_a_step_of_q_is_pinocchios(case: Case) -> None:
    q, v, _ = case.state
    mine = case.layout.q(ours(case, "integrate", q, v))
    theirs = pin.integrate(case.model, *case.theirs[:2])
    if case.free and mine[3:7] @ theirs[3:7] < 0:  # a quaternion and its opposite are one orientation
        mine[3:7] *= -1
    assert agree(mine, theirs)
