"""URDF files: 69 public robots against Pinocchio, and what is said about files that are wrong."""

import re
import warnings
from fractions import Fraction
from importlib.metadata import distribution
from pathlib import Path

import pinocchio as pin
import pytest

from rikigaku.errors import BadModel, RikigakuError, TooLarge, UnphysicalInertia, UnphysicalInertiaWarning
from rikigaku.model import urdf, xml_tree
from rikigaku.model.robot import Coupling, Robot
from rikigaku.model.urdf import parse_urdf, read_urdf
from rikigaku.numbers.formula import ONE, ZERO, Formula

ROBOTS = Path(
    str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
)
FILES = sorted(ROBOTS.rglob("*.urdf"))
# One follows joints that do not exist (a prefix was forgotten), one holds nothing but comments.
REFUSED = {"alex_psyonic_hands.urdf": "Did you mean 'Left_index_q1'?", "ur3.urdf": "there is no <link>"}
READABLE = [path for path in FILES if path.name not in REFUSED]

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="ground"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.25" rpy="0 0 0"/>
      <mass value="2.5"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.02"/>
    </inertial>
  </link>
  <link name="lower"/>
  <joint name="shoulder" type="revolute">
    <parent link="ground"/>
    <child link="upper"/>
    <origin xyz="0 0 0.1" rpy="0 1.5708 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1.5" effort="10" velocity="2"/>
    <dynamics damping="0.3" friction="0.7"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/>
    <child link="lower"/>
  </joint>
</robot>
"""


def read_quietly(path: Path, **options: bool) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        return read_urdf(path, **options)


def total_mass(robot: Robot) -> float:
    inertias = [robot.base_inertia, *(link.inertia for link in robot.links)]
    return sum(float(inertia.m) for inertia in inertias if inertia is not None)


def mistakes(text: str | bytes) -> tuple[str, ...]:
    with pytest.raises(BadModel) as caught:
        parse_urdf(text, "arm.urdf")
    assert str(caught.value).startswith("arm.urdf has ")
    return caught.value.problems


# -- public robots ------------------------------------------------------------------------------------------


def test_all_but_two_of_the_69_public_files_are_read_and_18_of_them_warn_of_impossible_inertias() -> None:
    refused, warned = {}, []
    for path in FILES:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                read_urdf(path)
            except RikigakuError as error:
                refused[path.name] = str(error)
        warned += [str(warning.message) for warning in caught]
    assert len(FILES) == 69
    assert refused.keys() == REFUSED.keys()
    for name, reason in REFUSED.items():
        assert reason in refused[name]
    assert len(warned) == 18
    assert sum(text.count("\n  - link ") for text in warned) == 54


@pytest.mark.parametrize("path", READABLE, ids=lambda path: path.stem)
def test_a_public_robot_has_the_mass_the_sizes_and_the_joints_pinocchio_reads(path: Path) -> None:
    robot = read_quietly(path, free_base=True)
    floats_already = robot.joints[0].name != "free_base"
    model = (
        pin.buildModelFromUrdf(str(path))
        if floats_already
        else pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    )
    unbounded = sum("RUB" in joint.shortname() or "Unbounded" in joint.shortname() for joint in model.joints)
    assert robot.nv == model.nv
    assert robot.nq == model.nq - unbounded  # Pinocchio keeps the cosine and sine of an unbounded angle
    theirs = set(model.names) - {"universe", "root_joint"}
    assert {joint.name for joint in robot.joints} - {"free_base"} == theirs
    # Pinocchio leaves out the mass of a root that is the world.
    on_world = float(robot.base_inertia.m) if robot.base_inertia else 0.0
    assert total_mass(robot) - on_world == pytest.approx(pin.computeTotalMass(model), rel=1e-12)


@pytest.mark.parametrize("path", READABLE[::6], ids=lambda path: path.stem)
def test_q_follows_the_order_of_the_joints_in_the_file(path: Path) -> None:
    text = re.sub(r"<!--.*?-->", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"<(transmission|gazebo|ros2_control)\b.*?</\1>", "", text, flags=re.DOTALL)
    tags = re.findall(r"<joint\b[^>]*>", text)
    moving = [tag for tag in tags if not re.search(r"""type=["']fixed["']""", tag)]
    names = [re.search(r"""name=["']([^"']+)["']""", tag)[1] for tag in moving]
    assert [joint.name for joint in read_quietly(path).joints] == names


def test_limits_and_friction_of_public_robots_are_pinocchios() -> None:
    path = next(path for path in FILES if path.name == "panda.urdf")
    robot, model = read_urdf(path), pin.buildModelFromUrdf(str(path))
    for joint in robot.joints:
        k = model.joints[model.getJointId(joint.name)].idx_v
        assert joint.limits.lower == model.lowerPositionLimit[k]
        assert joint.limits.upper == model.upperPositionLimit[k]
        assert joint.limits.velocity == model.upperVelocityLimit[k]
        assert joint.limits.effort == model.upperEffortLimit[k]
        assert float(joint.viscous) == model.damping[k]


# -- what a file means --------------------------------------------------------------------------------------


def test_decimals_are_exact() -> None:
    robot = parse_urdf(ARM)
    assert robot.link("upper").inertia.tensor[0] == Fraction(1, 10)
    assert robot.link("upper").geometry.rpy == (ZERO, Formula.of("1.5708"), ZERO)
    assert robot.link("upper").inertia.position == (ZERO, ZERO, Formula.of("1/4"))


def test_the_root_link_is_the_base_and_keeps_its_inertia() -> None:
    inertial = re.search(r"<inertial>.*</inertial>", ARM, re.DOTALL)[0]
    robot = parse_urdf(ARM.replace('<link name="ground"/>', f'<link name="ground">{inertial}</link>'))
    assert robot.base == "ground"
    assert robot.base_inertia == robot.link("upper").inertia
    assert [link.name for link in robot.links] == ["upper", "lower"]


def test_damping_is_viscous_and_friction_is_coulomb() -> None:
    shoulder = parse_urdf(ARM).joint("shoulder")
    assert (shoulder.viscous, shoulder.coulomb) == (Formula.of("0.3"), Formula.of("0.7"))
    assert (shoulder.limits.lower, shoulder.limits.upper) == (-1, 1.5)


def test_a_continuous_joint_is_a_revolute_one_without_bounds_about_x_by_default() -> None:
    elbow = parse_urdf(ARM).joint("elbow")
    assert (elbow.type, elbow.limits.lower, elbow.limits.upper) == ("revolute", None, None)
    assert elbow.axis == (ONE, ZERO, ZERO)


def test_a_mimic_joint_follows_and_stays_in_q() -> None:
    mimic = '<child link="lower"/><mimic joint="shoulder" multiplier="-0.5" offset="0.1"/>'
    robot = parse_urdf(ARM.replace('<child link="lower"/>', mimic))
    assert robot.couplings == (Coupling("elbow", "shoulder", Formula.of("-1/2"), Formula.of("1/10")),)
    assert robot.nq == 2
    assert [joint.actuated for joint in robot.joints] == [True, False]


@pytest.mark.parametrize(("type_text", "kind", "nq"), [("planar", "planar", 3), ("floating", "free", 7)])
def test_planar_and_floating_joints_are_read_and_not_driven(type_text: str, kind: str, nq: int) -> None:
    joint = parse_urdf(ARM.replace("continuous", type_text)).joint("elbow")
    assert (joint.type, joint.nq, joint.actuated) == (kind, nq, False)


def test_a_free_base_carries_the_root_link_on_a_new_world() -> None:
    robot = parse_urdf(ARM.replace('"lower"', '"world"').replace('"elbow"', '"free_base"'), free_base=True)
    first = robot.links[0]
    assert (first.name, first.joint.type, first.joint.actuated) == ("ground", "free", False)
    assert robot.base == "world_"  # both usual names are taken in this file
    assert first.joint.name == "free_base_"


def test_a_root_that_only_carries_a_floating_joint_is_the_world_already() -> None:
    text = ARM.replace('type="revolute"', 'type="floating"')
    assert parse_urdf(text, free_base=True) == parse_urdf(text)


def test_a_text_may_declare_another_encoding_and_bytes_follow_theirs() -> None:
    latin = ARM.replace('version="1.0"', 'version="1.0" encoding="latin-1"').replace("shoulder", "épaule")
    assert parse_urdf(latin) == parse_urdf(latin.encode("latin-1"))
    assert parse_urdf(latin).joints[0].name == "épaule"


# -- what is wrong with a file ------------------------------------------------------------------------------

WRONG = {
    "negative mass": (
        'mass value="2.5"',
        'mass value="-2.5"',
        "line 7, <link name='upper'>, <mass>",
        "negative",
    ),
    "nan": (
        'mass value="2.5"',
        'mass value="nan"',
        "line 7, <link name='upper'>, <mass>",
        "not a finite number",
    ),
    "inf": ('ixx="0.1"', 'ixx="-inf"', "line 8, <link name='upper'>, <inertia>", "not a finite number"),
    "comma": ('mass value="2.5"', 'mass value="2,5"', "line 7, <link name='upper'>, <mass>", "write '2.5'"),
    "words": ('mass value="2.5"', 'mass value="heavy"', "line 7", "'heavy' is not a number"),
    "formula": ('mass value="2.5"', 'mass value="2+3"', "line 7", "'2+3' is not a number"),
    "hexadecimal": ('mass value="2.5"', 'mass value="0x1p3"', "line 7", "is not a number"),
    "too large": ('mass value="2.5"', 'mass value="1e999"', "line 7", "too large"),
    "tiny": ('mass value="2.5"', 'mass value="1e-9999"', "line 7", "exponent"),
    "no mass": ('<mass value="2.5"/>', "", "line 5, <link name='upper'>, <inertial>", "<mass> is missing"),
    "no mass value": ('mass value="2.5"', "mass", "line 7", "attribute 'value' is missing"),
    "no izz": (' izz="0.02"', "", "line 8", "attribute 'izz' is missing"),
    "two masses": (
        '<mass value="2.5"/>',
        '<mass value="2.5"/><mass value="3"/>',
        "line 7",
        "a second <mass>",
    ),
    "zero axis": (
        'axis xyz="0 0 1"',
        'axis xyz="0 0 0.0"',
        "line 16, <joint name='shoulder'>, <axis>",
        "zero vector",
    ),
    "short axis": (
        'axis xyz="0 0 1"',
        'axis xyz="0 1"',
        "line 16",
        "three numbers separated by blanks, not 2",
    ),
    "axis of commas": ('axis xyz="0 0 1"', 'axis xyz="0, 0, 1"', "line 16", "'0,' is not a number"),
    "unknown type": ('type="revolute"', 'type="revolut"', "line 12, <joint name='shoulder'>", "'revolute'?"),
    "no type": (' type="continuous"', "", "line 20, <joint name='elbow'>", "attribute 'type' is missing"),
    "no joint name": ('name="elbow" ', "", "line 20, <joint>", "attribute 'name' is missing"),
    "empty name": ('link name="lower"', 'link name=""', "line 11, <link name=''>", "'name' is empty"),
    "no limit": ("<limit", "<nolimitatall", "line 12, <joint name='shoulder'>", "'continuous'"),
    "no effort": (' effort="10"', "", "line 17", "attribute 'effort' is missing"),
    "negative velocity": ('velocity="2"', 'velocity="-2"', "line 17", "largest magnitude"),
    "crossed limits": ('lower="-1"', 'lower="3"', "line 17", "lower=3 is above upper=1.5"),
    "negative damping": ('damping="0.3"', 'damping="-1"', "line 18", "feed energy in"),
    "unknown parent": ('parent link="upper"', 'parent link="uper"', "line 21", "Did you mean 'upper'?"),
    "no child": ('<child link="lower"/>', "", "line 20", "<child link='...'/> is missing"),
    "no parent link": ('parent link="upper"', "parent", "line 21", "attribute 'link' is missing"),
    "itself": ('parent link="upper"', 'parent link="lower"', "line 20", "joins link 'lower' to itself"),
    "two parents": (
        "</robot>",
        '<joint name="rod" type="fixed"><parent link="ground"/><child link="lower"/></joint></robot>',
        "line 24, <joint name='rod'>",
        "link 'lower' is already carried by joint 'elbow' (line 20)",
    ),
    "two roots": (
        '<link name="lower"/>',
        '<link name="lower"/><link name="lost"/>',
        "line 2, <robot>",
        "'ground', 'lost'",
    ),
    "duplicate link": (
        '<link name="lower"/>',
        '<link name="upper"/>',
        "line 11, <link name='upper'>",
        "on line 4",
    ),
    "duplicate joint": ('name="elbow"', 'name="shoulder"', "line 20, <joint name='shoulder'>", "on line 12"),
    "no robot name": ('robot name="arm"', "robot", "line 2, <robot>", "attribute 'name' is missing"),
    "misspelt tag": (
        "inertial>",
        "inertail>",
        "line 5, <link name='upper'>, <inertail>",
        "Did you mean <inertial>?",
    ),
    "misspelt attribute": ('rpy="0 1.5708', 'ryp="0 1.5708', "line 15", "Did you mean 'rpy'?"),
    "quaternion": ('rpy="0 1.5708 0"', 'quat_xyzw="0 0 0 1"', "line 15", "write rpy="),
    "xacro value": ('mass value="2.5"', 'mass value="${m}"', "line 7", "xacro robot.urdf.xacro > robot.urdf"),
    "xacro name": ('link name="lower"', 'link name="${p}lower"', "line 22", "no link named 'lower'"),
    "xacro tag": (
        '<link name="lower"/>',
        '<xacro:include filename="a"/>',
        "line 11",
        "xacro robot.urdf.xacro > robot.urdf",
    ),
    "unknown leader": (
        'link="lower"/>\n  <',
        'link="lower"/><mimic joint="x"/>\n  <',
        "line 22",
        "no joint named 'x'",
    ),
    "own leader": (
        'link="lower"/>\n  <',
        'link="lower"/><mimic joint="elbow"/>\n  <',
        "line 20",
        "follow each other",
    ),
    "document type": ("<robot", '<!DOCTYPE robot [<!ENTITY a "b">]>\n<robot', "line 2", "document type"),
    "unclosed": ("</robot>", "", "line 25, column 1", "not XML"),
    "another format": ("robot", "sdf", "line 2", "SDF"),
    "bad name": ('name="elbow"', 'name="el`bow"', "joint 'el`bow'", "may not hold"),
}


@pytest.mark.parametrize(("before", "after", "place", "reason"), WRONG.values(), ids=WRONG.keys())
def test_a_mistake_is_named_with_its_line_and_its_element(
    before: str, after: str, place: str, reason: str
) -> None:
    assert before in ARM
    found = mistakes(ARM.replace(before, after))
    assert any(place in problem and reason in problem for problem in found), found


def test_all_mistakes_are_told_at_once() -> None:
    text = ARM.replace('"2.5"', '"-1"').replace('xyz="0 0 1"', 'xyz="0 0 0"').replace("continuous", "ball")
    assert [problem.split(",")[0] for problem in mistakes(text)] == ["line 7", "line 16", "line 20"]


@pytest.mark.parametrize("text", ["", "  \n ", b""])
def test_an_empty_file_is_called_empty(text: str | bytes) -> None:
    assert mistakes(text) == ("the file is empty",)


@pytest.mark.parametrize(
    "text", ["robot", b"\x89PNG\r\n\x1a\n\x00", "{}", b'<?xml version="1.0" encoding="zz"?><robot/>']
)
def test_what_is_not_xml_is_called_so_or_cannot_be_decoded(text: str | bytes) -> None:
    assert re.search("not XML|decoded", mistakes(text)[0])


def test_a_ring_of_links_is_named() -> None:
    ring = ARM.replace('parent link="ground"', 'parent link="lower"').replace('<link name="ground"/>', "")
    assert any("ring: 'upper', 'lower'" in problem for problem in mistakes(ring))


def test_entities_cannot_grow_a_file() -> None:
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>'
    assert "document type" in mistakes(bomb)[0]


def test_the_list_of_mistakes_is_bounded() -> None:
    links = "".join(f'<link name="l{k}"><inertial/></link>' for k in range(300))
    assert len(mistakes(f'<robot name="r">{links}</robot>')) == urdf.MAX_PROBLEMS + 1


def test_files_beyond_the_limits_are_refused() -> None:
    deep = "<a>" * 200 + "</a>" * 200
    many = "".join(f'<link name="l{k}"/>' for k in range(urdf.MAX_LINKS + 1))
    for text, limit in (
        (f'<robot name="r">{deep}</robot>', "deeper than 100"),
        (f'<robot name="r">{many}</robot>', "at most 10000"),
        (" " * (xml_tree.MAX_BYTES + 1), "20000001 bytes"),
        (f"<robot>{'<a/>' * xml_tree.MAX_ELEMENTS}</robot>", "400000 XML elements"),
    ):
        with pytest.raises(TooLarge, match=limit):
            parse_urdf(text)


def test_a_large_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "large.urdf"
    path.write_bytes(b" " * (xml_tree.MAX_BYTES + 1_000_000))
    with pytest.raises(TooLarge, match=r"large\.urdf has 20000001 bytes"):
        read_urdf(path)


def test_an_impossible_inertia_warns_refuses_or_is_mended_as_asked() -> None:
    text = ARM.replace('izz="0.02"', 'izz="0.5"')
    with pytest.warns(UnphysicalInertiaWarning, match=r"'upper'.*0\.1 \+ 0\.1 < 0\.5"):
        robot = parse_urdf(text)
    assert float(robot.link("upper").inertia.tensor[5]) == 0.5
    with pytest.raises(UnphysicalInertia, match="'upper'"):
        parse_urdf(text, strict=True)
    with pytest.warns(UnphysicalInertiaWarning, match="replaced by the nearest"):
        mended = parse_urdf(text, repair="nearest")
    assert parse_urdf(ARM, strict=True).links[1] == mended.links[1]
    assert mended.link("upper").inertia != robot.link("upper").inertia
