"""A law as a casadi.Function and in SymPy: the native values, and derivatives that agree with ours."""

import sys
from pathlib import Path

import casadi
import numpy as np
import pytest
import sympy
from export_cases import Case, close, difficult_cases, every_law, floating, looped_case, puma

import rikigaku as rk
from rikigaku.core.errors import RikigakuError, WrongValue


def test_casadi_gives_the_native_values_of_every_law_of_the_puma() -> None:
    for case in every_law(puma()):
        check_casadi(case)


def test_casadi_gives_the_native_values_of_difficult_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    for case in (*difficult_cases(), looped_case(monkeypatch)):
        check_casadi(case)


def test_casadi_derives_the_exported_law_as_we_do() -> None:
    law = puma().forward_dynamics
    q, v, tau = np.random.default_rng(2).uniform(-1, 1, (3, 6))
    function = law.export("casadi")
    assert function.name_in() == ["q", "v", "tau"]
    by_q = function.jacobian()(q, v, tau, 0)[0]
    assert close([by_q], [law.derivative(q, v, tau).q], 1e-11)


def test_casadi_knows_symbols_by_their_names() -> None:
    function = floating().kinetic_energy.export("casadi")
    assert function.name_in() == ["q", "v", *floating().free_symbols]


def test_sympy_steps_give_the_native_values() -> None:
    puma_laws = {case.law.law.name: case for case in every_law(puma())}
    for case in (
        *(puma_laws[name] for name in ("mass_matrix", "poses", "kinetic_energy")),
        difficult_cases()[1],
    ):
        exported = case.export("sympy")
        values = dict(zip(elements(exported.inputs), numbers(case), strict=True))
        for symbol, expression in exported.steps:
            values[symbol] = expression.evalf(30, subs=values) if expression.free_symbols else expression
        for value, wanted in zip(exported.outputs.values(), case.wanted, strict=True):
            parts = sympy.flatten(value.tolist()) if wanted.ndim else [value]
            found = np.array([float(x.evalf(30, subs=values)) for x in parts]).reshape(wanted.shape)
            assert close([found], [wanted])


def test_nested_sympy_is_the_textbook_formula() -> None:
    arm = rk.load("planar_2r")
    exported = arm.gravity_forces.export("sympy")
    q, nested = exported.inputs["q"], exported.nested()["g"]
    assert nested.shape == (2, 1)
    assert nested.free_symbols <= set(q) | set(elements(exported.inputs))
    assert not nested.free_symbols & {symbol for symbol, _ in exported.steps}
    potential = arm.potential_energy.export("sympy").nested()["U"]
    gradient = sympy.Matrix([potential.diff(x) for x in q])
    assert (
        max(
            abs(x)
            for x in sympy.simplify(gradient - nested).evalf(subs=dict.fromkeys(nested.free_symbols, 0.3))
        )
        < 1e-12
    )


def test_a_law_without_casadi_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(RikigakuError, match="pip install casadi"):
        puma().mass_matrix.export("casadi")


@pytest.mark.parametrize("kind", ["casadi", "sympy"])
def test_objects_are_not_written_to_files(kind: str, tmp_path: Path) -> None:
    with pytest.raises(WrongValue, match="gives an object, not a text"):
        puma().mass_matrix.export(kind, tmp_path / "law")
    assert not list(tmp_path.iterdir())


def check_casadi(case: Case) -> None:
    function = case.export("casadi")
    assert isinstance(function, casadi.Function)
    answer = function.call([casadi.DM(x) for x in case.inputs])
    far = max(np.abs(case.inputs[0]).max(), 1.0)  # 1e5 turns leave 1e-16 * 1e5 of an angle to chance
    results = [np.array(x).reshape(wanted.shape) for x, wanted in zip(answer, case.wanted, strict=True)]
    assert close(results, case.wanted, 1e-12 * far), case.law


def elements(inputs: dict) -> list:
    return [e for x in inputs.values() for e in (x if isinstance(x, sympy.MatrixBase) else [x])]


def numbers(case: Case) -> list[float]:
    return [float(e) for x in case.inputs for e in np.atleast_1d(x)]
