"""Object code on disk: private, keyed by content, never trusted from others, safe among processes."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.compiler import kernel as kernels
from rikigaku.compiler import native_code, object_cache
from rikigaku.compiler.kernel import Kernel
from rikigaku.compiler.object_cache import Entry
from rikigaku.core import disk_cache, source_fingerprint
from rikigaku.numbers.program import Program, trace

ENTRY = Entry({"ports": [[["x", [3]]], [["y", []]]]}, b"code" * 100)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("RIKIGAKU_CACHE", str(path))
    return path


def doubling(factor: float = 2.0) -> Program:
    return trace("doubling", [("x", (2,))], lambda x: {"y": [factor * a for a in x]})


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_was_written_is_read_back_from_a_private_place(folder: Path) -> None:
    umask = os.umask(0)
    try:
        object_cache.write("key", ENTRY)
    finally:
        os.umask(umask)
    assert object_cache.read("key") == ENTRY
    assert object_cache.read("other") is None
    assert mode(folder) == 0o700
    assert [mode(path) for path in folder.iterdir()] == [0o600]


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_a_file_others_may_write_is_not_read(folder: Path, bits: int) -> None:
    object_cache.write("key", ENTRY)
    (folder / "key.rko").chmod(bits)
    assert object_cache.read("key") is None


@pytest.mark.parametrize("bits", [0o770, 0o707])
def test_a_directory_others_may_write_is_neither_read_nor_written(folder: Path, bits: int) -> None:
    object_cache.write("key", ENTRY)
    folder.chmod(bits)
    assert object_cache.read("key") is None
    object_cache.write("second", ENTRY)
    assert not (folder / "second.rko").exists()


def test_a_directory_of_someone_else_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    object_cache.write("key", ENTRY)
    owner = folder.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert object_cache.directory() is None
    assert object_cache.read("key") is None


def test_links_are_not_followed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    object_cache.write("key", ENTRY)
    (folder / "key.rko").rename(tmp_path / "elsewhere")
    (folder / "key.rko").symlink_to(tmp_path / "elsewhere")
    assert object_cache.read("key") is None
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.setenv("RIKIGAKU_CACHE", str(tmp_path / "link"))
    assert object_cache.directory() is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda b: b"",
        lambda b: b[:10],
        lambda b: b[:-1],
        lambda b: b + b"x",
        lambda b: b[:100] + bytes([b[100] ^ 1]) + b[101:],
        lambda b: b"another file entirely" * 20,
    ],
    ids=["empty", "head", "short", "long", "flipped", "foreign"],
)
def test_a_damaged_file_is_ignored_and_written_anew(folder: Path, damage: object) -> None:
    x = np.array([[1.0, 2.0]])
    Kernel("doubling", doubling).batch(x)
    (path,) = folder.glob("*.rko")
    good = path.read_bytes()
    path.write_bytes(damage(good))  # type: ignore[operator]
    kernels._loaded.clear()  # as in a new process
    assert Kernel("doubling", doubling).batch(x).tolist() == [[2.0, 4.0]]
    assert object_cache.read(path.stem) is not None


def test_code_from_disk_needs_no_program(folder: Path) -> None:
    Kernel("doubling", doubling).batch(np.ones(2))

    def never() -> Program:
        raise AssertionError("the program was recorded though the code was there")

    again = Kernel("doubling", never)
    assert again.batch(np.ones(2)).tolist() == [2.0, 2.0]
    assert again.ports[0][0].shape == (2,)


def test_the_key_holds_identity_source_processor_and_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {Kernel(name, doubling).key(kind) for name, kind in (("a", "batch"), ("b", "batch"), ("a", "one"))}
    with monkeypatch.context() as patch:
        patch.setattr(object_cache, "source_fingerprint", lambda: "other source")
        keys.add(Kernel("a", doubling).key("batch"))
    host = native_code.host()
    for other in (
        native_code.Cpu(host.triple, "other", host.features),
        native_code.Cpu("other", host.name, host.features),
        native_code.Cpu(host.triple, host.name, "+other"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(native_code, "host", lambda other=other: other)
            keys.add(Kernel("a", doubling).key("batch"))
    with monkeypatch.context() as patch:
        patch.setattr(np, "__version__", "0.0")
        keys.add(Kernel("a", doubling).key("batch"))
    assert len(keys) == 8
    assert native_code.llvmlite.__version__ in host.fingerprint


@pytest.mark.parametrize("word", ["off", "OFF", "0", "no"])
def test_the_cache_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("RIKIGAKU_CACHE", word)
    assert Kernel("doubling", doubling).batch(np.ones(2)).tolist() == [2.0, 2.0]
    assert not list(tmp_path.iterdir())


def test_a_place_that_is_no_directory_is_no_reason_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    for place in ("file", "file/below"):
        monkeypatch.setenv("RIKIGAKU_CACHE", str(tmp_path / place))
        assert object_cache.directory() is None or place == "file"
        assert Kernel("doubling", doubling).batch(np.ones(2)).tolist() == [2.0, 2.0]
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_disk_that_refuses_is_no_reason_to_fail(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert Kernel("doubling", doubling).batch(np.ones(2)).tolist() == [2.0, 2.0]
    assert not list(folder.iterdir())


def test_a_disk_that_cannot_be_written_is_still_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    object_cache.write("key", ENTRY)

    def refuse(*args: object, **keywords: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "utime", refuse)
    assert object_cache.read("key") == ENTRY


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("RIKIGAKU_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert object_cache.directory() is None
    assert object_cache.read("key") is None


def test_the_cache_stands_where_the_system_keeps_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RIKIGAKU_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert object_cache.directory() == tmp_path / "rikigaku"


def test_the_files_used_longest_ago_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(4):
        object_cache.write(f"k{i}", ENTRY)
        os.utime(folder / f"k{i}.rko", (i, i))
    object_cache.read("k0")
    size = (folder / "k0.rko").stat().st_size
    monkeypatch.setattr(object_cache, "_LARGEST_TOTAL", 3 * size)
    monkeypatch.setattr(
        disk_cache, "source_is_unchanged", lambda: True
    )  # it looks at all files of the source
    for tail in range(1000):  # about one content in 64 brings a look at all files
        object_cache.write("k4", ENTRY._replace(code=ENTRY.code[:-2] + tail.to_bytes(2, "little")))
    assert sorted(path.stem for path in folder.iterdir()) == ["k0", "k3", "k4"]


CHILD = """
import numpy as np, rikigaku as rk
robot = rk.load("ur5")
x = np.linspace(-1, 1, 6)
print(robot.inverse_dynamics(x, x, x).tobytes().hex(), robot.inverse_dynamics(x[None], x, x).tobytes().hex())
"""


def test_processes_that_start_together_on_an_empty_cache_agree_and_leave_no_parts(folder: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD], env=child_environment(), stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    answers = [child.communicate()[0].split() for child in children]
    assert all(child.returncode == 0 for child in children)
    assert {word for answer in answers for word in answer} == {answers[0][0]}
    assert len(list(folder.glob("*.rko"))) == 2
    assert not list(folder.glob("*.part"))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    again = subprocess.run(
        [sys.executable, "-c", CHILD], env=child_environment(), capture_output=True, text=True, check=True
    )
    assert again.stdout.split() == answers[0]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def child_environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_robots_that_differ_in_one_number_have_code_of_their_own(folder: Path) -> None:
    arm = rk.load("planar_2r")
    longer, same = arm.bind(l1=0.5000001), arm.bind(l1=0.5)
    q = np.array([[0.3, 0.2]])
    assert longer.mass_matrix(q)[0, 0, 0] != same.mass_matrix(q)[0, 0, 0]
    assert len(list(folder.glob("*.rko"))) == 2
    assert np.array_equal(same.mass_matrix(q), rk.load("planar_2r").bind(l1=0.5).mass_matrix(q))
    assert len(list(folder.glob("*.rko"))) == 2


OLD_AND_NEW = """
import sys, time
from pathlib import Path
import numpy as np, rikigaku as rk
from rikigaku.core.disk_cache import directory
package, when = Path(rk.__file__).parent, sys.argv[1]
def edit():
    file = package / "laws/tree/composite_body.py"
    file.write_text(file.read_text() + "# another version\\n")
x = np.array([0.1, 0.2])
robot = rk.load("planar_2r")
if when == "before the first call":
    edit()
robot.gravity_forces(x)
print(len(list(directory().iterdir())))
if when == "after the first call":
    edit()
robot.mass_matrix(x)
print(len(list(directory().iterdir())))
"""


@pytest.mark.parametrize(
    ("when", "stored"),
    [("never", ["2", "4"]), ("before the first call", ["0", "0"]), ("after the first call", ["2", "2"])],
)
def test_a_process_stores_nothing_when_its_source_has_changed(
    tmp_path: Path, when: str, stored: list[str]
) -> None:
    package = tmp_path / "source" / "rikigaku"
    shutil.copytree(Path(rk.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {
        **os.environ, "PYTHONPATH": str(package.parent), "RIKIGAKU_CACHE": str(tmp_path / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    command = [sys.executable, "-c", OLD_AND_NEW, when]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert answer.stdout.split() == stored


def test_a_source_that_cannot_be_listed_has_a_fingerprint_no_other_process_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(source_fingerprint, "_AT_IMPORT", {})  # imported from an archive
    unique = source_fingerprint.source_fingerprint.__wrapped__
    assert not source_fingerprint.source_is_unchanged()
    assert unique() != unique()


def test_a_file_that_is_replaced_by_one_of_the_same_size_and_time_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_fingerprint, "_PACKAGE", str(tmp_path))
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "a.py").write_text("x = 1")
    before = source_fingerprint._listed()
    assert list(before) == ["part/a.py"]
    status = (tmp_path / "part" / "a.py").stat()
    (tmp_path / "b").write_text("x = 2")
    os.utime(tmp_path / "b", ns=(status.st_atime_ns, status.st_mtime_ns))
    (tmp_path / "b").rename(tmp_path / "part" / "a.py")
    assert source_fingerprint._listed() != before


def test_the_home_directory_may_be_written_as_a_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RIKIGAKU_CACHE", "~/x")
    assert object_cache.directory() == tmp_path / "home" / "x"
    monkeypatch.setenv("RIKIGAKU_CACHE", "~nobody-of-this-name/x")
    assert object_cache.directory() is None
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
