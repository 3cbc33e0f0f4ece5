"""The built front end is the build of its source; its own tests pass where node is installed."""

import os
import shutil
import subprocess
from pathlib import Path

import release
import web_documents

ROOT = Path(__file__).parent.parent.parent
WEB, STATIC = ROOT / "web", ROOT / "src" / "rikigaku" / "web" / "static"


def has_node() -> bool:
    return shutil.which("node") is not None and (WEB / "node_modules" / "vite").is_dir()


def test_the_built_file_was_built_from_these_sources() -> None:
    assert release.front_end_problems(ROOT) == []


def test_a_new_build_gives_the_same_bytes_and_the_front_end_passes_its_tests(tmp_path: Path) -> None:
    """Where node is not installed the recorded digest alone is compared, by the test above."""
    if not has_node():
        assert (STATIC / "rikigaku.js").stat().st_size > 100_000
        return
    environment = {**os.environ, "RIKIGAKU_WEB_OUT": str(tmp_path / "built")}
    subprocess.run(["npx", "vite", "build"], cwd=WEB, env=environment, check=True, capture_output=True)
    for built in sorted((tmp_path / "built").iterdir()):
        assert built.read_bytes() == (STATIC / built.name).read_bytes(), f"{built.name}: run ./dev web"
    web_documents.write_documents(tmp_path / "documents")
    environment = {**os.environ, "RIKIGAKU_DOCUMENTS": str(tmp_path / "documents")}
    for command in (["npx", "tsc", "--noEmit"], ["npx", "vitest", "run"]):
        answer = subprocess.run(command, cwd=WEB, env=environment, capture_output=True, text=True)
        assert answer.returncode == 0, answer.stdout + answer.stderr


def test_licences_and_texts_are_beside_the_bundle() -> None:
    licences = (STATIC / "LICENSES.txt").read_text("utf-8")
    for name in ("three ", "katex ", "uplot ", "preact "):
        assert name in licences
    assert licences.count("MIT") >= 4
    assert '"resolved"' not in (WEB / "package-lock.json").read_text("utf-8")  # no address of a registry
