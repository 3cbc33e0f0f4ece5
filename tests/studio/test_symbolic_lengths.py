"""A robot whose lengths, inertias and gravity are symbols without a value has equations and a picture."""

import pytest

from rikigaku.formats.toml.toml_file import parse_toml
from rikigaku.robot import Robot
from rikigaku.studio.document_check import checked_robot
from rikigaku.studio.tasks.bound_robot import with_values
from rikigaku.studio.tasks.term_links import TermLinks

TEXT = """schema = 1
name = "two_links"
gravity = [0, -9.81, 0]
[symbols]
L1 = {}
m1 = {}
m2 = {}
[[link]]
name = "l1"
parent = "base"
joint = { type = "revolute" }
dh = { alpha = 0, a = 0, theta = "q", d = 0 }
inertia = { about = "com", m = "m1", com = ["L1/2", 0, 0] }
[[link]]
name = "l2"
parent = "l1"
joint = { type = "revolute" }
dh = { alpha = 0, a = "L1", theta = "q", d = 0 }
inertia = { about = "com", m = "m2", com = [0.2, 0, 0] }
[[frame]]
name = "hand"
link = "l2"
dh = { alpha = 0, a = 0.4, theta = 0, d = 0 }
"""


def test_terms_name_their_links_without_values() -> None:
    robot = Robot.of(parse_toml(TEXT))
    links = TermLinks(robot)
    assert links.of(frozenset({"m2", "L1"})) == ["l2"]
    assert links.bodies_of(["l1", "l2"]) == [0, 1]


def test_the_picture_takes_a_typical_length_and_says_so() -> None:
    found = checked_robot(TEXT, 1, [])
    assert found.mistakes == []
    assert found.robot is not None
    assert found.missing == ["L1", "m1", "m2"]
    assert any("L1 = 0.5" in line for line in found.warnings)


@pytest.mark.parametrize(
    ("gravity", "assumed", "value"),
    [
        ('[0, "-g", 0]', "L1 = 0.5, g = 9.81", [0.0, -9.81, 0.0]),
        # down a slope of 0.5 rad
        ('["g*sin(slope)", 0, "-g*cos(slope)"]', "L1 = 0.5, g = 9.81, slope = 0.5", [4.7032, 0.0, -8.6091]),
    ],
)
def test_the_picture_takes_a_typical_gravity_and_says_so(
    gravity: str, assumed: str, value: list[float]
) -> None:
    text = TEXT.replace("[0, -9.81, 0]", gravity).replace("L1 = {}", "L1 = {}\ng = {}\nslope = {}")
    found = checked_robot(text, 1, [])
    assert found.mistakes == []
    assert found.robot is not None
    assert found.robot.gravity == pytest.approx(value, abs=1e-4)
    assert found.robot.wasm  # its sliders move
    assert any(f"takes {assumed};" in line for line in found.warnings)


def test_typical_values_include_gravity() -> None:
    robot = Robot.of(parse_toml(TEXT.replace("-9.81", '"-g"').replace("L1 = {}", "L1 = {}\ng = {}")))
    assert float(with_values(robot, typical=True).gravity[1]) == -9.81


def test_inverse_kinematics_needs_values_of_lengths_only() -> None:
    robot = Robot.of(parse_toml(TEXT)).bind(L1=0.3)
    assert with_values(robot, geometry_only=True).free_symbols == ()
