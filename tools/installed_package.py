"""Use the wheel as a new user does: a clean environment, no checkout; README, a notebook, things missing.

    python tools/installed_package.py --environment DIR --wheel dist [--dependencies oldest]

Installs with uv where there is one, else with pip. Every check runs in a process and a folder of its own; the
times are those that a user waits.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent

_BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
"""
_LAWS = """
import numpy as np
import rikigaku as rk
arm = rk.load("planar_3r")
assert arm.gravity_forces(np.zeros((5, 3))).shape == (5, 3)
assert arm.mass_matrix([0.1, 0.2, 0.3]).shape == (3, 3)
"""
# What must work where something is missing: by name, a script and the environment it runs in.
CHECKS: dict[str, tuple[str, dict[str, str]]] = {
    "without matplotlib": (
        'BLOCKED = {"matplotlib"}'
        + _BLOCKED
        + _LAWS
        + """
solution = rk.simulate(arm, [0.1, 0.2, 0.3], duration=0.1)
assert solution.status == "done"
for picture in (lambda: arm.plot([0, 0, 0]), solution.plot):
    try:
        picture()
    except rk.RikigakuError as error:
        assert "pip install" in str(error), error
    else:
        raise AssertionError("a picture without matplotlib")
""",
        {},
    ),
    "SymPy loaded late": (
        _LAWS
        + """
import sys
formula = rk.load("planar_2r").mass_matrix.symbolic[0, 0]
formula.latex(), formula.combined(), str(formula)
assert "sympy" not in sys.modules
assert formula.sympy().free_symbols
assert "sympy" in sys.modules
""",
        {},
    ),
    "home that cannot be written": (  # a path below a device: refused to everyone, root too
        _LAWS
        + """
from rikigaku.core import disk_cache
assert disk_cache.directory() is None
assert arm.inverse_dynamics([0.1, 0.2, 0.3], [0, 0, 0], [0, 0, 0]).shape == (3,)
""",
        {
            "HOME": f"{os.devnull}/home",
            "XDG_CACHE_HOME": f"{os.devnull}/cache",
            "LOCALAPPDATA": f"{os.devnull}/local",
            "RIKIGAKU_CACHE": "",
        },
    ),
    "no compiler and no other program": (
        _LAWS
        + """
import shutil
assert shutil.which("cc") is None and shutil.which("gcc") is None
assert "void " in arm.mass_matrix.export("c")
""",
        {"PATH": "", "RIKIGAKU_CACHE": "off"},
    ),
}


def run(python: str, script: str, environment: dict[str, str], folder: Path) -> str:
    """The output of a script in a process of its own, without the checkout. Raises with its error output."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [python, "-P", "-c", script],
        cwd=folder,
        env={**kept, "MPLBACKEND": "Agg", **environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def readme_code() -> str:
    """The Python of the README, from top to bottom."""
    text = (ROOT / "README.md").read_text("utf-8")
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def notebook_cells(file: Path) -> list[str]:
    """The code cells of a notebook, without the one that installs the package on Colab."""
    cells = json.loads(file.read_text("utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [text for text in texts if "%pip" not in text]


def lowest(dependencies: list[str]) -> list[str]:
    """The requirements with each lower bound as the version."""
    return [re.sub(r">=([^,<]+).*", r"==\1", text) for text in dependencies]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--environment", required=True, type=Path, help="a virtual environment to install into"
    )
    parser.add_argument("--wheel", required=True, type=Path, help="the folder with the wheel")
    parser.add_argument("--dependencies", choices=("newest", "oldest"), default="newest")
    options = parser.parse_args()
    place = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    python = str(options.environment.resolve().joinpath(*place))
    (wheel,) = options.wheel.glob("rikigaku-*.whl")
    wanted = [str(wheel)]
    if options.dependencies == "oldest":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        wanted += lowest([text.partition(";")[0].strip() for text in project["dependencies"]])
    if uv := shutil.which("uv"):
        install = [uv, "pip", "install", "--quiet", "--python", python]
    else:
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    began = time.perf_counter()
    subprocess.run([*install, *wanted], check=True)
    print(f"{time.perf_counter() - began:6.1f} s  install")
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cache = {"RIKIGAKU_CACHE": str(folder / "cache")}
        scripts = {
            "README": (readme_code(), cache),
            "README again, from the cache": (readme_code(), cache),
            "notebook first_steps": (
                "\n".join(notebook_cells(ROOT / "notebooks" / "first_steps.ipynb")),
                cache,
            ),
            **CHECKS,
        }
        for what, (script, environment) in scripts.items():
            began = time.perf_counter()
            try:
                run(python, script, environment, folder)
            except RuntimeError as error:
                failed += 1
                print(error, file=sys.stderr)
                what += ": FAILED"
            print(f"{time.perf_counter() - began:6.1f} s  {what}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
