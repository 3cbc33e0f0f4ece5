"""SDF files: what every joint of the file says holds in the robot; Cassie; cuts chosen, named and refused."""

import math
import warnings
from importlib.metadata import distribution
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from mujoco_reference import closed, null_projector, tree_law

import rikigaku as rk
from rikigaku.errors import BadModel, IgnoredWarning, UnknownName, UnphysicalInertiaWarning, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.model.sdf import parse_sdf

CASSIES = Path(
    str(
        distribution("example-robot-data").locate_file(
            "cmeel.prefix/share/example-robot-data/robots/cassie_description/robots"
        )
    )
)
INERTIAL = (
    "<inertial><pose>0.1 0 0 0.1 0.2 0.3</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy>"
    "<izz>0.25</izz><ixy>0.01</ixy></inertia></inertial>"
)


def quietly(path: Path, **options: object) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredWarning)
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        return rk.load(path, **options)  # type: ignore[arg-type]


def link(name: str, pose: str = "0 0 0 0 0 0", inside: str = INERTIAL) -> str:
    return f"<link name='{name}'><pose>{pose}</pose>{inside}</link>"


def joint(name: str, kind: str, parent: str, child: str, inside: str = "", axis: str = "0 0 1") -> str:
    way = "" if kind in ("fixed", "ball") else f"<axis><xyz>{axis}</xyz></axis>"
    if kind == "universal":
        way += "<axis2><xyz>1 0 0</xyz></axis2>"
    head = f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>"
    return f"{head}{way}{inside}</joint>"


def model(*parts: str, version: str = "1.7", attributes: str = "") -> str:
    return f"<sdf version='{version}'><model name='m' {attributes}>{''.join(parts)}</model></sdf>"


def mistakes(text: str) -> str:
    with pytest.raises(BadModel) as caught:
        parse_sdf(text, "x.sdf")
    return "\n".join(caught.value.problems)


# -- what a joint of the file says, read from the file by other means ------------------------------
def pose_of(element: ElementTree.Element | None) -> np.ndarray:
    X = np.eye(4)
    if element is not None and element.text:
        x = [float(part) for part in element.text.split()]
        R = pin.rpy.rpyToMatrix(*x[3:])
        # the reader takes angles within 1e-11 of a quarter turn as one; 1.5708 is none
        X[:3, :3], X[:3, 3] = R, x[:3]
    return X


def motion(kind: str, axis: np.ndarray, q: np.ndarray, second: np.ndarray) -> np.ndarray:
    X, unit = np.eye(4), axis / np.linalg.norm(axis)
    if kind in ("revolute", "continuous"):
        X[:3, :3] = pin.exp3(unit * q[0])
    elif kind == "prismatic":
        X[:3, 3] = unit * q[0]
    elif kind == "universal":
        X[:3, :3] = pin.exp3(unit * q[0]) @ pin.exp3(second / np.linalg.norm(second) * q[1])
    elif kind == "ball":
        X[:3, :3] = pin.Quaternion(q[0], q[1], q[2], q[3]).matrix()
    else:
        assert kind == "fixed"
    return X


def broken_joints(text: str, robot: Robot, q: np.ndarray, backwards: tuple[str, ...] = ()) -> list[str]:
    """Joints of the file that are not as the file says at our q: X_parent_child = X_pJ motion X_Jc."""
    root = ElementTree.fromstring(text).find("model")
    assert root is not None
    places = {one.get("name"): pose_of(one.find("pose")) for one in root.findall("link")}
    places["world"] = np.eye(4)
    wrong = []
    for element in root.findall("joint"):
        name, kind = str(element.get("name")), str(element.get("type"))
        if name not in robot.q_slices and kind != "fixed":
            continue
        parent, child = str(element.findtext("parent")), str(element.findtext("child"))
        at = places[child] @ pose_of(element.find("pose"))
        axis = np.fromstring(element.findtext("axis/xyz") or "0 0 1", sep=" ")
        if element.findtext("axis/use_parent_model_frame") == "1":
            axis = at[:3, :3].T @ axis
        second = np.fromstring(element.findtext("axis2/xyz") or "1 0 0", sep=" ")
        own = q[robot.q_slices.get(name, slice(0, 0))]
        if name in backwards and kind == "universal":
            own = own[::-1]
        if name in backwards and kind == "ball":
            own = own * [1, -1, -1, -1]
        said = np.linalg.inv(places[parent]) @ at @ motion(kind, axis, own, second) @ np.linalg.inv(at)
        said = said @ places[child]
        ours = [tree_law(robot, "pose", q, frame=one) for one in (parent, child)]
        if np.abs(np.linalg.inv(ours[0]) @ ours[1] - said).max() > 1e-12:
            wrong.append(name)
    return wrong


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


# -- Cassie ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["cassie_v2", "cassie_reduced", "cassie_simple", "cassie_wo_gearbox_spring"])
def test_every_joint_of_cassie_holds_in_any_posture_and_four_balls_are_cut(name: str) -> None:
    path = CASSIES / f"{name}.sdf"
    robot = quietly(path)
    balls = [f"{side}-{rod}-joint" for side in ("left", "right") for rod in ("pitch-rod", "plantar-foot")]
    assert sorted(loop.name for loop in robot.loops) == balls
    assert {loop.joint for loop in robot.loops} == {"spherical"}
    text = path.read_text().split("-->", 1)[1]
    for q in np.random.default_rng(1).uniform(-1, 1, (3, robot.nq)):
        assert broken_joints(text, robot, q) == []
    springs = {
        str(one.get("name")): float(str(one.findtext("axis/dynamics/spring_stiffness")))
        for one in ElementTree.fromstring(text).iter("joint")
        if one.find("axis/dynamics/spring_stiffness") is not None
    }
    held = {joint.name: float(joint.stiffness) for joint in robot.joints if joint.stiffness}
    assert held == {name: k for name, k in springs.items() if k}
    assert len(held) >= 2
    assert not any(joint.actuated for joint in robot.joints if joint.name in held)


def test_cassie_weighs_and_resists_as_in_a_pinocchio_model_built_from_the_same_file() -> None:
    path = CASSIES / "cassie_v2.sdf"
    robot = quietly(path)
    root = ElementTree.fromstring(path.read_text().split("-->", 1)[1]).find("model")
    assert root is not None
    theirs, frames = pin.Model(), {}
    links = {one.get("name"): one for one in root.findall("link")}
    at = {"pelvis": (0, pose_of(links["pelvis"].find("pose")))}  # joint, and where its frame was drawn
    cut = {loop.name for loop in robot.loops}
    elements = [one for one in root.findall("joint") if one.get("name") not in cut]
    while elements:
        element = next(one for one in elements if one.findtext("parent") in at)
        elements.remove(element)
        parent, child = str(element.findtext("parent")), str(element.findtext("child"))
        carrier, drawn = at[parent]
        where = pose_of(links[child].find("pose")) @ pose_of(element.find("pose"))
        axis = np.fromstring(str(element.findtext("axis/xyz")), sep=" ")
        X = pin.SE3(np.linalg.inv(drawn) @ where)
        i = theirs.addJoint(carrier, pin.JointModelRevoluteUnaligned(axis), X, str(element.get("name")))
        at[child] = (i, where)
        frames[child] = where
        inertial = links[child].find("inertial")
        assert inertial is not None
        tensor = {tag: float(str(inertial.findtext(f"inertia/{tag}"))) for tag in TENSOR}
        xx, yy, zz, xy, xz, yz = (tensor[tag] for tag in TENSOR)
        body = pin.Inertia(
            float(str(inertial.findtext("mass"))),
            np.zeros(3),
            np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
        )
        place = np.linalg.inv(where) @ pose_of(links[child].find("pose")) @ pose_of(inertial.find("pose"))
        theirs.appendBodyToJoint(i, body, pin.SE3(place))
    data, rng = theirs.createData(), np.random.default_rng(2)
    order = [robot.v_slices[name].start for name in list(theirs.names)[1:]]
    assert robot.nv == theirs.nv == 22
    q, v, a = rng.uniform(-1, 1, (3, 22))
    q_, v_, a_ = q[order], v[order], a[order]
    tau = tree_law(robot, "inverse_dynamics", q, v, a, friction=False)[order]
    expected = pin.rnea(theirs, data, q_, v_, a_)
    assert tau == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def test_cassie_closes_in_postures_other_than_the_drawn_one() -> None:
    robot = quietly(CASSIES / "cassie_reduced.sdf")
    q = closed(robot, robot.neutral() + 0.05 * np.random.default_rng(3).normal(size=robot.nq))
    assert np.abs(tree_law(robot, "loop_residual", q)).max() < 1e-12
    assert np.abs(q).max() > 0.02
    # 23 coordinates, four rods of three equations each, none of them redundant
    assert np.trace(null_projector(tree_law(robot, "loop_jacobian", q))) == pytest.approx(11)


def test_the_full_cassie_has_its_ten_gears_and_keeps_the_joints_with_springs() -> None:
    robot = quietly(CASSIES / "cassie.sdf")
    ratios = {c.joint: (c.reference, float(c.multiplier)) for c in robot.couplings}
    assert len(ratios) == 10
    # 25 turns of the motor give one of the hip the other way round, 16 one of the knee
    assert ratios["left-roll-op"] == ("left-roll-ip", -0.04)
    assert abs(ratios["left-knee-op"][1]) == 0.0625
    cut = {loop.name for loop in robot.loops}
    assert not cut & {"left-knee-shin-joint", "left-tarsus-spring-joint", "right-knee-shin-joint"}
    assert len(cut) == 6


@pytest.mark.parametrize(
    ("name", "mobility"), [("cassie_v2", 12), ("cassie_reduced", 11), ("cassie_wo_gearbox_spring", 13)]
)
def test_freedoms_of_cassie_are_counted_though_its_numbers_are_rounded(name: str, mobility: int) -> None:
    # foot, crank and rod move in a plane: one equation of each ball is too many (of v2 to 1e-8)
    plan = quietly(CASSIES / f"{name}.sdf").closure()
    assert plan.mobility == mobility
    assert (plan.slack > 0) == (name == "cassie_v2")
    assert np.abs(plan.robot.loop_residual(plan.samples)).max() < max(1e-11, 2 * plan.slack)


def test_named_cuts_are_honoured_and_give_the_same_mechanism() -> None:
    names = ["left-achilles-spring-joint", "right-achilles-spring-joint"]
    chosen, named = (quietly(CASSIES / "cassie_reduced.sdf", cut=cut) for cut in ((), names))
    assert set(names) < {loop.name for loop in named.loops}
    assert len(named.loops) == 4
    assert named.nq - chosen.nq == 2 * (4 - 1)  # two balls in the tree, two hinges out of it
    J = tree_law(named, "loop_jacobian", named.neutral())
    assert np.trace(null_projector(J)) == pytest.approx(11)
    poses = [tree_law(robot, "pose", robot.neutral(), frame="left-foot") for robot in (chosen, named)]
    assert poses[0] == pytest.approx(poses[1], abs=1e-14)


# -- a four-bar: which joint is cut ----------------------------------------------------------------
def four_bar(*kinds: str, extra: dict[int, str] | None = None) -> str:
    ends = [("world", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("world", "rocker")]
    bars = [link("crank"), link("coupler", "1 0 0 0 0 0"), link("rocker", "1 1 0 0 0 0")]
    joints = [
        joint(f"j{i}", kind, *end, inside=(extra or {}).get(i, ""))
        for i, (kind, end) in enumerate(zip(kinds, ends, strict=True))
    ]
    return model(*bars, *joints)


DAMPED = (
    "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics><limit><effort>0</effort></limit></axis>"
)
DRIVEN = "<axis><xyz>0 0 1</xyz><limit><effort>5</effort></limit></axis>"


@pytest.mark.parametrize(
    ("kinds", "cut"),
    [
        (("revolute",) * 4, "j3"),  # the last of equals
        (("revolute", "ball", "revolute", "revolute"), "j1"),
        (("revolute", "ball", "universal", "revolute"), "j1"),
        (("revolute", "revolute", "prismatic", "prismatic"), "j1"),
        (("revolute", "revolute", "fixed", "screw"), "j1"),
    ],
)
def test_balls_are_cut_before_hinges_and_hinges_before_slides(kinds: tuple[str, ...], cut: str) -> None:
    text = four_bar(*kinds).replace(
        "type='screw'>", "type='screw'><screw_thread_pitch>0.1</screw_thread_pitch>"
    )
    assert [loop.name for loop in parse_sdf(text).loops] == [cut]


def test_a_driven_joint_and_one_with_friction_are_kept() -> None:
    text = four_bar(*("revolute",) * 4).replace(joint("j3", "revolute", "world", "rocker"), "{}")
    last = "<joint name='j3' type='revolute'><parent>world</parent><child>rocker</child>{}</joint>"
    for inside in (DAMPED, DRIVEN):
        assert [loop.name for loop in parse_sdf(text.replace("{}", last.format(inside))).loops] == ["j2"]


def test_cuts_that_cannot_be_made_are_refused_by_name() -> None:
    text = four_bar(*("revolute",) * 4)
    with pytest.raises(UnknownName, match="Did you mean 'j1'"):
        parse_sdf(text, cut=["j11"])
    with pytest.raises(WrongValue, match="'j0' cannot be cut: without it 'world' and 'crank' are not"):
        parse_sdf(text, cut=["j0", "j1"])
    screws = four_bar("screw", "screw", "screw", "screw").replace(
        "type='screw'>", "type='screw'><thread_pitch>-10</thread_pitch>"
    )
    with pytest.raises(BadModel, match="a screw cannot close a loop"):
        parse_sdf(screws)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "universal", "ball", "fixed"])
def test_a_cut_joint_of_any_type_lets_exactly_its_own_motion_through(kind: str) -> None:
    """A body on a ball-and-slides arm, held by the cut: what moves is what the joint allows."""
    parts = [
        link("one", "0.1 0.2 0.3 0.4 0.5 0.6"),
        link("two", "0.2 0.2 0.3 0.4 0.5 0.6"),
        link("three", "0.2 0.3 0.3 0.4 0.5 0.6"),
        link("body", "0.5 0.4 0.3 0.2 0.1 0"),
        *(
            joint(f"s{i}", "prismatic", *ends, axis=axis)
            for i, (ends, axis) in enumerate(
                zip(
                    (("world", "one"), ("one", "two"), ("two", "three")),
                    ("1 0 0", "0 1 0", "0 0 1"),
                    strict=True,
                )
            )
        ),
        joint("turn", "ball", "three", "body"),
        joint("held", kind, "world", "body", "<pose>0.1 0.1 0 0.2 0.3 0.4</pose>", "0 1 0"),
    ]
    robot = parse_sdf(model(*parts), cut=["held"])
    J = tree_law(robot, "loop_jacobian", robot.neutral())
    free = {"revolute": 1, "prismatic": 1, "universal": 2, "ball": 3, "fixed": 0}[kind]
    assert np.trace(null_projector(J)) == pytest.approx(free)


# -- poses, frames, limits, and files that are wrong -----------------------------------------------
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
        (model(link("a"), link("b")), "1 links hang on nothing: 'b'"),
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
            "no hinge joins",
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


def test_cut_is_refused_for_files_that_say_themselves_where_they_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "x.urdf"
    path.write_text("<robot name='x'><link name='a'/></robot>")
    with pytest.raises(WrongValue, match="says itself where its loops are cut"):
        rk.load(path, cut=["j"])
