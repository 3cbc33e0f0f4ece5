"""What type checkers say of a user's script that uses every law and every method once."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rikigaku.laws.catalogue import laws_of
from rikigaku.robot.declarations import LawAttribute, LawGroup, Method
from rikigaku.robot.robot import Robot

SCRIPT = Path(__file__).parent / "every_law.py"
ROOT = Path(__file__).parents[2]


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A directory in which mypy keeps what it knows of the package between the tests."""
    return str(tmp_path_factory.mktemp("mypy"))


def _mypy(folder: Path, cache: str, script: Path) -> subprocess.CompletedProcess[str]:
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\n")
    return _run(folder, "mypy", "--config-file", "mypy.ini", "--cache-dir", cache, str(script))


def test_mypy_strict_finds_nothing(tmp_path: Path, cache: str) -> None:
    answer = _mypy(tmp_path, cache, SCRIPT)
    assert answer.returncode == 0, answer.stdout


def test_mypy_strict_finds_nothing_in_the_readme(tmp_path: Path, cache: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert blocks
    (tmp_path / "readme.py").write_text("\n".join(blocks))
    answer = _mypy(tmp_path, cache, tmp_path / "readme.py")
    assert answer.returncode == 0, answer.stdout


def test_pyright_standard_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "every_law.py").write_text(SCRIPT.read_text("utf-8"))
    settings = {"typeCheckingMode": "standard", "include": ["every_law.py"]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    answer = _run(tmp_path, "basedpyright", "-p", str(tmp_path), "--pythonpath", sys.executable)
    assert answer.returncode == 0, answer.stdout


def test_the_checkers_do_see_a_wrong_call(tmp_path: Path, cache: str) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import rikigaku as rk\nrobot = rk.load('planar_2r')\n"
        "robot.inverse_dynamics([0.0], [0.0])\nrobot.inverse_dynamic\n"
        "tau: str = robot.gravity_forces([0.0])\n"
        "robot.mass_matrix.symbolic[0, 0].shap\n"
        "robot.jacobian.fix(frame='hand')()\n"
        "robot.jacobian.fix(axes='local')([0.0])\n"
    )
    answer = _mypy(tmp_path, cache, wrong)
    assert re.search(r'wrong.py:3: error: Missing positional argument "a"', answer.stdout)
    assert re.search(r'wrong.py:4: error: "Robot" has no attribute "inverse_dynamic"', answer.stdout)
    assert re.search(r"wrong.py:5: error: Incompatible types in assignment", answer.stdout)
    assert re.search(r'wrong.py:6: error: "ExactFormula" has no attribute "shap"', answer.stdout)
    assert re.search(r'wrong.py:7: error: Missing positional argument "q"', answer.stdout)
    assert re.search(r'wrong.py:8: error: Missing positional argument "frame"', answer.stdout)


def test_the_script_runs() -> None:
    answer = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


NAMES = [
    *(name for name, x in vars(Robot).items() if isinstance(x, LawAttribute | LawGroup | Method)),
    *(f"reduced.{name}" for name in laws_of("reduced")),
    *(f"space.{name}" for name in laws_of("space")),
]


@pytest.mark.parametrize("name", NAMES)
def test_the_script_uses(name: str) -> None:
    assert re.search(rf"\.{re.escape(name)}\b", SCRIPT.read_text("utf-8"))
