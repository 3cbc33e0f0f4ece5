"""Files of solutions from strangers: every claim is checked before memory is taken for it."""

import io
import json
import os
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import TooLarge, WrongValue


@pytest.fixture(scope="module")
def box() -> rk.Robot:
    joint = rk.Joint("height", "prismatic", limits=rk.Limits(lower=0.0))
    return rk.Robot("box", (rk.Link("box", "base", joint, rk.Placement(), rk.Inertia("com", 1.0)),))


@pytest.fixture(scope="module")
def saved(box: rk.Robot, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A solution with events, two modes and forces with labels."""
    path = tmp_path_factory.mktemp("saved") / "fall.npz"
    fall = rk.simulate(box, [0.1], duration=0.3, contacts=rk.joint_stops(box))
    assert fall.events
    assert fall.labels
    assert len(fall.modes) == 2
    fall.save(path)
    return path.read_bytes()


def members(whole: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def npy(x: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, x, **options)
    return out.getvalue()


def array(whole: bytes, name: str) -> Any:
    return np.load(io.BytesIO(members(whole)[f"{name}.npy"]))


def with_array(name: str, change: Callable[[Any], Any]) -> Callable[[bytes], bytes]:
    def changed(whole: bytes) -> bytes:
        return packed(members(whole) | {f"{name}.npy": npy(change(array(whole, name)), allow_pickle=True)})

    return changed


def with_about(**changes: Any) -> Callable[[bytes], bytes]:
    def changed(whole: bytes) -> bytes:
        about = json.loads(str(array(whole, "about")))
        about |= {name: change(about[name]) for name, change in changes.items()}
        return packed(members(whole) | {"about.npy": npy(np.array(json.dumps(about)))})

    return changed


def with_text(text: str) -> Callable[[bytes], bytes]:
    return lambda whole: packed(members(whole) | {"about.npy": npy(np.array(text))})


def with_member(name: str, content: bytes) -> Callable[[bytes], bytes]:
    return lambda whole: packed(members(whole) | {name: content})


def header(descr: str, shape: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + data


def encrypted(whole: bytes) -> bytes:
    """The flag of encryption set for the first member, in its local header and in the list of members."""
    content = bytearray(whole)
    content[6] |= 1
    content[whole.index(b"PK\1\2") + 8] |= 1
    return bytes(content)


def another_number(x: Any) -> Any:
    x = x.copy()
    x.flat[-1] = 10**6
    return x


def not_finite(x: Any) -> Any:
    x = x.copy()
    x.flat[-1] = np.nan
    return x


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "text for numbers": (with_array("q", lambda x: x.astype("U32")), "'q' is an array of texts"),
    "complex numbers": (with_array("q", lambda x: x.astype(complex)), "'q' is no array of real"),
    "single precision": (with_array("q", lambda x: x.astype(np.float32)), "'q' is no array of real"),
    "whole for real numbers": (with_array("q", lambda x: x.astype(np.int64)), "q has numbers of type int64"),
    "real for whole numbers": (with_array("mode_index", lambda x: x * 1.0), "mode_index has numbers of type"),
    "objects": (with_array("q", lambda x: x.astype(object)), "'q' is no array of real"),
    "a record type": (with_array("t", lambda x: x.astype([("a", "f8")])), "'t' is no array of real"),
    "one number for many": (with_array("t", lambda x: np.float64(0)), "has shape"),
    "another shape": (with_array("force a", lambda x: x[:-1]), "force a has shape"),
    "other forces": (with_array("force tau", lambda x: x[:, :0]), "force tau has shape"),
    "no forces": (
        lambda w: packed({k: x for k, x in members(w).items() if k != "force a.npy"}),
        "no force a",
    ),
    "no times": (with_array("t", lambda x: x[:0]), "no times or no steps"),
    "no steps": (with_array("records", lambda x: x[:0]), "no times or no steps"),
    "not finite": (with_array("q", not_finite), "q is not finite"),
    "steps not finite": (with_array("records", not_finite), "records is not finite"),
    "times backwards": (with_array("t", lambda x: x[::-1]), "times are not in order"),
    "steps backwards": (with_array("records", lambda x: x[::-1]), "times are not in order"),
    "times elsewhere": (with_array("t", lambda x: x + 9), "t is outside of its steps"),
    "steps of no length": (with_array("records", lambda x: x * 0), "times are not in order"),
    "mode_index too large": (with_array("mode_index", another_number), "mode_index has values outside"),
    "mode_index below 0": (with_array("mode_index", lambda x: x - 1), "mode_index has values outside"),
    "record_modes too large": (with_array("record_modes", another_number), "record_modes has values outside"),
    "an event too short": (with_about(events=lambda x: [x[0][:3]]), "event 0 is of another type"),
    "an event with text": (
        with_about(events=lambda x: [["a", "0", *x[0][2:]]]),
        "event 0 is of another type",
    ),
    "an event of another size": (with_about(events=lambda x: [["a", 0, [1, 2], *x[0][3:]]]), "event 0 is of"),
    "an event not finite": (with_about(events=lambda x: [["a", float("nan"), *x[0][2:]]]), "0 is not finite"),
    "an event of objects": (
        with_about(events=lambda x: [["a", {}, *x[0][2:]]]),
        "event 0 is of another type",
    ),
    "an event with ragged lists": (
        with_about(events=lambda x: [["a", 0, [[1], 2], *x[0][3:]]]),
        "event 0 is of another type",
    ),
    "an event of huge numbers": (
        with_about(events=lambda x: [["a", 10**400, *x[0][2:]]]),
        "event 0 is of another type",
    ),
    "events by name": (with_about(events=lambda x: {"a": 1}), "events is of another type"),
    "labels in a list": (with_about(labels=lambda x: list(x)), "labels is of another type"),
    "labels of numbers": (with_about(labels=lambda x: {key: [1] for key in x}), "labels is of another type"),
    "too many labels": (
        with_about(labels=lambda x: {k: [*y, "more"] for k, y in x.items()}),
        "the labels of .* do not fit",
    ),
    "labels of nothing": (with_about(labels=lambda x: {"nothing": []}), "the labels of 'nothing' do not fit"),
    "modes in a text": (with_about(modes=lambda x: "ab"), "modes is of another type"),
    "no modes": (with_about(modes=lambda x: []), "modes is of another type"),
    "a status of numbers": (with_about(status=lambda x: 1), "status is of another type"),
    "statistics of texts": (with_about(statistics=lambda x: {"a": "b"}), "statistics is of another type"),
    "notes of lists": (with_about(notes=lambda x: [[]]), "notes is of another type"),
    "a digest of lists": (with_about(digest=lambda x: []), "digest is of another type"),
    "a robot without a name": (with_about(robot=lambda x: None), "robot is of another type"),
    "deep nesting": (with_text("[" * 100_000), "metadata cannot be read"),
    "long numbers": (with_text('{"format": ' + "1" * 5000 + "}"), "metadata cannot be read"),
    "many values": (with_text("[" + "0," * 5_000_000 + "0]"), "metadata are too long"),
    "no text": (with_text("{"), "metadata cannot be read"),
    "a text that is none": (
        with_member("about.npy", header("'<U1'", "()", b"\xff\xff\xff\xff")),
        "cannot be read whole",
    ),
    "a second text": (with_member("more.npy", npy(np.array("a"))), "it has no metadata"),
    "an unknown array": (with_member("more.npy", npy(np.zeros(3))), "an array 'more', which no solution has"),
    "an unknown member": (with_member("run.py", b"print()"), "'run.py' that is none of its arrays"),
    "many members": (
        lambda whole: packed(members(whole) | {f"force {k}.npy": b"" for k in range(1100)}),
        "that is none of its arrays",
    ),
    "a long list of members": (
        lambda whole: packed({f"{k:0100}.npy": b"" for k in range(20_000)}, zipfile.ZIP_STORED),
        "list of members is too long",
    ),
    "encryption": (encrypted, "is encrypted"),
    "another packing": (lambda whole: packed(members(whole), zipfile.ZIP_LZMA), "packed by a method"),
    "a pickle": (with_member("q.npy", npy(np.array([print]), allow_pickle=True)), "'q' is no array of real"),
    "a plain pickle": (with_member("q.npy", b"\x80\x04cos\nsystem\n."), "'q' is no array of real"),
    "a header of 10^13 numbers": (with_member("t.npy", header("'<f8'", f"({10**13},)")), "claims shape"),
    "a header of 10^400 numbers": (
        with_member("t.npy", header("'<f8'", "(" + "10000000000, " * 15 + ")")),
        "claims shape",
    ),
    "a shape below zero": (with_member("t.npy", header("'<f8'", "(-1,)")), "'t' is no array of real"),
    "a header that is code": (with_member("t.npy", header("__import__('os')", "(1,)")), "'t' is no array"),
    "brackets in a header": (with_member("t.npy", header("(" * 5000, "(1,)")), "'t' is no array of real"),
    "a header of another version": (
        with_member("t.npy", header("'<f8'", "(1,)", bytes(8), b"\x09\x00")),
        "'t' is no array of real",
    ),
    "an empty member": (with_member("t.npy", b""), "'t' is no array of real"),
    "a flipped bit": (lambda w: w[:60] + bytes([w[60] ^ 4]) + w[61:], "damaged"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_or_hostile_file_is_refused_by_name(
    damage: str, box: rk.Robot, saved: bytes, tmp_path: Path
) -> None:
    change, message = DAMAGES[damage]
    path = tmp_path / "fall.npz"
    path.write_bytes(change(saved))
    with pytest.raises(WrongValue, match=message) as caught:
        rk.load_solution(path, box)
    assert len(str(caught.value)) < 500


def test_the_file_without_damage_is_read(box: rk.Robot, saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "fall.npz"
    for content in (saved, packed(members(saved)), packed(members(saved), zipfile.ZIP_STORED)):
        path.write_bytes(content)
        read = rk.load_solution(path, box)
        assert read.done
        assert read.forces.keys() >= read.labels.keys()
        read.q[0, 0] += 1.0  # arrays of its own


def test_every_byte_may_be_damaged(box: rk.Robot, saved: bytes, tmp_path: Path) -> None:
    """A solution comes out, or an error of ours."""
    path, generator = tmp_path / "fall.npz", np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        content = bytearray(saved)
        for _ in range(generator.integers(1, 4)):
            content[generator.integers(len(content))] = generator.integers(256)
        path.write_bytes(content[: generator.integers(len(content)) if generator.random() < 0.2 else None])
        try:
            rk.load_solution(path, box)
        except rk.RikigakuError:
            refused += 1
    assert refused > 200


BOMB = """
import resource, sys, rikigaku as rk
from rikigaku.core.errors import TooLarge
robot = rk.load(sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9, 2 * 10**9))
try:
    rk.load_solution(sys.argv[1], robot)
except TooLarge as error:
    print(error)
"""


def test_a_bomb_is_refused_before_it_is_unpacked(saved: bytes, box: rk.Robot, tmp_path: Path) -> None:
    """A file of 3 MB that unpacks to 3.2 GB, read by a process of 2 GB."""
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members(saved).items():
            if name != "records.npy":
                archive.writestr(name, content)
        with archive.open("records.npy", "w", force_zip64=True) as stream:
            stream.write(header("'<f8'", f"({400 * 10**6},)"))
            for _ in range(3200):
                stream.write(bytes(10**6))
    assert path.stat().st_size < 20 * 10**6
    box.save(tmp_path / "box.robot.toml")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.run(
        [sys.executable, "-c", BOMB, str(path), str(tmp_path / "box.robot.toml")],
        env=environment, capture_output=True, text=True, preexec_fn=_limited,
    )  # fmt: skip
    assert "unpacks to 3,2" in child.stdout, child.stderr
    assert "at most 200,000,000 are read" in child.stdout


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def test_who_trusts_a_large_file_may_say_so(saved: bytes, box: rk.Robot, tmp_path: Path) -> None:
    path = tmp_path / "fall.npz"
    path.write_bytes(saved)
    with pytest.raises(TooLarge, match=r"at most 1,000 are read.*largest=\d+") as caught:
        rk.load_solution(path, box, largest=1000)
    needed = int(str(caught.value).rpartition("largest=")[2].rstrip("."))
    assert rk.load_solution(path, box, largest=needed).done
    with pytest.raises(WrongValue, match="largest, a number of bytes"):
        rk.load_solution(path, box, largest=1e9)


def test_what_is_no_file_is_named(box: rk.Robot, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.npz")
    for path in (tmp_path / "none.npz", tmp_path, tmp_path / "fifo.npz"):
        with pytest.raises(rk.RikigakuError, match=r"cannot be read|Give the path of a regular file"):
            rk.load_solution(path, box)
