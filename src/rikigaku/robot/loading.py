"""`rk.load`: a shipped robot or a robot file as a `Robot`."""

from collections.abc import Sequence
from os import PathLike
from typing import Literal

from rikigaku.core.checked_calls import checked
from rikigaku.formats import robot_files
from rikigaku.robot.robot import Robot


@checked
def load(
    source: str | PathLike[str],
    *,
    free_base: bool = False,
    strict: bool = False,
    repair: Literal["nearest"] | None = None,
    cut: str | Sequence[str] | None = (),
) -> Robot:
    """A robot by the name of a shipped one, or from a .robot.toml, .urdf, .xml (MJCF), .sdf or .par file.

    A URDF's loops are read from the .loops.toml file beside it, if there is one.

    Args:
        free_base: put the robot on a free joint.
        strict: refuse inertias no rigid body can have (a warning otherwise); repair="nearest" corrects them.
        cut: joints of an SDF at which its loops are to be cut open; chosen where none is named.
    """
    model = robot_files.load(source, free_base=free_base, strict=strict, repair=repair, cut=cut)
    return Robot.of(model)
