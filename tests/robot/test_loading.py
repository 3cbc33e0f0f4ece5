"""`rk.load`: by name, from both kinds of file, and every way to ask for what is not there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rikigaku as rk
from rikigaku import library
from rikigaku.core.errors import (
    NoPlace,
    RikigakuError,
    UnknownName,
    UnphysicalInertia,
    UnphysicalInertiaWarning,
    WrongValue,
)
from rikigaku.formats.robot_files import FORMATS, FileFormat, register_format
from rikigaku.model.robot_model import RobotModel

URDF = """<robot name="one"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><origin xyz="0 0 0.1"/>
<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / "one.urdf"
    path.write_text(URDF.format(ixx=0.1))
    return path


def test_a_shipped_robot_is_loaded_by_its_name() -> None:
    assert rk.load("ur5") == rk.load(library.path("ur5"))
    assert rk.load("ur5").nv == 6


def test_a_urdf_is_loaded_by_path_or_text(urdf: Path) -> None:
    robot = rk.load(urdf)
    assert robot == rk.load(str(urdf))
    assert robot.mass_matrix([0.0]).item() == pytest.approx(0.1 + 1 * 0.1**2, rel=1e-14)


def test_a_free_base_adds_a_free_joint(urdf: Path) -> None:
    robot = rk.load(urdf, free_base=True)
    assert (robot.nq, robot.nv) == (8, 7)


def test_unphysical_inertias_warn_refuse_or_are_mended(tmp_path: Path) -> None:
    path = tmp_path / "bad.urdf"
    path.write_text(URDF.format(ixx=0.5))
    with pytest.warns(UnphysicalInertiaWarning, match="arm"):
        rk.load(path)
    with pytest.raises(UnphysicalInertia, match="arm"):
        rk.load(path, strict=True)
    with pytest.warns(UnphysicalInertiaWarning, match="replaced by the nearest"):
        mended = rk.load(path, repair="nearest")
    # 0.5, 0.1, 0.1 becomes 0.5, 0.25, 0.25: the short ones just reach the long one, by a margin of 1e-6
    assert mended.mass_matrix([0.0]).item() == pytest.approx(0.25 + 1 * 0.1**2, abs=0.5e-6)


@pytest.mark.parametrize("name", ["pum560", "", "no_such_robot", "5"])
def test_an_unknown_name_lists_or_suggests_what_is_shipped(name: str) -> None:
    with pytest.raises(UnknownName, match=r"has no robot named .*(Did you mean 'puma560'|Known: )") as caught:
        rk.load(name)
    assert caught.value.known == library.NAMES


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.urdf", tmp_path / "missing.robot.toml"):
        with pytest.raises(RikigakuError, match=f"There is no file '{path}'"):
            rk.load(path)
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(RikigakuError, match=r"folder\.toml' is a directory"):
        rk.load(tmp_path / "folder.toml")


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "robot.xacro"
    path.write_text("<robot/>")
    with pytest.raises(WrongValue, match=r"ends with none of \.robot\.toml, \.urdf"):
        rk.load(path)


@pytest.mark.parametrize("source", [None, 42, b"ur5"])
def test_what_is_neither_name_nor_path_is_refused_in_words(source: object) -> None:
    with pytest.raises(WrongValue, match="load takes the name of a shipped robot or a file's path"):
        rk.load(source)  # type: ignore[arg-type]


def test_cuts_are_names() -> None:
    with pytest.raises(WrongValue, match="cut takes names of joints"):
        rk.load("ur5", cut=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [None, 3])
def test_a_robot_is_saved_to_a_path(path: object) -> None:
    with pytest.raises(WrongValue, match=f"save takes the path of a .* file; {path} was given"):
        rk.load("planar_2r").save(path)


@pytest.mark.parametrize("ending", ["robot.toml", "urdf", "xml"])
def test_a_file_the_system_does_not_take_is_said(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"{'x' * 300}.{ending}"
    inertia = rk.Inertia("com", 1, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    robot = rk.Robot("r", (rk.Link("a", "base", rk.Joint("j"), inertia=inertia),))
    with pytest.raises(NoPlace, match=r"cannot be written: File name too long. Choose another place"):
        robot.save(path)


@pytest.fixture
def formats() -> Iterator[dict[str, FileFormat]]:
    before = dict(FORMATS)
    yield FORMATS
    FORMATS.clear()
    FORMATS.update(before)


def read_masses(path: Path) -> RobotModel:
    """A pendulum for each line: its estimated mass [kg]."""
    inertias = [rk.Inertia("com", mass, (0.1, 0, 0), regrouped=True) for mass in path.read_text().split()]
    links = [
        rk.Link(f"l{k}", "base", rk.Joint(f"q{k}"), inertia=inertia) for k, inertia in enumerate(inertias)
    ]
    return RobotModel(path.name.partition(".")[0], tuple(links))


def write_masses(robot: RobotModel, path: Path) -> None:
    path.write_text("\n".join(str(link.inertia.m) for link in robot.links if link.inertia is not None))


def test_a_format_of_the_users_own_is_one_registration(
    tmp_path: Path, formats: dict[str, FileFormat]
) -> None:
    register_format(".mass.txt", read=read_masses, write=write_masses)
    (tmp_path / "two.mass.txt").write_text("1\n0.5")
    robot = rk.load(tmp_path / "two.mass.txt")
    assert isinstance(robot, rk.Robot)
    assert robot.mass_matrix([0.0, 0.0]).diagonal() == pytest.approx([0.01, 0.005], rel=1e-14)
    robot.save(tmp_path / "two_again.mass.txt")
    assert rk.load(tmp_path / "two_again.mass.txt").links == robot.links
    assert rk.load(tmp_path / "two.mass.txt", free_base=True).nq == 9
    (tmp_path / "bad.mass.txt").write_text("-1")
    with pytest.warns(UnphysicalInertiaWarning):
        rk.load(tmp_path / "bad.mass.txt")
    with pytest.raises(UnphysicalInertia):
        rk.load(tmp_path / "bad.mass.txt", strict=True)


def test_what_a_format_cannot_do_is_said(tmp_path: Path, formats: dict[str, FileFormat]) -> None:
    register_format(".masses", read=read_masses)
    register_format(".report", write=lambda robot, path: None)
    register_format(".nothing", read=lambda path: None)  # type: ignore[arg-type,return-value]
    robot = rk.load("planar_2r")
    for name in ("a.masses", "a.report", "a.nothing", "a.unknown"):
        (tmp_path / name).write_text("1")
    with pytest.raises(
        WrongValue, match=r"'a.masses' ends with none of .robot.toml, .urdf, .xml .*, .report"
    ):
        robot.save(tmp_path / "a.masses")
    with pytest.raises(
        WrongValue, match=r"none of .robot.toml, .* \(MJCF\), .par \(SYMORO\), .sdf, .masses, .nothing"
    ):
        rk.load(tmp_path / "a.report")
    with pytest.raises(
        WrongValue, match=r"reader of '.nothing' files returns a RobotModel; it returned None"
    ):
        rk.load(tmp_path / "a.nothing")
    with pytest.raises(WrongValue, match="cut names joints of an SDF"):
        rk.load(tmp_path / "a.masses", cut="q0")


@pytest.mark.parametrize(
    ("ending", "functions", "message"),
    [
        ("masses", {"read": read_masses}, "starts with a dot, as .chain; 'masses' was given"),
        ("", {"read": read_masses}, "starts with a dot"),
        (3, {"read": read_masses}, "starts with a dot"),
        (".urdf", {"read": read_masses}, "'.urdf' files are read and written already"),
        (".TOML", {"read": read_masses}, "already"),
        (".masses", {}, "takes a reader, a writer or both"),
        (".masses", {"read": "text"}, "is a function; 'text' was given"),
        (".masses", {"write": 3}, "is a function; 3 was given"),
    ],
)
def test_a_format_that_is_wrong_or_known_is_refused(
    ending: Any, functions: dict[str, Any], message: str, formats: dict[str, FileFormat]
) -> None:
    with pytest.raises(WrongValue, match=message):
        register_format(ending, **functions)
    register_format(".twice", read=read_masses)
    with pytest.raises(WrongValue, match="already"):
        register_format(".twice", write=write_masses)


@pytest.mark.parametrize(
    "text", ["<robot name='a'/>", "<?xml version='1.0'?>\n<robot/>", "name = 'a'\n[[links]]"]
)
def test_text_of_a_robot_is_no_path(text: str) -> None:
    with pytest.raises(RikigakuError, match=r"not the text of a robot; .* Write it to a file"):
        rk.load(text)


@pytest.mark.parametrize("name", ["free_base", "strict"])
def test_flags_are_true_or_false(name: str) -> None:
    with pytest.raises(WrongValue, match=f"{name} is True or False; 'no' was given"):
        rk.load("planar_2r", **{name: "no"})  # type: ignore[arg-type]
