"""Names and abbreviations that would read alike are written apart: in the short style and in LaTeX."""

import re

import pytest

import rikigaku as rk
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import latex, text
from rikigaku.symbolic.formulas.formula_context import short_indices


def arm(*distances: str) -> rk.Robot:
    """A planar 2R with the distances of the centres of mass named by the caller."""
    links = []
    for k, distance in enumerate(distances, 1):
        body = rk.Inertia("com", f"m{k}", (distance, 0, 0), (0, 0, 0, 0, 0, f"I{k}"))
        place = rk.Placement((0, 0, 0) if k == 1 else (f"l{k - 1}", 0, 0))
        parent = "base" if k == 1 else f"link{k - 1}"
        links.append(rk.Link(f"link{k}", parent, rk.Joint(f"q{k}", "revolute"), place, body))
    return rk.Robot("arm", tuple(links))


def test_symbols_that_read_like_abbreviations_leave_the_cosine_in_full() -> None:
    M = arm("c1", "c2").mass_matrix.symbolic
    assert "cos(q2)" in M[0, 0].text("short")
    assert r"\cos(q_{2})" in M[0, 0].latex("short")
    assert r"\cos(q_{2})" in M.latex("short")
    assert Formula.of(M[0, 0].text("short")) == Formula.of(M[0, 0].text())
    assert "c2" in arm("r1", "r2").mass_matrix.symbolic[0, 0].text("short")
    g = arm("r1", "c_12").jacobian.formulas("link2")  # LaTeX has c_{12} for this, and for cos(q1 + q2)
    assert "c_{" not in g.latex("short")


def test_joints_that_end_in_the_same_number_are_written_in_full() -> None:
    J = rk.load("three_rrr").tree.jacobian.formulas("hand")
    for shown in (J.text("short"), J.latex("short")):
        assert not re.search(r"\b[sc]_?\{?\d", shown)
        assert "motor" in shown


def test_steps_of_the_inverse_kinematics_are_told_from_abbreviations() -> None:
    for name in ("rx90", "puma560", "scara"):
        ik = rk.load(name).inverse_kinematics_formulas()
        steps = {step.name for step in ik.steps}
        index = ik.short_indices("short")
        assert index is not None
        assert not {f"{letter}{k}" for k in index.values() for letter in "sc"} & steps


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ((), {"q1": "1", "q2": "2", "q12": "12"}),
        (("c2",), {"q1": "1", "q12": "12"}),
        (("s_1",), {"q2": "2", "q12": "12"}),
        (("c12",), {}),
        (("C2", "sc1", "c2x", "s", "m12"), {"q1": "1", "q2": "2", "q12": "12"}),
    ],
)
def test_names_that_are_taken_are_no_abbreviations(taken: tuple[str, ...], expected: dict[str, str]) -> None:
    assert short_indices("short", ["q1", "q2", "q12"], taken) == expected


def test_the_sum_of_two_joints_is_told_from_the_twelfth() -> None:
    index = short_indices("short", [f"q{k}" for k in range(1, 13)], ())
    x = Formula.of("cos(q1 + q2) + 2*cos(q12) + 3*cos(q1 + q3)")
    assert {"c1_2", "2*c12", "3*c13"} == set(text(x, index).split(" + "))
    assert {"c_{1,2}", r"2 \, c_{12}", r"3 \, c_{13}"} == set(latex(x, index).split(" + "))
