"""SDF files: what every joint of the file says holds in the robot; poses, axes, units; mistakes named."""

import math

import numpy as np
import pytest
from mujoco_reference import tree_law
from readers import parse_sdf
from sdf_files import broken_joints, joint, link, model

from rikigaku.core.errors import BadModel


def mistakes(text: str) -> str:
    with pytest.raises(BadModel) as caught:
        parse_sdf(text, "x.sdf")
    return "\n".join(caught.value.problems)


NET = model(
    link("a"),
    link("b", "0.5 0.1 0.2 0.3 0.2 0.1"),
    link("c", "1 0 0.3 -0.4 0.6 0.2"),
    link("d", "0.2 0.7 0.1 0 0.5 1.5707963267948966"),
    link("e", "0.2 0.9 0.1 0 0 0"),
    link("f", "0.3 0.9 0.1 0 0 1"),
    joint("ab", "revolute", "a", "b", "<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>", "1 2 3"),
    joint("bc", "universal", "b", "c", "<pose>0 0.1 0 0 0.2 0</pose>"),
    joint("da", "revolute", "d", "a", axis="0 1 0"),
    joint("ed", "universal", "e", "d", "<pose>0.1 0 0.1 0 0 0.3</pose>"),
    joint("fe", "ball", "f", "e", "<pose>0 0.1 0 0 0 0.3</pose>"),
    joint("fg", "fixed", "f", "g", "<pose>0 0.1 0 0 0 0.3</pose>"),
    joint("hg", "prismatic", "h", "g", "<pose>0 0.1 0 0.1 0 0.3</pose>", "0 1 1"),
    joint("cd", "ball", "c", "d"),
    link("g", "0 0 1 0 0 0"),
    link("h", "0 0.4 1 0 0.3 0"),
)


@pytest.mark.parametrize("seed", range(3))
def test_every_joint_of_a_net_holds_whichever_way_round_the_tree_takes_it(seed: int) -> None:
    robot = parse_sdf(NET)
    assert [loop.name for loop in robot.loops] == ["cd"]
    q, _, _ = robot.random_state(seed)
    backwards = ("da", "ed", "fe", "hg")  # their children are nearer to a, the root
    assert broken_joints(NET, robot, q, backwards) == []
    assert broken_joints(NET, robot, q) == ["ed", "fe"]  # whose coordinates are turned round too


def test_poses_are_taken_relative_to_what_they_name() -> None:
    text = model(
        "<link name='a'/>",
        "<link name='b'><pose relative_to='tool' degrees='true'>0 0 1 0 0 90</pose></link>",
        "<frame name='tool' attached_to='a'><pose>1 0 0 0 0 1.5707963267948966</pose></frame>",
        joint("j", "revolute", "a", "b"),
    )
    robot = parse_sdf(text)
    assert tree_law(robot, "pose", np.zeros(1), frame="b") == pytest.approx(
        np.array([[-1, 0, 0, 1], [0, -1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]]), abs=1e-15
    )
    assert robot.frame("tool").link == "a"
    quaternion = "<pose rotation_format='quat_xyzw'>0 0 1 0 0 1 1</pose>"
    turned = parse_sdf(
        model("<link name='a'/>", f"<link name='b'>{quaternion}</link>", joint("j", "fixed", "a", "b"))
    )
    assert tree_law(turned, "pose", np.zeros(0), frame="b")[:3, 0] == pytest.approx([0, 1, 0], abs=1e-15)


def test_old_files_give_axes_in_the_model_frame() -> None:
    parts = (link("a"), link("b", "0 0 0 1.5707963267948966 0 0"), joint("j", "revolute", "a", "b"))
    axes = [
        [float(x) for x in parse_sdf(model(*parts, version=v)).joint("j").axis]
        for v in ("1.4", "1.5", "1.11")
    ]
    assert axes == [[0, 1, 0], [0, 0, 1], [0, 0, 1]]


def test_a_turned_root_stands_on_the_world_so_that_gravity_points_down() -> None:
    parts = (link("b"), joint("j", "revolute", "a", "b"))
    turned = parse_sdf(model(link("a", "0 0 1 0.3 0 0"), *parts))
    assert (turned.base, turned.links[0].name, turned.links[0].joint.type) == ("world", "a", "fixed")
    assert parse_sdf(model(link("a", "0 0 1 0 0 0"), *parts)).base == "a"


def test_limits_friction_and_screws_are_read_with_their_units() -> None:
    axis = """<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1e16</upper><velocity>2</velocity>
      <effort>-1</effort></limit><dynamics><damping>0.5</damping><friction>0.25</friction></dynamics></axis>"""
    text = model(
        link("a"), link("b"), link("c"), joint("j", "revolute", "a", "b"), joint("s", "screw", "b", "c")
    )
    text = text.replace("<axis><xyz>0 0 1</xyz></axis>", axis, 1)
    text = text.replace("type='screw'>", "type='screw'><screw_thread_pitch>0.01</screw_thread_pitch>")
    robot = parse_sdf(text)
    limits = robot.joint("j").limits
    assert (limits.lower, limits.upper, limits.velocity, limits.effort) == (-1, None, 2, None)
    assert (float(robot.joint("j").viscous), float(robot.joint("j").coulomb)) == (0.5, 0.25)
    assert float(robot.joint("s").pitch) == pytest.approx(0.01 / (2 * math.pi))
    old = parse_sdf(text.replace("screw_thread_pitch>0.01", "thread_pitch>-100", 1).replace("</screw_", "</"))
    assert float(old.joint("s").pitch) == pytest.approx(0.01)  # rad/m of a left-handed thread, before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<robot/>", "an SDF file begins with <sdf version='...'>, not <robot>"),
        ("<sdf/>", "it holds no <model>"),
        ("<sdf><model name='a'/><model name='b'/></sdf>", "it holds 2 models ('a', 'b'); one is read"),
        (model(), "there is no <link>"),
        (model(link("a"), "<include/>"), "a model inside a model is not read"),
        (model(link("a"), link("a")), "this name was used before"),
        (model(link("a"), link("b")), "1 links are connected to nothing: 'b'"),
        (model(link("a"), link("b"), joint("j", "hinge", "a", "b")), "no joint type named 'hinge'"),
        (model(link("arm"), link("b"), joint("j", "ball", "amr", "b")), "Did you mean 'arm'"),
        (model(link("a"), link("b"), joint("j", "revolute", "a", "a")), "both ends are 'a'"),
        (model(link("a"), link("b"), joint("j", "revolute", "a", "b", axis="0 0 0")), "no direction"),
        (model(link("a", "1 2 3")), "6 numbers belong here, not 3"),
        (model(link("a", "1 2 3 0 0 zero")), "'zero' is not a number"),
        (model("<link name='a'><pose relative_to='x'>0 0 0 0 0 0</pose></link>"), "named 'x'"),
        (model("<link name='a'><inertial><mass>-1</mass></inertial></link>"), "mass -1 is negative"),
        (
            model(link("a"), joint("g", "gearbox", "a", "a", "<gearbox_ratio>2</gearbox_ratio>")),
            "no revolute joint connects",
        ),
        (model(link("a"), attributes="canonical_link='b'"), "no link named 'b'"),
        (
            model(
                "<frame name='f'><pose relative_to='g'/></frame>",
                "<frame name='g'><pose relative_to='f'/></frame>",
                link("a"),
            ),
            "relative to each other",
        ),
    ],
)
def test_a_mistake_is_named(text: str, said: str) -> None:
    assert said in mistakes(text)
