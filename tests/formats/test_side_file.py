"""The file beside a URDF: what URDF cannot say, held against its schema, mistakes named."""

import json
import tomllib
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from referencing import Registry, Resource
from written_robots import saved, shipped

import rikigaku as rk
from rikigaku.core.errors import BadModel, IgnoredWarning
from rikigaku.formats.urdf.urdf_side_file import with_loops
from rikigaku.robot import Robot


def plain_robot() -> Robot:
    return rk.Robot("r", (rk.Link("a", "base", rk.Joint("j")),))


def test_a_stale_side_file_is_pointed_out(tmp_path: Path) -> None:
    (tmp_path / "x.loops.toml").write_text("schema = 1\npassive = []\n")
    with pytest.warns(IgnoredWarning, match=r"x\.loops\.toml belongs to an older x\.urdf"):
        plain_robot().save(tmp_path / "x.urdf")


def test_the_side_file_of_an_older_save_does_not_spoil_a_robot_without_loops(tmp_path: Path) -> None:
    shipped("four_bar").save(tmp_path / "x.urdf")
    plain_robot().save(tmp_path / "x.urdf")
    assert rk.load(tmp_path / "x.urdf") == plain_robot()


def test_a_urdf_and_a_side_file_of_two_saves_are_refused(tmp_path: Path) -> None:
    """Whichever of the two files a killed save left old."""
    four, five = shipped("four_bar"), shipped("five_bar")
    for robot, folder in ((four, "a"), (five, "b"), (plain_robot(), "c")):
        (tmp_path / folder).mkdir()
        robot.save(tmp_path / folder / "x.urdf")
    before = {folder: (tmp_path / folder / "x.urdf").read_bytes() for folder in "abc"}
    (tmp_path / "b" / "x.urdf").write_bytes(before["a"])
    with pytest.raises(BadModel, match=r"toml:3: record: .*different saves.*Save the robot again"):
        rk.load(tmp_path / "b" / "x.urdf")
    (tmp_path / "b" / "x.urdf").write_bytes(before["c"])
    with pytest.raises(BadModel, match="here and None in the URDF"):
        rk.load(tmp_path / "b" / "x.urdf")
    (tmp_path / "a" / "x.loops.toml").unlink()
    with pytest.warns(IgnoredWarning, match=r"x\.loops\.toml, which is not beside it"):
        assert not rk.load(tmp_path / "a" / "x.urdf").loops


def test_editing_by_hand_keeps_a_urdf_and_its_side_file_together(tmp_path: Path) -> None:
    shipped("four_bar").save(tmp_path / "x.urdf")
    side = tmp_path / "x.loops.toml"
    side.write_text(side.read_text().replace("schema = 1", "schema = 1\ngravity = [0, 0, -1.62]"))
    urdf = tmp_path / "x.urdf"
    urdf.write_text(
        "<?xml version='1.0'?>\n" + urdf.read_text().replace("</robot>", "  <!-- x -->\n</robot>")
    )
    assert float(rk.load(urdf).gravity[2]) == -1.62
    lines = side.read_text().splitlines(keepends=True)
    side.write_text("".join(line for line in lines if not line.startswith("record")))
    urdf.write_text(urdf.read_text().partition("-->\n")[2])
    assert rk.load(urdf).loops


def validator() -> jsonschema.Draft202012Validator:
    schemas = {
        name: json.loads((files("rikigaku.formats.toml") / name).read_text())
        for name in ("robot.schema.json", "loops.schema.json")
    }
    registry = Registry().with_resources(
        [(name, Resource.from_contents(schema)) for name, schema in schemas.items()]
    )
    jsonschema.Draft202012Validator.check_schema(schemas["loops.schema.json"])
    return jsonschema.Draft202012Validator(schemas["loops.schema.json"], registry=registry)


@pytest.mark.parametrize("name", ["four_bar", "stewart", "puma560", "space_arm_6"])
def test_side_files_we_write_fit_the_schema(name: str, tmp_path: Path) -> None:
    saved(shipped(name), tmp_path / "x.urdf")
    validator().validate(tomllib.loads((tmp_path / "x.loops.toml").read_text()))


SIDE = """
schema = 1
gravity = [0, 0, -1.62]
passive = ["b"]
[rotor]
a = "2*0.05"
[[frame]]
name = "tip"
link = "lb"
placement = { xyz = [1, 0, 0] }
[[loop]]
name = "cut"
joint = "revolute"
from = { link = "la" }
to = { link = "lb", placement = { xyz = ["sqrt(2)", 0, 0] } }
independent = ["a"]
"""


def two_links() -> Robot:
    return rk.Robot("r", (rk.Link("la", "base", rk.Joint("a")), rk.Link("lb", "base", rk.Joint("b"))))


def test_a_side_file_written_by_hand_adds_what_it_says() -> None:
    validator().validate(tomllib.loads(SIDE))
    robot = with_loops(two_links(), SIDE)
    assert [joint.actuated for joint in robot.joints] == [True, False]
    assert (float(robot.joint("a").rotor), float(robot.gravity[2])) == (0.1, -1.62)
    assert (robot.loops[0].name, robot.independent, robot.frames[0].name) == ("cut", ("a",), "tip")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("schema = 1", "schema = 2", "this version reads schema = 1"),
        ('passive = ["b"]', 'passive = ["c"]', "no moving joint named 'c'"),
        ('a = "2*0.05"', "elbow = 1", "no moving joint named 'elbow'"),
        ('from = { link = "la" }', 'from = { link = "lx" }', "there is no link 'lx'"),
        ('joint = "revolute"', 'joint = "revolut"', "Did you mean 'revolute'"),
        ("gravity =", "gravitiy =", "Did you mean 'gravity'"),
        ("[rotor]", "[rotor", "not a TOML file"),
    ],
)
def test_mistakes_in_a_side_file_are_named(old: str, new: str, said: str) -> None:
    with pytest.raises(BadModel) as caught:
        with_loops(two_links(), SIDE.replace(old, new), "x.loops.toml")
    assert said in str(caught.value)
    assert "x.loops.toml" in str(caught.value)
