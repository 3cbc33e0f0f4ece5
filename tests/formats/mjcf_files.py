"""MJCF texts read by us and by MuJoCo, and their mistakes."""

from pathlib import Path

import mujoco
import pytest
from readers import parse_mjcf

from rikigaku.core.errors import BadModel
from rikigaku.robot import Robot

EVERYTHING = (Path(__file__).parent / "everything.xml").read_text()
# MuJoCo turns axes and orientations into quaternions and back; a few hundred roundings follow.
TOLERANCE = 1e-12

FOUR_BAR = """<mujoco model="four_bar">
  <compiler angle="radian"/>
  <worldbody>
    <body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .2 0 0"/>
      <body name="coupler" pos=".2 0 0"><joint name="b" axis="0 1 0"/>
        <geom type="capsule" size=".02" fromto="0 0 0 .4 0 .3"/></body></body>
    <body name="rocker" pos=".6 0 0"><joint name="c" axis="0 1 0"/>
      <geom type="capsule" size=".02" fromto="0 0 0 0 0 .3"/></body>
  </worldbody>
  <equality>{equality}</equality>
  <actuator><motor joint="a"/></actuator>
</mujoco>"""
POINT = '<connect name="pin" body1="coupler" body2="rocker" anchor=".4 0 .3"/>'
AXIS = POINT + '<connect name="pin2" body1="coupler" body2="rocker" anchor=".4 .1 .3"/>'


def both(text: str) -> tuple[Robot, mujoco.MjModel]:
    return parse_mjcf(text), mujoco.MjModel.from_xml_string(text)


def body(inside: str, around: str = "", name: str = "b") -> str:
    return f"<mujoco>{around}<worldbody><body name='{name}'>{inside}</body></worldbody></mujoco>"


def mistakes(text: str) -> str:
    with pytest.raises(BadModel) as caught:
        parse_mjcf(text, "x.xml")
    assert str(caught.value).startswith("x.xml has ")
    return "\n".join(caught.value.problems)
