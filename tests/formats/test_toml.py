"""Robot files: read exactly, and written so that the same robot is read again."""

import tomllib
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from readers import parse_toml
from toml_files import DH_LINK, ROSAM, SCHEMA, VALIDATOR

from rikigaku import library
from rikigaku.core.errors import TooLarge
from rikigaku.formats.toml import toml_file
from rikigaku.formats.toml.toml_file import to_toml, write_toml
from rikigaku.model.geometry import ModifiedDH, Placement, StandardDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import X_AXIS, Z_AXIS, Joint, Limits
from rikigaku.model.joints.joint_types import JOINT_TYPES
from rikigaku.model.robot_model import Coupling, Frame, Link, Loop, LoopEnd, Symbol
from rikigaku.numbers.formula import ONE, ZERO, Formula
from rikigaku.robot import Robot

F = Formula.of


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
    assert tuple(SCHEMA["$defs"]["joint_type"]["enum"]) == tuple(JOINT_TYPES)


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
).filter(lambda name: name not in ("L", "m", "phi"))  # a row may not hold its joint's name
triples = st.tuples(formulas, formulas, formulas)
axes = st.sampled_from([Z_AXIS, X_AXIS, (ZERO, ZERO, F(-1)), (ONE, F("1/3"), F("0.1"))])
below, above = (st.one_of(st.none(), st.floats(*span)) for span in ((-1e9, 0), (0, 1e9)))
limits = st.builds(Limits, below, above, above, above)
rates = st.builds(Limits, st.none(), st.none(), above, above)
positive = formulas.map(lambda x: x * x if x.is_number else x)
drives = st.tuples(*[positive] * 3)
geometries = st.one_of(
    st.builds(Placement, triples, triples),
    st.builds(ModifiedDH, *[formulas] * 6),
    st.builds(StandardDH, *[formulas] * 4),
    st.just(Placement()),
)
inertias = st.one_of(
    st.none(),
    st.builds(Inertia, st.just("origin"), positive, triples, st.tuples(*[formulas] * 6)),
    st.builds(Inertia, st.just("com"), positive, triples, st.tuples(*[formulas] * 6), triples),
)


@st.composite
def robots(draw) -> Robot:
    link_names = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    base, *rest = link_names
    links = []
    for i, name in enumerate(rest):
        kind = draw(st.sampled_from(tuple(JOINT_TYPES)))
        joint = Joint(
            draw(st.sampled_from([name, f"joint {i}"])), kind, draw(axes), (ZERO, ONE, F(5)), draw(formulas),
            draw(st.booleans()), draw(limits if JOINT_TYPES[kind].nq == 1 else rates), *draw(drives),
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
    assert toml_file.updated(text, toml_file.document(robot)) == text


def test_a_formula_too_long_to_be_read_again_is_not_written():
    long = F(" + ".join(f"symbol_number_{i}" for i in range(50)))
    robot = replace(parse_toml(DH_LINK), gravity=(ZERO, ZERO, long * F("a") + long))
    with pytest.raises(TooLarge, match="cannot be saved"):
        to_toml(robot)


def test_new_files_are_valid_toml_for_another_reader(tmp_path):
    path = Path(tmp_path / "new.robot.toml")
    write_toml(parse_toml(ROSAM), path)
    assert tomlkit.parse(path.read_text()).unwrap() == tomllib.loads(path.read_text())
    assert tomllib.loads(path.read_text(), parse_float=Decimal)["symbols"]["k"]["value"] == Decimal("2.5")


def test_a_screw_says_its_pitch_even_where_it_is_zero():
    robot = Robot("r", (Link("a", "base", Joint("j", "helical")),))
    assert "pitch = 0" in to_toml(robot)
    assert parse_toml(to_toml(robot)) == robot
