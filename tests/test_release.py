"""The tools of a release: what is missing is named; versions of the documentation lie beside each other."""

import json
from pathlib import Path

import docs_versions
import release

WORKFLOWS = Path(__file__).parent.parent / ".github" / "workflows"


def project(
    folder: Path, version: str = "0.2.0", citation: str = "0.2.0", heading: str = "2026-05-01"
) -> Path:
    (folder / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    (folder / "CITATION.cff").write_text(f"title: x\nversion: {citation}\n")
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## [{version}] - {heading}\n")
    return folder


def test_a_complete_release_has_no_problems(tmp_path: Path) -> None:
    assert release.problems(project(tmp_path), "v0.2.0") == []


def test_every_disagreement_of_a_release_is_named(tmp_path: Path) -> None:
    found = release.problems(project(tmp_path, citation="0.1.0", heading="unreleased"), "v0.3.0")
    assert [line.split()[0] for line in found] == ["The", "CITATION.cff", "CHANGELOG.md"]
    assert "must be v0.2.0" in found[0]


def test_documentation_of_a_release_stays_beside_newer_ones(tmp_path: Path) -> None:
    built, site = tmp_path / "html", tmp_path / "site"
    built.mkdir()
    site.mkdir()
    for name, text in (("0.9.1", "old"), ("0.10.0", "new"), ("latest", "main"), ("latest", "main again")):
        (built / "index.html").write_text(text)
        versions = docs_versions.place(built, site, name)
    assert versions == ["0.10.0", "0.9.1", "latest"] == json.loads((site / "versions.json").read_text())
    assert (site / "0.9.1" / "index.html").read_text() == "old"
    assert (site / "latest" / "index.html").read_text() == "main again"
    assert "url=0.10.0/" in (site / "index.html").read_text()


def test_a_front_end_that_was_not_built_from_its_source_is_named(tmp_path: Path) -> None:
    web, static = tmp_path / "web", tmp_path / "src" / "rikigaku" / "web" / "static"
    (web / "src" / "views").mkdir(parents=True)
    static.mkdir(parents=True)
    for name in ("package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "src/views/a.ts"):
        (web / name).write_text(name)
    (static / "source.sha256").write_text(release.front_end_digest(web) + "\n")
    assert release.front_end_problems(tmp_path) == []
    (web / "src" / "views" / "a.ts").write_text("changed")
    assert "run ./dev web" in release.front_end_problems(tmp_path)[0]


def test_the_release_workflow_installs_what_its_script_imports() -> None:
    commands = (WORKFLOWS / "release.yml").read_text("utf-8").split("tools/release.py --tag")[0]
    assert "--require-hashes -r requirements/run.txt" in commands  # hatchling is among them
    assert "--no-deps --no-build-isolation -e ." in commands


def test_no_workflow_hides_a_failure() -> None:
    for file in WORKFLOWS.glob("*.yml"):
        assert "|| true" not in file.read_text("utf-8"), file.name
