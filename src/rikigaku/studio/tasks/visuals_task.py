"""Visuals of the file that a document was read from: shapes and meshes on the bodies of the robot."""

from dataclasses import dataclass
from pathlib import Path

from rikigaku.robot import Robot
from rikigaku.studio.tasks.bound_robot import with_values
from rikigaku.web.model_document import Visual
from rikigaku.web.visuals import file_visuals


@dataclass(frozen=True)
class VisualsRequest:
    """All visuals of the source of the document."""


@dataclass(frozen=True)
class VisualsResult:
    """Visuals by the bodies of the robot, and a note for each mesh that is not shown."""

    visuals: list[Visual]
    notes: list[str]


def visuals(robot: Robot, arguments: VisualsRequest, source: Path, workspace: Path) -> VisualsResult:
    """The visuals of links that the robot still has; no file outside the workspace is opened."""
    found, notes = file_visuals(with_values(robot, typical=True), workspace / source, True, workspace)
    return VisualsResult(found, notes)
