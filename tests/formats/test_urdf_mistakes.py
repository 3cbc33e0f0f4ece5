"""Wrong URDF files: every mistake is named with its line; limits of size; impossible inertias."""

import re
from pathlib import Path

import pytest
from readers import parse_urdf, read_urdf
from urdf_files import ARM, mistakes

from rikigaku.core.errors import TooLarge, UnphysicalInertia, UnphysicalInertiaWarning
from rikigaku.core.input_limits import ELEMENTS, FILE_BYTES, LINKS, MISTAKES

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
    "negative damping": ('damping="0.3"', 'damping="-1"', "line 18", "add energy"),
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


def test_all_mistakes_are_reported_at_once() -> None:
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
    assert len(mistakes(f'<robot name="r">{links}</robot>')) == MISTAKES


def test_files_beyond_the_limits_are_refused() -> None:
    deep = "<a>" * 200 + "</a>" * 200
    many = "".join(f'<link name="l{k}"/>' for k in range(LINKS + 1))
    for text, limit in (
        (f'<robot name="r">{deep}</robot>', "deeper than 100"),
        (f'<robot name="r">{many}</robot>', "at most 20000"),
        (" " * (FILE_BYTES + 1), "20000001 bytes"),
        (f"<robot>{'<a/>' * ELEMENTS}</robot>", "400000 XML elements"),
    ):
        with pytest.raises(TooLarge, match=limit):
            parse_urdf(text)


def test_a_large_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "large.urdf"
    path.write_bytes(b" " * (FILE_BYTES + 1_000_000))
    with pytest.raises(TooLarge, match=r"'large\.urdf' is larger than 20 MB"):
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
