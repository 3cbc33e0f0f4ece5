"""Files are written whole, with the permissions of the process, in place of regular files only."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.cli.main import main
from rikigaku.core import disk_cache
from rikigaku.core.errors import NoPlace
from rikigaku.core.files import write_whole
from rikigaku.plotting import save_plot


@pytest.fixture(scope="module")
def arm() -> rk.Robot:
    robot = rk.load("planar_2r")
    return robot.bind(**robot.declared_values)


@pytest.fixture(scope="module")
def swing(arm: rk.Robot) -> rk.Solution:
    return rk.simulate(arm, [0.1, 0.2], duration=0.1)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def character_device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:  # only root can make one; any that exists serves
        path.symlink_to("/dev/null")


def listening_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))


def directory(path: Path) -> None:
    path.mkdir()


def read_only(path: Path) -> None:
    path.write_text("keep me")
    path.chmod(0o444)


SAVES: dict[str, Callable[[rk.Robot, rk.Solution, Path], object]] = {
    "x.robot.toml": lambda robot, swing, path: robot.save(path),
    "x.urdf": lambda robot, swing, path: robot.save(path),
    "x.xml": lambda robot, swing, path: robot.save(path),
    "x.c": lambda robot, swing, path: robot.gravity_forces.export("c", path),
    "x.py": lambda robot, swing, path: robot.gravity_forces.export("python", path),
    "x.npz": lambda robot, swing, path: swing.save(path),
    "x.png": lambda robot, swing, path: save_plot(robot, path, dpi=20),
    "x.gif": lambda robot, swing, path: swing.animate(path, fps=20),
}


@pytest.mark.parametrize("obstacle", [fifo, character_device, listening_socket, directory, read_only])
@pytest.mark.parametrize("name", SAVES)
def test_a_save_replaces_nothing_but_a_regular_file_that_may_be_written(
    name: str, obstacle: Callable[[Path], None], arm: rk.Robot, swing: rk.Solution, tmp_path: Path
) -> None:
    path = tmp_path / name
    obstacle(path)
    before = path.lstat()
    with pytest.raises(NoPlace, match=r"is a (FIFO|device|socket|directory)|is read-only"):
        SAVES[name](arm, swing, path)
    after = path.lstat()
    assert (after.st_ino, after.st_mode, after.st_size) == (before.st_ino, before.st_mode, before.st_size)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("obstacle", [fifo, directory, read_only])
def test_a_report_replaces_nothing_but_a_regular_file(
    obstacle: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.html"
    obstacle(path)
    before = path.lstat()
    assert main(["analyze", "planar_2r", "-o", str(path)]) != 0
    assert str(path) in capsys.readouterr().err
    assert path.lstat().st_ino == before.st_ino


def test_a_pair_is_not_begun_where_one_of_the_two_cannot_be_written(tmp_path: Path) -> None:
    robot = rk.load("four_bar")
    robot = robot.bind(**robot.declared_values)
    read_only(tmp_path / "x.loops.toml")
    (tmp_path / "x.urdf").write_text("old")
    with pytest.raises(NoPlace, match="read-only"):
        robot.save(tmp_path / "x.urdf")
    assert (tmp_path / "x.urdf").read_text() == "old"


@pytest.mark.parametrize("name", SAVES)
def test_a_failure_leaves_the_old_file_and_nothing_else(
    name: str, arm: rk.Robot, swing: rk.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_text("old")

    def disk_full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(NoPlace, match="No space left"):
        SAVES[name](arm, swing, path)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_names_as_long_as_the_system_allows_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_whole(path, b"a")
    write_whole(path, b"b")
    assert path.read_bytes() == b"b"
    with pytest.raises(NoPlace, match="too long"):
        write_whole(tmp_path / ("x" * 256), b"a")
    with pytest.raises(NoPlace, match="null"):
        write_whole(tmp_path / "a\0b", b"a")


def test_links_are_followed_and_rings_of_links_named(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/new")  # to a file that is not there yet
    write_whole(tmp_path / "link", b"a")
    assert (tmp_path / "folder" / "new").read_bytes() == b"a"
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "ring").symlink_to("ring")
    with pytest.raises(NoPlace, match="ring"):
        write_whole(tmp_path / "ring", b"a")


def test_a_directory_that_was_deleted_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    (tmp_path / "folder").rmdir()
    with pytest.raises(NoPlace, match="cannot be written"):
        write_whole(Path("x"), b"a")


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_permissions_of_the_umask(mask: int, mode: int, tmp_path: Path) -> None:
    code = f"""
import os, sys
from pathlib import Path
from rikigaku.core.files import write_whole
os.umask({mask})
os.umask = None  # asking for the mask would change it for a moment
write_whole(Path(sys.argv[1]), b"new")
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "x")], env=environment, check=True)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == mode


def test_a_replaced_file_keeps_its_permissions_and_is_never_open_to_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen, sync = tmp_path / "x", [], os.fsync

    def look(handle: int) -> None:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        sync(handle)

    monkeypatch.setattr(os, "fsync", look)
    for mode in (0o600, 0o640, 0o664):
        path.write_text("old")
        path.chmod(mode)
        write_whole(path, b"new")
        assert stat.S_IMODE(path.stat().st_mode) == mode
    assert seen == [0o600, 0o640, 0o664]


def abandoned(folder: Path, process: int, age: float) -> Path:
    path = folder / f".rikigaku-{process}-0123456789abcdef.tmp"
    path.write_text("half")
    then = path.stat().st_mtime - age
    os.utime(path, (then, then))
    return path


def test_temporary_files_of_dead_processes_are_removed_by_the_next_save(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = abandoned(tmp_path, dead.pid, 100.0)
    old = abandoned(tmp_path, os.getpid(), 4000.0)
    kept = [abandoned(tmp_path, os.getppid(), 100.0), tmp_path / ".rikigaku-notes.tmp", tmp_path / "x.tmp"]
    for path in kept[1:]:
        path.write_text("not ours")
        os.utime(path, (0, 0))
    write_whole(tmp_path / "x", b"new")
    assert not left.exists()
    assert not old.exists()
    assert all(path.exists() for path in kept)


def test_temporary_files_of_dead_processes_leave_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIKIGAKU_CACHE", str(tmp_path / "cache"))
    disk_cache.write("a.x", b"m", b"", 10**9)
    left = abandoned(tmp_path / "cache", 2**22 + 1, 100.0)  # beyond the largest number of a process
    for k in range(1000):  # about one content in 64 brings a look at all files
        disk_cache.write("a.x", b"m", k.to_bytes(2, "little"), 10**9)
    assert not left.exists()


def test_a_picture_of_every_kind_is_written_whole(arm: rk.Robot, tmp_path: Path) -> None:
    heads = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "PNG": b"\x89PNG"}
    for ending, head in heads.items():
        save_plot(arm, tmp_path / f"x.{ending}", dpi=20)
        assert (tmp_path / f"x.{ending}").read_bytes().startswith(head)
    save_plot(arm, tmp_path / "no_ending", dpi=20)
    assert (tmp_path / "no_ending").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(rk.RikigakuError, match="tiger"):
        save_plot(arm, tmp_path / "x.tiger")
    assert len(list(tmp_path.iterdir())) == 5


def test_a_film_has_all_frames_at_their_rate(swing: rk.Solution, tmp_path: Path) -> None:
    from PIL import Image

    swing.animate(tmp_path / "x.gif", fps=40)
    with Image.open(tmp_path / "x.gif") as film:
        assert (film.n_frames, film.size) == (4, (640, 560))
        film.seek(1)
        assert film.info["duration"] == 20 or film.info["duration"] == 25
        assert np.asarray(film.convert("RGB")).std() > 1
