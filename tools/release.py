"""Check that a release is complete, and build its files.

    python tools/release.py --tag v0.1.0 --build dist

The tag is the version of pyproject.toml and CITATION.cff; the changelog has a dated section for it; the built
front end belongs to its source; the stub of Robot is current; the working tree is clean. Then sdist and wheel
are built and the wheel is compared with the tracked files. Publishing is left to the workflow `release`.
"""

import argparse
import hashlib
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def problems(root: Path, tag: str) -> list[str]:
    """What is missing for a release under that tag; empty if nothing is."""
    found = []
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    if tag != f"v{version}":
        found.append(
            f"The tag is {tag}, the version of pyproject.toml {version}; the tag must be v{version}."
        )
    if f"\nversion: {version}\n" not in (root / "CITATION.cff").read_text("utf-8"):
        found.append(f"CITATION.cff does not say version {version}.")
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE):
        found.append(f'CHANGELOG.md has no dated section: "## [{version}] - 2026-01-31".')
    return found


def front_end_digest(web: Path) -> str:
    """SHA-256 of the sources of the front end, as web/vite.config.ts computes it."""
    files = ("package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")
    digest = hashlib.sha256()
    for path in [*_by_folder(web / "src"), *(web / name for name in files)]:
        digest.update(f"{path.relative_to(web).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _by_folder(folder: Path) -> list[Path]:
    found: list[Path] = []
    for entry in folder.iterdir():
        found += _by_folder(entry) if entry.is_dir() else [entry]
    return sorted(found, key=str)


def front_end_problems(root: Path) -> list[str]:
    """Whether the built front end in the package belongs to its source."""
    recorded = (root / "src/rikigaku/web/static/source.sha256").read_text("utf-8").strip()
    if recorded == front_end_digest(root / "web"):
        return []
    return ["The built front end does not belong to its source; run ./dev web and commit the result."]


def _state_problems() -> list[str]:
    """What the repository itself says: changed files, generated files that are not current."""
    found = []
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True).stdout:
        found.append("The working tree has changes; commit or remove them.")
    before = (ROOT / "src/rikigaku/robot/robot.pyi").read_bytes()
    subprocess.run([sys.executable, "tools/robot_stub.py"], cwd=ROOT, check=True)
    if (ROOT / "src/rikigaku/robot/robot.pyi").read_bytes() != before:
        found.append("robot.pyi was not current; commit the new one.")
    return found + front_end_problems(ROOT)


def missing_files(wheel: Path) -> set[str]:
    """Tracked files of the package that the wheel does not hold."""
    tracked = subprocess.run(["git", "ls-files", "src/rikigaku"], cwd=ROOT, capture_output=True, text=True)
    with zipfile.ZipFile(wheel) as archive:
        return {name.removeprefix("src/") for name in tracked.stdout.split()} - set(archive.namelist())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tag", required=True, help="as v0.1.0")
    parser.add_argument("--build", type=Path, help="folder for sdist and wheel")
    options = parser.parse_args()
    found = problems(ROOT, options.tag)
    if options.build and not found:
        found = _state_problems()
    if options.build and not found:
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(options.build)]
        subprocess.run(command, cwd=ROOT, check=True)
        (wheel,) = options.build.glob("*.whl")
        found = [f"The wheel lacks {name}." for name in sorted(missing_files(wheel))]
    for line in found:
        print(f"release: {line}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
