"""Shapes by which robot files show their links: boxes, cylinders, spheres and meshes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from rikigaku.core.input_files import read_input
from rikigaku.core.types import Array
from rikigaku.formats.mjcf.mjcf_bodies import tree_of
from rikigaku.formats.mjcf.mjcf_defaults import defaults_of, whole_tree
from rikigaku.formats.mjcf.mjcf_inertia import size_and_pose
from rikigaku.formats.mjcf.mjcf_values import settings_of
from rikigaku.formats.toml.toml_text import decoded, tables_of
from rikigaku.formats.xml_tree import Element, xml_tree
from rikigaku.model.float_poses import rpy_rotation

ShapeName = Literal["box", "cylinder", "sphere", "mesh"]
GREY = (0.66, 0.70, 0.75)
_SOLIDS = ("box", "sphere", "cylinder", "capsule", "mesh")  # of MJCF; ellipsoids are not shown


@dataclass(frozen=True, eq=False)
class ShownShape:
    """A shape in the frame of a link. size: edges; or radius and length; or radius; or scale of a mesh."""

    link: str
    shape: ShapeName
    pose: Array  # 4 x 4
    size: tuple[float, ...]
    color: tuple[float, float, float] = GREY
    file: str = ""  # of a mesh, as the robot's file names it


def visuals_file(path: Path) -> Path:
    """The file that holds the visuals of a robot's file: itself, or the one that a `.toml` file names."""
    if path.suffix != ".toml" or not path.is_file():
        return path
    name = tables_of(decoded(read_input(path), path.name), path.name).get("visuals")
    return path.parent / name if isinstance(name, str) and name else path


def visual_shapes(path: Path) -> list[ShownShape]:
    """The visuals of a URDF or MJCF file; none for other formats.

    Attributes that are not numbers leave their shape out: the reader of the robot reports mistakes.
    """
    if path.suffix == ".urdf":
        return list(_urdf(xml_tree(read_input(path), path.name)))
    if path.suffix in (".xml", ".mjcf"):
        return list(_mjcf(whole_tree(read_input(path), path.name, path.parent)))
    return []


def _urdf(root: Element) -> Iterator[ShownShape]:
    named = {one.attributes.get("name", ""): _rgb(one) for one in root.all("material")}
    for link in root.all("link"):
        for visual in link.all("visual"):
            origin = _first(visual, "origin")
            color = GREY
            if (material := _first(visual, "material")) is not None:
                color = _rgb(material) or named.get(material.attributes.get("name", "")) or GREY
            pose = _pose(_numbers(origin, "xyz", (0, 0, 0)), _numbers(origin, "rpy", (0, 0, 0)))
            geometry = _first(visual, "geometry")
            for one in geometry.children if geometry is not None else ():
                if (found := _urdf_size(one)) is not None:
                    name, size = found
                    file = one.attributes.get("filename", "")
                    yield ShownShape(link.attributes.get("name", ""), name, pose, size, color, file)


def _urdf_size(one: Element) -> tuple[ShapeName, tuple[float, ...]] | None:
    if one.tag == "box":
        return "box", tuple(_numbers(one, "size", (0, 0, 0)))
    if one.tag == "cylinder":
        return "cylinder", (_numbers(one, "radius", (0,))[0], _numbers(one, "length", (0,))[0])
    if one.tag == "sphere":
        return "sphere", (_numbers(one, "radius", (0,))[0],)
    if one.tag == "mesh":
        return "mesh", tuple(_numbers(one, "scale", (1, 1, 1)))
    return None


def _mjcf(root: Element) -> Iterator[ShownShape]:
    settings = settings_of(root.all("compiler"))
    defaults = defaults_of(root.all("default"), settings.notes)
    assets = [one for part in root.all("asset") for one in part.children]
    meshes, colors = _mjcf_meshes(root, assets), _mjcf_colors(assets)
    for body, (geom, around) in tree_of(root.all("worldbody"), defaults, settings).geoms:
        kind = geom.attributes.get("type", "sphere")
        mesh = meshes.get(geom.attributes.get("mesh", "")) if kind == "mesh" else None
        if kind not in _SOLIDS or (kind == "mesh" and mesh is None):
            continue
        size, own = size_and_pose(geom, kind, settings)
        matrix, pose = np.eye(4), around @ own
        matrix[:3, :3], matrix[:3, 3] = pose.R, pose.p
        own_color = colors.get(geom.attributes.get("material", ""), GREY)
        r, g, b = _numbers(geom, "rgba", (*own_color, 1.0))[:3]
        rgb = (r, g, b)
        if mesh is not None:
            file, scale = mesh
            yield ShownShape(body, "mesh", matrix, scale, rgb, file)
        elif kind == "box":
            yield ShownShape(body, "box", matrix, tuple(2 * x for x in size[:3]), rgb)
        elif kind == "sphere":
            yield ShownShape(body, "sphere", matrix, (size[0],), rgb)
        else:
            yield ShownShape(body, "cylinder", matrix, (size[0], 2 * size[1]), rgb)
            for end in (-size[1], size[1]) if kind == "capsule" else ():
                cap = matrix.copy()
                cap[:3, 3] += end * matrix[:3, 2]
                yield ShownShape(body, "sphere", cap, (size[0],), rgb)


def _mjcf_meshes(root: Element, assets: list[Element]) -> dict[str, tuple[str, tuple[float, ...]]]:
    """File, beside the robot's, and scale of each mesh asset by its name."""
    folder = ""
    for compiler in root.all("compiler"):
        folder = compiler.attributes.get("meshdir", compiler.attributes.get("assetdir", folder))
    found = {}
    for one in assets:
        if one.tag == "mesh" and (file := one.attributes.get("file", "")):
            path = f"{folder.rstrip('/')}/{file}" if folder else file
            name = one.attributes.get("name", Path(file).stem)
            found[name] = (path, tuple(_numbers(one, "scale", (1.0, 1.0, 1.0))[:3]))
    return found


def _mjcf_colors(assets: list[Element]) -> dict[str, tuple[float, float, float]]:
    found = {}
    for one in assets:
        if one.tag == "material":
            r, g, b = _numbers(one, "rgba", (*GREY, 1.0))[:3]
            found[one.attributes.get("name", "")] = (r, g, b)
    return found


def _first(parent: Element, tag: str) -> Element | None:
    return next(iter(parent.all(tag)), None)


def _rgb(material: Element) -> tuple[float, float, float] | None:
    color = _first(material, "color")
    if color is None:
        return None
    r, g, b = _numbers(color, "rgba", (*GREY, 1.0))[:3]
    return (r, g, b)


def _numbers(element: Element | None, attribute: str, default: tuple[float, ...]) -> list[float]:
    words = [] if element is None else element.attributes.get(attribute, "").split()
    try:
        found = [float(word) for word in words]
    except ValueError:
        found = []
    return found if len(found) >= len(default) and np.isfinite(found).all() else list(default)


def _pose(xyz: list[float], rpy: list[float]) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rpy_rotation(*rpy[:3]), xyz[:3]
    return matrix
