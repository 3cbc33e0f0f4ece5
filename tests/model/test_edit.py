"""Changed robots move and weigh as the originals: a free base, payloads, joining, binding, gravity."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from placed_links import ROUNDING, SLANTED, F, arm, frames, gripper, position

from rikigaku.core.errors import (
    BadModel,
    IgnoredWarning,
    UnknownName,
    UnphysicalInertiaWarning,
    WrongSize,
    WrongValue,
)
from rikigaku.model.editing import attach, bind, join, lock, on_free_base, with_actuated, with_gravity
from rikigaku.model.geometry import Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.joints.joint_types import JOINT_TYPES
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import Frame, Link, Loop, LoopEnd, Symbol
from rikigaku.numbers.formula import ONE, ZERO
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot

BODY = Inertia("com", F(3), (F("0.1"), ZERO, ZERO))


@pytest.mark.parametrize("type_", ["free", "planar"])
def test_on_a_free_base_the_old_base_is_a_link_with_the_bases_inertia(type_):
    fixed = replace(arm(Joint("first")), base_inertia=BODY, frames=(Frame("eye", "base", SLANTED),))
    floating = on_free_base(fixed, type_)
    assert floating.base == "world"
    assert floating.base_inertia is None
    assert floating.links[0].inertia == BODY
    assert not floating.joint("free_base").actuated
    assert floating.nq == fixed.nq + JOINT_TYPES[type_].nq
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


@pytest.mark.parametrize(("other", "prefix"), [(None, ""), ("panda", ""), (Robot("r"), 3)])
def test_what_is_no_robot_is_not_joined(other, prefix):
    with pytest.raises(
        WrongValue, match="join takes a robot, the link or frame it is fixed on, and a prefix"
    ):
        join(arm(Joint("first")), other, "tip", prefix)


def test_joining_merges_equal_symbols_and_refuses_different_ones():
    one = replace(arm(Joint("first")), symbols=(Symbol("L", F("0.4"), "m"),))
    same = join(one, replace(one, name="b"), at="tip", prefix="b_")
    assert same.symbols == one.symbols
    other = replace(one, symbols=(Symbol("L", F("0.5"), "m"),))
    with pytest.raises(WrongValue, match=r"'L' is 0\.4 m and 0\.5 m"):
        join(one, other, at="tip", prefix="b_")


def test_robots_take_gravity_as_plain_numbers():
    moon = Robot("moon", gravity=(0, 0, -1.62))
    assert moon == with_gravity(Robot("moon"), [0, 0, -1.62])


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


def test_gravity_and_actuation_are_chosen():
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


def test_an_impossible_payload_is_reported_and_a_robot_made_by_hand_can_be_checked():
    robot = arm(Joint("first"))
    with pytest.warns(UnphysicalInertiaWarning, match="Link 'payload' .* mass 0 kg, yet an inertia"):
        heavy = attach(robot, "hand", Inertia("com", 0, tensor=(1, 0, 0, 1, 0, 1)))
    with pytest.warns(UnphysicalInertiaWarning, match="link 'payload': mass 0 kg, yet an inertia"):
        assert heavy.check_inertias() is heavy
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        attach(robot, "hand", Inertia("com", "m"))
