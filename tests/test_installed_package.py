"""The wheel holds what it needs and works where things are missing; the notebooks run from top to bottom."""

import re
import subprocess
import sys
import tarfile
import tomllib
import warnings
import zipfile
from pathlib import Path

import installed_package
import nbformat
import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True, capture_output=True
    )
    return folder


@pytest.fixture(scope="module")
def unpacked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_wheel_holds_every_file_of_the_package_and_its_licences(unpacked: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "src/rikigaku"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    expected = {name.removeprefix("src/") for name in tracked if name}
    found = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert expected <= found
    information = f"rikigaku-{PROJECT['version']}.dist-info"
    assert {path for path in found - expected if not path.endswith(".py")} == {
        f"{information}/{name}"
        for name in (
            "METADATA",
            "WHEEL",
            "RECORD",
            "entry_points.txt",
            "licenses/LICENSE",
            "licenses/src/rikigaku/web/static/LICENSES.txt",
        )
    }
    metadata = (unpacked / information / "METADATA").read_text("utf-8")
    assert "License-Expression: Apache-2.0 AND MIT" in metadata
    assert "# rikigaku" in metadata


def test_the_sdist_builds_the_same_wheel(built: Path, unpacked: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist"]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").iterdir()
    (first,) = built.glob("*.whl")
    assert wheel.read_bytes() == first.read_bytes()
    for name in ("dev", "examples/first_steps.py", "notebooks/first_steps.ipynb", "requirements/run.txt"):
        assert (source / name).is_file()


@pytest.mark.parametrize("name", installed_package.CHECKS)
def test_the_wheel_works(unpacked: Path, tmp_path: Path, name: str) -> None:
    script, environment = installed_package.CHECKS[name]
    where = f"import sys\nsys.path.insert(0, {str(unpacked)!r})\n"
    shown = "\nassert rk.__file__.startswith(" + repr(str(unpacked)) + "), rk.__file__"
    installed_package.run(sys.executable, where + script + shown, environment, tmp_path)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_the_notebook_runs(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in installed_package.notebook_cells(file):
            exec(compile(text, file.name, "exec"), names)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_the_notebook_is_valid_without_stored_results_and_opens_in_colab(file: Path) -> None:
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") for cell in notebook.cells)
    address = PROJECT["urls"]["Source"].removeprefix("https://")
    colab = f"https://colab.research.google.com/{address.replace('github.com', 'github')}/blob/main/notebooks"
    assert f"({colab}/{file.name})" in notebook.cells[0].source
    assert f"notebooks/{file.name}" in (ROOT / "docs" / "notebook.md").read_text("utf-8")


def test_there_is_a_notebook_for_every_subject() -> None:
    subjects = "beams contact first_steps formulas identification learning loops space"
    assert [file.stem for file in NOTEBOOKS] == subjects.split()


def test_the_readme_begins_with_the_installation() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    (first,) = re.findall(r"^```sh\n(.*)$", text, re.MULTILINE)[:1]
    assert first.startswith("pip install rikigaku")
    assert "./dev demo" in text
    assert "./dev test" in text


def test_every_address_of_the_repository_is_that_of_the_project() -> None:
    own = PROJECT["urls"]["Source"]
    files = ["README.md", "CITATION.cff", ".github/ISSUE_TEMPLATE/config.yml", "paper/paper.md"]
    for name in files:
        found = re.findall(r"https://github\.com/[\w-]+/rikigaku", (ROOT / name).read_text("utf-8"))
        assert set(found) == {own}, name
    assert f"\nversion: {PROJECT['version']}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_lower_bounds_become_the_oldest_versions() -> None:
    assert installed_package.lowest(["numpy>=2.0.0,<3", "sympy>=1.13"]) == ["numpy==2.0.0", "sympy==1.13"]


def test_every_picture_of_the_gallery_is_written_by_its_example() -> None:
    shown = re.findall(
        r"!\[\]\(_static/(\w+)\.png\) `examples/(\w+\.py)`", (ROOT / "docs" / "gallery.md").read_text("utf-8")
    )
    assert len(shown) >= 18
    for picture, example in shown:
        assert (ROOT / "docs" / "_static" / f"{picture}.png").is_file()
        text = (ROOT / "examples" / example).read_text("utf-8")
        assert f"{picture}.png" in text or f'"{picture}"' in text, picture
