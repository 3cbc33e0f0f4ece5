"""Triangles of mesh files: STL (binary and text), OBJ and COLLADA (.dae)."""

import re
import struct
from pathlib import Path

import numpy as np

from rikigaku.core.errors import BadModel, TooLarge
from rikigaku.core.input_files import read_input
from rikigaku.core.types import Array
from rikigaku.formats.xml_tree import Element, xml_tree

MOST_TRIANGLES = 60_000  # of one mesh: pages with more would be slow


def read_mesh(path: Path) -> Array:
    """The triangles of a mesh, (n, 3, 3) [m, before any scale].

    Raises:
        BadModel: if the file is none of the formats. TooLarge: beyond `MOST_TRIANGLES`. NoFile.
    """
    data = read_input(path)
    readers = {".stl": _stl, ".obj": _obj, ".dae": _collada}
    if path.suffix.lower() not in readers:
        raise BadModel([f"meshes are read from {', '.join(readers)}, not {path.suffix!r}"], path.name)
    try:
        triangles = readers[path.suffix.lower()](data, path.name)
    except (ValueError, IndexError, struct.error) as error:
        raise BadModel([f"not a mesh of its format: {error}"], path.name) from None
    if len(triangles) > MOST_TRIANGLES:
        raise TooLarge(f"{path.name} has {len(triangles)} triangles; at most {MOST_TRIANGLES} are shown.")
    if not np.isfinite(triangles).all():
        raise BadModel(["its coordinates are not finite"], path.name)
    return triangles


def found_mesh(name: str, beside: Path, inside: Path | None = None) -> Path | None:
    """The file that a robot names as "package://arm/meshes/a.stl", "file:///..." or a relative path.

    A package is looked for among the parents of the robot's folder; nothing outside them is opened. inside: a
    folder that the file must be in, wherever links lead.
    """
    found = _named_file(name, beside)
    if found is not None and inside is not None and not found.resolve().is_relative_to(inside.resolve()):
        return None
    return found


def _named_file(name: str, beside: Path) -> Path | None:
    relative = re.sub(r"^(package|model)://", "", name)
    if relative.startswith("file:") or Path(relative).is_absolute() or ".." in Path(relative).parts:
        local = Path(beside, relative)
        inside = ".." in Path(relative).parts and local.resolve().is_relative_to(beside.resolve().parent)
        return local if inside and local.is_file() else None
    folders = [beside, *beside.resolve().parents]
    return next((path for folder in folders[:6] if (path := folder / relative).is_file()), None)


def _stl(data: bytes, name: str) -> Array:
    if len(data) >= 84 and len(data) == 84 + 50 * struct.unpack_from("<I", data, 80)[0]:
        records = np.frombuffer(data, offset=84, dtype=np.dtype([("n", "<f4", 12), ("a", "<u2")]))
        return np.asarray(records["n"][:, 3:], dtype=np.float64).reshape(-1, 3, 3)
    words = re.findall(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)", data)
    return np.array([[float(x) for x in word] for word in words]).reshape(-1, 3, 3)


def _obj(data: bytes, name: str) -> Array:
    points: list[list[float]] = []
    faces: list[list[int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.split("/")[0]) for word in words[1:]]
            corners = [k - 1 if k > 0 else len(points) + k for k in corners]
            faces += [[corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1)]
    return np.array(points).reshape(-1, 3)[np.array(faces, dtype=int).reshape(-1, 3)]


def _collada(data: bytes, name: str) -> Array:
    """Triangles and polygon lists of all geometries, each in place by its node's matrix."""
    root = xml_tree(data, name)
    named = {one.attributes["id"]: one for one in root.walk() if "id" in one.attributes}
    unit = next((float(one.attributes.get("meter", 1)) for one in root.walk() if one.tag == "unit"), 1.0)
    meshes = {key: _collada_mesh(one, named) for key, one in named.items() if one.tag == "geometry"}
    placed = [
        unit * (mesh @ matrix[:3, :3].T + matrix[:3, 3])
        for node in root.walk()
        if node.tag == "visual_scene"
        for key, matrix in _instances(node, np.eye(4))
        if (mesh := meshes.get(key)) is not None and len(mesh)
    ]
    whole = placed or [unit * mesh for mesh in meshes.values() if len(mesh)]
    triangles = np.concatenate(whole) if whole else np.zeros((0, 3, 3))
    up = next((one.text for one in root.walk() if one.tag == "up_axis"), "Y_UP")
    return triangles @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]) if up == "Y_UP" else triangles


def _instances(node: Element, around: Array) -> list[tuple[str, Array]]:
    found: list[tuple[str, Array]] = []
    for child in node.children:
        if child.tag == "matrix":
            around = around @ np.array([float(x) for x in child.text.split()]).reshape(4, 4)
        elif child.tag == "instance_geometry":
            found.append((child.attributes.get("url", "").lstrip("#"), around))
        elif child.tag == "node":
            found += _instances(child, around)
    return found


def _collada_mesh(geometry: Element, named: dict[str, Element]) -> Array:
    parts = []
    for part in (one for one in geometry.walk() if one.tag in ("triangles", "polylist")):
        inputs = part.all("input")
        stride = 1 + max(int(one.attributes.get("offset", 0)) for one in inputs)
        own = next(one for one in inputs if one.attributes.get("semantic") == "VERTEX")
        vertices = named[own.attributes["source"].lstrip("#")]
        source = next(one for one in vertices.all("input") if one.attributes.get("semantic") == "POSITION")
        array = next(
            one for one in named[source.attributes["source"].lstrip("#")].walk() if one.tag == "float_array"
        )
        points = np.array([float(x) for x in array.text.split()]).reshape(-1, 3)
        places = np.array([int(x) for one in part.all("p") for x in one.text.split()]).reshape(-1, stride)
        corners = places[:, int(own.attributes.get("offset", 0))]
        if part.tag == "triangles":
            parts.append(points[corners.reshape(-1, 3)])
            continue
        start = 0
        for count in (int(x) for one in part.all("vcount") for x in one.text.split()):
            face = corners[start : start + count]
            parts += [points[[face[0], face[i], face[i + 1]]][None] for i in range(1, count - 1)]
            start += count
    return np.concatenate(parts) if parts else np.zeros((0, 3, 3))
