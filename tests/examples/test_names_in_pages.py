"""Pages name modules, functions and files that exist; the API page covers the public names."""

import inspect
import re
import typing
from importlib import import_module
from pathlib import Path

import pytest

import rikigaku as rk
from rikigaku.robot.declarations import Method
from rikigaku.web.notebook_widget import RobotView

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
METHODS = [
    name for name, declared in vars(rk.Robot).items() if isinstance(declared, Method) and name[0] != "_"
]
WRITTEN_BY_A_RUN = {"benchmarks/results", "results/", "build/"}


def exists(name):
    """Whether a dotted name is a module of the package, or an attribute of one."""
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for part in parts[k:]:
            if not hasattr(found, part):
                return part in getattr(found, "__annotations__", {})  # a field without a default
            found = getattr(found, part)
        return True
    return False


def file_exists(name, page):
    places = (ROOT, ROOT / "src", ROOT / "src" / "rikigaku", page.parent)
    return name in WRITTEN_BY_A_RUN or any(list(place.glob(name)) for place in places)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_name_of_the_package_on_a_page_exists(page):
    names = set(re.findall(r"(?<!/)\brikigaku(?:\.[A-Za-z_]\w*)+", page.read_text("utf-8")))
    assert [name for name in sorted(names) if not exists(name)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_named_on_a_page_exists(page):
    names = set(re.findall(r"`([\w.*-]+(?:/[\w.*-]*)+|[\w*]+\.py)`", page.read_text("utf-8")))
    ours = {name for name in names if name.endswith((".py", ".pyi", ".toml", ".json", "/")) or "docs" in name}
    assert [name for name in sorted(ours) if not file_exists(name, page)] == []


def test_the_new_names_of_the_changelog_exist():
    """Dotted module names in the right column of the tables of renamed names."""
    rows = re.findall(
        r"^\| (`.*`.*) \| (`.*`.*) \|$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    new = {name for _, right in rows for name in re.findall(r"`([a-z_]+(?:\.[a-zA-Z_]+)+)", right)}
    packages = {path.name for path in (ROOT / "src" / "rikigaku").iterdir()} - {
        "robot"
    }  # robot.x: attributes
    names = [name for name in sorted(new) if name.split(".")[0] in packages]
    assert len(names) > 30
    assert [name for name in names if not exists(f"rikigaku.{name}")] == []
    attributes = [name for name in sorted(new) if re.fullmatch(r"robot\.\w+", name)]
    assert [name for name in attributes if not hasattr(rk.Robot, name.removeprefix("robot."))] == []


@pytest.mark.parametrize("name", sorted({*rk.__all__} - {"__version__", "errors", "RikigakuError"}))
def test_the_api_page_has_every_public_name(name):
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert re.search(rf"(auto\w+:: rikigaku\.(\w+\.)*{name}\b|:members:.*\b{name}\b)", text)


@pytest.mark.parametrize("method", METHODS)
def test_the_class_that_a_method_returns_is_documented(method):
    later = {"RobotView": RobotView}  # annotated as text: its module needs an extra
    result = typing.get_type_hints(vars(rk.Robot)[method].target, localns=later).get("return")
    pages = "".join(page.read_text("utf-8") for page in PAGES)
    if inspect.isclass(result) and result.__module__.startswith("rikigaku."):
        assert re.search(
            rf"(auto\w+:: rikigaku\.(\w+\.)*{result.__name__}\b|:members:.*\b{result.__name__}\b)", pages
        )
