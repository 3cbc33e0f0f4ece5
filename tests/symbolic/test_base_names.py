"""Base parameters by the names of the user's file, without parameters declared zero."""

import numpy as np
import pytest
from linkages import two_sliders_in_symbols

import rikigaku as rk
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.base_parameters.parameter_names import latex_terms, sum_text


def arm(number: int, **dh: object) -> rk.Link:
    """A planar link: mass, first moment along x and moment about z are symbols, all else is zero."""
    inertia = rk.Inertia("origin", f"m{number}", (f"mx{number}", 0, 0), (0, 0, 0, 0, 0, f"zz{number}"))
    parent = "base" if number == 1 else f"arm{number - 1}"
    return rk.Link(f"arm{number}", parent, rk.Joint(f"theta{number}"), rk.ModifiedDH(**dh), inertia)


def planar(*links: rk.Link) -> BaseParameters:
    return rk.Robot("planar", links, gravity=(0, "-g", 0)).base_parameters()


def test_sums_hold_the_symbols_of_the_file() -> None:
    base = planar(arm(1), arm(2, a="l1"))
    assert base.names == ("mx1 (regrouped)", "zz1 (regrouped)", "mx2", "zz2")
    text = repr(base)
    assert text.startswith("4 base parameters of robot 'planar', of 6:")
    assert "  zz1 (regrouped) = zz1 + l1**2*m2" in text
    assert "Without effect: m1." in text
    assert "of arm" not in text
    assert base.unimportant == ("m of arm1",)
    assert r"\mathrm{zz}_{1}^{\mathrm{R}} &= \mathrm{zz}_{1} + l_{1}^{2}\,m_{2}" in base._repr_latex_()
    assert "zz1 + l1**2*m2" in base._repr_html_()


def test_the_regrouping_without_zeros_gives_the_same_forces() -> None:
    """Out of the plane: rows whose kept parameter is zero get another one."""
    rng = np.random.default_rng(4)
    for seed in range(4):
        links = []
        for k in range(1, 4):
            shown = rng.random(9) < 0.5
            names = [f"{x}{k}" if on else 0 for x, on in zip(("mx", "my", "mz"), shown, strict=False)]
            tensor = [f"I{j}{k}" if on else 0 for j, on in enumerate(shown[3:])]
            dh = rk.ModifiedDH(alpha=["0", "pi/2", "-pi/2"][(k + seed) % 3], a=f"a{k}", d=f"d{k}")
            inertia = rk.Inertia("origin", f"m{k}", tuple(names), tuple(tensor))
            links.append(rk.Link(f"l{k}", "base" if k == 1 else f"l{k - 1}", rk.Joint(f"q{k}"), dh, inertia))
        robot = rk.Robot("random", tuple(links))
        base = robot.base_parameters()
        values = {
            name: float(x) for name, x in zip(robot.free_symbols, rng.uniform(0.2, 1, 60), strict=False)
        }
        q, v, a = rng.normal(size=(3, 40, 3))
        lengths = {name: x for name, x in values.items() if name[0] in "ad"}
        W = base.regressor(q, v, a, **lengths)
        own = base.base_values(**values)
        tau = robot.inverse_dynamics(q, v, a, **values)
        np.testing.assert_allclose(W @ own, tau, atol=1e-9)
        assert np.linalg.matrix_rank(W.reshape(-1, base.count)) == base.count  # none is superfluous
        full = robot.regressor(q, v, a, **lengths).reshape(120, -1)
        zero = [j for j, name in enumerate(base.parameters) if name in base.zeros]
        assert base.zeros
        assert np.linalg.matrix_rank(np.delete(full, zero, axis=1)) == base.count


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")
def test_zeros_of_a_robot_of_numbers_are_values() -> None:
    base = rk.load("puma560").base_parameters()
    assert base.count == 36
    assert base.zeros == ()
    assert base.symbols == {}


def test_the_symbols_of_the_rx90_are_those_of_its_book() -> None:
    base = rk.load("rx90").base_parameters()
    assert "ZZ1 (regrouped)" in base.names
    assert "XX2 (regrouped)" in base.names


def com_arm(number: int, **dh: object) -> rk.Link:
    """A planar link about its centre of mass, which lies on the x axis."""
    inertia = rk.Inertia("com", f"m{number}", (f"c{number}", 0, 0), (0, 0, 0, 0, 0, f"zz{number}"))
    parent = "base" if number == 1 else f"arm{number - 1}"
    return rk.Link(f"arm{number}", parent, rk.Joint(f"theta{number}"), rk.ModifiedDH(**dh), inertia)


def test_centres_of_mass_that_are_symbols_describe_the_structure() -> None:
    base = planar(com_arm(1), com_arm(2, a="l1"))
    lines = repr(base).splitlines()
    assert lines[0] == "4 base parameters of robot 'planar', of 8:"
    assert "  msx of arm1 (regrouped) = c1*m1 + l1*m2" in lines
    assert "  Izz of arm2 = c2**2*m2 + zz2" in lines
    assert base.verified.startswith("rank 6 ")  # of the ten parameters of each link
    assert base.verified.endswith("(all parameters); 4 without the 12 that are zero")
    assert r"I_{zz,\mathrm{arm2}} &= c_{2}^{2} \, m_{2} + \mathrm{zz}_{2}" in base.latex()
    assert "<td>c2*m2</td>" in base._repr_html_()


def test_base_parameters_about_centres_of_mass_are_right_and_minimal() -> None:
    rng = np.random.default_rng(8)
    for seed in range(3):
        links = []
        for k in range(1, 4):
            com = [f"{x}{k}" if on else 0 for x, on in zip("xyz", rng.random(3) < 0.6, strict=True)]
            tensor = [f"I{j}{k}" if on else 0 for j, on in enumerate(rng.random(6) < 0.5)]
            dh = rk.ModifiedDH(alpha=["0", "pi/2", "-pi/2"][(k + seed) % 3], a=f"a{k}", d=f"d{k}")
            inertia = rk.Inertia("com", f"m{k}", tuple(com), tuple(tensor))
            links.append(rk.Link(f"l{k}", "base" if k == 1 else f"l{k - 1}", rk.Joint(f"q{k}"), dh, inertia))
        robot = rk.Robot("random", tuple(links))
        base = robot.base_parameters()
        values = dict(zip(robot.free_symbols, rng.uniform(0.2, 1, 60).tolist(), strict=False))
        q, v, a = rng.normal(size=(3, 40, 3))
        lengths = {name: x for name, x in values.items() if name[0] in "ad"}
        W = base.regressor(q, v, a, **lengths)
        own = base.base_values(**values)
        np.testing.assert_allclose(W @ own, robot.inverse_dynamics(q, v, a, **values), atol=1e-9)
        full = robot.regressor(q, v, a, **lengths).reshape(120, -1)
        nonzero = [j for j, name in enumerate(base.parameters) if name not in base.zeros]
        assert base.zeros
        assert np.linalg.matrix_rank(full[:, nonzero], tol=1e-8) == base.count
        for name, x in zip(base.formulas, own, strict=True):  # the sums that are shown have these values
            shown = base._sum(base.formulas[name])
            assert "[" not in shown
            assert float(rk.Formula.of(shown).evaluate(FLOATS, values)) == pytest.approx(x, abs=1e-12)


def test_equal_coefficients_are_written_once_and_divisors_last() -> None:
    sliders = str(two_sliders_in_symbols("L2").base_parameters())
    assert "zz1 (regrouped) = zz1 + L**2*zz2/L2**2" in sliders
    terms = {"m3": "a2", "mz3": "-d3", "m4": "a2", "m5": "-a2", "yy3": "1", "yy4": "1"}
    own = {name: Formula.of(x) for name, x in terms.items()}
    assert sum_text(own, {x: x for x in own}) == "a2*(m3 + m4 - m5) - d3*mz3 + yy3 + yy4"
    assert latex_terms(own, str) == [r"+ a_{2}\,(m3 + m4 - m5)", r"- d_{3}\,mz3", "+ yy3", "+ yy4"]
