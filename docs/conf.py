"""Sphinx configuration. The version is read from the one place that states it, pyproject.toml."""

import sys
import tomllib
from pathlib import Path

_PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))["project"]

project = _PROJECT["name"]
release = version = _PROJECT["version"]
author = "the rikigaku developers"

sys.path.insert(0, str(Path(__file__).parent))  # law_directive

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "law_directive",
]
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown"}

myst_enable_extensions = ["amsmath", "dollarmath", "colon_fence"]
myst_heading_anchors = 3

autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"{project} {release}"
html_copy_source = False
