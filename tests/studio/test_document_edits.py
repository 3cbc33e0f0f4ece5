"""Edits of a robot file: the paper's closed robot is built edit by edit; comments stay; references follow."""

import itertools

import numpy as np
import pytest

import rikigaku as rk
from rikigaku import library
from rikigaku.core.errors import RikigakuError
from rikigaku.formats.toml.toml_file import parse_toml
from rikigaku.model.joints.joint_types import JOINT_TYPES
from rikigaku.model.physical_consistency import check_inertias
from rikigaku.studio.document_cells import robot_cells
from rikigaku.studio.document_check import checked_robot, repaired
from rikigaku.studio.document_edits import edited
from rikigaku.studio.document_merge import merged
from rikigaku.studio.document_records import BothChanged
from rikigaku.studio.messages import (
    AddCoupling,
    AddFrame,
    AddLink,
    AddLoop,
    DeletePart,
    DeleteSymbol,
    MovePart,
    PasteBlock,
    Rename,
    SetGeometryKind,
    SetIndependent,
    SetInertia,
    SetJointType,
    SetSymbol,
    SetValue,
)
from rikigaku.studio.new_robots import new_robot

ROSAM = library.path("rosam_loop").read_text("utf-8")


def after(text: str, *edits: object) -> str:
    for edit in edits:
        text = edited(text, edit)  # type: ignore[arg-type]
    return text


def test_the_papers_closed_robot_is_built_from_nothing() -> None:
    """Every link, joint, symbol and loop is that of the shipped file, which was written by hand."""
    text = after(
        new_robot("closed", "rosam_loop"),
        AddLink("l21", "revolute", "dh", 2, "l31"),
        *(SetJointType(place, "prismatic") for place in (1, 4)),
        PasteBlock(
            [
                SetValue(["link", place, "dh", key], value)
                for place, row in enumerate(("0 0 q", "pi/2 0 0", "-pi/2 0 q", "0 0 q", "pi/2 0 0"))
                for key, value in zip(("alpha", "a", "theta"), row.split(), strict=True)
            ]
        ),
        *(
            Rename("joint", link, joint)
            for link, joint in zip(
                ("l11", "l21", "l31", "l12", "l22"),
                ("theta11", "d21", "theta31", "theta12", "d22"),
                strict=True,
            )
        ),
        *(SetValue(["link", place, "joint", "actuated"], "false") for place in (3, 4)),
        SetSymbol("L", "0.4", "m"),
        SetValue(["frame", 0, "dh", "a"], "L"),
        SetValue(["gravity", 2], "0"),
        SetInertia([], "symbols"),
        AddLoop("l31", "l22", "revolute", "cut"),
        SetValue(["loop", 0, "from", "dh", "a"], "2*L"),
        SetValue(["loop", 0, "to", "dh", "alpha"], "-pi/2"),
        SetIndependent(["theta11", "d21", "theta31"]),
    )
    robot, wanted = parse_toml(text), parse_toml(ROSAM)
    for field in ("name", "gravity", "links", "frames", "loops", "independent", "couplings"):
        assert getattr(robot, field) == getattr(wanted, field), field
    assert {s.name: s.unit for s in robot.symbols} == {s.name: s.unit for s in wanted.symbols}
    checked = checked_robot(text, 1, [])
    assert (checked.mobility, checked.nv, checked.mistakes) == (3, 5, [])
    assert checked.robot is not None
    assert set(checked.missing) == {s.name for s in wanted.symbols} - {"L"}


def test_a_cell_changes_its_own_characters_only() -> None:
    text = edited(ROSAM, SetValue(["link", 1, "dh", "alpha"], "pi/3"))
    before, now = ROSAM.splitlines(), text.splitlines()
    assert [(a, b) for a, b in zip(before, now, strict=True) if a != b] == [
        (
            'dh = { alpha = "pi/2", a = 0, theta = 0, d = "q" }',
            'dh = { alpha = "pi/3", a = 0, theta = 0, d = "q" }',
        )
    ]


@pytest.mark.parametrize("name", library.NAMES)
def test_every_cell_of_a_shipped_robot_can_be_written_back(name: str) -> None:
    """Writing what a cell shows leaves the robot as it was, also where the file leaves the key out."""
    text = library.path(name).read_text("utf-8")
    cells = robot_cells(text)
    edits = [SetValue(["name"], cells.name)]
    for k, link in enumerate(cells.links[:4]):
        edits.append(SetValue(["link", k, "name"], link.name))
        edits.append(SetValue(["link", k, "joint", "name"], link.joint.name))
        geometry = link.geometry
        if geometry.kind == "placement":
            edits += [
                SetValue(["link", k, "placement", "xyz", i], x or "0") for i, x in enumerate(geometry.xyz)
            ]
        elif geometry.kind != "none":
            edits += [
                SetValue(["link", k, geometry.kind, column], getattr(geometry, column) or "0")
                for column in ("alpha", "a", "theta", "d")
            ]
    assert parse_toml(after(text, *edits)) == parse_toml(text)


def test_names_are_renamed_with_their_references() -> None:
    text = after(
        ROSAM,
        Rename("link", "l31", "bar"),
        Rename("joint", "theta31", "elbow"),
        Rename("symbol", "L", "half"),
        Rename("base", "", "ground"),
        Rename("loop", "cut", "pin"),
        Rename("frame", "hand", "middle"),
    )
    robot = parse_toml(text)
    assert robot.loops[0].start.link == "bar"
    assert robot.frames[0].link == "bar"
    assert robot.independent == ("theta11", "d21", "elbow")
    assert robot.links[0].parent == robot.base == "ground"
    assert "2*half" in text
    assert "*L" not in text
    for old, new in (("half", "m11"), ("nothing", "x"), ("half", "2x")):
        with pytest.raises(RikigakuError):
            edited(text, Rename("symbol", old, new))


def test_a_deleted_link_takes_what_hangs_on_it_and_hands_its_children_on() -> None:
    robot = parse_toml(edited(ROSAM, DeletePart("link", 1)))
    assert [link.name for link in robot.links] == ["l11", "l31", "l12", "l22"]
    assert robot.link("l31").parent == "l11"
    assert robot.independent == ("theta11", "theta31")
    without = parse_toml(edited(ROSAM, DeletePart("link", 2)))
    assert without.loops == ()
    assert without.frames == ()


@pytest.mark.parametrize(("old", "new"), list(itertools.permutations(JOINT_TYPES, 2)))
def test_the_variable_moves_with_the_joint_type(old: str, new: str) -> None:
    text = after(new_robot("serial", "r"), SetJointType(0, old), SetJointType(0, new))
    assert parse_toml(text).links[0].joint.type == new


def test_offsets_survive_a_change_of_the_joint_type() -> None:
    text = after(new_robot("serial", "r"), SetValue(["link", 0, "dh", "theta"], "q + pi/3"))
    text = after(text, SetJointType(0, "prismatic"), SetValue(["link", 0, "dh", "d"], "q - 0.2"))
    text = after(text, SetJointType(0, "revolute"))
    row = robot_cells(text).links[0].geometry
    assert (
        parse_toml(text).links[0].geometry
        == parse_toml(
            new_robot("serial", "r").replace('theta = "q", d = 0', 'theta = "q + pi/3", d = -0.2', 1)
        )
        .links[0]
        .geometry
    ), row


def test_degrees_and_signs_of_spreadsheets_are_understood() -> None:
    text = after(new_robot("serial", "r"), SetValue(["link", 0, "dh", "alpha"], "−90°"))
    assert (
        parse_toml(text).links[0].geometry.alpha
        == parse_toml(  # type: ignore[union-attr]
            edited(text, SetValue(["link", 0, "dh", "alpha"], "-pi/2"))
        )
        .links[0]
        .geometry.alpha
    )  # type: ignore[union-attr]


def test_parts_are_added_moved_and_described_in_other_ways() -> None:
    text = after(
        new_robot("tree", "r"),
        AddFrame("l21", "tool"),
        AddCoupling("l22", "l21", "-2"),
        MovePart("link", 2, 1),
        SetGeometryKind(1, "placement"),
        SetSymbol("k", "", ""),
        DeleteSymbol("k"),
    )
    robot = parse_toml(text)
    assert [link.name for link in robot.links] == ["l1", "l22", "l21"]
    assert [frame.name for frame in robot.frames] == ["hand1", "hand2", "tool"]
    assert robot.couplings[0].reference == "l21"
    assert not robot.symbols


def test_all_mistakes_come_at_once_each_at_its_cell() -> None:
    text = after(
        ROSAM,
        SetValue(["link", 0, "dh", "alpha"], "1+"),
        SetValue(["link", 0, "dh", "theta"], "q+q"),
        SetValue(["link", 0, "dh", "d"], "1/0"),
        SetValue(["link", 1, "dh", "d"], "0.5"),
        SetValue(["link", 2, "inertia", "I", 3], "2 L"),
        SetValue(["link", 3, "parent"], "nobody"),
        SetValue(["loop", 0, "from", "dh", "a"], "?"),
        SetValue(["gravity", 1], "down down"),
    )
    found = {tuple(one.path): one.message for one in checked_robot(text, 1, []).mistakes}
    assert set(found) == {
        ("link", 0, "dh", "alpha"),
        ("link", 0, "dh", "theta"),
        ("link", 0, "dh", "d"),
        ("link", 1, "dh", "d"),
        ("link", 2, "inertia", "I", 3),
        ("link", 3, "parent"),
        ("loop", 0, "from", "dh", "a"),
        ("gravity", 1),
    }
    assert 'Write d = "q' in found["link", 1, "dh", "d"]
    assert "line" not in found["link", 0, "dh", "alpha"].split()[0]


def test_impossible_inertias_are_found_and_repaired() -> None:
    text = library.path("iiwa14").read_text("utf-8")
    bad = edited(text, SetValue(["link", 0, "inertia", "I", 5], "-1"))
    found = checked_robot(bad, 1, [])
    name = robot_cells(text).links[0].name
    assert [one.link for one in found.impossible] == [name]
    mended = repaired({"text": bad, "links": [name]})["text"]
    assert checked_robot(mended, 2, []).impossible == []
    check_inertias(parse_toml(mended), strict=True)
    symbols = edited(ROSAM, SetSymbol("Izz31", "-1", "kg m^2"))
    assert [one.link for one in checked_robot(symbols, 1, []).impossible] == ["l31"]
    assert "symbols" in repaired({"text": symbols, "links": ["l31"]})["error"]


def test_three_way_merge_takes_what_one_side_changed() -> None:
    mine = after(ROSAM, SetValue(["link", 0, "dh", "a"], "0.1"), AddFrame("l22", "mine"))
    theirs = after(ROSAM, SetValue(["link", 1, "dh", "a"], "0.2"), SetSymbol("L", "0.5", "m"))
    theirs = theirs.replace("# Plane motion", "# Their comment. Plane motion")
    merge = merged(ROSAM, mine, theirs)
    assert merge.both == []
    wanted = after(
        ROSAM,
        SetValue(["link", 0, "dh", "a"], "0.1"),
        SetValue(["link", 1, "dh", "a"], "0.2"),
        SetSymbol("L", "0.5", "m"),
        AddFrame("l22", "mine"),
    )
    assert parse_toml(merge.text) == parse_toml(wanted)
    assert "# Their comment." in merge.text


def test_three_way_merge_names_what_both_sides_changed() -> None:
    mine = after(ROSAM, SetValue(["link", 0, "dh", "a"], "0.1"), DeletePart("link", 4))
    theirs = after(ROSAM, SetValue(["link", 0, "dh", "a"], "0.2"), SetValue(["link", 4, "dh", "d"], "q + 1"))
    merge = merged(ROSAM, mine, theirs)
    length, link = merge.both
    assert length == BothChanged("link l11.dh.a", "0.1", "0.2")
    assert (link.place, link.own) == ("link l22", "")  # removed here
    assert "l22" in link.other


@pytest.mark.parametrize(
    "path",
    [
        [],
        ["link"],
        ["link", 0],
        ["link", 99, "name"],
        ["schema"],
        ["link", 0, "dh", "a", 0],
        ["x", "y"],
        [0],
        ["gravity", 3],
    ],
)
def test_paths_that_lead_nowhere_are_refused(path: list[str | int]) -> None:
    with pytest.raises(RikigakuError):
        edited(ROSAM, SetValue(path, "1"))


def test_the_hand_goes_along_with_the_end_of_its_chain() -> None:
    text = after(new_robot("serial", "r"), AddLink("l1", "revolute", "dh", 1, ""))
    assert parse_toml(text).frames[0].link == "l2"
    camera = after(text, AddFrame("l2", "camera"), AddLink("l2", "prismatic", "dh", 2, "l3"))
    assert [(frame.name, frame.link) for frame in parse_toml(camera).frames] == [
        ("hand", "l3"),
        ("camera", "l2"),
    ]
    branch = after(camera, AddLink("l2", "revolute", "dh", 3, "side"))  # l2 carries a link already
    assert [frame.link for frame in parse_toml(branch).frames] == ["l3", "l2"]


def test_a_joint_without_a_name_has_that_of_its_link() -> None:
    named = after(new_robot("closed", "r"), Rename("joint", "l11", "first"), SetIndependent(["first"]))
    for edit in (Rename("joint", "first", ""), Rename("joint", "first", "  ")):
        robot = parse_toml(after(named, edit))
        assert robot.links[0].joint.name == "l11"
        assert robot.independent == ("l11",)
    emptied = after(new_robot("serial", "r"), SetValue(["link", 0, "joint", "name"], ""))
    assert emptied == new_robot("serial", "r")


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        (Rename("link", "l1", ""), ["link", 0, "name"]),
        (Rename("frame", "hand", " "), ["frame", 0, "name"]),
        (SetValue(["frame", 0, "link"], ""), ["frame", 0, "link"]),
        (SetValue(["link", 0, "dh", "a"], "nan"), ["link", 0, "dh", "a"]),
        (SetValue(["link", 0, "dh", "d"], "-inf"), ["link", 0, "dh", "d"]),
        (SetValue(["link", 0, "inertia", "m"], "Infinity"), ["link", 0, "inertia", "m"]),
        (SetValue(["gravity", 1], "NaN"), ["gravity", 1]),
    ],
)
def test_an_empty_name_and_a_number_that_is_not_finite_are_reported_at_their_cell(edit, path) -> None:
    text = after(new_robot("serial", "r"), SetInertia([], "zero"), edit)
    mistakes = checked_robot(text, 1, []).mistakes
    assert path in [mistake.path for mistake in mistakes], mistakes


@pytest.mark.parametrize("kind", ["serial", "tree", "closed"])
def test_no_link_of_a_new_robot_is_drawn_on_another(kind) -> None:
    robot = rk.Robot.of(parse_toml(new_robot(kind, "r")))
    origins = [robot.pose(robot.neutral(), frame.name)[:3, 3] for frame in robot.frames]
    origins += [robot.pose(robot.neutral(), link.name)[:3, 3] for link in robot.links if link.name[-1] != "1"]
    apart = [np.linalg.norm(a - b) for k, a in enumerate(origins) for b in origins[:k]]
    assert min(apart, default=1.0) > 0.1
