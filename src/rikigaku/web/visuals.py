"""Visuals of a robot's file for pages: shapes and meshes on the bodies of the mechanism."""

import base64
from pathlib import Path

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import RikigakuError
from rikigaku.formats.mesh_files import found_mesh, read_mesh
from rikigaku.formats.visual_shapes import ShownShape, visual_shapes, visuals_file
from rikigaku.model.robot_model import RobotModel
from rikigaku.plotting.body_layout import matrix_of, mechanism_of
from rikigaku.web.model_document import Visual


@checked
def file_visuals(
    robot: RobotModel, path: Path, meshes: bool = False, inside: Path | None = None
) -> tuple[list[Visual], list[str]]:
    """Visuals of the file on the robot's bodies, and a note for each mesh that is not shown.

    A `.toml` file names the file of its visuals.

    Args:
        meshes: read STL, OBJ and COLLADA files too; pages become larger by some bytes for each vertex.
        inside: the folder that these files must be in.
    """
    found: list[Visual] = []
    notes: list[str] = []
    named, path = path, visuals_file(path)
    if inside is not None and not path.resolve().is_relative_to(inside.resolve()):
        return [], [f"The visuals of {named.name} are not shown: {path.name} lies outside {inside.name}."]
    try:
        shapes = visual_shapes(path)
    except RikigakuError as error:
        if path == named:
            raise
        return [], [f"The visuals of {named.name} are not shown: {error}"]
    frames = mechanism_of(robot).frames
    for shape in shapes:
        if shape.link not in frames:
            continue
        body, on_body = frames[shape.link]
        pose = [float(x) for x in (matrix_of(on_body) @ shape.pose)[:3].ravel()]
        if shape.shape != "mesh":
            found.append(Visual(body, shape.shape, pose, list(shape.size), list(shape.color), None))
        elif meshes:
            try:
                found.append(_mesh(shape, body, pose, path.parent, inside))
            except RikigakuError as error:
                notes.append(str(error))
    return found, notes


def _mesh(shape: ShownShape, body: int, pose: list[float], beside: Path, inside: Path | None) -> Visual:
    file = found_mesh(shape.file, beside, inside)
    if file is None:
        raise RikigakuError(f"The mesh {shape.file!r} is not in the robot's folder or above it.")
    triangles = read_mesh(file) * np.array(shape.size[:3])
    data = base64.b64encode(triangles.astype("<f4").tobytes()).decode("ascii")
    return Visual(body, "mesh", pose, [], list(shape.color), data)
