"""Tables of a robot: what they say is in the robot, and nothing in a name becomes markup."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from readers import read_toml

from rikigaku.library import NAMES, path
from rikigaku.model.geometry import ModifiedDH, Placement, StandardDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.robot_model import Coupling, Link, Symbol
from rikigaku.model.robot_tables import (
    Table,
    _repr_html_,
    frame_table,
    geometry_text,
    headline,
    html_table,
    inertia_text,
    joint_text,
    limits_text,
    link_table,
    loop_table,
    symbol_table,
    text_table,
)
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.report.law_figures import law_names
from rikigaku.robot import Robot


def F(x):
    return Formula.of(x)


class Words(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("name", NAMES)
def test_every_link_has_its_row(name):
    robot = read_toml(path(name))
    rows = link_table(robot).rows
    named = [row[0] for row in rows if row[3] != "base"]
    assert named == [link.name for link in robot.links]
    assert len(loop_table(robot).rows) == len(robot.loops)
    assert [row[0] for row in frame_table(robot).rows] == [frame.name for frame in robot.frames]
    assert {row[0] for row in symbol_table(robot).rows} >= set(robot.free_symbols)


def test_parts_are_shown_as_short_text():
    assert geometry_text(Placement()) == "at its origin"
    assert geometry_text(Placement((F(1), ZERO, ZERO), (ZERO, F("pi/2"), ZERO))) == "xyz 1 0 0, rpy 0 pi/2 0"
    assert geometry_text(ModifiedDH(alpha=F("-pi/2"), d=F("2*L"))) == "DH: alpha -pi/2, d 2*L"
    assert geometry_text(StandardDH(theta=F("pi"), a=F("1/3"))) == "standard DH: theta pi, a 0.333333"
    assert geometry_text(ModifiedDH()) == "DH: all zero"
    assert joint_text(Joint("j", "prismatic", axis=(F(1), ZERO, ZERO), actuated=False)) == (
        "prismatic along 1 0 0 (passive)"
    )
    assert joint_text(Joint("j", "universal")) == "universal then 1 0 0"
    assert (
        limits_text(Joint("j", limits=Limits(lower=-1, velocity=2, effort=3)))
        == "-1 .. inf, speed 2, effort 3"
    )
    turned = Inertia("com", F(2), (F(1), ZERO, ZERO), (F(1),) * 6, (ZERO, ZERO, F("pi")))
    assert inertia_text(turned) == "centre 1 0 0; I about com in axes rpy 0 0 pi: 1 1 1 1 1 1"
    assert inertia_text(None) == ""


def test_what_drives_and_resists_a_joint_has_a_column_where_some_joint_has_it():
    screw = Joint("s", "helical", pitch=F("0.01"), viscous=F("c"), coulomb=F(2))
    sprung = Joint("k", rotor=F("0.3"), stiffness=F(5), rest=F("0.2"))
    links = (Link("a", "base", screw), Link("b", "a", sprung), Link("c", "b", Joint("f")))
    robot = Robot(
        "r", links, couplings=(Coupling("f", "k", F(-2), F("0.1")),), base_inertia=Inertia("com", F(1))
    )
    table = link_table(robot)
    assert table.head[6:-2] == ("pitch [m/rad]", "viscous", "Coulomb", "rotor", "spring", "follows")
    assert [row[6:-2] for row in table.rows] == [
        ("",) * 6,
        ("0.01", "c", "2", "", "", ""),
        ("", "", "", "0.3", "5 from 0.2", ""),
        ("", "", "", "", "", "-2 k + 0.1"),
    ]
    assert "-2 k + 0.1" in _repr_html_(robot)
    assert link_table(Robot("plain", (Link("a", "base", Joint("j")),))).head[5:] == (
        *("limits", "mass [kg]", "inertia"),
    )


def test_the_headline_counts():
    assert headline(Robot("none")) == "0 links, nq 0, nv 0"
    assert headline(read_toml(path("five_bar"))) == "4 links, nq 4, nv 4, 1 loop closure"
    assert headline(read_toml(path("humanoid_32"))).endswith("nq 39, nv 38")
    rod = Robot("r", (Link("rod", "base", Joint("j"), Placement((F("L"), ZERO, ZERO))),))
    assert headline(rod) == "1 link, nq 1, nv 1, 1 symbol"


def test_reports_show_laws_of_loops_where_there_are_loops_or_gears():
    shown = {name: law_names(read_toml(path(name))) for name in ("ur5", "five_bar")}
    assert "mass_matrix" in shown["ur5"]
    assert not [name for name in shown["ur5"] if name.startswith("loop_")]
    assert {"loop_residual", "loop_forces", "reduced.mass_matrix"} <= set(shown["five_bar"])
    geared = replace(read_toml(path("planar_2r")), couplings=(Coupling("q2", "q1", F(2), ZERO),))
    assert {"loop_residual", "loop_dynamics", "reduced.mass_matrix"} <= set(law_names(geared))


def test_symbols_without_a_value_say_so():
    link = Link("rod", "base", Joint("j"), Placement((F("L"), F("w"), ZERO)))
    robot = Robot("r", (link,), symbols=(Symbol("L", None, "m"), Symbol("k", F(2))))
    assert symbol_table(robot).rows == [
        ("L", "none", "m", ""),
        ("k", "2", "", "not used"),
        ("w", "none", "", ""),
    ]


def test_no_text_of_a_robot_becomes_markup():
    hostile = "<img src=x onerror=alert(1)>&\"'"
    robot = Robot("r", (Link("rod", "base", Joint("j")),), symbols=(Symbol("L", F(1), hostile),))
    page = html_table(symbol_table(robot), hostile)
    assert "img" not in Words(page).tags
    assert hostile in Words(page).text
    # names with such letters are refused by the model; the table must not lean on that
    bare = replace(robot)
    object.__setattr__(bare, "name", hostile)
    page = _repr_html_(bare)
    assert set(Words(page).tags) == {"div", "b", "table", "thead", "tbody", "tr", "th", "td"}
    assert hostile in Words(page).text


def test_columns_of_a_text_table_stand_under_each_other():
    text = text_table(Table(("a", "b"), [("力学", "x"), ("abc", "y")]))
    assert text.splitlines() == ["a     b", "----  -", "力学  x", "abc   y"]
    assert text_table(Table(("a", "b"), [("x" * 50, "y")]), 10).splitlines()[2] == "x" * 9 + "…"
