"""Joints locked and freed: poses stay, exactly where they can, and couplings are kept."""

import warnings
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from placed_links import ROUNDING, ROW, SLANTED, STANDARD_ROW, F, arm, frames, gripper, position
from readers import read_toml
from scipy.spatial.transform import Rotation

import rikigaku as rk
from rikigaku import library
from rikigaku.core.errors import LimitWarning, UnknownName, WrongSize, WrongValue
from rikigaku.model.editing import bind, free, lock
from rikigaku.model.geometry import Placement, Step
from rikigaku.model.geometry_composition import placement_of
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.joints.joint_types import JOINT_TYPES
from rikigaku.numbers.formula import ONE, PI, ZERO
from rikigaku.robot import Robot


@pytest.mark.parametrize("type_", [name for name in JOINT_TYPES if name != "fixed"])
@pytest.mark.parametrize(
    "geometry", [SLANTED, ROW, STANDARD_ROW, Placement()], ids=lambda g: type(g).__name__
)
@pytest.mark.parametrize("axis", ["0 0 1", "0 0 -2", "0 1 0", "-1 0 0", "1 2 -3"])
def test_a_locked_joint_stays_where_it_was_locked(type_, geometry, axis):
    rng = np.random.default_rng(1)
    second = (ZERO, ONE, ONE) if axis != "0 1 0" else (ONE, ZERO, ZERO)
    direction = tuple(map(F, axis.split()))
    limits = Limits(-9, 9) if type_ in ("revolute", "prismatic", "helical") else Limits(velocity=1)
    joint = Joint("first", type_, direction, second, pitch=F("0.3"), limits=limits)
    robot = arm(joint, geometry)
    q = position(type_, rng)
    rigid = lock(robot, "first", q if len(q) > 1 else q[0])
    assert rigid.nq == 1
    assert rigid.joint("first").limits == Limits()
    moved, stays = frames(robot, [*q, 0.8]), frames(rigid, [0.8])
    for name, pose in moved.items():
        np.testing.assert_allclose(stays[name], pose, atol=ROUNDING, err_msg=name)


def test_a_locked_joint_leaves_its_spring_behind():
    sprung = rk.Joint("a", "prismatic", stiffness=5, rest="0.2")
    robot = rk.Robot("p", (rk.Link("l", "base", sprung, rk.Placement(), rk.Inertia("com", 1)),))
    locked = robot.lock("a", 0.1)
    assert (locked.nv, locked.joint("a").stiffness) == (0, ZERO)
    np.testing.assert_allclose(locked.pose([], "l")[:3, 3], [0, 0, 0.1])


def test_a_lock_beyond_the_limits_is_reported():
    robot = arm(Joint("first", limits=Limits(lower=-1, upper=2)), ROW)
    with pytest.warns(LimitWarning, match=r"'first' is locked at 10, beyond its limits -1.0 .. 2.0"):
        lock(robot, "first", 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for inside in (-1, 2, "phi"):
            lock(robot, "first", inside)


def test_a_screw_is_freed_with_a_pitch_its_own_or_a_given_one():
    fixed = arm(Joint("first", "fixed"))
    with pytest.raises(WrongValue, match=r"robot.free\('first', 'helical', pitch=0.01\)"):
        free(fixed, "first", "helical")
    screw = free(fixed, "first", "helical", pitch="0.02")
    assert screw.joint("first").pitch == F("0.02")
    assert free(lock(screw, "first"), "first", "helical") == screw


def test_locking_along_the_z_of_a_dh_row_is_exact_and_keeps_the_row():
    rigid = lock(arm(Joint("first"), ROW), "first", "30*deg + phi")
    assert rigid.link("moved").geometry == replace(ROW, theta=F("0.7 + pi/6 + phi"))
    slid = lock(arm(Joint("first", "prismatic"), STANDARD_ROW), "first", "L")
    assert slid.link("moved").geometry == replace(STANDARD_ROW, d=F("0.2 + L"))


def test_locking_about_the_last_angle_of_a_placement_is_exact():
    rigid = lock(arm(Joint("first", axis=(ONE, ZERO, ZERO))), "first", "phi")
    assert rigid.link("moved").geometry == replace(SLANTED, rpy=(F("0.4 + phi"), F("-0.5"), F("0.6")))


def test_right_angles_stay_exact_multiples_of_pi():
    upright = Placement(rpy=(PI / 2, ZERO, ZERO))
    rigid = lock(arm(Joint("first"), upright), "first", "pi/2")
    geometry = rigid.link("moved").geometry
    assert isinstance(geometry, Placement)
    assert all((angle / PI * 2).rational is not None for angle in geometry.rpy)


def test_a_placement_composed_of_steps_agrees_with_scipy():
    steps = [("rz", 0.3), ("tx", 1.0), ("rx", -0.4), ("ty", 2.0), ("rz", 1.1), ("tz", -1.0), ("ry", 0.2)]
    found = placement_of(Step(axis, F(amount)) for axis, amount in steps)  # type: ignore[arg-type]
    R, p = Rotation.identity(), np.zeros(3)
    for axis, amount in steps:
        if axis[0] == "r":
            R = R * Rotation.from_euler(axis[1], amount)
        else:
            p = p + R.apply(amount * np.eye(3)["xyz".index(axis[1])])
    np.testing.assert_allclose([float(x) for x in found.xyz], p, atol=ROUNDING)
    rpy = Rotation.from_euler("xyz", [float(x) for x in found.rpy])
    np.testing.assert_allclose(rpy.as_matrix(), R.as_matrix(), atol=ROUNDING)


@pytest.mark.parametrize("name", ["panda", "puma560", "scara"])
def test_a_locked_shipped_arm_has_the_poses_of_pinocchios_reduced_model(name):
    robot = read_toml(library.path(name))
    robot = bind(robot, **{symbol.name: symbol.value for symbol in robot.symbols})
    model = pinocchio_model(robot)
    q = np.linspace(-0.6, 0.9, robot.nq)
    joint = robot.joints[2].name
    reduced = pin.buildReducedModel(model, [model.getJointId(joint)], q)
    data, rest = reduced.createData(), np.delete(q, 2)
    pin.framesForwardKinematics(reduced, data, rest)
    found = frames(lock(robot, joint, q[2]), rest)
    for link in robot.links:
        expected = data.oMf[reduced.getFrameId(link.name)].homogeneous
        np.testing.assert_allclose(found[link.name], expected, atol=ROUNDING, err_msg=link.name)


def pinocchio_model(robot: Robot) -> pin.Model:
    """The same arm in Pinocchio, each elementary step a product of its own."""
    model = pin.Model()
    carriers = {robot.base: (0, pin.SE3.Identity())}
    makers = {"revolute": pin.JointModelRZ, "prismatic": pin.JointModelPZ}
    for link in robot.links:
        parent, on_parent = carriers[link.parent]
        before = on_parent * se3(link.geometry.before())
        body, pose = parent, before * se3(link.geometry.after())
        if link.joint.type != "fixed":
            body = model.addJoint(parent, makers[link.joint.type](), before, link.joint.name)
            model.addJointFrame(body)
            pose = se3(link.geometry.after())
        model.addFrame(pin.Frame(link.name, body, pose, pin.FrameType.BODY))
        carriers[link.name] = (body, pose)
    return model


def se3(steps) -> pin.SE3:
    result = pin.SE3.Identity()
    for axis, amount in steps:
        value, unit = float(amount), np.eye(3)["xyz".index(axis[1])]
        turn = axis[0] == "r"
        R = Rotation.from_rotvec(value * unit).as_matrix() if turn else np.eye(3)
        result = result * pin.SE3(R, np.zeros(3) if turn else value * unit)
    return result


def test_a_symbol_in_an_angle_that_cannot_be_composed_must_be_bound_first():
    robot = arm(Joint("first"), Placement(rpy=(F("phi"), ZERO, ZERO)))
    with pytest.raises(WrongValue, match="Bind phi first"):
        lock(robot, "first", 0.3)
    assert lock(bind(robot, phi=0.2), "first", 0.3).nq == 1


def test_locking_takes_the_right_number_of_coordinates():
    with pytest.raises(WrongSize, match="4 coordinates; 3 are given"):
        lock(arm(Joint("first", "spherical")), "first", [1, 0, 0])
    with pytest.raises(WrongValue, match="quaternion is zero"):
        lock(arm(Joint("first", "spherical")), "first", [0, 0, 0, 0])


def test_an_unknown_joint_is_named_with_a_suggestion():
    with pytest.raises(UnknownName, match="Did you mean 'first'"):
        lock(arm(Joint("first")), "frist", 0)


def test_joints_coupled_to_a_locked_joint_are_locked_where_they_follow_it():
    rigid = lock(gripper(), "f1", "0.02")
    assert rigid == lock(gripper(), "f1", [0.02])
    assert rigid.nq == 0
    assert rigid.couplings == ()
    assert rigid.independent == ()
    assert [rigid.link(f"finger{i}").geometry.xyz[2] for i in (1, 2, 3)] == [F("0.02"), F("0.06"), F("0.06")]


def test_a_joint_that_follows_another_cannot_be_locked_alone():
    with pytest.raises(WrongValue, match="follows 'f1'"):
        lock(gripper(), "f2", 0)


def test_a_fixed_joint_is_not_locked_twice_and_a_moving_one_not_freed():
    rigid = lock(arm(Joint("first")), "first", 0)
    with pytest.raises(WrongValue, match="fixed already"):
        lock(rigid, "first", 0)
    with pytest.raises(WrongValue, match="moves already"):
        free(rigid, "last")
    with pytest.raises(WrongValue, match="no motion"):
        free(rigid, "first", "fixed")


def test_freeing_a_locked_joint_moves_it_from_where_it_was_locked():
    joint = Joint("first", axis=(ZERO, ONE, ZERO))
    again = free(lock(arm(joint), "first", 0.3), "first")
    found, expected = frames(again, [0.4, 0.8]), frames(arm(joint), [0.7, 0.8])
    np.testing.assert_allclose(found["tip"], expected["tip"], atol=ROUNDING)
    assert free(lock(arm(joint), "first"), "first", "prismatic", axis=[1, 0, 0]).joint("first").axis == (
        1,
        0,
        0,
    )
