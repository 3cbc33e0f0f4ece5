"""Exported WebAssembly: run by wasmtime, it agrees with the native kernel to rounding."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wasmtime
from export_cases import Array, Case, close, difficult_cases, every_law, looped_case, puma

import rikigaku as rk
from rikigaku.core.errors import RikigakuError
from rikigaku.export.wasm_module import wasm_module
from rikigaku.numbers import elementary_functions as functions
from rikigaku.numbers.program import trace
from rikigaku.symbolic.inverse_kinematics.solution_program import branch_program


class Instance:
    """A module at work, with its functions of arrays."""

    def __init__(self, content: bytes) -> None:
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        self.module = wasmtime.Module(engine, content)
        self.exports = wasmtime.Instance(self.store, self.module, []).exports(self.store)
        self.memory: Any = self.exports["memory"]
        heap: Any = self.exports["heap_base"]
        self.base = heap.value(self.store)
        self.laws = json.loads(_custom_section(content, "rikigaku"))["laws"]

    def __call__(self, name: str, inputs: list[Array], overlap: bool = False) -> list[Array]:
        given = np.concatenate([np.ravel(x).astype(float) for x in inputs]) if inputs else np.zeros(0)
        shapes = [tuple(port["shape"]) for port in self.laws[name]["outputs"]]
        sizes = [int(np.prod(shape)) for shape in shapes]
        out = self.base if overlap else self.base + 8 * given.size
        last = out + 8 * (sum(sizes) + given.size)
        if (missing := last // 65536 + 1 - self.memory.size(self.store)) > 0:
            self.memory.grow(self.store, missing)
        self.memory.write(self.store, given.tobytes(), self.base)
        function: Any = self.exports[name]
        function(self.store, self.base, out)
        found = np.frombuffer(bytes(self.memory.read(self.store, out, out + 8 * sum(sizes))))
        parts = np.split(found, np.cumsum(sizes)[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def _custom_section(content: bytes, name: str) -> bytes:
    """The content of a custom section, by the rules of the binary format."""
    at = 8

    def number() -> int:
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = content[at]
            value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
            if not byte & 0x80:
                return value

    while at < len(content):
        kind, at = content[at], at + 1
        size = number()
        end = at + size
        if kind == 0:
            length = number()
            if content[at : at + length].decode() == name:
                return content[at + length : end]
        at = end
    raise AssertionError(f"no section {name}")


def agrees(case: Case) -> None:
    instance = Instance(case.export("wasm", name="law"))
    assert close(instance("law", case.inputs), case.wanted), case.law


def test_wasm_of_every_law_of_the_puma_agrees_with_the_native_kernel() -> None:
    for case in every_law(puma()):
        agrees(case)


def test_wasm_of_difficult_laws_agrees_with_the_native_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    for case in [*difficult_cases(), looped_case(monkeypatch)]:
        agrees(case)


def test_wasm_of_a_humanoids_derivatives_agrees_with_the_native_kernel() -> None:
    robot = rk.load("humanoid_17")
    law = robot.inverse_dynamics
    rng = np.random.default_rng(5)
    q, v, a = rng.normal(size=(3, robot.nv))
    wanted = law.derivative(q, v, a)
    instance = Instance(law.export("wasm", name="law", derivative=True))
    for found, exact in zip(instance("law", [q, v, a]), wanted, strict=True):
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12 * np.abs(exact).max())


def test_several_laws_share_a_module_and_outputs_may_overlap_inputs() -> None:
    arm = rk.load("panda")
    programs = {"M": arm.mass_matrix.program(), "tau": arm.inverse_dynamics.program()}
    instance = Instance(wasm_module(programs))
    q, v, a = np.random.default_rng(1).normal(size=(3, arm.nv))
    np.testing.assert_allclose(instance("M", [q])[0], arm.mass_matrix(q), atol=1e-13)
    tau = arm.inverse_dynamics(q, v, a)
    for overlap in (False, True):
        np.testing.assert_allclose(instance("tau", [q, v, a], overlap)[0], tau, atol=1e-12)
    assert [port["name"] for port in instance.laws["tau"]["inputs"]] == ["q", "v", "a"]


@pytest.mark.parametrize("name", ["planar_2r", "scara", "ur5"])
def test_branches_of_a_configuration_are_those_of_its_pose(name: str) -> None:
    robot = rk.load(name)
    values = {x: 0.4 + 0.1 * k for k, x in enumerate(robot.free_symbols)}
    ik = robot.inverse_kinematics_formulas("hand")
    instance = Instance(wasm_module({"branches": branch_program(ik, values)}))
    for q in np.random.default_rng(1).uniform(-1.2, 1.2, (20, robot.nq)):
        wanted = ik.solve(robot.pose(q, "hand", **values), **values)
        (found,) = instance("branches", [q])
        np.testing.assert_array_equal(np.isfinite(found).all(axis=-1), wanted.valid)
        np.testing.assert_allclose(found[wanted.valid], wanted.q[wanted.valid], atol=1e-9)
        assert (np.abs(np.sin((found[wanted.valid] - q) / 2)).max(axis=-1) < 1e-9).any()


def test_sines_and_cosines_are_accurate_up_to_large_angles() -> None:
    program = trace("f", [("x", ())], lambda x: {"s": functions.sin(x), "c": functions.cos(x)})
    instance = Instance(wasm_module({"f": program}))
    rng = np.random.default_rng(2)
    near = [*rng.uniform(-10, 10, 300), *(k * np.pi / 4 for k in range(-20, 21)), 0.0, -0.0, 1e-300]
    far = [*rng.uniform(-1.6e6, 1.6e6, 300), *(np.float64(k) * np.pi / 2 for k in (10**3, 10**5, 10**6))]
    for x in (*near, *far):
        s, c = instance("f", [np.array(x)])
        assert abs(s - np.sin(x)) <= 2.3e-16
        assert abs(c - np.cos(x)) <= 2.3e-16
    for x in (np.inf, -np.inf, np.nan, 1e13):
        assert np.isnan(instance("f", [np.array(x)])).all()


def test_signs_and_choices_are_those_of_the_native_kernel() -> None:
    program = trace(
        "f",
        [("x", ()), ("y", ())],
        lambda x, y: {"sign": functions.sign(x * y), "least": functions.where(x < y, x, y)},
    )
    instance = Instance(wasm_module({"f": program}))
    for x, y in [(2.0, 3.0), (-2.0, 3.0), (0.0, 1.0), (4.0, -1.0)]:
        sign, least = instance("f", [np.array(x), np.array(y)])
        assert sign == np.sign(x * y)
        assert least == min(x, y)


def test_a_module_is_written_to_its_file(tmp_path: Path) -> None:
    law = rk.load("planar_2r").gravity_forces
    content = law.export("wasm", tmp_path / "law.wasm")
    assert (tmp_path / "law.wasm").read_bytes() == content
    with pytest.raises(RikigakuError, match=r"ends in '\.wasm'"):
        law.export("wasm", tmp_path / "law.js")
    with pytest.raises(RikigakuError, match="memory"):
        law.export("wasm", name="memory")


def test_the_code_of_shared_comparisons_grows_with_their_number() -> None:
    """Two choices share each comparison, whose argument is the choice before: it is computed once."""

    def nested(levels: int) -> bytes:
        def law(x: Any) -> dict[str, Any]:
            u, total = x, x
            for k in range(1, levels + 1):
                below = u < 0.1 * k
                total = total + functions.where(below, x, float(k))
                u = functions.where(below, x + k, x - k)
            return {"y": total + u}

        return wasm_module({"law": trace("law", [("x", ())], law)})

    sizes = [len(nested(levels)) for levels in (4, 8, 12)]
    assert sizes[2] - sizes[1] < 1.5 * (sizes[1] - sizes[0])
