"""`rk.load`: by name, from both kinds of file, and every way to ask for what is not there."""

from pathlib import Path

import pytest

import rikigaku as rk
from rikigaku.errors import (
    NoPlace,
    RikigakuError,
    UnknownName,
    UnphysicalInertia,
    UnphysicalInertiaWarning,
    WrongValue,
)
from rikigaku.model import library

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
    (tmp_path / "folder.toml").mkdir()
    for path in (tmp_path / "missing.urdf", tmp_path / "missing.robot.toml", tmp_path / "folder.toml"):
        with pytest.raises(RikigakuError, match=f"There is no file '{path}'"):
            rk.load(path)


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "robot.xacro"
    path.write_text("<robot/>")
    with pytest.raises(WrongValue, match=r"neither a \.robot\.toml nor a \.urdf"):
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
