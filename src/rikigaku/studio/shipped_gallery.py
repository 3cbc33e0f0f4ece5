"""The robots of the library as the start screen shows them, with their pictures."""

from functools import cache
from importlib.resources import files

from rikigaku import library
from rikigaku.studio.document_cells import robot_cells
from rikigaku.studio.messages import ShippedRobot


@cache
def shipped_robots() -> list[ShippedRobot]:
    """The robots of the library, with the addresses of their pictures."""
    found = []
    for name in library.NAMES:
        cells = robot_cells(library.path(name).read_text("utf-8"))
        types = [link.joint.type for link in cells.links]
        parents = [link.parent for link in cells.links]
        kind = "space" if "free" in types or (types and types[0] == "planar") else "serial"
        if cells.loops:
            kind = "closed"
        elif kind == "serial" and len(set(parents)) < len(parents):
            kind = "tree"
        moving = sum(one != "fixed" for one in types)
        found.append(ShippedRobot(name, kind, moving, f"/gallery/{name}.webp"))  # type: ignore[arg-type]
    return found


def gallery_picture(name: str) -> bytes | None:
    """The picture of a shipped robot; None if there is none."""
    if name not in library.NAMES:
        return None
    file = files("rikigaku.studio") / "gallery" / f"{name}.webp"
    return file.read_bytes() if file.is_file() else None
