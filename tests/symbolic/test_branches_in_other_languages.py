"""Branches of inverse kinematics in C, Rust, Python, Octave and WebAssembly: executed, beside native code."""

import ctypes
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "export"))
from export_cases import program_on_path, run
from test_export_octave import octave
from test_export_rust import with_pointers
from test_export_wasm import Instance

import rikigaku as rk
from rikigaku.numbers.program import Port

pytestmark = pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")
ROBOTS = ("puma560", "ur5", "stanford", "scara")
_POSES = 6


@dataclass(frozen=True)
class Branches:
    """Exported branches of a robot's hand, poses within and beyond the reach, and the native answer."""

    formulas: Any
    poses: np.ndarray
    symbols: dict[str, float]
    wanted: np.ndarray

    @property
    def ports(self) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
        count, joints = self.wanted.shape[1:]
        scalars = tuple(Port(name, ()) for name in self.symbols)
        return (Port("p", (3,)), Port("R", (3, 3)), *scalars), (
            Port("q", (count, joints)),
            Port("error", (count,)),
            Port("radicand", (count,)),
        )

    def inputs(self) -> Iterator[list[Any]]:
        for T in self.poses:
            yield [T[:3, 3].copy(), T[:3, :3].copy(), *self.symbols.values()]

    def agree(self, found: Any) -> None:
        """All branches of the native kernel, NaN where it has NaN."""
        found = np.asarray(found).reshape(self.wanted.shape)
        np.testing.assert_array_equal(np.isnan(found).all(axis=-1), np.isnan(self.wanted).all(axis=-1))
        assert not (np.isnan(found).any(axis=-1) & ~np.isnan(found).all(axis=-1)).any()
        np.testing.assert_allclose(np.sin(found), np.sin(self.wanted), atol=1e-9)
        np.testing.assert_allclose(np.cos(found), np.cos(self.wanted), atol=1e-9)


@cache
def branches(name: str) -> Branches:
    robot = rk.load(name)
    q = robot.random_state(5, _POSES).q
    poses = robot.pose(q, "hand")
    poses[-1, :3, 3] *= 4  # out of reach
    if name == "scara":  # a pose beside those that four joints reach
        poses[-2, :3, :3] = poses[-2, :3, :3] @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    found = robot.inverse_kinematics(poses, "hand", all=True, limits=False)  # the native kernel
    assert found.method == "formulas"
    wanted = np.where(found.multiplicity[..., None] > 0, found.q, np.nan)
    assert np.isfinite(wanted[:-2]).any()
    assert name == "stanford" or np.isnan(wanted[-1]).all()  # its prismatic joint reaches any distance
    values = {x: robot.declared_values[x] for x in robot.free_symbols}
    formulas = robot.inverse_kinematics_formulas("hand")
    read = formulas.export("python", name="ik").split("def ik(")[1].split(")")[0]
    used = {x: v for x, v in values.items() if x in [word.split(":")[0].strip() for word in read.split(",")]}
    return Branches(formulas, poses, used, wanted)


def pointers(function: Any, case: Branches) -> np.ndarray:
    """The function of pointers at each pose; scalars by value."""
    rows = []
    for inputs in case.inputs():
        q, error, radicand = np.zeros(case.wanted.shape[1:]), *np.zeros((2, case.wanted.shape[1]))
        arguments = [
            x.ctypes.data_as(ctypes.c_void_p) if isinstance(x, np.ndarray) else ctypes.c_double(x)
            for x in (*inputs, q, error, radicand)
        ]
        function.restype = None
        function(*arguments)
        rows.append(q)
    return np.array(rows)


def test_c_has_the_branches_of_the_native_kernel(tmp_path: Path) -> None:
    for name in ROBOTS:
        branches(name).formulas.export("c", tmp_path / f"{name}.c", name=f"{name}_ik")
    library = str(tmp_path / "ik.so")
    files = [str(tmp_path / f"{name}.c") for name in ROBOTS]
    compiler = program_on_path("gcc", "gcc")
    run([compiler, "-shared", "-fPIC", "-O0", *files, "-lm", "-o", library])
    for name in ROBOTS:
        branches(name).agree(pointers(ctypes.CDLL(library)[f"{name}_ik"], branches(name)))


def test_rust_has_the_branches_of_the_native_kernel(tmp_path: Path) -> None:
    glue = ["#![deny(warnings)]"]
    for name in ROBOTS:
        case = branches(name)
        case.formulas.export("rust", tmp_path / f"{name}.rs", name)
        glue += [f"mod {name};", with_pointers(case, name)]  # type: ignore[arg-type]
    (tmp_path / "laws.rs").write_text("\n".join(glue))
    options = ["--edition", "2021", "--crate-type", "cdylib", "-C", "opt-level=0", "-o"]
    library = str(tmp_path / "ik.so")
    run([program_on_path("rustc", "rustc"), *options, library, str(tmp_path / "laws.rs")])
    for name in ROBOTS:
        branches(name).agree(pointers(ctypes.CDLL(library)[f"call_{name}"], branches(name)))


@pytest.mark.parametrize("name", ROBOTS)
def test_python_and_webassembly_have_the_branches_of_the_native_kernel(name: str) -> None:
    case = branches(name)
    module: dict[str, Any] = {}
    exec(case.formulas.export("python", name="ik"), module)  # the text is our own
    p, R = case.poses[:, :3, 3], case.poses[:, :3, :3]
    with np.errstate(all="ignore"):
        case.agree(module["ik"](p, R, *case.symbols.values())[0])
    instance = Instance(case.formulas.export("wasm", name="ik"))
    case.agree([instance("ik", inputs)[0] for inputs in case.inputs()])


def test_octave_has_the_branches_of_the_native_kernel(tmp_path: Path) -> None:
    script = []
    for name in ROBOTS:
        case = branches(name)
        case.formulas.export("octave", tmp_path / f"{name}_ik.m", name=f"{name}_ik")
        for p, R, *symbols in case.inputs():
            numbers = ", ".join(map(repr, map(float, symbols)))
            rows = "; ".join(" ".join(f"{float(x)!r}" for x in row) for row in R)
            values = f"[{'; '.join(repr(float(x)) for x in p)}], [{rows}]" + (
                f", {numbers}" if numbers else ""
            )
            script.append(f"q = {name}_ik({values}); printf('%.17g ', q.'); printf('\\n');")
    lines = iter(octave("\n".join(script), tmp_path).splitlines())
    for name in ROBOTS:
        case = branches(name)
        case.agree([np.array(next(lines).split(), float) for _ in range(_POSES)])
