"""Public URDF files and a small one, read without warnings, and their mistakes."""

import warnings
from importlib.metadata import distribution
from pathlib import Path

import pytest
from readers import parse_urdf, read_urdf

from rikigaku.core.errors import BadModel, UnphysicalInertiaWarning
from rikigaku.robot import Robot

ROBOTS = Path(
    str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
)
FILES = sorted(ROBOTS.rglob("*.urdf"))
# One follows joints that do not exist (a prefix was forgotten), one holds nothing but comments.
REFUSED = {"alex_psyonic_hands.urdf": "Did you mean 'Left_index_q1'?", "ur3.urdf": "there is no <link>"}
READABLE = [path for path in FILES if path.name not in REFUSED]

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="ground"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.25" rpy="0 0 0"/>
      <mass value="2.5"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.02"/>
    </inertial>
  </link>
  <link name="lower"/>
  <joint name="shoulder" type="revolute">
    <parent link="ground"/>
    <child link="upper"/>
    <origin xyz="0 0 0.1" rpy="0 1.5708 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1.5" effort="10" velocity="2"/>
    <dynamics damping="0.3" friction="0.7"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/>
    <child link="lower"/>
  </joint>
</robot>
"""


def read_quietly(path: Path, **options: bool) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        return read_urdf(path, **options)


def mistakes(text: str | bytes) -> tuple[str, ...]:
    with pytest.raises(BadModel) as caught:
        parse_urdf(text, "arm.urdf")
    assert str(caught.value).startswith("arm.urdf has ")
    return caught.value.problems
