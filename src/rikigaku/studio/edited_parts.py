"""Whether an edit that names parts by their places (third link) means the same parts in a newer text."""

from rikigaku.studio.document_records import RobotCells
from rikigaku.studio.messages import (
    DeletePart,
    DocumentEdit,
    MovePart,
    PasteBlock,
    ReplaceText,
    SetGeometryKind,
    SetJointType,
    SetValue,
)

PartNames = dict[str, list[str]]


def part_names(cells: RobotCells | None) -> PartNames | None:
    """Names of links, frames and loops, and joints of couplings, in their order; None for no cells."""
    if cells is None:
        return None
    return {
        "link": [one.name for one in cells.links],
        "frame": [one.name for one in cells.frames],
        "loop": [one.name for one in cells.loops],
        "coupling": [one.joint for one in cells.couplings],
    }


def same_parts(edit: DocumentEdit, before: PartNames | None, now: PartNames | None) -> bool:
    """Whether the places that the edit names hold parts of the same names in both documents."""
    if isinstance(edit, ReplaceText):
        return False  # it would take back what has changed
    places = _places(edit)
    if not places:
        return True
    if before is None or now is None:
        return False
    return all(_at(before[part], place) == _at(now[part], place) is not None for part, place in places)


def _places(edit: DocumentEdit) -> list[tuple[str, int]]:
    """Parts that the edit means by their places. A number in a vector is none."""
    if isinstance(edit, SetValue):
        match edit.path:
            case ["link" | "frame" | "loop" | "coupling" as part, int(place), *_]:
                return [(str(part), place)]
        return []
    if isinstance(edit, PasteBlock):
        return [place for cell in edit.cells for place in _places(cell)]
    if isinstance(edit, MovePart):
        return [(edit.part, edit.place), (edit.part, edit.to)]
    if isinstance(edit, DeletePart):
        return [(edit.part, edit.place)]
    if isinstance(edit, SetJointType | SetGeometryKind):
        return [("link", edit.place)]
    return []


def _at(names: list[str], place: int) -> str | None:
    return names[place] if 0 <= place < len(names) else None
