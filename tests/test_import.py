"""What `import rikigaku` loads: itself and NumPy, nothing that takes long."""

import os
import subprocess
import sys

import pytest

import rikigaku


def loaded_after(program: str) -> set[str]:
    """The top packages in a fresh interpreter after running the program."""
    text = f"{program}\nimport sys\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", text]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    return loaded_after("import rikigaku")


SLOW = ["sympy", "matplotlib", "llvmlite", "flint", "scipy", "tomlkit", "mpmath", "casadi"]


@pytest.mark.parametrize("package", SLOW)
def test_importing_the_package_does_not_load(loaded: set[str], package: str) -> None:
    assert package not in loaded


def test_importing_the_package_loads_numpy_and_itself(loaded: set[str]) -> None:
    assert {"numpy", "rikigaku"} <= loaded


def test_a_numeric_law_needs_neither_sympy_nor_plots() -> None:
    used = loaded_after("import rikigaku as rk\nrk.load('planar_3r').gravity_forces([0.1, 0.2, 0.3])")
    assert "llvmlite" in used
    assert not used & {"sympy", "matplotlib", "flint", "scipy"}


def test_formulas_need_flint_and_no_sympy_until_requested() -> None:
    used = loaded_after("import rikigaku as rk\nprint(rk.load('planar_2r').mass_matrix.symbolic)")
    assert "flint" in used
    assert not used & {"sympy", "matplotlib", "scipy"}


def test_every_public_name_exists() -> None:
    for name in rikigaku.__all__:
        assert getattr(rikigaku, name) is not None
    assert set(rikigaku.__all__) <= set(dir(rikigaku))
