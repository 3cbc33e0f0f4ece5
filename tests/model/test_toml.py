"""Robot files: read exactly, every mistake named with its line, saved without losing a comment."""

import json
import os
import tomllib
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rikigaku.errors import BadModel, TooLarge
from rikigaku.model import library, toml
from rikigaku.model.edit import bind, lock, on_free_base
from rikigaku.model.geometry import ModifiedDH, Placement, StandardDH
from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import JOINT_TYPES, X_AXIS, Z_AXIS, Joint, Limits
from rikigaku.model.robot import Coupling, Frame, Link, Loop, LoopEnd, Robot, Symbol
from rikigaku.model.toml import parse_toml, read_toml, to_toml, write_toml
from rikigaku.numbers.formula import ONE, ZERO, Formula

F = Formula.of
SCHEMA = json.loads((files("rikigaku.model") / "robot.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

ROSAM = """\
schema = 1                # the first lines of a file are kept too
name = "rosam"
gravity = [0, 0, 0]

[symbols]
L = { value = 0.4, unit = "m" }   # the length
k = 2.50

# The first link.
[[link]]
name = "l11"
joint = { name = "theta11", type = "revolute", limits = { lower = "-170*deg", upper = "170*deg" } }
dh = { alpha = 0, a = 0, theta = "q + pi/2", d = 0 }  # turned
inertia = { about = "origin", m = "m11", ms = ["msx", 0, 0], I = [1, 0, 0, 1.0, 0, 1] }

[[link]]
name = "l21"
parent = "l11"
# a slide
joint = { name = "d21", type = "prismatic", friction = { viscous = 0.10 } }
dh = { alpha = "pi/2", d = "q - 0.2" }

[[frame]]
name = "hand"
link = "l21"
dh = { a = "2*L" }

[[loop]]
name = "cut"
joint = "revolute"
from = { link = "l21", dh = { a = "L" } }
to = { link = "base" }
independent = ["theta11"]   # one will do
"""


def test_a_file_says_what_it_says():
    robot = parse_toml(ROSAM)
    first, second = robot.links
    assert (first.parent, second.parent) == ("base", "l11")
    assert first.geometry == ModifiedDH(theta=F("pi/2"))
    assert second.geometry == ModifiedDH(alpha=F("pi/2"), d=F("-0.2"))
    assert first.joint.limits.upper == pytest.approx(2.96705972839036, rel=1e-15)
    assert first.inertia == Inertia(
        "origin", F("m11"), (F("msx"), ZERO, ZERO), (ONE, ZERO, ZERO, ONE, ZERO, ONE)
    )
    assert second.joint.viscous == F("1/10")
    assert robot.symbols == (Symbol("L", F("0.4"), "m"), Symbol("k", F("5/2")))
    assert robot.frames == (Frame("hand", "l21", ModifiedDH(a=F("2*L"))),)
    assert robot.loops == (Loop("cut", "revolute", LoopEnd("l21", ModifiedDH(a=F("L"))), LoopEnd("base")),)
    assert robot.independent == ("theta11",)


def test_decimals_are_exact():
    robot = parse_toml('schema = 1\nname = "r"\ngravity = [0.1, 1e-30, -9.80665000000000000001]')
    assert robot.gravity[0].rational == Fraction(1, 10)
    assert robot.gravity[1].rational == Fraction(1, 10**30)
    assert robot.gravity[2].rational == Fraction("-9.80665000000000000001")


@pytest.mark.parametrize("name", library.NAMES)
def test_shipped_robots_survive_a_round_trip_and_fit_the_schema(name):
    text = library.path(name).read_text(encoding="utf-8")
    robot = parse_toml(text)
    again = parse_toml(to_toml(robot))
    assert again == robot
    assert again.source == robot.source
    assert again.digest == robot.digest
    for document in (text, to_toml(robot)):
        VALIDATOR.validate(tomllib.loads(document))


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert tuple(SCHEMA["$defs"]["joint_type"]["enum"]) == JOINT_TYPES


HEAD = 'schema = 1\nname = "r"\n'
LINK = HEAD + '[[link]]\nname = "a"\njoint = { type = "revolute" }\n'
DH_LINK = LINK + 'dh = { theta = "q" }\n'
LOOP = DH_LINK + '[[loop]]\nname = "l"\njoint = "spherical"\nfrom = { link = "a" }\nto = { link = "base" }\n'

# Documents that are wrong, and what the reader must say. The schema refuses them too.
BAD = {
    'name = "r"': "schema is None; this version reads schema = 1",
    'schema = 2\nname = "r"': "schema is 2",
    "schema = 1": "name is missing",
    "schema = 1\nname = 3": "3 should be a text",
    HEAD + "gravty = [0, 0, 0]": "no key 'gravty' here. Did you mean 'gravity'?",
    HEAD + "gravity = [0, 0]": "2 numbers are given, 3 belong here",
    HEAD + "gravity = 9.81": "should be a list",
    HEAD + "gravity = [0, 0, true]": "True is not a number",
    HEAD + "gravity = [0, 0, [1]]": "should be a number or a formula",
    HEAD + 'gravity = [0, 0, "9;81"]': "gravity[2]: Not a formula",
    HEAD + "link = 3": "should be a list",
    HEAD + '[link]\nname = "a"': "Write [[link]], with two brackets",
    HEAD + "link = [3]": "3 should be a table",
    HEAD + "[symbols]\nq = 1": "'q' cannot name a symbol",
    HEAD + '[symbols]\n"a b" = 1': "'a b' cannot name a symbol",
    HEAD + "[symbols]\nL = { valu = 1 }": "Did you mean 'value'?",
    HEAD + "[[link]]\njoint = { type = 'fixed' }\nplacement = {}": "link[0]: name is missing",
    HEAD + '[[link]]\nname = "a"\ndh = { theta = "q" }': 'Write joint = { type = "revolute" }',
    HEAD + '[[link]]\nname = "a"\njoint = {}\ndh = { theta = "q" }': "type is missing",
    DH_LINK.replace("revolute", "revolut"): "Did you mean 'revolute'?",
    DH_LINK.replace('"a"', '"<a>"'): "may not hold '<' '>'",
    LINK: "no geometry is given. Write exactly one of dh, standard_dh, placement",
    DH_LINK + "placement = {}": "dh and placement are given",
    DH_LINK + "inerta = {}": "Did you mean 'inertia'?",
    DH_LINK + "inertia = { m = 1 }": 'about is missing. Write about = "origin"',
    DH_LINK + 'inertia = { about = "centre", m = 1 }': "about is 'centre'",
    DH_LINK + 'inertia = { about = "com" }': "m is missing",
    DH_LINK + 'inertia = { about = "com", m = 1, ms = [0, 0, 0] }': "no key 'ms'",
    DH_LINK + 'inertia = { about = "origin", m = 1, I = [1, 1, 1] }': "3 numbers are given, 6 belong here",
    DH_LINK + 'inertia = { about = "origin", m = 1, rpy = [0, 0, 0] }': "no key 'rpy'",
    LINK + 'dh = { theta = "q", dd = 1 }': "no key 'dd'",
    LINK + "dh = { theta = [1] }": "should be a number or a formula",
    LINK + "standard_dh = { theta = 'q', beta = 1 }": "no key 'beta'",
    DH_LINK + '[[frame]]\nname = "f"': "link is missing",
    DH_LINK + '[[frame]]\nlink = "a"': "name is missing",
    DH_LINK + '[[loop]]\nname = "l"\njoint = "revolute"\nfrom = { link = "a" }': "to is missing",
    LOOP.replace("spherical", "free"): "joint: there is no 'free'",
    DH_LINK + '[[coupling]]\njoint = "a"\nreference = "a"': "multiplier is missing",
    DH_LINK + 'independent = "a"': "no key 'independent'",
    "independent = [1]\n" + HEAD: "should be the name of a joint",
    DH_LINK.replace('"revolute"', '"revolute", actuated = 1'): "1 should be true or false",
    DH_LINK.replace('"revolute"', '"revolute", limits = { low = 1 }'): "Did you mean 'lower'?",
    DH_LINK.replace('"revolute"', '"revolute", friction = 0.1'): "should be a table",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=list(BAD.values()))
def test_a_mistake_is_named_and_the_schema_refuses_it_too(text):
    with pytest.raises(BadModel) as caught:
        parse_toml(text)
    assert any(BAD[text] in problem for problem in caught.value.problems), caught.value.problems
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(tomllib.loads(text))


# Mistakes of meaning, which no schema can see.
MEANING = {
    LINK + "dh = { theta = 0 }": 'Write theta = "q".',
    LINK + "dh = {}": 'Write theta = "q".',
    LINK + 'dh = { theta = "pi/2" }': 'Write theta = "q + pi/2".',
    LINK + 'dh = { theta = "2*q" }': 'theta is 2*q, but the variable of a revolute joint stands here alone',
    LINK + 'dh = { theta = "sin(q)" }': 'Write theta = "q"',
    LINK + 'dh = { theta = "q", d = "q" }': "the variable of a revolute joint stands in theta",
    LINK.replace("revolute", "prismatic") + 'dh = { theta = "q" }': 'write d = "q"',
    LINK.replace("revolute", "fixed") + 'dh = { theta = "q" }': "a fixed joint has no variable in the row",
    LINK.replace('"revolute"', '"revolute", axis = [0, 1, 0]') + 'dh = { theta = "q" }': "has another axis",
    LINK + 'placement = { rpy = [0, 0, "q"] }': "'q' cannot name a symbol",
    DH_LINK + '[[frame]]\nname = "f"\nlink = "a"\ndh = { theta = "q" }': "nothing moves here",
    DH_LINK + '[[frame]]\nname = "f"\nlink = "b"': "there is no link 'b'",
    DH_LINK.replace('"revolute"', '"revolute", limits = { lower = "L" }'): "a plain number belongs here",
    DH_LINK.replace('"revolute"', '"revolute", limits = { lower = 2, upper = 1 }'): "above the upper limit",
    HEAD + "gravity = [0, 0, nan]": "is not a number a model can hold",
    HEAD + "gravity = [0, 0, -inf]": "is not a number a model can hold",
    HEAD + "gravity = [0, 0, 1e999999999]": "is not a number a model can hold",
    HEAD + 'gravity = [0, 0, "2 g"]': "an operator is missing",
}  # fmt: skip


@pytest.mark.parametrize("text", MEANING, ids=list(MEANING.values()))
def test_a_mistake_of_meaning_says_what_to_write(text):
    with pytest.raises(BadModel) as caught:
        parse_toml(text)
    assert any(MEANING[text] in problem for problem in caught.value.problems), caught.value.problems


def test_all_mistakes_come_at_once_each_with_its_line_and_place():
    text = (
        ROSAM.replace('alpha = "pi/2"', 'alpha = "pi//2"')
        .replace("[0, 0, 0]", "[0, 0]")
        .replace("unit", "unt")
    )
    text = text.replace('link = "l21"\ndh', 'link = "l22"\ndh')
    with pytest.raises(BadModel) as caught:
        parse_toml(text, "rosam.robot.toml")
    gravity, unit, alpha, frame = caught.value.problems
    assert gravity.startswith("rosam.robot.toml:3: gravity: ")
    assert unit.startswith("rosam.robot.toml:6: symbols.L.unt: ")
    assert alpha.startswith('rosam.robot.toml:21: link[1] "l21".dh.alpha: ')
    assert frame.startswith("frame 'hand': there is no link 'l22'")
    assert str(caught.value).startswith("rosam.robot.toml has 4 problems:")


def test_a_line_is_found_in_sub_tables_too():
    text = HEAD + '[[link]]\nname = "a"\ndh.theta = "q"\n[link.joint]\ntype = "revolute"\nrotor = "1 +"\n'
    with pytest.raises(BadModel, match=r'line:8: link\[0\] "a"\.joint\.rotor'):
        parse_toml(text)


@pytest.mark.parametrize("text", ["a = ", "[[[", "a = 1\na = 2", "\x00", "a = " + "[" * 3000, "a = {" * 3000])
def test_what_is_no_toml_is_refused_with_a_reason(text):
    with pytest.raises(BadModel, match=r"not a TOML file|nested too deeply"):
        parse_toml(text)


def test_a_file_that_is_too_large_or_no_text_is_refused(tmp_path):
    large = tmp_path / "large.robot.toml"
    with large.open("wb") as file:
        file.truncate(toml.LARGEST_FILE + 1)
    with pytest.raises(TooLarge, match="10 MB"):
        read_toml(large)
    (tmp_path / "latin.robot.toml").write_bytes(b'schema = 1\nname = "\xe4"')
    with pytest.raises(BadModel, match="line 2: the file is not UTF-8"):
        read_toml(tmp_path / "latin.robot.toml")


formulas = st.one_of(
    st.decimals(-1000, 1000, places=6).map(F),
    st.floats(-1e6, 1e6).map(F),
    st.fractions(-9, 9, max_denominator=99).map(F),
    st.integers(-(10**25), 10**25).map(F),
    st.sampled_from(
        [F(text) for text in ("pi/2", "L", "2*L - m/3", "sin(phi)*L**2", "1/(L + m)", "sqrt(L)")]
    ),
)
names = st.text(
    st.characters(exclude_characters="<>&\"'`\\", exclude_categories=["C", "Z"]), min_size=1, max_size=9
)
triples = st.tuples(formulas, formulas, formulas)
axes = st.sampled_from([Z_AXIS, X_AXIS, (ZERO, ZERO, F(-1)), (ONE, F("1/3"), F("0.1"))])
bounds = st.one_of(st.none(), st.floats(-1e9, 0))
limits = st.builds(Limits, bounds, st.one_of(st.none(), st.floats(0, 1e9)), bounds, bounds)
geometries = st.one_of(
    st.builds(Placement, triples, triples),
    st.builds(ModifiedDH, *[formulas] * 6),
    st.builds(StandardDH, *[formulas] * 4),
    st.just(Placement()),
)
inertias = st.one_of(
    st.none(),
    st.builds(Inertia, st.just("origin"), formulas, triples, st.tuples(*[formulas] * 6)),
    st.builds(Inertia, st.just("com"), formulas, triples, st.tuples(*[formulas] * 6), triples),
)


@st.composite
def robots(draw) -> Robot:
    link_names = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    base, *rest = link_names
    links = []
    for i, name in enumerate(rest):
        joint = Joint(
            draw(st.sampled_from([name, f"joint {i}"])), draw(st.sampled_from(JOINT_TYPES)), draw(axes),
            (ZERO, ONE, F(5)), draw(formulas), draw(st.booleans()), draw(limits), *draw(triples),
        )  # fmt: skip
        parent = draw(st.sampled_from(link_names[: i + 1]))
        links.append(Link(name, parent, joint, draw(geometries), draw(inertias)))
    hinges = (replace(links[0], name=f"{rest[0]} {k}", joint=Joint(f"hinge {k}"), parent=base) for k in "12")
    loop = Loop("cut", "spherical", LoopEnd(rest[0], draw(geometries)), LoopEnd(base, draw(geometries)))
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    return Robot(
        name=draw(names),
        links=(*links, *hinges),
        frames=(Frame("a frame", base, draw(geometries)),),
        loops=draw(st.sampled_from([(), (loop,)])),
        couplings=(Coupling("hinge 1", "hinge 2", draw(formulas), draw(formulas)),),
        independent=draw(st.sampled_from([(), ("hinge 2",)])),
        symbols=(Symbol("L", F(draw(st.decimals(0, 9, places=3))), draw(text)), Symbol("m")),
        gravity=draw(triples),
        base=base,
        base_inertia=draw(inertias),
        source=draw(text),
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(robots())
def test_any_robot_survives_a_round_trip(robot):
    text = to_toml(robot)
    again = parse_toml(text)
    assert again == robot
    assert again.source == robot.source
    assert again.digest == robot.digest
    VALIDATOR.validate(tomllib.loads(text))
    assert toml.updated(text, toml.document(robot)) == text


def test_a_formula_too_long_to_be_read_again_is_not_written():
    long = F(" + ".join(f"symbol_number_{i}" for i in range(50)))
    robot = replace(parse_toml(DH_LINK), gravity=(ZERO, ZERO, long * F("a") + long))
    with pytest.raises(TooLarge, match="cannot be saved"):
        to_toml(robot)


@pytest.mark.parametrize("name", library.NAMES)
def test_saving_an_unchanged_robot_changes_nothing(name, tmp_path):
    path = tmp_path / "copy.robot.toml"
    path.write_bytes(library.path(name).read_bytes())
    write_toml(read_toml(path), path)
    assert path.read_bytes() == library.path(name).read_bytes()


def lines_changed(before: str, after: str) -> list[str]:
    return [line for line in after.splitlines() if line not in before.splitlines()]


def test_saving_a_changed_robot_touches_only_what_changed(tmp_path):
    path = tmp_path / "rosam.robot.toml"
    path.write_text(ROSAM)
    robot = read_toml(path)
    first, second = robot.links
    first = replace(first, geometry=ModifiedDH(theta=F("pi/2"), a=F("0.30")))
    second = replace(second, joint=replace(second.joint, rotor=F("2e-7")))
    write_toml(
        replace(robot, links=(first, second), symbols=(Symbol("L", F("0.5"), "m"), robot.symbols[1])), path
    )
    assert lines_changed(ROSAM, path.read_text()) == [
        'L = { value = 0.5, unit = "m" }   # the length',
        'dh = { alpha = 0, a = 0.3, theta = "q + pi/2", d = 0 }  # turned',
        'joint = { name = "d21", type = "prismatic", friction = { viscous = 0.10 }, rotor = 2E-7 }',
    ]


CHANGES = {
    "a locked joint": lambda r: lock(replace(r, independent=()), "theta11", "0.3"),
    "a bound symbol": lambda r: bind(r, L="0.7"),
    "no independent joints": lambda r: replace(r, independent=()),
    "no loop": lambda r: replace(r, loops=()),
    "no loop and no choice": lambda r: replace(r, loops=(), independent=()),
    "another choice": lambda r: replace(r, independent=("d21",)),
    "a new frame": lambda r: replace(r, frames=(*r.frames, Frame("eye", "l11", Placement(X_AXIS)))),
    "no frame": lambda r: replace(r, frames=()),
    "links swapped": lambda r: replace(r, links=r.links[::-1]),
    "a floating base": lambda r: on_free_base(r),
    "other geometry": lambda r: replace(r, links=(r.links[0], replace(r.links[1], geometry=Placement()))),
    "a base with a name": lambda r: replace(on_free_base(r), base_inertia=Inertia("com", ONE)),
    "no symbols": lambda r: replace(r, symbols=()),
    "a source": lambda r: replace(r, source="A book, \"page\" 3\\4\n\x7f"),
    "default gravity": lambda r: replace(r, gravity=(ZERO, ZERO, F("-9.81"))),
    "a coupling": lambda r: replace(r, couplings=(Coupling("d21", "theta11", F("0.1")),)),
    "no inertia": lambda r: replace(r, links=(replace(r.links[0], inertia=None), r.links[1])),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_comments_survive_every_kind_of_change(change, tmp_path):
    path = tmp_path / "rosam.robot.toml"
    path.write_text(ROSAM)
    robot = change(read_toml(path))
    write_toml(robot, path)
    text = path.read_text()
    assert read_toml(path) == robot
    assert read_toml(path).source == robot.source
    assert "# the first lines of a file are kept too" in text
    assert "# The first link." in text
    assert "# a slide" in text
    write_toml(robot, path)
    assert path.read_text() == text


def test_another_robots_file_is_replaced_whole(tmp_path):
    path = tmp_path / "r.robot.toml"
    for content in (ROSAM, "no = toml = at all", "schema = 1"):
        path.write_text(content)
        robot = parse_toml(DH_LINK)
        write_toml(robot, path)
        assert path.read_text() == to_toml(robot)


def test_a_failed_save_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "rosam.robot.toml"
    path.write_text(ROSAM)

    def disk_full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(OSError, match="No space left"):
        write_toml(replace(parse_toml(ROSAM), gravity=(ZERO, ZERO, ONE)), path)
    assert path.read_text() == ROSAM
    assert [entry.name for entry in tmp_path.iterdir()] == ["rosam.robot.toml"]


def test_a_saved_file_keeps_its_permissions_and_links(tmp_path):
    target, link = tmp_path / "target.robot.toml", tmp_path / "link.robot.toml"
    target.write_text(ROSAM)
    target.chmod(0o640)
    link.symlink_to(target)
    write_toml(replace(parse_toml(ROSAM), gravity=(ZERO, ZERO, ONE)), link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert read_toml(target).gravity[2] == ONE


def test_new_files_are_valid_toml_for_another_reader(tmp_path):
    path = Path(tmp_path / "new.robot.toml")
    write_toml(parse_toml(ROSAM), path)
    assert tomlkit.parse(path.read_text()).unwrap() == tomllib.loads(path.read_text())
    assert tomllib.loads(path.read_text(), parse_float=Decimal)["symbols"]["k"]["value"] == Decimal("2.5")
