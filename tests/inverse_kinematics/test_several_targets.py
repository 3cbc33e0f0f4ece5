"""Searches for several targets at once: trees, closed robots, priorities; against Pinocchio's kinematics."""

import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles.public_robots import Case

import rikigaku as rk
from rikigaku.core.errors import NotSolvable, UnknownName, WrongSize, WrongValue
from rikigaku.model.states import position_bounds


def two_arms():
    """A torso with two arms of four joints each, and masses."""
    rng = np.random.default_rng(1)

    def link(name, parent, joint):
        xyz, rpy = rng.uniform(-0.3, 0.3, 3), rng.uniform(-1, 1, 3)
        inertia = rk.Inertia(about="com", m=1.0, position=(0.05, 0.02, 0.1), tensor=(0.1, 0, 0, 0.1, 0, 0.1))
        return rk.Link(name, parent, rk.Joint(joint), rk.Placement(xyz=tuple(xyz), rpy=tuple(rpy)), inertia)

    links = [link("torso", "base", "t1")]
    for side in "ab":
        for k in range(6):
            links.append(link(f"{side}{k}", f"{side}{k - 1}" if k else "torso", f"{side}_q{k}"))
    return rk.Robot("two_arms", tuple(links))


ROBOT = two_arms()


def test_two_frames_reach_their_poses_together():
    q = ROBOT.random_state(3, 20).q
    a, b = ROBOT.pose(q, "a5"), ROBOT.pose(q, "b5")
    found = ROBOT.inverse_kinematics([rk.PoseTarget(frame="a5", pose=a), rk.PoseTarget(frame="b5", pose=b)])
    assert found.success.mean() >= 0.95
    assert found.position_error.shape == (20, 2)
    good = found.success
    np.testing.assert_allclose(ROBOT.pose(found.q[good], "a5"), a[good], atol=5e-8)
    np.testing.assert_allclose(ROBOT.pose(found.q[good], "b5"), b[good], atol=5e-8)


def test_points_on_lines_and_planes_orientations_and_looks():
    q = ROBOT.random_state(4).q
    T, U = ROBOT.pose(q, "a5"), ROBOT.pose(q, "b5")
    d, n = np.array([1.0, 2.0, -1.0]), np.array([0.3, -0.2, 0.9])
    eye = U[:3, 3] + 0.7 * U[:3, 2]
    found = ROBOT.inverse_kinematics([
        rk.LineTarget(frame="a5", point=T[:3, 3] + 3 * d, direction=d),
        rk.OrientationTarget(frame="a5", rotation=T[:3, :3]),
        rk.PlaneTarget(frame="b5", point=U[:3, 3], normal=n),
        rk.LookAtTarget(frame="b5", point=eye),
    ])  # fmt: skip
    assert found.success
    A, B = ROBOT.pose(found.q, "a5"), ROBOT.pose(found.q, "b5")
    np.testing.assert_allclose(np.cross(A[:3, 3] - T[:3, 3], d), 0, atol=1e-7)
    np.testing.assert_allclose(A[:3, :3], T[:3, :3], atol=1e-7)
    assert (B[:3, 3] - U[:3, 3]) @ n == pytest.approx(0, abs=1e-7)
    toward = eye - B[:3, 3]
    np.testing.assert_allclose(B[:3, 2], toward / np.linalg.norm(toward), atol=1e-7)


def test_the_centre_of_mass_is_brought_above_a_point():
    q = ROBOT.random_state(5).q
    wanted = ROBOT.center_of_mass(q)
    T = ROBOT.pose(q, "a5")
    found = ROBOT.inverse_kinematics([
        rk.CenterOfMassTarget(position=wanted, axes="xy"),
        rk.PositionTarget(frame="a5", position=T[:3, 3]),
    ])  # fmt: skip
    assert found.success
    np.testing.assert_allclose(ROBOT.center_of_mass(found.q)[:2], wanted[:2], atol=1e-7)


def test_a_target_of_lower_priority_is_met_as_far_as_the_first_allows():
    panda = rk.load("panda")
    q = panda.random_state(6).q
    T = panda.pose(q, "hand")
    elbow = panda.pose(q, "panda_link4")[:3, 3] + [0.05, 0.08, 0.03]
    first = rk.PoseTarget(frame="hand", pose=T)
    second = rk.PositionTarget(frame="panda_link4", position=elbow, priority=1)
    alone = panda.inverse_kinematics([first], q0=q)
    both = panda.inverse_kinematics([first, second], q0=q, iterations=400)
    assert both.success
    np.testing.assert_allclose(panda.pose(both.q, "hand"), T, atol=2e-8)

    def off(x):
        return np.linalg.norm(panda.pose(x, "panda_link4")[:3, 3] - elbow)

    assert off(both.q) < off(alone.q)
    # no self-motion improves it: the gradient along the null space of the first vanishes, or a limit holds
    J = panda.jacobian(both.q, "hand")
    null = np.linalg.svd(J)[2][-1]
    slope = (panda.pose(both.q, "panda_link4")[:3, 3] - elbow) @ (
        panda.jacobian(both.q, "panda_link4")[:3] @ null
    )
    joints = [j.limits for j in panda.joints]
    at_limit = any(min(both.q[k] - x.lower, x.upper - both.q[k]) < 1e-6 for k, x in enumerate(joints))
    assert at_limit or abs(slope) < 1e-3


@pytest.mark.parametrize("x", [0.9, 3.0])
def test_a_target_of_lower_priority_never_costs_the_success_of_the_first(x):
    panda = rk.load("panda")
    T = panda.pose(panda.random_state(5, 20).q, "hand")
    first = rk.PoseTarget(frame="hand", pose=T)
    second = rk.PositionTarget(frame="panda_link4", position=[x, 0.2, 0.6], priority=1)
    alone, both = panda.inverse_kinematics([first]), panda.inverse_kinematics([first, second])
    assert alone.success.all()
    assert both.success.all()
    np.testing.assert_allclose(panda.pose(both.q, "hand"), T, atol=2e-8)
    lower, upper = position_bounds(panda)
    assert ((both.q >= lower) & (both.q <= upper)).all()
    off = [
        np.linalg.norm(panda.pose(y.q, "panda_link4")[:, :3, 3] - second.position, axis=1)
        for y in (alone, both)
    ]
    assert (off[1] <= off[0]).all()
    # downhill along the self-motion a joint is at its limit, or the slope vanishes
    for y in both.q:
        null = np.linalg.svd(panda.jacobian(y, "hand"))[2][-1]
        gap = second.position - panda.pose(y, "panda_link4")[:3, 3]
        slope = gap @ panda.jacobian(y, "panda_link4")[:3] @ null
        move = null * np.sign(slope)
        held = ((y < lower + 1e-6) & (move < 0)) | ((y > upper - 1e-6) & (move > 0))
        assert held.any() or abs(slope) < 1e-3
    np.testing.assert_allclose(both.position_error[:, 1], off[1], atol=1e-12)


def test_a_target_of_lower_priority_is_approached_from_where_the_first_is_met():
    q = ROBOT.random_state(3).q
    T, p = ROBOT.pose(q, "a5"), ROBOT.pose(q, "b5")[:3, 3]
    far = 3 * p / np.linalg.norm(p)
    first, second = rk.PoseTarget(frame="a5", pose=T), rk.PositionTarget(frame="b5", position=far, priority=1)
    found = ROBOT.inverse_kinematics([first, second], q0=q, restarts=0)
    assert found.success
    np.testing.assert_allclose(ROBOT.pose(found.q, "a5"), T, atol=2e-8)
    gap = far - ROBOT.pose(found.q, "b5")[:3, 3]
    assert np.linalg.norm(gap) < np.linalg.norm(far - p) - 0.1
    # no motion that keeps the first target comes nearer: the gradient in its null space vanishes
    null = np.linalg.svd(ROBOT.jacobian(found.q, "a5"))[2][6:]
    slope = null @ (ROBOT.jacobian(found.q, "b5")[:3].T @ gap)
    assert np.abs(slope).max() < 1e-2 * np.linalg.norm(gap)


def test_a_preferred_configuration_is_approached_along_the_self_motion():
    panda = rk.load("panda")
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.4, 1.2, 0.5, 0.01, 0.01])[: panda.nq]
    rest = q + 0.1
    T = panda.pose(q, "hand")
    first = rk.PoseTarget(frame="hand", pose=T)
    found = panda.inverse_kinematics(
        [first, rk.ConfigurationTarget(q=rest, priority=1)], q0=q, iterations=400, restarts=0
    )
    assert found.success
    np.testing.assert_allclose(panda.pose(found.q, "hand"), T, atol=2e-8)
    assert np.linalg.norm(found.q - rest) < np.linalg.norm(q - rest) - 1e-4
    arm = [k for k, j in enumerate(panda.joints) if j.type == "revolute"]
    null = np.linalg.svd(panda.jacobian(found.q, "hand")[:, arm])[2][-1]
    assert abs((found.q - rest)[arm] @ null) < 1e-3  # no self-motion comes nearer
    with pytest.raises(WrongSize, match="ConfigurationTarget is"):
        panda.inverse_kinematics([rk.ConfigurationTarget(q=[0.0, 1.0])])


def test_a_closed_robot_moves_with_its_loops_closed():
    five = rk.load("five_bar")
    q = five.assemble([1.2, 1.8])
    frame = five.frame_names[-1]
    target = five.pose(q, frame)[:3, 3]
    found = five.inverse_kinematics(target, frame, q0=five.assemble([1.0, 2.0]))
    assert found.success
    assert np.abs(five.loop_residual(found.q)).max() < 2e-8
    np.testing.assert_allclose(five.pose(found.q, frame)[:3, 3], target, atol=2e-8)
    far = five.inverse_kinematics(target + np.array([5.0, 0, 0]), frame, restarts=3)
    assert not far.success
    assert np.abs(five.loop_residual(far.q)).max() < 1e-9
    assert "nearest found with closed loops" in far.message
    several = five.inverse_kinematics(
        [rk.PositionTarget(frame=frame, position=target + np.array([5.0, 0, 0]))], restarts=3
    )
    assert "loops open by" in several.message


def test_results_do_not_depend_on_the_batch():
    q = ROBOT.random_state(8, 5).q
    T = ROBOT.pose(q, "a5")
    together = ROBOT.inverse_kinematics([rk.PoseTarget(frame="a5", pose=T)])
    for k in range(5):
        alone = ROBOT.inverse_kinematics([rk.PoseTarget(frame="a5", pose=T[k])])
        np.testing.assert_array_equal(alone.q, together.q[k])


def test_kinematics_of_the_targets_are_those_of_pinocchio():
    panda = rk.load("panda")
    target = panda.pose(panda.random_state(9).q, "hand")
    found = panda.inverse_kinematics([rk.PoseTarget(frame="hand", pose=target)])
    assert found.success
    gap = pin.log6(pin.SE3(target).inverse() * pin.SE3(panda.pose(found.q, "hand"))).vector
    assert np.abs(gap).max() < 2e-8


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")
def test_tiago_grasps_looks_balances_and_keeps_its_torso_as_pinocchio_sees_it():
    case = Case("tiago_description/robots/tiago_no_hand.urdf", False)
    robot, model = case.robot, case.model
    data = model.createData()

    def seen(q):
        pin.framesForwardKinematics(model, data, case.layout.q(q))
        hand, head = (data.oMf[model.getFrameId(x)].homogeneous for x in ("arm_7_link", "head_2_link"))
        return hand, head, pin.centerOfMass(model, data, case.layout.q(q)).copy()

    hand, head, mass = seen(robot.random_state(2).q)
    eye = head[:3, 3] + 0.8 * head[:3, 2]
    rest = robot.neutral()
    targets = [
        rk.PoseTarget(frame="arm_7_link", pose=hand, weight=2.0),
        rk.LookAtTarget(frame="head_2_link", point=eye),
        rk.CenterOfMassTarget(position=mass, axes="xy"),
    ]
    preferred = rk.ConfigurationTarget(q=rest, priority=1)
    found = robot.inverse_kinematics([*targets, preferred])
    assert found.success
    lower, upper = position_bounds(robot)
    assert ((found.q >= lower) & (found.q <= upper)).all()
    own_hand, own_head, own_mass = seen(found.q)
    np.testing.assert_allclose(own_hand, hand, atol=5e-8)
    toward = eye - own_head[:3, 3]
    np.testing.assert_allclose(own_head[:3, 2], toward / np.linalg.norm(toward), atol=5e-8)
    np.testing.assert_allclose(own_mass[:2], mass[:2], atol=5e-8)
    # the objective of lower priority is at its least: another optimizer, with Pinocchio's residuals as
    # constraints, comes no nearer to the preferred configuration

    def residual(q):
        A, B, c = seen(q)
        gap = eye - B[:3, 3]
        look = np.cross(B[:3, 2], gap / np.linalg.norm(gap))
        pose = pin.log6(pin.SE3(hand).inverse() * pin.SE3(A)).vector
        return np.concatenate([pose, look @ np.linalg.svd(gap[None])[2][1:].T, c[:2] - mass[:2]])

    def distance(q):
        return ((q - rest) ** 2).sum()

    best = minimize(
        distance,
        found.q,
        method="SLSQP",
        bounds=list(zip(lower, upper, strict=True)),
        constraints={"type": "eq", "fun": residual},
    )
    assert np.abs(residual(best.x)).max() < 1e-5
    assert distance(found.q) < (1 + 1e-3) * best.fun


def test_a_heavier_weight_comes_nearer_where_targets_conflict():
    panda = rk.load("panda")
    q = panda.random_state(6).q
    a = panda.pose(q, "hand")[:3, 3]
    errors = []
    for weight in (1.0, 3.0):
        found = panda.inverse_kinematics([
            rk.PositionTarget(frame="hand", position=a, weight=weight),
            rk.PositionTarget(frame="hand", position=a + np.array([0.0, 0.0, 0.1])),
        ], q0=q, restarts=0)  # fmt: skip
        assert not found.success
        errors.append(found.position_error)
    # least squares of two points on a line: distances in the ratio 1 / weight^2
    np.testing.assert_allclose(errors[0], [0.05, 0.05], atol=1e-5)
    np.testing.assert_allclose(errors[1], [0.01, 0.09], atol=1e-5)


def test_wrong_targets_are_refused_in_words():
    T = np.eye(4)
    with pytest.raises(WrongValue, match="leave frame= out"):
        ROBOT.inverse_kinematics([rk.PoseTarget(frame="a5", pose=T)], "a5")
    with pytest.raises(WrongValue, match="Name the frame"):
        ROBOT.inverse_kinematics(T)
    with pytest.raises(WrongValue, match="priority 0"):
        ROBOT.inverse_kinematics([rk.PoseTarget(frame="a5", pose=T, priority=1)])
    with pytest.raises(WrongValue, match="0 or 1, not 3"):
        rk.PoseTarget(frame="a5", pose=T, priority=3)
    with pytest.raises(WrongValue, match="above 0"):
        rk.PoseTarget(frame="a5", pose=T, weight=-1.0)
    with pytest.raises(UnknownName, match="elbow"):
        ROBOT.inverse_kinematics([rk.PoseTarget(frame="elbow", pose=T)])
    with pytest.raises(WrongSize, match=r"\(\.\.\., 3\)"):
        ROBOT.inverse_kinematics([rk.PositionTarget(frame="a5", position=[1.0, 2.0])])
    with pytest.raises(WrongValue, match="normal must not be zero"):
        ROBOT.inverse_kinematics([rk.PlaneTarget(frame="a5", point=[0.0] * 3, normal=[0.0] * 3)])
    with pytest.raises(WrongValue, match="letters of 'xyz'"):
        ROBOT.inverse_kinematics([rk.CenterOfMassTarget(position=[0.0] * 3, axes="xw")])
    with pytest.raises(NotSolvable, match="Several targets are searched for"):
        ROBOT.inverse_kinematics([rk.PoseTarget(frame="a5", pose=T)], all=True)
    with pytest.raises(WrongSize, match=r"poses \(\.\.\., 4, 4\)"):
        ROBOT.inverse_kinematics([rk.PoseTarget(frame="a5", pose=[0.0] * 3)])
    with pytest.raises(WrongSize, match=r"A rotation is"):
        ROBOT.inverse_kinematics([rk.OrientationTarget(frame="a5", rotation=np.eye(4))])
    with pytest.raises(WrongSize, match=r"PoseTarget \(3,\), PositionTarget \(2,\)"):
        ROBOT.inverse_kinematics([
            rk.PoseTarget(frame="a5", pose=np.repeat(T[None], 3, axis=0)),
            rk.PositionTarget(frame="b5", position=np.zeros((2, 3))),
        ])  # fmt: skip
    massless = rk.Robot("massless", (rk.Link("l1", "base", rk.Joint("q1"), rk.ModifiedDH(a=0.3)),))
    with pytest.raises(WrongValue, match="no masses"):
        massless.inverse_kinematics([rk.CenterOfMassTarget(position=[0.0, 0.0, 0.1])])
    with pytest.raises(WrongValue, match=r"1e\+300 m away"):
        ROBOT.inverse_kinematics([rk.PositionTarget(frame="a5", position=[1e300, 0.0, 0.0])])
    far = np.eye(4)
    far[1, 3] = -1e300
    for target in (far, far[:3, 3]):
        with pytest.raises(WrongValue, match=r"Is its unit the metre"):
            ROBOT.inverse_kinematics(target, "a5")
