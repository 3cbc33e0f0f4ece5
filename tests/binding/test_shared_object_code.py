"""Renamed robots and robots with other numbers reuse object code; each keeps its own values."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.compiler import kernel, native_code, object_cache
from rikigaku.compiler.kernel import Kernel
from rikigaku.model.beam_section import Section
from rikigaku.model.joint import Limits
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.program import Program, trace

EARTH, MOON = (0, 0, -9.81), (0, 0, -1.62)
LAWS = ("inverse_dynamics", "forward_dynamics", "gravity_forces", "potential_energy")


class Compilations(list[str]):
    """The texts compiled so far; `forget` is a new process that finds no cache."""

    forget: Callable[[], None]


@pytest.fixture
def compilations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compilations:
    texts, compiled = Compilations(), native_code.object_code

    def counted(text: str, optimise: bool = False) -> bytes:
        texts.append(text)
        return compiled(text, optimise)

    def forget() -> None:
        monkeypatch.setenv("RIKIGAKU_CACHE", str(tmp_path / str(len(texts))))
        monkeypatch.setattr(kernel, "_loaded", {})
        monkeypatch.setattr(object_cache, "_in_memory", {})

    monkeypatch.setattr(native_code, "object_code", counted)
    texts.forget = forget
    forget()
    return texts


def value(robot: rk.Robot, law: str, count: int = 0) -> np.ndarray:
    """The law at a random state (count 0) or a batch of them."""
    rng, shape = np.random.default_rng(2), (count,) if count else ()
    bound = getattr(robot, law)
    sizes = {"q": robot.nq, "v": robot.nv, "a": robot.nv, "tau": robot.nv}
    return np.asarray(bound(*(rng.normal(size=(*shape, sizes[name])) for name in bound.law.inputs)))


@pytest.mark.parametrize("count", [0, 37])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ["puma560", "humanoid_17", "scara"])
def test_another_magnitude_of_gravity_compiles_nothing(
    name: str, law: str, count: int, compilations: Compilations
) -> None:
    earth = rk.load(name).with_gravity(EARTH)
    moon = earth.with_gravity(MOON)
    on_earth = value(earth, law, count)
    before = len(compilations)
    assert before
    on_moon = value(moon, law, count)
    assert len(compilations) == before
    assert not np.array_equal(on_moon, on_earth)
    assert np.array_equal(value(earth, law, count), on_earth)  # both live: each has constants of its own
    assert np.array_equal(value(moon, law, count), on_moon)
    compilations.forget()
    assert np.array_equal(value(rk.load(name).with_gravity(MOON), law, count), on_moon)
    assert len(compilations) > before


def test_threads_and_derivatives_use_the_gravity_of_their_robot(compilations: Compilations) -> None:
    earth = rk.load("ur5").with_gravity(EARTH)
    moon = earth.with_gravity(MOON)
    q = np.random.default_rng(1).normal(size=(120_000, 6))
    on_earth, slope = earth.gravity_forces(q), earth.gravity_forces.derivative(q[:9]).q
    before = len(compilations)
    assert np.allclose(moon.gravity_forces(q), on_earth * (1.62 / 9.81), rtol=1e-12, atol=1e-12)
    assert np.allclose(moon.gravity_forces.derivative(q[:9]).q, slope * (1.62 / 9.81), rtol=1e-12, atol=1e-12)
    assert len(compilations) == before


def test_exports_and_formulas_hold_the_gravity_of_their_robot(compilations: Compilations) -> None:
    moon = rk.load("planar_2r").with_gravity(EARTH).with_gravity((0, -1.62, 0))
    text = moon.gravity_forces.export("python")
    assert "1.62" in text
    assert "9.81" not in text
    assert "-0.81*(l1*cos(q1)*(m1 + 2*m2)" in str(moon.gravity_forces.symbolic[0])  # half of 1.62


def test_operation_counts_do_not_depend_on_the_magnitude_of_gravity() -> None:
    earth = rk.load("puma560")
    assert str(earth.inverse_dynamics.operations).startswith("194 mul, 161 add")
    for law in LAWS:
        counts = [str(getattr(r, law).operations) for r in (earth, earth.with_gravity(MOON))]
        assert counts[0] == counts[1]


def test_zero_gravity_is_a_structure_of_its_own(compilations: Compilations) -> None:
    earth = rk.load("ur5").with_gravity(EARTH)
    value(earth, "inverse_dynamics")
    before = len(compilations)
    weightless = earth.with_gravity((0, 0, 0))
    assert weightless.inverse_dynamics.operations.mul < earth.inverse_dynamics.operations.mul
    assert np.all(value(weightless, "gravity_forces") == 0.0)
    assert len(compilations) > before


def test_a_new_name_records_and_compiles_nothing(
    compilations: Compilations, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = rk.load("humanoid_17")
    answers = [value(robot, law, count) for law in LAWS for count in (0, 5)]
    before = len(compilations)
    assert before
    first, *others = robot.links
    limits = Limits(lower=-0.5, upper=0.5)
    bent = replace(first, section=Section("rod", (0.02,)))
    limited = [replace(link, joint=replace(link.joint, limits=limits)) for link in others[:1]]
    links = (bent, *limited, *others[1:])
    monkeypatch.setattr(Kernel, "program", property(lambda kernel: pytest.fail("a program was recorded")))
    for other in (
        replace(robot, name="another"),
        replace(robot, source="a file"),
        replace(robot, links=links),
    ):
        assert other.mechanics_digest == robot.mechanics_digest
        again = [value(other, law, count) for law in LAWS for count in (0, 5)]
        assert all(np.array_equal(x, y) for x, y in zip(answers, again, strict=True))
    assert len(compilations) == before
    assert replace(robot, name="another").digest != robot.digest


def sums(a: float, b: float) -> Program:
    return trace("sums", [("x", (2,))], lambda x: {"y": [a * x[0], b * x[1], a * x[1]]})


def test_programs_of_one_structure_share_code_with_or_without_equal_constants(
    compilations: Compilations,
) -> None:
    x = np.array([1.0, 10.0])

    def run(a: float, b: float) -> list[float]:
        y = Kernel(f"sums {a} {b}", lambda: sums(a, b)).batch(x)
        return [float(element) for element in y]

    assert run(2.0, 3.0) == [2.0, 30.0, 20.0]
    assert run(5.0, 7.0) == [5.0, 70.0, 50.0]
    assert len(compilations) == 1
    assert run(0.0, 7.0) == [0.0, 70.0, 0.0]  # zeros are structure
    assert len(compilations) == 2


def test_constants_that_are_equal_by_chance_do_not_bind_others(compilations: Compilations) -> None:
    def pair(a: float, b: float) -> Program:
        return trace("pair", [("x", (2,))], lambda x: {"y": [a * x[0], b * x[1]]})

    def run(a: float, b: float) -> list[float]:
        return list(Kernel(f"pair {a} {b}", lambda: pair(a, b)).batch(np.array([1.0, 10.0])))

    assert run(2.0, 2.0) == [2.0, 20.0]
    assert run(2.0, 3.0) == [2.0, 30.0]  # the first code has one place for both
    assert len(compilations) == 2
    assert run(4.0, 4.0) == [4.0, 40.0]
    assert run(4.0, 5.0) == [4.0, 50.0]
    assert len(compilations) == 2


def test_constants_without_a_value_and_signed_zeros_are_constants_too(compilations: Compilations) -> None:
    def run(a: float, b: float, c: float) -> list[float]:
        def program() -> Program:
            return trace("choice", [("x", (1,))], lambda x: {"y": [where(x[0] > y, a, z) for y, z in pairs]})

        pairs = ((0.0, b), (1.0, c))
        return list(Kernel(f"choice {a} {b} {c}", program).batch(np.array([-1.0])))

    assert np.isnan(run(2.0, float("nan"), float("nan"))).all()
    assert [str(x) for x in run(2.0, 0.0, -0.0)] == ["0.0", "-0.0"]


def test_object_code_that_is_lost_or_damaged_is_compiled_again(
    compilations: Compilations, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = rk.load("planar_2r")
    expected = value(robot, "mass_matrix", 3)
    folder = object_cache.directory()
    assert folder is not None
    (path,) = folder.glob("*.rkc")
    for damage in (lambda: path.unlink(), lambda: path.write_bytes(path.read_bytes()[:-1])):
        damage()
        monkeypatch.setattr(kernel, "_loaded", {})
        before = len(compilations)
        assert np.array_equal(value(rk.load("planar_2r"), "mass_matrix", 3), expected)
        assert len(compilations) == before + 1


def test_code_is_shared_in_a_process_without_a_cache(
    compilations: Compilations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIKIGAKU_CACHE", "off")
    earth = rk.load("ur5").with_gravity(EARTH)
    value(earth, "gravity_forces")
    before = len(compilations)
    value(earth.with_gravity(MOON), "gravity_forces")
    assert len(compilations) == before
