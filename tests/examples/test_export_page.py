"""The page on export is true: its Python runs, and its snippets compile and print the native numbers."""

import os
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
from export_cases import compiler, program_on_path
from test_documentation import blocks, run

import rikigaku as rk

Q = np.linspace(0.1, 0.6, 6)
ZERO = np.zeros(6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page's Python was run from top to bottom."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "script.py").write_text("\n".join(blocks("export.md", "python")))
    answer = run(folder / "script.py")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines()[:3] == [
        "(100, 6)",
        "puma560_forward_dynamics:(q[6],v[6],tau[6])->(a[6]) SXFunction",
        "Matrix([[q0, q1, q2, q3, q4, q5]])",
    ]
    return folder


@pytest.fixture(scope="module")
def puma() -> rk.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # published inertias no rigid body can have
        return rk.load("puma560")


def test_the_snippet_of_c_prints_the_native_torque(folder: Path, puma: rk.Robot) -> None:
    number = printed(folder, "main.c", "c", *compiler("gcc", "cc"), "main.c", "puma.c", "-lm", "-o", "main")
    assert number == f"{puma.inverse_dynamics(Q, ZERO, ZERO)[1]:.6f}"


def test_the_snippet_of_cpp_prints_the_native_inertia(folder: Path, puma: rk.Robot) -> None:
    number = printed(
        folder, "main.cpp", "cpp", *compiler("g++", "c++"), "-std=c++17", "main.cpp", "-o", "main"
    )
    assert number == f"{puma.mass_matrix(Q)[1, 2]:.6f}"


def test_the_snippet_of_rust_prints_the_native_derivative(folder: Path, puma: rk.Robot) -> None:
    rustc = program_on_path("rustc", "rustc")
    number = printed(folder, "main.rs", "rust", rustc, "--edition", "2021", "main.rs", "-o", "main")
    assert number == f"{puma.forward_dynamics.derivative(Q, ZERO, ZERO).q[1, 2]:.6f}"


def test_the_snippet_of_octave_prints_the_native_force(folder: Path, puma: rk.Robot) -> None:
    (snippet,) = blocks("export.md", "matlab")
    (folder / "main.m").write_text(snippet)
    octave = program_on_path("octave-cli", "octave")
    answer = subprocess.run(
        [octave, "--norc", "main.m"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == f"{puma.gravity_forces(Q)[1]:.6f}"


def test_the_snippet_of_webassembly_prints_the_native_torque(folder: Path, puma: rk.Robot) -> None:
    (snippet,) = blocks("export.md", "js")
    (folder / "main.mjs").write_text(snippet)
    node = program_on_path("node", "nodejs")
    answer = subprocess.run([node, "main.mjs"], cwd=folder, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == f"{puma.inverse_dynamics(Q, ZERO, ZERO)[1]:.6f}"


def printed(folder: Path, file: str, language: str, *command: str) -> str:
    """What the page's snippet of that language prints when compiled by the command."""
    (snippet,) = blocks("export.md", language)
    (folder / file).write_text(snippet)
    subprocess.run(list(command), cwd=folder, check=True)
    return subprocess.run(
        [folder / "main"], capture_output=True, text=True, check=True, env=os.environ
    ).stdout.strip()
