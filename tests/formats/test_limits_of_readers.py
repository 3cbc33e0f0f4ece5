"""Readers within their budget: what is too much is refused by the name of the limit, quickly.

Inputs that used to hang or to exhaust memory are read in a child process with limits.
"""

import os
import socket
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from limited_process import limited
from readers import parse_mjcf, parse_sdf, parse_toml, parse_urdf

import rikigaku as rk
from rikigaku.core.errors import (
    BadFormula,
    BadModel,
    NoFile,
    NoPlace,
    TooLarge,
    UnknownName,
    UnphysicalInertiaWarning,
    WrongValue,
)
from rikigaku.core.input_limits import KEY_PARTS, MESSAGE_CHARACTERS, MISTAKES, NUMBER_BITS, NUMBER_DIGITS
from rikigaku.formats.urdf.urdf_side_file import with_loops
from rikigaku.numbers.formula import Formula

HEAD = 'schema = 1\nname = "r"\n'
LINK = '[[link]]\nname = "a"\njoint = { type = "fixed" }\nplacement = {}\n'
EMPTY_ARM = '<robot name="r"><link name="a"/></robot>'


def sdf(inside: str) -> str:
    return f"<sdf version='1.7'><model name='m'>{inside}</model></sdf>"


def mjcf(bodies: str, more: str = "") -> str:
    return f"<mujoco>{more}<worldbody>{bodies}</worldbody></mujoco>"


def link_count(parse: Callable[[str], rk.Robot], text: str) -> int:
    return len(parse(text).links)


# -- 1: frames attached in cycles ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("frames", "ring"),
    [
        ("<frame name='a' attached_to='a'/>", "'a' -> 'a'"),
        ("<frame name='f' attached_to='f'><pose relative_to='a'/></frame>", "'f' -> 'f'"),
        (
            "<frame name='f' attached_to='g'><pose relative_to='a'/></frame>"
            "<frame name='g' attached_to='f'><pose relative_to='a'/></frame>",
            "'f' -> 'g' -> 'f'",
        ),
    ],
    ids=["with a link's name", "to itself", "to each other"],
)
def test_frames_of_an_sdf_attached_in_a_cycle_are_named(frames: str, ring: str) -> None:
    message = limited(parse_sdf, sdf(f"<link name='a'/>{frames}")).require_error("BadModel")
    assert f"these frames are attached to each other: {ring}" in message


# -- 2: dotted keys -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("part", ["a", '"a"', "'a'", "1", "a "])
@pytest.mark.parametrize("where", ["{} = 1", "[{}]", "x = {{ {} = 1 }}"])
def test_dotted_keys_of_many_parts_are_refused_before_they_are_parsed(part: str, where: str) -> None:
    text = HEAD + where.format(".".join([part] * 40_000))
    message = limited(parse_toml, text).require_error("TooLarge")
    assert message == f"The text, line 3: a dotted key has more than {KEY_PARTS} parts; so many are not read."


def test_dotted_keys_of_a_side_file_are_refused_too() -> None:
    robot = parse_urdf(EMPTY_ARM)
    assert "dotted key" in limited(with_loops, robot, "a." * 40_000 + "a = 1").require_error("TooLarge")


def test_dots_in_texts_and_comments_are_no_keys() -> None:
    dots = "a." * 1000 + "a"
    texts = f'# {dots}\nsource = "{dots}"\n[symbols.L]\nunit = \'{dots}\'\n# """ {dots}\n'
    assert parse_toml(HEAD + texts + LINK).source == dots
    assert parse_toml(f'{HEAD}source = """\n"{dots}""""\n{LINK}').source == f'"{dots}"'


def test_many_keys_and_values_are_refused() -> None:
    for text in ("".join(f"[{k}.0]\n" for k in range(400_000)), "a = [" + "1," * 800_000 + "]"):
        assert "more than 800000 keys and values" in limited(parse_toml, text).require_error("TooLarge")


# -- 3: suggestions for misspelled names --------------------------------------------------------------------
MANY = 3000


def misspelled_urdf() -> str:
    links = "".join(f"<link name='some_link_{k}'/>" for k in range(MANY))
    ends = "<parent link='some_lnk_{0}'/><child link='somelink_{0}'/>"
    joints = "".join(f"<joint name='j{k}' type='fixed'>{ends.format(k)}</joint>" for k in range(MANY))
    return f"<robot name='r'>{links}{joints}</robot>"


def misspelled_sdf() -> str:
    links = "".join(f"<link name='some_link_{k}'/>" for k in range(MANY))
    ends = "<parent>some_lnk_{0}</parent><child>somelink_{0}</child>"
    joints = "".join(f"<joint name='j{k}' type='fixed'>{ends.format(k)}</joint>" for k in range(MANY))
    return sdf(links + joints)


def misspelled_toml() -> str:
    link = (
        '[[link]]\nname = "some_link_{0}"\nparent = "some_lnk_{0}"\njoint.type = "fixed"\nplacement = {{}}\n'
    )
    return HEAD + "".join(link.format(k) for k in range(MANY))


def misspelled_mjcf() -> str:
    bodies = "".join(f"<body name='some_link_{k}'/>" for k in range(MANY))
    weld = "<weld body1='some_lnk_{0}' body2='somelink_{0}'/>"
    return mjcf(bodies, f"<equality>{''.join(weld.format(k) for k in range(MANY))}</equality>")


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_urdf, misspelled_urdf),
        (parse_sdf, misspelled_sdf),
        (parse_toml, misspelled_toml),
        (parse_mjcf, misspelled_mjcf),
    ],
)
def test_thousands_of_misspelled_names_are_reported_quickly(
    parse: Callable[[str], Any], text: Callable[[], str]
) -> None:
    message = limited(parse, text()).require_error("BadModel")
    assert "Did you mean 'some_link_0'?" in message
    assert len(message) <= MESSAGE_CHARACTERS


def test_a_slip_in_a_name_is_found_among_ten_thousand() -> None:
    names = [f"left_finger_{k}_tip" for k in range(10_000)]
    slips = {
        "left_fingr_4321_tip": "left_finger_4321_tip",
        "left_finger_4321_tp": "left_finger_4321_tip",
        "eft_finger_77_tip": "left_finger_77_tip",
        "left_finger_4321_tipp": "left_finger_4321_tip",
    }
    for slip, meant in slips.items():
        assert f"Did you mean {meant!r}?" in str(UnknownName("link", slip, names))


# -- 4: line numbers ----------------------------------------------------------------------------------------
def test_lines_of_mistakes_after_long_comments_are_found_quickly() -> None:
    comments = "#\n" * 500_000
    text = HEAD + comments + "".join(f"unknown_{k} = 1\n" for k in range(100))
    message = limited(parse_toml, text).require_error("BadModel")
    assert "line:500003: unknown_0: there is no key 'unknown_0' here" in message
    assert "line:500050: unknown_47: there is no key" in message


def test_a_hundred_thousand_unknown_keys_are_counted() -> None:
    text = HEAD + "".join(f"unknown_{k} = 1\n" for k in range(100_000)) + LINK
    message = limited(parse_toml, text).require_error("BadModel")
    assert message.startswith("The robot has 100000 problems:\n")
    shown = message.count("\n  - ")
    assert message.endswith(f"\n  ... and {100_000 - shown} more")
    assert 0 < shown <= MISTAKES


# -- 5: long numbers ----------------------------------------------------------------------------------------
LONG = "1" * 5000


@pytest.mark.parametrize("number", [LONG, "0." + "3" * 1_000_000, "0x" + "f" * 5000, "1_" * 5000 + "1"])
def test_long_numbers_of_a_toml_file_are_refused(number: str) -> None:
    message = limited(parse_toml, f"{HEAD}gravity = [0, 0, {number}]\n").require_error("TooLarge")
    assert f"line 3: a number or bare key has more than {NUMBER_DIGITS} characters" in message


@pytest.mark.parametrize("text", [LONG, "0." + LONG, f"1e{LONG}", f"2^{LONG}", f"L*{LONG}", f"({LONG})"])
def test_long_numbers_of_a_formula_are_refused(text: str) -> None:
    with pytest.raises(BadFormula, match=r"1000 characters|exponent"):
        Formula.of(text)


def test_long_numbers_of_xml_are_refused_with_their_line() -> None:
    text = f"<robot name='r'><link name='a'><inertial><mass value='{LONG}'/>"
    with pytest.raises(BadModel, match=r"line 1, .* has 5000 characters; a number may have 1000"):
        parse_urdf(text + "<inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>")
    with pytest.raises(BadModel, match="has 5000 characters; a number may have 1000"):
        parse_mjcf(mjcf(f"<body pos='0 0 {LONG}'/>"))
    with pytest.raises(BadModel, match="has 5000 characters; a number may have 1000"):
        parse_sdf(sdf(f"<link name='a'><pose>{LONG} 0 0 0 0 0</pose></link>"))
    assert parse_sdf(f"<sdf version='{LONG}'><model name='m'><link name='a'/></model></sdf>").name == "m"


def test_long_numbers_of_python_are_refused() -> None:
    for number in (10**5000, Decimal("0." + "3" * 5000), Decimal(10) ** 5000):
        with pytest.raises(WrongValue):
            Formula.of(number)


def test_integers_that_arithmetic_makes_are_printed_in_full() -> None:
    big = Formula.of(10**2000 + 7)
    product = big * big * big * big
    assert str(product).endswith("2401")  # 7^4
    assert len(str(product)) == 8001
    assert str(-product / 3).startswith("-1")
    assert len(str(1 / (product * Formula.symbol("L")))) == 8001 + len("1/(*L)")
    assert product._repr_latex_()[1:-1] == str(product)
    with pytest.raises(WrongValue, match="has no finite value"):
        float(product)


@pytest.mark.parametrize(
    "text",
    [
        "*".join(["3^6000/7^4000"] * 60),
        "+".join(f"1/{k}^3000" for k in range(11, 90)),
        "*".join(["9e399"] * 160),
        "/".join(["9e399"] * 160),
    ],
)
def test_formulas_that_multiply_long_numbers_are_refused(text: str) -> None:
    message = limited(Formula.of, text).require_error("BadFormula")
    assert f"this makes a number beyond {NUMBER_BITS} binary digits" in message


# -- 6: defaults classes of MJCF, and files that are none ---------------------------------------------------
@pytest.mark.parametrize(("tags", "classes"), [(2000, 3000), (2000, 20_000)])
def test_defaults_classes_share_what_they_inherit(tags: int, classes: int) -> None:
    shared = "".join(f"<t{k} size='1'/>" for k in range(tags))
    inside = "".join(f"<default class='c{k}'/>" for k in range(classes))
    defaults = f"<default>{shared}<joint damping='3'/>{inside}</default>"
    bodies = f"<body><joint class='c{classes - 1}'/></body>"
    outcome = limited(lambda text: parse_mjcf(text).joints[0].viscous, mjcf(bodies, defaults))
    assert outcome.value == 3


def test_a_defaults_class_keeps_what_its_parent_was() -> None:
    defaults = (
        "<default><joint damping='1'/><default class='c'/></default>"
        "<default><joint damping='2'/><default class='d'><joint stiffness='5'/></default></default>"
        "<default class='c'><joint armature='4'/></default>"
    )
    names = ("c", "d", "main")
    bodies = "".join(f"<body><joint name='{name}' class='{name}'/></body>" for name in names)
    joints = parse_mjcf(mjcf(bodies, defaults)).joints
    assert [(j.viscous, j.stiffness, j.rotor) for j in joints] == [(1, 0, 4), (2, 5, 0), (1, 0, 4)]


def test_classes_nested_too_deeply_are_refused() -> None:
    deep = "".join(f"<default class='c{k}'>" for k in range(300)) + "</default>" * 300
    with pytest.raises(TooLarge, match="defaults classes inherited over more than 200 levels"):
        parse_mjcf(mjcf("", deep))


@pytest.fixture
def odd_files(tmp_path: Path) -> Path:
    """A folder with a pipe nobody writes to, a socket, and links to devices."""
    os.mkfifo(tmp_path / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.relpath(tmp_path / "socket"))
    listener.close()
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "directory").mkdir()
    return tmp_path


KINDS = {"pipe": "a FIFO", "device": "a device", "directory": "a directory", "socket": "cannot be read"}


@pytest.mark.parametrize("ending", [".robot.toml", ".urdf", ".xml", ".sdf"])
@pytest.mark.parametrize("kind", KINDS)
def test_only_regular_files_are_loaded(kind: str, ending: str, odd_files: Path) -> None:
    path = (odd_files / kind).rename(odd_files / f"robot{ending}")
    message = limited(rk.load, path).require_error("NoFile")
    assert KINDS[kind] in message


@pytest.mark.parametrize("kind", ["pipe", "directory", "socket"])
def test_only_regular_files_are_included(kind: str, odd_files: Path) -> None:
    main = odd_files / "main.xml"
    main.write_text(f"<mujoco><include file='{kind}'/></mujoco>")
    assert KINDS[kind] in limited(rk.load, main).require_error("BadModel")


@pytest.mark.parametrize("kind", ["pipe", "device", "directory"])
def test_only_a_regular_file_is_read_beside_a_urdf(kind: str, odd_files: Path) -> None:
    (odd_files / "arm.urdf").write_text(EMPTY_ARM)
    (odd_files / kind).rename(odd_files / "arm.loops.toml")
    assert KINDS[kind] in limited(rk.load, odd_files / "arm.urdf").require_error("NoFile")


def test_includes_together_have_the_size_of_a_file() -> None:
    files = {f"f{k}.xml": f"<mujoco><!--{' ' * 11_000_000}--></mujoco>" for k in range(2)}
    includes = "".join(f"<include file='{name}'/>" for name in files)
    with pytest.raises(TooLarge, match="with its includes has more than 20 MB"):
        parse_mjcf(f"<mujoco>{includes}</mujoco>", files=files)


# -- 8: sizes of messages -----------------------------------------------------------------------------------
HUGE = "x" * 1_000_000
HUGE_INPUTS = {
    "a name in TOML": (parse_toml, f'{HEAD}[[link]]\nname = "{HUGE}"\njoint.type = "fixed"\nparent = "b"\n'),
    "a base in TOML": (
        parse_toml,
        f'{HEAD}base.name = "{HUGE}"\n' + '[[frame]]\nname = "f"\nlink = "g"\n' * 1000,
    ),
    "a text in TOML": (parse_toml, f'{HEAD}gravity = [0, 0, "{HUGE}"]\n'),
    "a wrong type in TOML": (parse_toml, f'{HEAD}gravity = "{HUGE}"\n'),
    "a joint type in TOML": (parse_toml, f"{HEAD}{LINK.replace('fixed', HUGE)}"),
    "a key in TOML": (parse_toml, f'{HEAD}"{HUGE}" = 1\n'),
    "another root": (parse_urdf, f"<{HUGE}/>"),
    "a name in URDF": (parse_urdf, f"<robot name='{HUGE}'><link name='{HUGE}'/></robot>"),
    "a joint type in URDF": (parse_urdf, f"<robot name='r'><joint name='j' type='{HUGE}'/></robot>"),
    "a mass in URDF": (
        parse_urdf,
        f"<robot name='r'><link name='a'><inertial><mass value='{HUGE}'/></inertial></link></robot>",
    ),
    "a name in SDF": (parse_sdf, sdf(f"<link name='{HUGE}'/><joint name='j' type='{HUGE}'/>")),
    "a pose in SDF": (parse_sdf, sdf(f"<link name='a'><pose relative_to='{HUGE}'/></link>")),
    "a tag in MJCF": (parse_mjcf, mjcf(f"<body><{HUGE}/></body>")),
    "a class in MJCF": (parse_mjcf, mjcf(f"<body><geom class='{HUGE}'/></body>")),
    "a geom type in MJCF": (parse_mjcf, mjcf(f"<body><geom type='{HUGE}' size='{HUGE}'/></body>")),
    "an include in MJCF": (parse_mjcf, f"<mujoco><include file='{HUGE}'/></mujoco>"),
    "a site in MJCF": (parse_mjcf, mjcf("", f"<equality><weld site1='{HUGE}'/></equality>")),
}


@pytest.mark.parametrize("what", HUGE_INPUTS)
def test_messages_have_some_kilobytes(what: str) -> None:
    parse, text = HUGE_INPUTS[what]
    with pytest.raises(rk.RikigakuError) as caught:
        parse(text)
    assert len(str(caught.value)) <= MESSAGE_CHARACTERS
    assert all(len(one) < 1000 for one in getattr(caught.value, "problems", ()))


@pytest.mark.parametrize("huge", [HUGE, "\ud800" * 1_000_000], ids=["letters", "surrogates"])
def test_every_error_is_bounded_and_can_be_printed(huge: str) -> None:
    for error in (UnknownName("link", huge, [huge]), WrongValue(huge), NoPlace(huge), BadModel([huge], huge)):
        message = str(error)
        assert len(message) <= 6 * MESSAGE_CHARACTERS  # a surrogate becomes \udc80
        message.encode()


def test_a_warning_about_many_inertias_counts_those_it_leaves_out() -> None:
    inertia = (
        "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='9' ixy='0' ixz='0' iyz='0'/></inertial>"
    )
    links = "".join(f"<link name='l{k}'>{inertia}</link>" for k in range(500))
    ends = "<parent link='l0'/><child link='l{0}'/>"
    joints = "".join(f"<joint name='j{k}' type='fixed'>{ends.format(k)}</joint>" for k in range(1, 500))
    with pytest.warns(UnphysicalInertiaWarning, match=r"500 inertias .*") as caught:
        parse_urdf(f"<robot name='r'>{links}{joints}</robot>")
    message = str(caught[0].message)
    assert len(message) <= MESSAGE_CHARACTERS
    assert f"\n  ... and {500 - message.count('  - link')} more" in message


# -- 21: numbers without a result, tables that are none, names no file can have -----------------------------
@pytest.mark.parametrize("angle", ["inf", "-inf", "nan", "1e308", "1e31"])
def test_angles_of_an_sdf_are_finite(angle: str) -> None:
    with pytest.raises(BadModel, match=r"line 1, .*(is not a finite number|is too large)"):
        parse_sdf(sdf(f"<link name='a'><pose>0 0 0 {angle} 0 0</pose></link>"))


def test_a_bound_of_an_sdf_may_be_infinite() -> None:
    limit = "<axis><xyz>0 0 1</xyz><limit><lower>-inf</lower><upper>1e308</upper></limit></axis>"
    joint = f"<joint name='j' type='revolute'><parent>a</parent><child>b</child>{limit}</joint>"
    limits = parse_sdf(sdf(f"<link name='a'/><link name='b'/>{joint}")).joints[0].limits
    assert (limits.lower, limits.upper) == (None, None)


@pytest.mark.parametrize(
    "inside",
    [
        "<geom size='1e308'/>",
        "<geom type='box' size='1e308 1 1'/>",
        "<joint/><geom size='1' pos='0 -1e308 0'/><geom size='1'/>",
        "<joint pos='0 -1e308 0'/>",
        "<inertial mass='1e308' pos='1e308 0 0' diaginertia='1 1 1'/>",
        "<inertial mass='1' pos='0 0 0' fullinertia='1e308 1e308 1e308 1 1 1e308'/>",
        "<geom type='capsule' size='1' fromto='0 0 0 0 0 1e308'/>",
        "<site name='s' zaxis='0 1e308 1e308'/>",
    ],
)
def test_numbers_of_mjcf_whose_products_overflow_are_refused(inside: str) -> None:
    with pytest.raises(BadModel, match=r"line 1, .* is too large; lengths, angles and masses up to 1e"):
        parse_mjcf(mjcf(f"<body name='a'>{inside}</body>"))
    with pytest.raises(BadModel, match=r"line 1, .* is too large"):
        parse_mjcf(mjcf("<body name='a' pos='0 -1e308 0'><body pos='1e308 0 1'/></body>"))


@pytest.mark.parametrize(
    "loop", ['[1, { independent = ["a"] }]', "5", '["x"]', "[[]]", '{ independent = ["a"] }']
)
def test_loops_that_are_no_tables_are_named(loop: str) -> None:
    text = f'{HEAD}loop = {loop}\n[[link]]\nname = "a"\njoint = {{ type = "revolute" }}\nplacement = {{}}\n'
    with pytest.raises(BadModel, match="line:3: loop: "):
        parse_toml(text)


ODD_PATHS = ["a\0b", "\ud800", "x" * 300, "a/" * 5000 + "a"]


@pytest.mark.parametrize("ending", [".robot.toml", ".urdf", ".xml", ".sdf"])
@pytest.mark.parametrize("name", ODD_PATHS, ids=["NUL", "surrogate", "long name", "long path"])
def test_names_no_file_can_have_are_refused(name: str, ending: str) -> None:
    with pytest.raises(NoFile):
        rk.load(name + ending)
    if ending != ".sdf":
        robot = rk.Robot("r", (rk.Link("a", "base", rk.Joint("j")),))
        with pytest.raises(NoPlace):
            robot.save(name + ending)


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 300, "loop.xml"])
def test_includes_of_names_no_file_can_have_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "loop.xml").symlink_to("loop.xml")
    main = tmp_path / "main.xml"
    main.write_text(f"<mujoco><include file='{name}'/></mujoco>".replace("\0", "&#1;"), errors="replace")
    with pytest.raises(BadModel):
        rk.load(main)


def test_half_a_character_cannot_be_saved(tmp_path: Path) -> None:
    robot = rk.Robot("r", (rk.Link("a", "base", rk.Joint("j")),), source="\ud800")
    with pytest.raises(WrongValue, match="half a character"):
        robot.save(tmp_path / "r.robot.toml")


# -- 22: names that a format cannot hold --------------------------------------------------------------------
@pytest.mark.parametrize("name", ["${x}", "a$(find b)"])
def test_names_that_read_as_xacro_are_not_written_to_urdf(name: str, tmp_path: Path) -> None:
    for robot in (
        rk.Robot("r", (rk.Link(name, "base", rk.Joint("j")),)),
        rk.Robot("r", (rk.Link("a", "base", rk.Joint(name)),)),
        rk.Robot(name, (rk.Link("a", "base", rk.Joint("j")),)),
        rk.Robot("r", (rk.Link("a", name, rk.Joint("j")),), base=name),
    ):
        with pytest.raises(WrongValue, match=r"begin xacro expressions\. Rename it"):
            robot.save(tmp_path / "r.urdf")
        robot.save(tmp_path / "r.robot.toml")
        assert rk.load(tmp_path / "r.robot.toml") == robot
    assert not (tmp_path / "r.urdf").exists()


# -- robots that are large, and none too many ---------------------------------------------------------------
def test_a_chain_of_ten_thousand_links_is_read() -> None:
    links = "".join(f"<link name='l{k}'/>" for k in range(10_001))
    ends = "<parent link='l{0}'/><child link='l{1}'/>"
    joints = "".join(
        f"<joint name='j{k}' type='fixed'>{ends.format(k, k + 1)}</joint>" for k in range(10_000)
    )
    assert link_count(parse_urdf, f"<robot name='r'>{links}{joints}</robot>") == 10_000


def test_a_nested_chain_of_ten_thousand_bodies_is_read() -> None:
    assert link_count(parse_mjcf, mjcf("<body>" * 10_000 + "</body>" * 10_000)) == 10_000


def test_points_of_one_pair_of_bodies_are_compared_quickly() -> None:
    connects = "".join(f"<connect name='c{k}' body1='a' body2='b' anchor='0 0 0'/>" for k in range(3000))
    text = mjcf("<body name='a'/><body name='b'/>", f"<equality>{connects}</equality>")
    assert limited(lambda: len(parse_mjcf(text).loops)).value == 3000


def test_thousands_of_held_joints_are_locked_at_once() -> None:
    count = 1000
    bodies = "".join(f"<body><joint name='j{k}'/></body>" for k in range(count))
    held = "".join(f"<joint joint1='j{k}' polycoef='0.5'/>" for k in range(count))
    outcome = limited(link_count, parse_mjcf, mjcf(bodies, f"<equality>{held}</equality>"))
    assert outcome.value == count
