"""Place a built documentation beside those of other versions, with a page that leads to the newest.

    python tools/docs_versions.py docs/_build/html SITE

SITE/0.1.0 for a release (the version of pyproject.toml, if its tag is checked out), SITE/latest otherwise;
SITE/versions.json lists them for the menu of every page, SITE/index.html leads to the newest release.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
_LEAD = """<!doctype html><meta charset="utf-8"><title>rikigaku</title>
<meta http-equiv="refresh" content="0; url={0}/"><a href="{0}/">Documentation of rikigaku, {0}</a>
"""


def release_key(name: str) -> tuple[int, ...]:
    """For sorting: 0.10.0 is newer than 0.9.1."""
    return tuple(int(part) for part in name.split("."))


def place(built: Path, site: Path, name: str) -> list[str]:
    """Copy the documentation under that name; the list of versions, newest first."""
    target = site / name
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(built, target)
    folders = [path.name for path in site.iterdir() if path.is_dir()]
    releases = sorted(
        (x for x in folders if re.fullmatch(r"\d+\.\d+\.\d+", x)), key=release_key, reverse=True
    )
    versions = releases + ["latest"] * ("latest" in folders)
    (site / "versions.json").write_text(json.dumps(versions) + "\n", "utf-8")
    (site / "index.html").write_text(_LEAD.format(versions[0]), "utf-8")
    (site / ".nojekyll").touch()
    return versions


def main() -> None:
    built, site = Path(sys.argv[1]), Path(sys.argv[2])
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    tags = subprocess.run(["git", "tag", "--points-at", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    name = version if f"v{version}" in tags.stdout.split() else "latest"
    print(" ".join(place(built, site, name)))


if __name__ == "__main__":
    main()
