"""The robots that are measured, from the URDF files in the `example-robot-data` wheel."""

import sysconfig
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from benchmarks.errors import RobotNotFound

DATA = Path("cmeel.prefix/share/example-robot-data/robots")
DERIVED = Path(__file__).resolve().parent / "build"


@dataclass(frozen=True)
class Subject:
    """A robot to measure, and how much faster than the peers its laws must be.

    Attributes:
        file: its URDF, relative to the data folder.
        floating: whether a free joint carries the root link.
        frame: the link whose Jacobian is measured.
        locked: joints held still, so that every library sees the same plain tree.
        least_ratio: how many times faster than Pinocchio's C++ a law must be.
        least_ratio_mujoco: the same against MuJoCo's C; None where nothing is asked.
    """

    name: str
    file: str
    floating: bool
    frame: str
    least_ratio: float
    least_ratio_mujoco: float | None = None
    locked: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The URDF every library reads."""
        return self._with_locked_joints() if self.locked else self._original()

    def _with_locked_joints(self) -> Path:
        tree = ET.parse(self._original())
        for joint in tree.getroot().iter("joint"):
            if joint.get("name") in self.locked:
                joint.set("type", "fixed")
                for part in [p for p in joint if p.tag in ("mimic", "limit", "dynamics", "axis")]:
                    joint.remove(part)
        DERIVED.mkdir(exist_ok=True)
        derived = DERIVED / f"{self.name}.urdf"
        tree.write(derived)
        return derived

    def _original(self) -> Path:
        for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
            found = Path(folder) / DATA / self.file
            if found.is_file():
                return found
        raise RobotNotFound(f"No {self.file} among the installed packages. Install 'example-robot-data'.")


SUBJECTS = {
    s.name: s
    for s in (
        Subject("ur5", "ur_description/urdf/ur5_robot.urdf", False, "tool0", 15),
        # Seven joints; its fingers mimic each other, which the libraries read in different ways.
        Subject(
            "panda",
            "panda_description/urdf/panda.urdf",
            False,
            "panda_hand_tcp",
            15,
            locked=("panda_finger_joint1", "panda_finger_joint2"),
        ),
        # 32 joints and a free base: 38 degrees of freedom.
        Subject("talos", "talos_data/robots/talos_reduced.urdf", True, "left_sole_link", 10, 8),
    )
}


def subject(name: str) -> Subject:
    """The robot of that name."""
    if name not in SUBJECTS:
        raise RobotNotFound(f"No robot '{name}' to measure. Known: {', '.join(SUBJECTS)}.")
    return SUBJECTS[name]
