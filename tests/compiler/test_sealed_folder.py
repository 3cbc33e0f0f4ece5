"""The cache within its size, its command, and kernels made ahead that other users read."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rikigaku.cli import main
from rikigaku.compiler import native_code
from rikigaku.compiler.native_code import Cpu, chosen_cpu
from rikigaku.core import disk_cache, sealed_folder
from rikigaku.core.errors import IgnoredWarning, WrongValue

MAKE = """
import numpy as np, rikigaku as rk
arm = rk.load("planar_2r").bind(l1=0.5, l2=0.4, m1=1.0, m2=2.0)
print(arm.mass_matrix(np.array([[0.1, 0.2]])).tobytes().hex())
"""
USE = (
    """
import warnings
warnings.simplefilter("error")
from rikigaku.compiler import native_code
def never(*args):
    raise AssertionError("compiled")
native_code.object_code = never
"""
    + MAKE
)


def child(script: str, **environment: str) -> str:
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env={**own, **environment}, capture_output=True, text=True
    )
    return done.stdout or done.stderr.splitlines()[-1]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A sealed folder, its digest, and the result of its law."""
    folder = tmp_path_factory.mktemp("image") / "kernels"
    result = child(MAKE, RIKIGAKU_CACHE=str(folder))
    return folder, sealed_folder.seal(folder), result


def test_another_user_runs_kernels_without_compiling(kernels: tuple[Path, str, str]) -> None:
    folder, digest, result = kernels
    setting = f"{folder}@sha256:{digest}"
    assert child(USE, RIKIGAKU_CACHE="off", RIKIGAKU_KERNELS=setting) == result
    assert "compiled" in child(USE, RIKIGAKU_CACHE="off")  # without the folder


def test_a_changed_file_is_not_loaded(kernels: tuple[Path, str, str]) -> None:
    folder, digest, _ = kernels
    (code,) = folder.glob("*.rkc")
    content = code.read_bytes()
    try:
        code.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        setting = f"{folder}@sha256:{digest}"
        assert "compiled" in child(USE, RIKIGAKU_CACHE="off", RIKIGAKU_KERNELS=setting)
    finally:
        code.write_bytes(content)


@pytest.fixture
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIKIGAKU_CACHE", "off")
    (tmp_path / "a.rko").write_bytes(b"content")
    (tmp_path / "a.rko").chmod(0o644)
    tmp_path.chmod(0o755)
    return tmp_path


def test_a_pinned_digest_must_be_that_of_the_manifest(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = sealed_folder.seal(sealed)
    monkeypatch.setenv("RIKIGAKU_KERNELS", f"{sealed}@sha256:{digest}")
    assert sealed_folder.read("a.rko") == b"content"
    assert sealed_folder.read("b.rko") is None
    monkeypatch.setenv("RIKIGAKU_KERNELS", f"{sealed}@sha256:{'0' * 64}")
    with pytest.warns(IgnoredWarning, match="has the digest"):
        assert sealed_folder.read("a.rko") is None


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such permissions")
def test_a_folder_others_may_write_needs_a_digest(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = sealed_folder.seal(sealed)
    sealed.chmod(0o777)
    monkeypatch.setenv("RIKIGAKU_KERNELS", str(sealed))
    with pytest.warns(IgnoredWarning, match="others may write there"):
        assert sealed_folder.read("a.rko") is None
    monkeypatch.setenv("RIKIGAKU_KERNELS", f"{sealed}@sha256:{digest}")
    assert sealed_folder.read("a.rko") == b"content"


@pytest.mark.parametrize(
    "manifest", ["", "{}", "[1]", '{"files": {"../x": "0"}}', '{"files": {"x": 1}}'], ids=range(5)
)
def test_a_damaged_manifest_is_reported(sealed: Path, monkeypatch: pytest.MonkeyPatch, manifest: str) -> None:
    (sealed / sealed_folder.MANIFEST).write_text(manifest)
    (sealed / sealed_folder.MANIFEST).chmod(0o644)
    monkeypatch.setenv("RIKIGAKU_KERNELS", str(sealed))
    with pytest.warns(IgnoredWarning, match="damaged"):
        assert sealed_folder.read("x") is None


def test_a_folder_without_kernels_is_not_sealed(tmp_path: Path) -> None:
    with pytest.raises(WrongValue, match="holds no kernels"):
        sealed_folder.seal(tmp_path)


def test_the_command_shows_clears_and_seals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv("RIKIGAKU_CACHE", str(folder))
    monkeypatch.setenv("RIKIGAKU_CACHE_SIZE", "20")
    disk_cache.write("k.rko", b"m", b"x" * 1_000_000, 10**9)
    disk_cache.write("l.json", b"m", b"y", 10**9)
    assert main(["cache"]) == 0
    shown = capsys.readouterr().out
    assert "2 files, 1.0 of 20 MB" in shown
    assert "programs: 1 files, 1.0 MB" in shown
    assert main(["cache", "seal", str(folder)]) == 0
    assert capsys.readouterr().out.startswith(f"RIKIGAKU_KERNELS={folder}@sha256:")
    assert main(["cache", "clear"]) == 0
    assert list(folder.iterdir()) == []
    monkeypatch.setenv("RIKIGAKU_CACHE", "off")
    assert main(["cache"]) == 2
    assert "There is no cache" in capsys.readouterr().err


def test_the_whole_cache_stays_within_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIKIGAKU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RIKIGAKU_CACHE_SIZE", "0.05")
    monkeypatch.setattr(disk_cache, "source_is_unchanged", lambda: True)
    monkeypatch.setattr(disk_cache, "_WRITES_A_PRUNE", 1)
    for k in range(12):  # kinds in turn; each stays below the limit of its own
        disk_cache.write(f"{k}.{'abc'[k % 3]}", b"m", bytes(10_000), 10**9)
        os.utime(tmp_path / "cache" / f"{k}.{'abc'[k % 3]}", (k, k))
    disk_cache.write("12.a", b"m", bytes(10_000), 10**9)
    left = [file.path.name for file in disk_cache.cached_files(tmp_path / "cache")]
    assert left == ["9.a", "10.b", "11.c", "12.a"]


@pytest.mark.parametrize(("text", "expected"), [("", 1e9), ("5", 5e6), ("many", 1e9), ("nan", 1e9), ("0", 0)])
def test_the_size_is_in_megabytes(monkeypatch: pytest.MonkeyPatch, text: str, expected: float) -> None:
    monkeypatch.setenv("RIKIGAKU_CACHE_SIZE", text)
    assert disk_cache.size_limit() == expected


def test_code_can_be_made_for_older_processors() -> None:
    own = Cpu("x86_64-unknown-linux-gnu", "znver3", "+sse2,+sse4.2,+popcnt,+avx,+avx2,+fma,+bmi,+bmi2")
    assert chosen_cpu(own, "") is own
    assert [chosen_cpu(own, name).width for name in ("x86-64", "x86-64-v2", "x86-64-v3")] == [2, 2, 4]
    assert [chosen_cpu(own, name).fused for name in ("x86-64", "x86-64-v3")] == [False, True]
    with pytest.raises(WrongValue, match="avx512f"):
        chosen_cpu(own, "x86-64-v4")
    with pytest.raises(WrongValue, match="x86-64-v3, x86-64-v4, native here"):
        chosen_cpu(own, "pentium")
    arm = Cpu("aarch64-unknown-linux-gnu", "neoverse-n1", "+neon")
    assert (chosen_cpu(arm, "generic").width, chosen_cpu(arm, "generic").fused) == (2, True)


@pytest.mark.skipif("x86_64" not in native_code.host().triple, reason="SSE2 is a level of x86-64")
def test_code_for_sse2_runs_and_agrees() -> None:
    script = """
import numpy as np, rikigaku as rk
arm = rk.load("ur5")
q, v, a = np.random.default_rng(0).normal(size=(3, 7, 6))
print(arm.inverse_dynamics(q, v, a).tobytes().hex())
"""
    results = [
        np.frombuffer(bytes.fromhex(child(script, RIKIGAKU_CPU=name).strip()))
        for name in ("x86-64", "native")
    ]
    np.testing.assert_allclose(*results, rtol=1e-12, atol=1e-12)
