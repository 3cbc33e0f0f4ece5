"""Free and contact dynamics with derivatives: against Pinocchio's constrained dynamics, and differences."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import rikigaku as rk
from rikigaku.bridges.action_model import ActionModel, QuadraticCost
from rikigaku.bridges.exponential_derivatives import difference_derivatives, integration_derivatives
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue

UR5 = rk.load("ur5")
COST = QuadraticCost(
    np.linspace(-1, 1, 12), 0.3, 0.2, np.arange(1.0, 7.0), "hand", np.array([0.3, 0.2, 0.5]), 2.0
)
RANDOM = np.random.default_rng(0)
X, U = RANDOM.normal(size=12), RANDOM.normal(size=6)


@pytest.mark.parametrize("contacts", [(), ("hand",)], ids=["free", "contact"])
def test_derivatives_equal_differences(contacts: tuple[str, ...]) -> None:
    model = ActionModel(UR5, COST, contacts)
    found, h = model.evaluation(X, U), 1e-6
    for k in range(18):
        step = h * np.eye(18)[k]
        (a, _, cost), (b, _, less) = (model.value(X + s * step[:12], U + s * step[12:]) for s in (1, -1))
        exact = np.hstack([found.Fx, found.Fu])[:, k]
        np.testing.assert_allclose((a - b) / (2 * h), exact, rtol=1e-6, atol=1e-6 * np.abs(found.Fx).max())
        assert (cost - less) / (2 * h) == pytest.approx(
            np.concatenate([found.Lx, found.Lu])[k], rel=1e-6, abs=1e-7
        )


@pytest.mark.parametrize("contacts", [(), ("hand",)], ids=["free", "contact"])
def test_the_cost_of_the_last_node_is_that_of_the_state_alone(contacts: tuple[str, ...]) -> None:
    cost = QuadraticCost(X, 0.3, 2.0, 1.0)
    model = ActionModel(UR5, cost, contacts)
    last, still = model.evaluation(X, None), model.evaluation(X, np.zeros(6))
    assert model.value(X, None)[2] == last.cost == 0
    assert still.cost == pytest.approx(12)  # 1/2 of six torques that are 2 away
    assert not last.Lu.any()
    assert not last.Luu.any()
    np.testing.assert_array_equal(last.a, still.a)
    np.testing.assert_array_equal(last.Fx, still.Fx)
    np.testing.assert_array_equal(last.Lxx, still.Lxx)


def test_the_contact_point_has_no_acceleration_and_free_motion_no_forces() -> None:
    a, forces, _ = ActionModel(UR5, COST, ("hand",)).value(X, U)
    np.testing.assert_allclose(UR5.acceleration(X[:6], X[6:], a, "hand")[:3], 0, atol=1e-11)
    wrench = np.concatenate([forces, np.zeros(3)])
    tau = UR5.inverse_dynamics(X[:6], X[6:], a, wrenches={"hand": wrench}, friction=False)
    np.testing.assert_allclose(tau, U, rtol=1e-10, atol=1e-10)
    assert ActionModel(UR5, COST).value(X, U)[1].size == 0


def test_contact_accelerations_are_pinocchios(tmp_path) -> None:
    file = tmp_path / "ur5.urdf"
    UR5.save(file)
    model = pin.buildModelFromUrdf(str(file))
    data = model.createData()
    q, v = X[:6], X[6:]
    pose = UR5.pose(q, "hand")
    parent = model.njoints - 1
    pin.forwardKinematics(model, data, q, v)
    place = data.oMi[parent].actInv(pin.SE3(pose[:3, :3], pose[:3, 3]))
    contact = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, parent, place, 0, pin.SE3.Identity(), pin.ReferenceFrame.LOCAL
    )
    contacts = pin.StdVec_RigidConstraintModel()
    known = pin.StdVec_RigidConstraintData()
    contacts.append(contact)
    known.append(contact.createData())
    pin.initConstraintDynamics(model, data, contacts, known)
    settings = pin.ProximalSettings(1e-12, 1e-14, 1)
    theirs = pin.constraintDynamics(model, data, q, v, U, contacts, known, settings)
    ours, _, _ = ActionModel(UR5, COST, ("hand",)).value(X, U)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)


def test_robots_with_loops_or_gears_are_refused() -> None:
    geared = replace(UR5, couplings=(rk.Coupling(UR5.joints[1].name, UR5.joints[0].name, -2),))
    for robot in (rk.load("five_bar"), geared):
        with pytest.raises(WrongValue, match="has loops or gears: this needs a tree"):
            ActionModel(robot, COST)


@pytest.mark.parametrize("contacts", [(), ("hand",)], ids=["free", "contact"])
def test_viscous_friction_and_springs_act_and_dry_friction_does_not(contacts: tuple[str, ...]) -> None:
    joint = replace(UR5.links[1].joint, viscous=3, stiffness=20, coulomb=5)
    rough = replace(UR5, links=(UR5.links[0], replace(UR5.links[1], joint=joint), *UR5.links[2:]))
    k = UR5.v_slices[joint.name].start
    acting = U.copy()  # the same forces from outside
    acting[k] -= 3 * X[6 + k] + 20 * X[k]
    ours = ActionModel(rough, COST, contacts)
    a, forces, _ = ours.value(X, U)
    expected, same, _ = ActionModel(UR5, COST, contacts).value(X, acting)
    np.testing.assert_allclose(a, expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(forces, same, rtol=1e-10, atol=1e-10)
    step = 1e-6 * np.eye(12)[6 + k]
    slope = (ours.value(X + step, U)[0] - ours.value(X - step, U)[0]) / 2e-6
    np.testing.assert_allclose(ours.evaluation(X, U).Fx[:, 6 + k], slope, rtol=1e-6, atol=1e-6)


def test_a_reference_of_another_size_is_refused() -> None:
    with pytest.raises(WrongValue, match=r"x_ref has 12 numbers; a state .* has 13 \+ 12"):
        ActionModel(SPACE, COST)


def test_forces_of_another_size_are_refused() -> None:
    with pytest.raises(WrongSize, match=r"u has the shape \(2,\); robot 'ur5' has 6 actuated"):
        ActionModel(UR5, COST).value(X, np.zeros(2))


def test_states_of_another_size_are_refused() -> None:
    with pytest.raises(WrongSize, match=r"x has the shape \(11,\); a state .* has 6 \+ 6"):
        ActionModel(UR5, COST).evaluation(X[:-1], U)


def test_unknown_frames_are_refused_at_once() -> None:
    with pytest.raises(UnknownName, match=r"'hnad'.*'hand'"):
        ActionModel(UR5, COST, ["hnad"])
    with pytest.raises(UnknownName, match="'finger'"):
        ActionModel(UR5, replace(COST, frame="finger"))


# -- a free base --------------------------------------------------------------------------------------------
SPACE = rk.load("space_arm_6")
FREE_X = np.concatenate(
    [SPACE.integrate(SPACE.neutral(), RANDOM.normal(size=12)), 0.5 * RANDOM.normal(size=12)]
)
FREE_COST = QuadraticCost(
    np.concatenate([SPACE.neutral(), np.zeros(12)]),
    np.linspace(0.5, 2, 24),
    0.1,
    0.2,
    "hand",
    np.ones(3),
    2.0,
)


@pytest.mark.parametrize("contacts", [(), ("hand",)], ids=["free", "contact"])
def test_derivatives_on_the_manifold_equal_differences(contacts: tuple[str, ...]) -> None:
    model = ActionModel(SPACE, FREE_COST, contacts)
    assert model.actuated == list(range(6, 12))
    found, h = model.evaluation(FREE_X, U), 1e-6
    exact = np.hstack([found.Fx, found.Fu])
    for k in range(30):
        step = h * np.eye(30)[k]
        ends = []
        for s in (1, -1):
            q = SPACE.integrate(FREE_X[:13], s * step[:12])
            ends.append(model.value(np.concatenate([q, FREE_X[13:] + s * step[12:24]]), U + s * step[24:]))
        (a, _, cost), (b, _, less) = ends
        np.testing.assert_allclose((a - b) / (2 * h), exact[:, k], atol=1e-6 * np.abs(exact).max())
        assert (cost - less) / (2 * h) == pytest.approx(
            np.concatenate([found.Lx, found.Lu])[k], rel=1e-6, abs=1e-6
        )


def test_derivatives_of_steps_and_differences_are_pinocchios() -> None:
    """Of a free body: position and quaternion, twist in body axes, as in Pinocchio (which has x y z w)."""
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
    rng = np.random.default_rng(3)
    for size in (1e-9, 0.3, 2.5):
        v = size * rng.normal(size=6) / 3
        q = pin.randomConfiguration(model, -np.ones(7), np.ones(7))
        full = np.concatenate([v, np.zeros(6)])  # the arm behind the free base
        ours = [
            x[:6, :6] for x in (*integration_derivatives(SPACE, full), *difference_derivatives(SPACE, full))
        ]
        theirs = [
            *pin.dIntegrate(model, q, v),
            *pin.dDifference(model, q, pin.integrate(model, q, v)),
        ]
        for x, y in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-9)
        for x in (*integration_derivatives(SPACE, full), *difference_derivatives(SPACE, full)):
            np.testing.assert_array_equal(abs(x[6:, 6:]), np.eye(6))
