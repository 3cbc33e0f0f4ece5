"""Flexible links: vibration modes and static deflection at a configuration, as beams for the picture."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rikigaku.core.errors import RikigakuError
from rikigaku.core.validation import numbers
from rikigaku.robot import Robot
from rikigaku.studio.tasks.bound_robot import with_values
from rikigaku.symbolic.algebra.child_process import progress
from rikigaku.web.beam_meshes import beam_mesh
from rikigaku.web.model_document import BeamMesh

LockedJoints = Literal["motors", "all", "none"]


@dataclass(frozen=True)
class LoadRequest:
    """A force on a frame [N], a mass at it [kg]."""

    frame: str
    force: list[float]
    mass: float


@dataclass(frozen=True)
class ElasticRequest:
    """Configuration q, beams of a link (an even number), joints that are held, and loads."""

    q: list[float]
    elements: int
    locked: LockedJoints
    modes: int
    loads: list[LoadRequest]


@dataclass(frozen=True)
class FrameDeflection:
    """Displacement of a frame under weight and loads [m]."""

    frame: str
    displacement: list[float]


@dataclass(frozen=True)
class ElasticResult:
    """Natural frequencies [Hz]; vibration modes and the deflection as beams.

    sections: links with a section of their own; others are aluminium tubes. largest: displacement [m].
    rails: joints that slide along a rail, which is rigid.
    problem: why there is no deflection (the mechanism moves freely), "" if there is one.
    """

    frequencies: list[float]
    vibration: BeamMesh
    deflection: BeamMesh | None
    frames: list[FrameDeflection]
    largest: float
    sections: list[str]
    beams: int
    rails: list[str]
    problem: str


def elastic(robot: Robot, arguments: ElasticRequest) -> ElasticResult:
    """Vibration modes and deflection of the robot with beams for its links."""
    robot = with_values(robot)
    q = numbers(f"q of {robot.name!r}", arguments.q, (robot.nq,))
    masses = {load.frame: load.mass for load in arguments.loads if load.mass > 0}
    forces = {load.frame: load.force for load in arguments.loads if any(load.force)}
    progress("assembling the beams")
    model = robot.fem(masses=masses, spatial=True).elastic(elements=arguments.elements)
    progress("vibration modes")
    found = model.modes(q, count=arguments.modes, locked=arguments.locked)
    deflected, frames, largest, problem = None, [], 0.0, ""
    try:
        progress("deflection")
        shape = model.deflection(q, loads=forces, locked=arguments.locked)
        deflected = beam_mesh(shape, "elastic.deflection")
        names = [frame.name for frame in robot.frames]
        frames = [FrameDeflection(name, [float(x) for x in shape.at(name)]) for name in names]
        largest = float(np.linalg.norm(shape.u, axis=-1).max(initial=0.0))
    except RikigakuError as error:
        problem = str(error)
    mesh = beam_mesh(found, "elastic.modes")
    return ElasticResult(
        [float(x) for x in found.frequencies],
        mesh,
        deflected,
        frames,
        largest,
        [link.name for link in robot.links if link.section is not None],
        len(mesh.elements) // 2,
        _sliding(robot) if mesh.rails else [],
        problem,
    )


def _sliding(robot: Robot) -> list[str]:
    """Joints and cut joints that slide."""
    kinds = ("prismatic", "cylindrical", "helical")
    joints = [joint.name for joint in robot.joints if joint.type in kinds]
    return joints + [loop.name for loop in robot.loops if loop.joint in kinds]
