"""Real robots in two engines: the same URDF file read by us and by Pinocchio, and states for both."""

import math
import warnings
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import distribution
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
from random_robots import random_state
from readers import read_urdf

from rikigaku.core.errors import UnphysicalInertiaWarning
from rikigaku.formats.state_conversion import Layout, to_pinocchio
from rikigaku.robot import Robot

Array = np.ndarray
FOLDER = Path(
    str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
)
ON_THE_GROUND = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur3_robot.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "ur_description/urdf/ur10_robot.urdf",
    "kinova_description/robots/kinova.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "z1_description/urdf/z1.urdf",
    "so_arm_description/urdf/so101.urdf",
    "talos_data/robots/talos_left_arm.urdf",
    "baxter_description/urdf/baxter.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "finger_edu_description/robots/finger_edu.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
)
FLOATING = (
    "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "solo_description/robots/solo12.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "go2_description/urdf/go2.urdf",
    "b1_description/urdf/b1-z1.urdf",
    "bolt_description/robots/bolt.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "icub_description/robots/icub_reduced.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "romeo_description/urdf/romeo.urdf",
)
# Some links of these weigh nothing: the mass matrix is singular, and motion is not determined by the forces.
SINGULAR = ("romeo",)


@dataclass(frozen=True)
class Case:
    """A file, on the ground or floating."""

    file: str
    free: bool

    @property
    def name(self) -> str:
        return Path(self.file).stem

    @cached_property
    def robot(self) -> Robot:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnphysicalInertiaWarning)  # masses as the files give them
            return read_urdf(FOLDER / self.file, free_base=self.free)

    @cached_property
    def model(self) -> pin.Model:
        """Pinocchio's, with the right angles of the file in full."""
        return pin.buildModelFromXML(with_right_angles((FOLDER / self.file).read_text()), *self.root)

    @cached_property
    def model_as_written(self) -> pin.Model:
        """Pinocchio's own reading of the file."""
        return pin.buildModelFromUrdf(str(FOLDER / self.file), *self.root)

    @property
    def root(self) -> tuple[pin.JointModelFreeFlyer, ...]:
        return (pin.JointModelFreeFlyer(),) if self.free else ()

    @cached_property
    def layout(self) -> Layout:
        return to_pinocchio(self.robot, self.model, {"free_base": "root_joint"} if self.free else {})

    @cached_property
    def data(self) -> pin.Data:
        return self.model.createData()

    @cached_property
    def state(self) -> tuple[Array, Array, Array]:
        """q, v, a of ours."""
        return random_state(self.robot, np.random.default_rng(len(self.file)))

    @cached_property
    def theirs(self) -> tuple[Array, Array, Array]:
        """The same state in Pinocchio's layout."""
        q, v, a = self.state
        return self.layout.q(q), self.layout.v(q, v), self.layout.a(q, v, a)

    @cached_property
    def T(self) -> Array:
        """Their v = T v; a permutation for the joints of these files, so tensors convert by it alone."""
        T = self.layout.velocity_map(self.state[0])
        assert set(np.unique(T)) <= {0.0, 1.0}
        return T

    @cached_property
    def frame(self) -> str:
        """The link furthest from the ground that Pinocchio knows too."""
        depth = {self.robot.base: 0}
        for link in self.robot.links:
            moves = int(link.joint.type != "fixed")
            depth[link.name] = depth.get(link.parent, 0) + moves
        known = [n for n in depth if self.model.existFrame(n, pin.FrameType.BODY)]
        return max(known, key=lambda name: depth[name])

    @cached_property
    def frame_id(self) -> int:
        return int(self.model.getFrameId(self.frame, pin.FrameType.BODY))


def with_right_angles(text: str) -> str:
    """A URDF whose angles within 1e-11 of k pi/2 have all digits.

    Files write 1.57079632679 for pi/2. We take the right angle, Pinocchio the decimal, and
    forces differ by some 1e-11, accelerations by that times the condition of the mass matrix. With all digits
    in the file both engines see one robot, and what is compared is mechanics.
    """
    root = ElementTree.fromstring(text)
    for origin in root.iter("origin"):
        angles = [float(x) for x in origin.get("rpy", "0 0 0").split()]
        meant = [round(x / (math.pi / 2)) * (math.pi / 2) for x in angles]
        chosen = (y if abs(x - y) < 1e-11 else x for x, y in zip(angles, meant, strict=True))
        origin.set("rpy", " ".join(repr(x) for x in chosen))
    return ElementTree.tostring(root, "unicode")


@cache
def case(file: str, free: bool) -> Case:
    return Case(file, free)


CASES = [*(case(file, False) for file in ON_THE_GROUND), *(case(file, True) for file in FLOATING)]
