"""`rikigaku convert`: files other programs read, and errors in one sentence."""

from pathlib import Path

import mujoco
import pinocchio as pin
import pytest

import rikigaku as rk
from rikigaku.cli.main import main


def test_a_closed_robot_is_written_for_mujoco(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "five.xml"
    assert main(["convert", "five_bar", str(file)]) == 0
    model = mujoco.MjModel.from_xml_path(str(file))
    assert (model.nv, model.neq) == (4, 2)
    assert f"five_bar: {file}" in capsys.readouterr().out


def test_a_urdf_gets_its_side_file_and_symbols_the_values_of_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "paper.urdf"
    assert main(["convert", "rosam_loop", str(file)]) == 0
    said = capsys.readouterr()
    assert f"{file} and {tmp_path / 'paper.loops.toml'}" in said.out
    assert "symbols have the values of the robot's own table: " in said.err
    assert pin.buildModelFromUrdf(str(file)).nv == 5
    assert rk.load(file).loops[0].joint == "revolute"


def test_what_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "five_bar", str(tmp_path / "five.obj")]) == 2
    assert "ends with none of .robot.toml, .urdf, .xml" in capsys.readouterr().err
    assert main(["convert", "five_bar", str(tmp_path / "none" / "five.urdf")]) == 2
    assert "five.urdf cannot be written: there is no directory" in capsys.readouterr().err
