"""LaTeX and Markdown: what they say is true, complete and well-formed."""

import re

import numpy as np
import pytest
from export_cases import Case, close, difficult_cases, every_law, floating, looped_case, puma
from latex_reader import value
from matplotlib.mathtext import MathTextParser

from rikigaku.export.latex_markdown import math_name


@pytest.mark.parametrize("language", ["latex", "markdown"])
def test_the_formulas_of_every_law_of_the_puma_are_true(language: str) -> None:
    for case in every_law(puma()):
        check(case, language)


def test_the_formulas_of_difficult_laws_are_true(monkeypatch: pytest.MonkeyPatch) -> None:
    for case in (*difficult_cases()[:-1], looped_case(monkeypatch)):
        check(case, "latex")


def test_the_formulas_are_well_formed() -> None:
    """matplotlib reads LaTeX too; it knows no cases, and is shown the first of them."""
    reader = MathTextParser("path")
    for law in (puma().velocity_forces, puma().euler_jacobian.fix(frame="link6"), floating().kinetic_energy):
        lines = equations(law.export("markdown"))[:30]
        assert len(lines) > 20
        for line in lines:
            shown = re.sub(r"\\begin{cases} (.*?) &.*\\end{cases}", r"\1", line.replace("&=", "="))
            reader.parse(f"${shown}$")


def test_a_document_names_inputs_outputs_zeros_and_operations() -> None:
    gravity = puma().gravity_forces
    for text in (gravity.export("latex"), gravity.export("markdown")):
        assert re.search(r"\$q\$ \(\$?6\$?\): joint positions .*rad, m.* of q1, q2, q3, q4, q5, q6", text)
        assert "$g$" in text
        assert "elements not listed are zero" in text
        assert str(gravity.operations) in text
        assert not re.search(r"^\s*g_\{6\}", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("q", "q"),
        ("m2", "m_{2}"),
        ("m_2", "m_{2}"),
        ("tau", r"\tau"),
        ("theta12", r"\theta_{12}"),
        ("payload", r"\mathrm{payload}"),
        ("d_max_1", r"d_{\mathrm{max\_1}}"),
    ],
)
def test_names_are_shown_as_formulas(name: str, shown: str) -> None:
    assert math_name(name) == shown


def check(case: Case, language: str) -> None:
    """Work the document through with a pencil: every line in order, then the results."""
    inputs, outputs = case.ports
    text = case.export(language)
    known: dict[str, float] = {}
    shown = re.findall(r"^(?:  \\item|-) \$(.*?)\$ \(", text, re.MULTILINE)
    assert len(shown) == len(inputs) + len(outputs)
    for name, port, x in zip(shown, inputs, case.inputs, strict=False):
        known |= elements(name, np.atleast_1d(x) if port.shape else x)
    for line in equations(text):
        left, right = line.split(" &= ", 1)
        assert left not in known, f"{left} is said twice"
        known[left] = value(right, known)
    for name, wanted in zip(shown[len(inputs) :], case.wanted, strict=True):
        found = np.zeros(wanted.shape)
        for key, index in zip(elements(name, wanted), np.ndindex(wanted.shape), strict=True):
            found[index] = known.get(key, 0.0)
        # constants are shown with twelve digits
        assert close([found], [wanted], 1e-9), case.law


def elements(name: str, x: np.ndarray) -> dict[str, float]:
    """Each element under the name with its indices, from 1."""
    if not x.ndim:
        return {name: float(x)}
    stem, _, below = name.partition("_{")
    inner = f"{below.removesuffix('}')}," if below else ""
    return {
        f"{stem}_{{{inner}{','.join(str(i + 1) for i in index)}}}": float(x[index])
        for index in np.ndindex(x.shape)
    }


def equations(text: str) -> list[str]:
    blocks = re.findall(r"\\begin\{align(?:ed|\*)\}\n(.*?)\n\\end\{align(?:ed|\*)\}", text, re.DOTALL)
    return [line.strip() for block in blocks for line in block.split(" \\\\\n")]
