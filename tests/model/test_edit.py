"""Changed robots move and weigh as the originals in the same posture."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from rikigaku.errors import BadModel, IgnoredWarning, UnknownName, WrongSize, WrongValue
from rikigaku.model import library
from rikigaku.model.compose import placement_of
from rikigaku.model.edit import attach, bind, free, join, lock, on_free_base, with_actuated, with_gravity
from rikigaku.model.geometry import ModifiedDH, Placement, StandardDH, Step
from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import JOINT_TYPES, POSITION_SIZE, Joint, Limits
from rikigaku.model.mechanism import WORLD, instantiate
from rikigaku.model.robot import Coupling, Frame, Link, Loop, LoopEnd, Robot, Symbol
from rikigaku.model.toml import read_toml
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.spatial.pose import Pose

F = Formula.of
ROUNDING = 1e-13  # a few products of rotations

SLANTED = Placement((F("0.1"), F("-0.2"), F("0.3")), (F("0.4"), F("-0.5"), F("0.6")))
ROW = ModifiedDH(alpha=F("0.3"), a=F("0.2"), theta=F("0.7"), d=F("-0.1"), beta=F("0.2"), b=F("0.05"))
STANDARD_ROW = StandardDH(theta=F("0.3"), d=F("0.2"), a=F("0.7"), alpha=F("-0.1"))


def frames(robot: Robot, q) -> dict[str, np.ndarray]:
    """World pose of everything that has a name, as 4x4 matrices."""
    mechanism = instantiate(robot, FLOATS, {})
    poses: dict[int, Pose] = {WORLD: Pose()}
    for i, body in enumerate(mechanism.bodies):
        part = [float(q[k]) for k in body.q]
        moved = Pose(body.joint.turn(part), body.joint.shift(part))
        poses[i] = poses[body.parent].compose(body.placement).compose(moved)
    return {
        name: np.array(poses[body].compose(pose).matrix(), float)
        for name, (body, pose) in mechanism.frames.items()
    }


def position(type_: str, rng: np.random.Generator) -> np.ndarray:
    q = rng.uniform(-1, 1, POSITION_SIZE[type_])
    if type_ in ("spherical", "free"):
        q[-4:] /= np.linalg.norm(q[-4:])
    return q


def arm(joint: Joint, geometry=SLANTED) -> Robot:
    hand = Link("hand", "moved", Joint("last"), SLANTED)
    return Robot(
        "arm", (Link("moved", "base", joint, geometry), hand), frames=(Frame("tip", "hand", SLANTED),)
    )


@pytest.mark.parametrize("type_", [name for name in JOINT_TYPES if name != "fixed"])
@pytest.mark.parametrize(
    "geometry", [SLANTED, ROW, STANDARD_ROW, Placement()], ids=lambda g: type(g).__name__
)
@pytest.mark.parametrize("axis", ["0 0 1", "0 0 -2", "0 1 0", "-1 0 0", "1 2 -3"])
def test_a_locked_joint_stays_where_it_was_locked(type_, geometry, axis):
    rng = np.random.default_rng(1)
    second = (ZERO, ONE, ONE) if axis != "0 1 0" else (ONE, ZERO, ZERO)
    direction = tuple(map(F, axis.split()))
    joint = Joint("first", type_, direction, second, pitch=F("0.3"), limits=Limits(-1, 1))
    robot = arm(joint, geometry)
    q = position(type_, rng)
    rigid = lock(robot, "first", q if len(q) > 1 else q[0])
    assert rigid.nq == 1
    assert rigid.joint("first").limits == Limits()
    moved, stays = frames(robot, [*q, 0.8]), frames(rigid, [0.8])
    for name, pose in moved.items():
        np.testing.assert_allclose(stays[name], pose, atol=ROUNDING, err_msg=name)


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


def gripper() -> Robot:
    links = tuple(Link(f"finger{i}", "base", Joint(f"f{i}", "prismatic")) for i in (1, 2, 3))
    couplings = (Coupling("f2", "f1", F(-2), F("0.1")), Coupling("f3", "f2", ONE))
    return Robot("gripper", links, couplings=couplings, independent=("f1",))


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


BODY = Inertia("com", F(3), (F("0.1"), ZERO, ZERO))


@pytest.mark.parametrize("type_", ["free", "planar"])
def test_on_a_free_base_the_old_base_is_a_link_with_the_bases_inertia(type_):
    fixed = replace(arm(Joint("first")), base_inertia=BODY, frames=(Frame("eye", "base", SLANTED),))
    floating = on_free_base(fixed, type_)
    assert floating.base == "world"
    assert floating.base_inertia is None
    assert floating.links[0].inertia == BODY
    assert not floating.joint("free_base").actuated
    assert floating.nq == fixed.nq + POSITION_SIZE[type_]
    q = position(type_, np.random.default_rng(2))
    base = frames(floating, [*q, 0.3, 0.4])["base"]
    for name, pose in frames(fixed, [0.3, 0.4]).items():
        np.testing.assert_allclose(frames(floating, [*q, 0.3, 0.4])[name], base @ pose, atol=ROUNDING)


def test_a_base_named_as_the_ground_is_renamed_everywhere():
    loop = Loop("cut", "revolute", LoopEnd("hand"), LoopEnd("world"))
    links = (Link("moved", "world", Joint("first")), Link("hand", "moved", Joint("last")))
    robot = Robot("r", links, (Frame("eye", "world"),), (loop,), base="world")
    floating = on_free_base(robot)
    assert floating.links[0].name == "base_link"
    assert floating.link("moved").parent == "base_link"
    assert floating.frame("eye").link == "base_link"
    assert floating.loops[0].end.link == "base_link"
    assert on_free_base(robot, name="body").links[0].name == "body"


def test_a_payload_sits_where_it_is_attached_and_its_mass_is_carried():
    robot = arm(Joint("first"))
    loaded = attach(robot, "tip", BODY, "cup", SLANTED, frame="rim")
    q = [0.3, 0.4]
    offset = frames(attach(Robot("none"), "base", BODY, "cup", SLANTED), [])["cup"]
    expected = frames(robot, q)["tip"] @ offset
    np.testing.assert_allclose(frames(loaded, q)["cup"], expected, atol=ROUNDING)
    np.testing.assert_allclose(frames(loaded, q)["rim"], expected, atol=ROUNDING)
    assert instantiate(loaded, FLOATS, {}).bodies[1].inertia.m == pytest.approx(3)
    with pytest.raises(UnknownName):
        attach(robot, "tap", BODY)
    with pytest.raises(BadModel, match="named 'tip'"):
        attach(robot, "tip", BODY, "tip")


def test_joined_robots_move_as_each_of_them_does():
    carrier, tool = arm(Joint("first")), arm(Joint("first", "spherical"))
    both = join(carrier, tool, at="tip", prefix="tool_")
    rng = np.random.default_rng(3)
    a, b = [0.3, 0.4], [*position("spherical", rng), 0.5]
    tip = frames(carrier, a)["tip"]
    found = frames(both, [*a, *b])
    for name, pose in frames(tool, b).items():
        np.testing.assert_allclose(found["tool_" + name], tip @ pose, atol=ROUNDING)
    for name, pose in frames(carrier, a).items():
        np.testing.assert_allclose(found[name], pose, atol=ROUNDING)


def test_joining_keeps_loops_couplings_and_a_complete_choice_of_independent_joints():
    both = join(arm(Joint("first")), gripper(), at="tip", prefix="g_")
    assert both.couplings[0].reference == "g_f1"
    assert both.independent == ("first", "last", "g_f1")
    unspecified = replace(gripper(), independent=())
    assert join(arm(Joint("first")), unspecified, at="tip", prefix="g_").independent == ()


def test_names_that_collide_when_joining_ask_for_a_prefix():
    with pytest.raises(BadModel, match="2 joints are named 'last'"):
        join(arm(Joint("first")), arm(Joint("first")), at="tip")


def test_joining_merges_equal_symbols_and_refuses_different_ones():
    one = replace(arm(Joint("first")), symbols=(Symbol("L", F("0.4"), "m"),))
    same = join(one, replace(one, name="b"), at="tip", prefix="b_")
    assert same.symbols == one.symbols
    other = replace(one, symbols=(Symbol("L", F("0.5"), "m"),))
    with pytest.raises(WrongValue, match=r"'L' is 0\.4 m and 0\.5 m"):
        join(one, other, at="tip", prefix="b_")


def test_joining_says_when_the_second_gravity_is_ignored():
    weightless = with_gravity(arm(Joint("first")), [0, 0, 0])
    with pytest.warns(IgnoredWarning, match="the first is used"):
        both = join(arm(Joint("first")), weightless, at="tip", prefix="b_")
    assert both.gravity == arm(Joint("first")).gravity
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        join(weightless, weightless, at="tip", prefix="b_")


def test_binding_replaces_symbols_everywhere_and_forgets_them():
    geometry = Placement((F("L"), F("2*L + M"), ZERO))
    robot = replace(arm(Joint("first", viscous=F("L")), geometry), symbols=(Symbol("L"), Symbol("M", ONE)))
    bound = bind(robot, L="0.1", M="3*K")
    assert bound.link("moved").geometry == Placement((F("0.1"), F("0.2 + 3*K"), ZERO))
    assert bound.joint("first").viscous == F("0.1")
    assert bound.symbols == ()
    assert bound.free_symbols == ("K",)
    with pytest.raises(UnknownName, match="no symbol named 'N'"):
        bind(robot, N=1)


def test_gravity_and_drives_are_chosen():
    robot = arm(Joint("first"))
    assert with_gravity(robot, [0, "-g", 0]).gravity == (ZERO, F("-g"), ZERO)
    with pytest.raises(WrongSize, match="2 numbers"):
        with_gravity(robot, [0, 1])
    assert [joint.actuated for joint in with_actuated(robot, ["last"]).joints] == [False, True]
    with pytest.raises(UnknownName, match="Did you mean 'first'"):
        with_actuated(robot, ["firs"])


def test_the_given_robot_is_left_as_it_is():
    robot = arm(Joint("first"))
    before = pickle.dumps(robot)
    lock(robot, "first", 1)
    on_free_base(robot)
    attach(robot, "tip", BODY)
    assert pickle.dumps(robot) == before
