"""Whatever came out of a law, a formula, an array or a list of steps, is read in the same way."""

from typing import Any

import numpy as np
import pytest
from symbolic_robots import all_symbols

import rikigaku as rk
from rikigaku.core.errors import NoElement, NotExact
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.intermediates import Intermediates
from rikigaku.symbolic.formulas.law_result import LawResult

ARM = rk.load("planar_2r")
AT: dict[str, Any] = {"l1": 0.5, "l2": 0.4, "m1": 1.5, "m2": 0.7}
STATE: dict[str, Any] = {"q": [0.3, -0.8], "v": [0.7, 0.4], "a": [-0.6, 1.1]}


def results() -> dict[str, LawResult]:
    tau = ARM.inverse_dynamics
    found = {"array": tau.symbolic, "formula": tau.symbolic[0], "steps": tau.intermediates()}
    return {**found, "step": found["steps"][0], "energy": ARM.kinetic_energy.symbolic}


def given(x: Any) -> dict[str, Any]:
    arrays = {n: STATE[n] for n in STATE if any(k.startswith(f"{n}[") for k in x.context.names)}
    return {**arrays, **{n: y for n, y in AT.items() if n in ARM.free_symbols}}


@pytest.mark.parametrize("name", ["array", "formula", "steps", "step", "energy"])
def test_every_result_has_the_same_methods_and_all_keep_its_value(name: str) -> None:
    x: Any = results()[name]
    assert isinstance(x, LawResult)
    value = np.asarray(x.value(**given(x)), float)
    assert value.shape == x.shape
    for same in (x.combined(), x.factored(), x.intermediates()):
        assert same.shape == x.shape
        assert np.abs(np.asarray(same.value(**given(x)), float) - value).max() < 1e-13
    assert x.latex()
    assert x.operations.total == x.intermediates().operations.total > 0
    assert "q2" in x.names
    assert x.sympy()
    assert x.reason == ""


@pytest.mark.parametrize("by", ["parameters", "velocities", "accelerations"])
@pytest.mark.parametrize("name", ["array", "formula", "steps", "step"])
def test_collected_parts_times_their_factors_are_the_law(name: str, by: str) -> None:
    x: Any = results()[name]
    parts = x.collect(by)
    numbers = {
        f"{j.name}{end}": y
        for end, own in (("_dot", "v"), ("_ddot", "a"))
        for j, y in zip(ARM.joints, STATE[own], strict=True)
    }
    numbers |= AT
    total = np.zeros(x.shape)
    for factor, part in parts.items():
        assert isinstance(part, type(x))
        total = total + float(rk.Formula.of(factor).evaluate(FLOATS, numbers)) * np.asarray(
            part.value(**given(x)), float
        )
    assert np.abs(total - np.asarray(x.value(**given(x)), float)).max() < 1e-13
    exact = results()["array" if x.shape else "formula"].collect(by)
    assert set(exact) <= set(parts)  # steps do not recognise coefficients that cancel


def test_the_forward_dynamics_of_a_general_arm_come_by_steps() -> None:
    robot = all_symbols("rx90")
    x = robot.forward_dynamics.symbolic
    assert isinstance(x, Intermediates)
    assert "determinant of the mass matrix has up to" in x.reason  # known before it is computed
    rng = np.random.default_rng(1)
    own = {name: rng.uniform(0.5, 1) for name in robot.free_symbols}
    inertias = {n: y + 20 * (n.startswith(("Ixx", "Iyy", "Izz")) or n[0] == "m") for n, y in own.items()}
    q, v, tau = rng.normal(size=(3, 6))
    theirs = robot.forward_dynamics(q, v, tau, **inertias)
    assert np.abs(x.value(q=q, v=v, tau=tau, **inertias) - theirs).max() < 1e-9 * np.abs(theirs).max()
    parts = x.collect([f"tau_{joint.name}" for joint in robot.joints])
    assert len(parts) == 7
    inverse = parts["tau_" + robot.joints[2].name].value(q=q, **inertias)
    column = robot.inverse_mass_matrix(q, **inertias)[:, 2]
    assert np.abs(inverse - column).max() < 1e-9 * np.abs(column).max()


def test_steps_are_indexed_like_arrays_and_hold_only_what_they_need() -> None:
    steps = rk.load("ur5").mass_matrix.intermediates()
    corner = steps[5, 5]
    assert corner.shape == ()
    assert len(corner.steps) < len(steps.steps)
    assert steps[:2].shape == (2, 6)
    assert len(list(steps)) == len(steps) == 6
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert np.abs(steps[:, 1].value(q=q) - steps.value(q=q)[:, 1]).max() < 1e-13
    with pytest.raises(NoElement, match=r"shape \(6, 6\) have no element 6"):
        steps[6]


def test_what_steps_divide_by_is_not_collected() -> None:
    steps = ARM.inverse_mass_matrix.intermediates()
    with pytest.raises(NotExact, match="divides by a variable"):
        steps.collect("parameters")
    with pytest.raises(NotExact, match="sine"):
        steps.collect(["q2"])


def test_several_results_are_read_together() -> None:
    robot = rk.load("four_bar")
    both = robot.complete.symbolic
    q = robot.assemble([0.5])
    at = {"q": q, "v": [0.7], "a": [0.2]}
    v, a = robot.complete(q, [0.7], [0.2])
    for same in (both, both.combined(), both.factored(), both.intermediates()):
        assert same._fields == ("v", "a")
        assert np.abs(np.array(same.v.value(**at), float) - v).max() < 1e-12
        assert np.abs(np.array(same.value(**at).a, float) - a).max() < 1e-12
    assert set(both.collect("velocities").v) == {"crank_angle_dot"}
    latex = both.latex()  # v fits the page as a matrix, a does not
    assert r"\mathrm{v} &= \begin{bmatrix}" in latex
    assert "a_{2} &=" in latex
    assert both.reason == ""


def test_types_are_these() -> None:
    assert isinstance(ARM.kinetic_energy.symbolic, ExactFormula)
    assert isinstance(ARM.mass_matrix.symbolic, Formulas)
