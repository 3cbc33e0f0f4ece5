"""The robots we ship: one `.robot.toml` file each, with the source of every number."""

from importlib.resources import files
from pathlib import Path

from rikigaku.core.errors import UnknownName

SUFFIX = ".robot.toml"

NAMES: tuple[str, ...] = (
    "cassie_leg",
    "delta",
    "five_bar",
    "four_bar",
    "humanoid_17",
    "humanoid_32",
    "humanoid_feet",
    "iiwa14",
    "panda",
    "planar_2r",
    "planar_3r",
    "puma560",
    "rosam_loop",
    "rx90",
    "scara",
    "space_arm_6",
    "space_dual_arm",
    "space_planar_2r",
    "space_target",
    "slider_crank",
    "sr400",
    "stanford",
    "stewart",
    "three_rrr",
    "ur5",
)


def path(name: str) -> Path:
    """The file of a shipped robot.

    Raises:
        UnknownName: if no robot of that name is shipped.
    """
    if name not in NAMES:
        raise UnknownName("robot", name, NAMES, "the library")
    return Path(str(files(__name__) / f"{name}{SUFFIX}"))
