"""Valid robots of every format, small, with every element that the readers know."""

from formats.par_files import PAR as PAR

from rikigaku import library
from rikigaku.formats.mjcf.mjcf_writer import mjcf_text
from rikigaku.formats.toml.toml_file import read_toml, to_toml
from rikigaku.formats.urdf.urdf_side_file import recorded_pair
from rikigaku.formats.urdf.urdf_writer import urdf_text
from rikigaku.model.editing import bind
from rikigaku.model.robot_model import RobotModel


def _shipped(name: str) -> RobotModel:
    robot = read_toml(library.path(name))
    return bind(robot, **robot.declared_values)


_WRITTEN = [_shipped(name) for name in ("planar_2r", "four_bar", "slider_crank", "scara")]

TOML = (
    *(library.path(name).read_text() for name in ("planar_2r", "four_bar", "rosam_loop", "scara")),
    to_toml(_shipped("stewart"))[:6000].rpartition("[[")[0],
    """schema = 1
name = "all"
source = "a book"
gravity = [0, "-9.81*sin(30*deg)", -9.81]
independent = ["a", "h"]
[symbols]
L = { value = 0.4, unit = "m" }
k = 2.5
[base]
name = "ground"
inertia = { about = "com", m = 3, com = [0, 0, 0], I = [1, 0, 0, 1, 0, 1], rpy = [0, 0, 0.1] }
[[link]]
name = "a"
parent = "ground"
joint = { type = "revolute", axis = [0, 1, 0], limits = { lower = "-90*deg", upper = 1.5, effort = 10 } }
placement = { xyz = ["L", 0, 0], rpy = [0, "pi/2", 0] }
inertia = { about = "com", m = "k*L", com = [0.1, 0, 0], I = [0.1, 0, 0, 0.1, 0, 0.1] }
section = { tube = [0.05, 0.04], material = "steel" }
[[link]]
name = "u"
parent = "a"
joint = { type = "universal", axis = [1, 0, 0], second_axis = [0, 1, 0], actuated = false }
placement = {}
[[link]]
name = "h"
parent = "u"
joint.type = "helical"
joint.pitch = 0.01
joint.friction = { viscous = 0.1, coulomb = 0.2 }
joint.rotor = "1e-3"
joint.spring = { stiffness = 5, rest = 0.1 }
standard_dh = { theta = "q + 0.1", d = 0, a = 0.3, alpha = "-pi/2" }
[[link]]
name = "s"
parent = "a"
joint = { type = "spherical" }
placement = {}
[[link]]
name = "p"
parent = "s"
joint = { type = "prismatic" }
dh = { alpha = "pi/2", a = 0.1, theta = 0, d = "q", beta = 0.1, b = 0.2 }
[[frame]]
name = "hand"
link = "h"
dh = { a = "2*L" }
[[loop]]
name = "cut"
joint = "spherical"
from = { link = "p", placement = { xyz = [0, 0, 1] } }
to = { link = "h" }
[[coupling]]
joint = "p"
reference = "a"
multiplier = -2
offset = 0.1
""",
)

LOOPS = (
    *(recorded_pair(robot, *urdf_text(robot))[1] for robot in _WRITTEN),
    """schema = 1
gravity = [0, 0, -1.6]
passive = ["q2"]
independent = ["q1"]
[rotor]
q1 = 0.1
"q2" = "1e-3"
[spring.q2]
stiffness = 3
rest = 0.2
[[frame]]
name = "eye"
link = "link1"
placement = { xyz = [0, 0, 1] }
[[loop]]
name = "cut"
joint = "revolute"
from = { link = "link2", placement = { rpy = [0, 0, "pi/2"] } }
to = { link = "base" }
""",
)

URDF = (
    *(urdf_text(robot)[0] for robot in _WRITTEN),
    """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 0.5"/>
      <mass value="2.5"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.02"/>
    </inertial>
    <visual><geometry><mesh filename="a.stl"/></geometry></visual>
  </link>
  <link name="lower"/>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 1.5707963267948966 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="2" effort="30"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="elbow" type="prismatic">
    <parent link="upper"/>
    <child link="lower"/>
    <axis xyz="0 0 1"/>
    <limit velocity="2" effort="30"/>
    <mimic joint="shoulder" multiplier="0.5" offset="0.1"/>
  </joint>
  <joint name="wrist" type="floating">
    <parent link="lower"/>
    <child link="tool"/>
  </joint>
</robot>
""",
)

MJCF = (
    *(mjcf_text(robot) for robot in _WRITTEN),
    """<mujoco model="everything">
  <compiler angle="degree" eulerseq="XYZ" autolimits="true" boundmass="0.1"/>
  <compiler settotalmass="30" inertiagrouprange="0 4"/>
  <option gravity="0 0 -9.81" density="1.2"><flag gravity="enable"/></option>
  <default>
    <joint damping="0.1" armature="0.01"/>
    <default class="arm"><geom type="capsule" size="0.05"/><joint axis="0 1 0"/></default>
  </default>
  <include file="other.xml"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 1" childclass="arm">
      <joint name="j1" range="-90 90" stiffness="3" springref="10" ref="5"/>
      <geom fromto="0 0 0 0 0 1" density="500"/>
      <site name="s1" pos="0 0 1" zaxis="0 1 1"/>
      <frame euler="0 90 0">
        <body name="b" quat="1 1 0 0">
          <joint name="j2" type="slide" limited="true" range="0 1" actuatorfrcrange="-3 3"/>
          <joint name="j3" pos="0 0 0.1"/>
          <inertial pos="0 0 0" mass="2" fullinertia="1 2 3 0.1 0.1 0.1"/>
          <site name="s2" xyaxes="1 0 0 0 1 0"/>
        </body>
      </frame>
    </body>
    <body name="c" axisangle="0 0 1 45">
      <freejoint name="f"/>
      <geom type="box" size="1 2 3" mass="3"/>
      <geom type="ellipsoid" size="1 2 3" pos="1 0 0"/>
      <geom type="cylinder" size="1 2" euler="10 20 30"/>
      <body name="d"><joint type="ball"/><geom size="0.1"/></body>
    </body>
  </worldbody>
  <equality>
    <connect name="pin" body1="b" body2="c" anchor="0.4 0 0.3"/>
    <connect name="pin2" body1="b" body2="c" anchor="0.4 0.1 0.3"/>
    <weld site1="s1" site2="s2"/>
    <weld body1="d" relpose="0 0 1 1 0 0 0" anchor="0 0 1" torquescale="0"/>
    <joint joint1="j1" joint2="j2" polycoef="0 2 0 0 0"/>
    <joint joint1="j3" polycoef="0.5"/>
  </equality>
  <actuator><motor joint="j1"/><position name="m" joint="j2"/></actuator>
  <tendon><fixed name="t"/></tendon>
</mujoco>
""",
)
INCLUDED = {"other.xml": "<mujoco><default class='other'><geom size='2'/></default></mujoco>"}

SDF = (
    """<sdf version="1.7">
<model name="m" canonical_link="a">
  <pose>0 0 1 0 0.1 0</pose>
  <link name="a">
    <inertial>
      <pose>0.1 0 0 0 0 0.3</pose>
      <mass>2</mass>
      <inertia><ixx>0.1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.1</iyy><iyz>0</iyz><izz>0.1</izz></inertia>
    </inertial>
  </link>
  <link name="b"><pose relative_to="a">1 0 0 0 0 0</pose></link>
  <link name="c"><pose degrees="true">1 0 0 0 90 0</pose></link>
  <link name="d"><pose rotation_format="quat_xyzw">1 1 0 0 0 0 1</pose></link>
  <joint name="j1" type="revolute">
    <parent>a</parent>
    <child>b</child>
    <axis>
      <xyz expressed_in="__model__">0 0 1</xyz>
      <limit><lower>-1</lower><upper>inf</upper><velocity>-1</velocity><effort>3</effort></limit>
      <dynamics>
        <damping>0.1</damping><friction>0.2</friction>
        <spring_stiffness>3</spring_stiffness><spring_reference>0.1</spring_reference>
      </dynamics>
    </axis>
  </joint>
  <joint name="j2" type="continuous">
    <pose>0 0 0.1 0 0 0</pose>
    <parent>a</parent>
    <child>c</child>
    <axis><xyz>0 1 0</xyz></axis>
  </joint>
  <joint name="j3" type="universal">
    <parent>b</parent>
    <child>d</child>
    <axis><xyz>1 0 0</xyz></axis>
    <axis2><xyz>0 1 0</xyz></axis2>
  </joint>
  <joint name="j4" type="ball"><parent>c</parent><child>d</child></joint>
  <joint name="gears" type="gearbox">
    <parent>b</parent>
    <child>c</child>
    <gearbox_ratio>2</gearbox_ratio>
    <gearbox_reference_body>a</gearbox_reference_body>
    <axis><xyz>0 0 1</xyz></axis>
    <axis2><xyz>0 0 1</xyz></axis2>
  </joint>
  <frame name="f" attached_to="b"><pose relative_to="j1">0 0 1 0 0 0</pose></frame>
  <frame name="g" attached_to="f"/>
</model>
</sdf>
""",
    """<sdf version="1.4">
<world name="w">
<model name="screw">
  <static>0</static>
  <link name="a"/>
  <link name="b"/>
  <joint name="s" type="screw">
    <parent>world</parent>
    <child>a</child>
    <thread_pitch>-100</thread_pitch>
    <axis><xyz>0 0 1</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>
  </joint>
  <joint name="p" type="prismatic">
    <parent>a</parent>
    <child>b</child>
    <axis><xyz>1 1 0</xyz></axis>
  </joint>
  <joint name="fix" type="fixed"><parent>b</parent><child>a</child></joint>
</model>
</world>
</sdf>
""",
)
