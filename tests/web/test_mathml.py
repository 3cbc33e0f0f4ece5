"""MathML of the package's LaTeX: well-formed, nested as the formula is; unknown commands are refused."""

import warnings
from xml.etree.ElementTree import fromstring

import pytest

import rikigaku as rk
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.report.formula_lines import latex_of
from rikigaku.web.mathml import mathml
from rikigaku.web.texts import LANGUAGES, marked, text


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("a + 2", "<mi>a</mi><mo>+</mo><mn>2</mn>"),
        (r"q_{1}", "<msub><mi>q</mi><mn>1</mn></msub>"),
        (r"x_{1}^{2}", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"),
        (r"\frac{1}{L}", "<mfrac><mn>1</mn><mi>L</mi></mfrac>"),
        (r"\dot{q}_{1}", '<msub><mover accent="true"><mi>q</mi><mo>˙</mo></mover><mn>1</mn></msub>'),
        (r"\mathrm{a\_b}", "<mi>a_b</mi>"),
        (r"\sqrt{x}", "<msqrt><mi>x</mi></msqrt>"),
        (r"a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
    ],
)
def test_formulas_become_their_elements(latex: str, expected: str) -> None:
    assert mathml(latex) == f"<math>{expected}</math>"


def test_matrices_have_rows_and_cells() -> None:
    found = fromstring(mathml(r"\begin{bmatrix} a & b \\ c & -0.5 \end{bmatrix}"))
    assert [len(row) for row in found.iter("mtr")] == [2, 2]
    assert found.findall(".//mn")[0].text == "0.5"


def test_rows_of_fractions_stand_apart() -> None:
    found = fromstring(mathml(latex_of(rk.load("slider_crank").reduced.jacobian.symbolic)))
    gaps = ["padding-bottom" in cell.get("style", "") for cell in found.iter("mtd")]
    assert gaps[0]
    assert not gaps[-1]


@pytest.mark.parametrize("name", ["puma560", "planar_2r", "five_bar", "rosam_loop"])
def test_formulas_of_robots_have_mathml(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = rk.load(name)
    tree = robot.tree if robot.loops else robot
    for law in (tree.mass_matrix, tree.gravity_forces, tree.potential_energy, tree.inverse_dynamics):
        assert fromstring(mathml(latex_of(law.symbolic))).tag == "math"


@pytest.mark.parametrize("latex", [r"\unknown{a}", r"\begin{tikz}a\end{tikz}", r"\frac{1}{2", "a & b"])
def test_what_is_outside_the_subset_is_refused(latex: str) -> None:
    with pytest.raises(WrongValue):
        mathml(latex)


def test_texts_are_found_by_key_and_language() -> None:
    assert text("section.dynamics") == "Dynamics"
    assert text("section.dynamics", "ja") == "動力学"
    assert text("formula.terms", count=3) == "3 terms"
    with pytest.raises(UnknownName, match="section"):
        text("section.dynamic")
    with pytest.raises(UnknownName, match="language"):
        text("section.dynamics", "fr")
    assert LANGUAGES == ("en", "ja")
    assert 'data-values="{&quot;count&quot;: 3}"' in marked("p", "formula.terms", count=3)
