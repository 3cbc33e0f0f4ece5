"""Saving over a robot file: only what changed is touched, comments survive, nothing is lost on the way."""

import os
from dataclasses import replace

import pytest
from readers import parse_toml, read_toml
from toml_files import DH_LINK, ROSAM

from rikigaku import library
from rikigaku.formats.toml.toml_file import to_toml, write_toml
from rikigaku.model.editing import bind, join, lock, on_free_base
from rikigaku.model.geometry import ModifiedDH, Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import X_AXIS, Joint
from rikigaku.model.robot_model import Coupling, Frame, Link, Loop, LoopEnd, Symbol
from rikigaku.numbers.formula import ONE, ZERO, Formula

F = Formula.of


@pytest.mark.parametrize("name", library.NAMES)
def test_saving_an_unchanged_robot_changes_nothing(name, tmp_path):
    path = tmp_path / "copy.robot.toml"
    path.write_bytes(library.path(name).read_bytes())
    write_toml(read_toml(path), path)
    assert path.read_bytes() == library.path(name).read_bytes()


def lines_changed(before: str, after: str) -> list[str]:
    return [line for line in after.splitlines() if line not in before.splitlines()]


def test_saving_a_changed_robot_touches_only_what_changed(tmp_path):
    path = tmp_path / "rosam.robot.toml"
    path.write_text(ROSAM)
    robot = read_toml(path)
    first, second = robot.links
    first = replace(first, geometry=ModifiedDH(theta=F("pi/2"), a=F("0.30")))
    second = replace(second, joint=replace(second.joint, rotor=F("2e-7")))
    write_toml(
        replace(robot, links=(first, second), symbols=(Symbol("L", F("0.5"), "m"), robot.symbols[1])), path
    )
    assert lines_changed(ROSAM, path.read_text()) == [
        'L = { value = 0.5, unit = "m" }   # the length',
        'dh = { alpha = 0, a = 0.3, theta = "q + pi/2", d = 0 }  # turned',
        'joint = { name = "d21", type = "prismatic", friction = { viscous = 0.10 }, rotor = 2E-7 }',
    ]


CHANGES = {
    "a locked joint": lambda r: lock(replace(r, independent=()), "theta11", "0.3"),
    "a bound symbol": lambda r: bind(r, L="0.7"),
    "no independent joints": lambda r: replace(r, independent=()),
    "no loop": lambda r: replace(r, loops=()),
    "no loop and no choice": lambda r: replace(r, loops=(), independent=()),
    "another choice": lambda r: replace(r, independent=("d21",)),
    "a new frame": lambda r: replace(r, frames=(*r.frames, Frame("eye", "l11", Placement(X_AXIS)))),
    "no frame": lambda r: replace(r, frames=()),
    "links swapped": lambda r: replace(r, links=r.links[::-1]),
    "a floating base": lambda r: on_free_base(r),
    "other geometry": lambda r: replace(r, links=(r.links[0], replace(r.links[1], geometry=Placement()))),
    "a base with a name": lambda r: replace(on_free_base(r), base_inertia=Inertia("com", ONE)),
    "no symbols": lambda r: replace(r, symbols=()),
    "a source": lambda r: replace(r, source="A book, \"page\" 3\\4\n\x7f"),
    "default gravity": lambda r: replace(r, gravity=(ZERO, ZERO, F("-9.81"))),
    "a coupling": lambda r: replace(r, couplings=(Coupling("d21", "theta11", F("0.1")),)),
    "symbols in another order": lambda r: replace(r, symbols=r.symbols[::-1]),
    "a symbol before the others": lambda r: replace(r, symbols=(Symbol("a", F(1)), *r.symbols)),
    "a symbol after the others": lambda r: replace(r, symbols=(*r.symbols, Symbol("z", F(1)))),
    "another name": lambda r: replace(r, name="renamed"),
    "another robot joined to it": lambda r: join(r, on_free_base(r), "hand", "second_"),
    "no inertia": lambda r: replace(r, links=(replace(r.links[0], inertia=None), r.links[1])),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_comments_survive_every_kind_of_change(change, tmp_path):
    path = tmp_path / "rosam.robot.toml"
    path.write_text(ROSAM)
    robot = change(read_toml(path))
    write_toml(robot, path)
    text = path.read_text()
    assert read_toml(path) == robot
    assert read_toml(path).source == robot.source
    assert "# the first lines of a file are kept too" in text
    assert "# The first link." in text
    assert "# a slide" in text
    write_toml(robot, path)
    assert path.read_text() == text


def test_comments_stay_with_their_symbols_when_one_goes_and_comes_back(tmp_path):
    path = tmp_path / "rosam.robot.toml"
    path.write_text(ROSAM.replace("k = 2.50", "# a number\nk = 2.50  # of teeth"))
    robot = read_toml(path)
    bind(robot, L="0.7").save(path)
    robot.save(path)
    assert 'L = { value = 0.4, unit = "m" }\n# a number\nk = 2.50  # of teeth\n' in path.read_text()
    assert read_toml(path) == robot
    replace(robot, symbols=(*robot.symbols, Symbol("z", F(1)))).save(path)
    assert "# of teeth\nz = { value = 1 }\n\n# The first link.\n[[link]]" in path.read_text()


def test_another_robots_file_is_replaced_whole(tmp_path):
    path = tmp_path / "r.robot.toml"
    for content in (ROSAM, "no = toml = at all", "schema = 1"):
        path.write_text(content)
        robot = parse_toml(DH_LINK)
        write_toml(robot, path)
        assert path.read_text() == to_toml(robot)


def test_a_failed_save_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "rosam.robot.toml"
    path.write_text(ROSAM)

    def disk_full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(OSError, match="No space left"):
        write_toml(replace(parse_toml(ROSAM), gravity=(ZERO, ZERO, ONE)), path)
    assert path.read_text() == ROSAM
    assert [entry.name for entry in tmp_path.iterdir()] == ["rosam.robot.toml"]


def test_a_saved_file_keeps_its_permissions_and_links(tmp_path):
    target, link = tmp_path / "target.robot.toml", tmp_path / "link.robot.toml"
    target.write_text(ROSAM)
    target.chmod(0o640)
    link.symlink_to(target)
    write_toml(replace(parse_toml(ROSAM), gravity=(ZERO, ZERO, ONE)), link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert read_toml(target).gravity[2] == ONE


@pytest.mark.parametrize("name", ["planar_2r", "rosam_loop", "puma560", "five_bar"])
@pytest.mark.parametrize("what", ["link", "frame", "coupling", "loop"])
def test_what_is_added_and_removed_leaves_no_blank_lines(name, what, tmp_path):
    path = tmp_path / "copy.robot.toml"
    path.write_bytes(library.path(name).read_bytes())
    robot = read_toml(path)
    first, last = robot.links[0], robot.links[-1]
    added = {
        "link": {"links": (*robot.links, Link("extra", last.name, Joint("extra")))},
        "frame": {"frames": (*robot.frames, Frame("extra", last.name))},
        "coupling": {"couplings": (Coupling(last.joint.name, first.joint.name, ONE),)},
        "loop": {"loops": (*robot.loops, Loop("extra", "spherical", LoopEnd(first.name), LoopEnd("base")))},
    }
    larger = replace(robot, **added[what])
    lengths = []
    for _ in range(3):
        write_toml(larger, path)
        write_toml(robot, path)
        assert read_toml(path) == robot
        lengths.append(len(path.read_text()))
    assert len(set(lengths)) == 1
    assert abs(lengths[0] - len(library.path(name).read_text())) <= 1  # a blank line before a header


def test_frames_stay_behind_the_links_when_a_link_is_added(tmp_path):
    path = tmp_path / "copy.robot.toml"
    path.write_bytes(library.path("puma560").read_bytes())
    robot = read_toml(path)
    write_toml(replace(robot, links=(*robot.links, Link("extra", "link6", Joint("extra")))), path)
    text = path.read_text()
    assert text.rindex("[[link]]") < text.index("[[frame]]")
    assert text.count('name = "extra"') == 1
