"""Table 1 of ROSAM II on closed robots with long formulas: intermediate variables with correct values."""

from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku import rosam
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.formulas.exact_state import exact_state
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.intermediates import Intermediates

START = {"sr400": [0.1, 0.2, -0.1, 0.3, 0.2, 0.1], "three_rrr": [0.2, 0.3, 0.1]}


def at_state(name: str) -> tuple[rk.Robot, Any, dict[str, Any]]:
    arm, rng = rk.load(name), np.random.default_rng(4)
    own = arm.declared_values
    arm = arm.bind(**{x: own.get(x, rng.uniform(0.5, 1.5)) for x in arm.free_symbols})
    v, a = rng.normal(size=(2, len(START[name])))
    return arm, arm.assemble(START[name]), {"v": v, "a": a}


@pytest.mark.parametrize("name", START)
def test_make_invdyn_has_the_values_of_the_compiled_law(name: str) -> None:
    arm, q, state = at_state(name)
    tau = rosam.Make_InvDyn(arm, "Dq", "DDq", [0] * 6, 1)
    # a parallelogram leaves formulas without quotients
    assert isinstance(tau, Formulas if name == "sr400" else Intermediates)
    expected = arm.reduced.inverse_dynamics(q, state["v"], state["a"], friction=False)
    assert np.abs(np.array(tau.value(q=q, **state), float) - expected).max() < 1e-10 * np.abs(expected).max()


def test_the_terms_of_a_3_rrr_have_the_values_of_the_compiled_laws() -> None:
    arm, q, state = at_state("three_rrr")
    v = state["v"]
    for found, expected, given in (
        (rosam.Get_Mmatrix(arm), arm.reduced.mass_matrix(q), {}),
        (rosam.Get_Cvterm(arm), arm.reduced.velocity_forces(q, v), {"v": v}),
        (rosam.Get_Cmatrix(arm), arm.reduced.coriolis_matrix(q, v), {"v": v}),
        (rosam.Get_Gterm(arm), arm.reduced.gravity_forces(q), {}),
    ):
        value = np.array(found.value(q=q, **given), dtype=float)
        assert value.shape == expected.shape
        assert np.abs(value - expected).max() < 1e-10 * max(1, np.abs(expected).max())


def test_a_product_with_a_sum_of_quotients_does_not_bring_it_over_one_denominator() -> None:
    ring = exact_state(rk.load("four_bar")).ring
    x, y = ring.variable("v[0]"), ring.variable("a[0]")
    total = RationalFunction(ring, (y + 1, y + 2), {(1, 0): x, (0, 1): y}, partial=True)
    assert isinstance(x * total, RationalFunction)
    assert "numerator" not in total.__dict__


def test_combining_never_makes_a_formula_of_a_closed_robot_longer() -> None:
    for name in ("four_bar", "rosam_loop"):
        M = rk.load(name).reduced.mass_matrix.symbolic
        for entry in M.array.flat:
            assert len(str(entry.combined())) <= len(str(entry.formula))
