"""LaTeX and Markdown: what they say is true, complete and well-formed."""

import re

import numpy as np
import pytest
from export_cases import Case, close, difficult_cases, every_law, floating, looped_case, puma
from latex_reader import value
from matplotlib.mathtext import MathTextParser

import rikigaku as rk
from rikigaku.numbers.latex_names import latex_name


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
        assert re.search(
            r"\$q = \(q_\{1\}, .*, q_\{6\}\)\$ \(\$?6\$?\): joint positions .*rad, m.* of q1, q2", text
        )
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
        ("theta2_ddot", r"\ddot{\theta}_{2}"),
        ("tau_theta1", r"\tau_{\theta_{1}}"),
        ("left_elbow_dot", r"\dot{\mathrm{left}}_{\mathrm{elbow}}"),
    ],
)
def test_names_are_shown_as_formulas(name: str, shown: str) -> None:
    assert latex_name(name) == shown


def two_links(**more: object) -> rk.Robot:
    """Two parallel axes a distance a1 apart; the field of gravity is g1."""

    def link(number: int, **dh: object) -> rk.Link:
        inertia = rk.Inertia("origin", f"m{number}", (f"msx{number}", 0, 0), (0, 0, 0, 0, 0, f"zz{number}"))
        parent = "base" if number == 1 else "link1"
        return rk.Link(f"link{number}", parent, rk.Joint(f"theta{number}"), rk.ModifiedDH(**dh), inertia)

    return rk.Robot("two links", (link(1), link(2, a="a1")), gravity=(0, "-g1", 0))


@pytest.mark.parametrize("language", ["latex", "markdown"])
@pytest.mark.parametrize("law", ["inverse_dynamics", "forward_dynamics", "gravity_forces"])
def test_joints_have_their_names_with_dots_and_no_symbol_looks_like_them(law: str, language: str) -> None:
    """The symbol a1 is not the acceleration of joint 1, nor g1 the first of the gravity forces."""
    text = getattr(two_links(), law).export(language)
    names = re.findall(r"^(?:  \\item|-) \$(.*?)\$ \(", text, re.MULTILINE)
    symbols = [name for name in names if " = " not in name]
    own = [x for name in names if " = " in name for x in name.partition(" = ")[2][1:-1].split(", ")]
    assert {r"\theta_{1}", r"\theta_{2}"} <= set(own)
    lines = equations(text)
    left = [line.split(" &= ")[0] for line in lines]
    assert len({*symbols, *own, *left}) == len(symbols) + len(set(own) | set(left))
    if law != "gravity_forces":
        assert {r"\ddot{\theta}_{1}", r"\ddot{\theta}_{2}"} <= set(own)
        assert r"a_{1} \, \dot{\theta}_{1}^{2}" in text
    assert not re.search(r"(\S+) \\, \1(?![\w^_{])", "\n".join(lines))  # squares are squares


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
    """Each element under its own name, or under that of the array with its indices, from 1."""
    if not x.ndim:
        return {name: float(x)}
    name, _, own = name.partition(" = ")
    if own:
        return dict(zip(own[1:-1].split(", "), map(float, x), strict=True))
    stem, _, below = name.partition("_{")
    inner = f"{below.removesuffix('}')}," if below else ""
    return {
        f"{stem}_{{{inner}{','.join(str(i + 1) for i in index)}}}": float(x[index])
        for index in np.ndindex(x.shape)
    }


def equations(text: str) -> list[str]:
    blocks = re.findall(r"\\begin\{align(?:ed|\*)\}\n(.*?)\n\\end\{align(?:ed|\*)\}", text, re.DOTALL)
    return [line.strip() for block in blocks for line in block.split(" \\\\\n")]
