"""The report as data: formulas of every law, inverse kinematics, base parameters, loops, and its files."""

import json
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import NoPlace, RikigakuError, UnknownName
from rikigaku.plotting import default_configuration
from rikigaku.report import Report, html_report, report
from rikigaku.report.code_files import write_code
from rikigaku.report.formula_lines import ElementLines, FormulaLine, element_lines, step_lines
from rikigaku.report.html_parts import elements_part
from rikigaku.report.html_sections import dynamics_section
from rikigaku.report.latex_document import escaped, latex_report
from rikigaku.report.law_blocks import law_blocks, law_formulas
from rikigaku.report.law_figures import law_names
from rikigaku.report.pdf_file import write_pdf
from rikigaku.report.shown_laws import law_entries, shown_law
from rikigaku.web.mathml import mathml
from rikigaku.web.texts import text


def made(name: str) -> Report:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = rk.load(name)
    return report(robot, default_configuration(robot), laws=["pose"], time_limit=5.0)


@pytest.fixture(scope="module")
def puma() -> Report:
    return made("puma560")


@pytest.fixture(scope="module")
def five() -> Report:
    return made("five_bar")


def test_every_step_of_the_inverse_kinematics_is_shown(puma: Report) -> None:
    block = puma.inverse_kinematics
    assert block is not None
    formulas = puma.robot.inverse_kinematics_formulas(block.frame)
    assert len(block.steps) == len(formulas.shown_steps)
    assert block.branches == 8
    pose = puma.robot.pose(puma.q, block.frame)
    for q in block.configurations:
        np.testing.assert_allclose(puma.robot.pose(np.array(q), block.frame), pose, atol=1e-8)


def test_base_parameters_reproduce_the_joint_forces(puma: Report) -> None:
    """tau = Y_base beta with the values of the report; friction and rotors excluded."""
    block, robot = puma.base_parameters, puma.robot
    found = robot.base_parameters()
    assert len(block.lines) == len(block.numbers) == found.count == 36
    state = robot.random_state(3)
    tau = found.regressor(state.q, state.v, state.a) @ np.array(block.numbers)
    whole = robot.regressor(state.q, state.v, state.a) @ np.array(list(robot.parameters().values()))
    np.testing.assert_allclose(tau, whole, rtol=1e-9, atol=1e-9)


def test_formulas_have_limits_and_say_so(puma: Report) -> None:
    blocks = {block.law: block for section in puma.laws.values() for block in section}
    regressor = blocks["regressor"]
    assert regressor.steps
    arrays = [block for block in blocks.values() if block.elements and "energy" not in block.law]
    lines = [line for block in arrays if block.elements for line in block.elements.lines]
    assert all(line.terms <= 60 or not line.right for line in lines)
    assert any(not line.right for line in lines)
    assert blocks["gravity_forces"].elements is not None
    found = law_blocks(rk.load("humanoid_17"), 0.5)
    coriolis = next(block for block in found["dynamics"] if block.law == "coriolis_matrix")
    assert coriolis.elements is None
    assert coriolis.notes[0][0] == "formula.expands"  # known without waiting
    assert coriolis.steps  # intermediate variables are there at any length that a page can show
    (regressor,) = found["identification"]
    assert regressor.notes[0][0] == "formula.timeLimit"
    long = law_formulas(rk.load("panda").coriolis_matrix, 0.5)
    assert long.formulas is None
    assert long.notes[0][0] == "formula.notTried"
    assert step_lines("C", rk.load("panda").coriolis_matrix.intermediates())  # as above


def test_a_matrix_wider_than_a_page_is_shown_by_its_elements() -> None:
    """`M = M_11 = ...` would claim that the matrix is one of its elements."""
    lines = element_lines("M", rk.load("five_bar").tree.mass_matrix.symbolic)
    assert lines.whole == ""
    assert len(lines.lines) == 6
    assert lines.zeros


def test_symmetric_matrices_show_one_half() -> None:
    lines = element_lines("M", rk.load("planar_2r").mass_matrix.symbolic)
    assert lines.symmetric
    assert [line.left for line in lines.lines] == ["M_{1,1}", "M_{1,2}", "M_{2,2}"]


def test_closed_robots_have_constraints_modes_and_values_of_their_tree(five: Report) -> None:
    loops = five.loops
    assert loops is not None
    assert len(loops.constraints) == 2
    assert len(loops.explicit) == 2
    assert all(latex.startswith(r"\begin{aligned}") and mathml(latex) for latex in loops.explicit)
    assert len(loops.ghosts()[0].positions) == 2
    for name, owner in (("tree", five.robot.tree), ("reduced", five.robot.reduced)):
        np.testing.assert_allclose(
            five.block_values[f"{name}.mass_matrix"], owner.mass_matrix(five.q), rtol=1e-12
        )


def test_dynamics_of_a_closed_robot_opens_with_its_laws_on_the_loop(five: Report) -> None:
    """Over the independent coordinates; the laws of the tree are folded after them."""
    page = dynamics_section(five, "en")
    places = [page.index(f"robot.{name}(q)") for name in ("reduced.mass_matrix", "tree.mass_matrix")]
    assert places[0] < page.index('<details class="rk-tree">') < places[1]
    assert "left_motor, right_motor" in page
    assert 'data-law="reduced_mass_matrix"' in page


def test_elements_that_are_not_folded_are_mathml() -> None:
    """Without scripts they read; the kinetic energy of a Puma has 6000 characters of LaTeX."""
    terms = " + ".join(rf"\sin(q_{{{k}}})" for k in range(300))
    opened = elements_part("K", ElementLines((FormulaLine("K", terms, 300),), terms=300), "en")
    folded = elements_part("K", ElementLines((FormulaLine("K", 2 * terms, 600),), terms=600), "en")
    assert "<details open>" in opened
    assert opened.count("<msub>") == 300
    assert "<details>" in folded
    assert "<msub>" not in folded


def test_no_law_of_a_report_goes_by_its_identifier() -> None:
    for name in ("five_bar", "planar_2r", "space_arm_6"):
        robot = rk.load(name)
        for law in (*law_names(robot), *(entry.law for entry in law_entries(robot))):
            shown = shown_law(robot, law)
            for language in ("en", "ja"):
                assert "_" not in text(shown.title, language)
                assert text(shown.about, language, frame="hand")


def test_the_report_is_json(five: Report) -> None:
    data = json.loads(json.dumps(five.json(), allow_nan=False))
    assert data["loops"]["mobility"] == 2
    assert data["document"]["schema"] == 1
    assert {block["law"] for block in data["laws"]["dynamics"]} >= {"reduced.mass_matrix", "reduced.jacobian"}
    assert {block["law"] for block in data["laws"]["tree"]} >= {"tree.mass_matrix", "tree.gravity_forces"}


def test_the_latex_document_holds_every_formula(five: Report) -> None:
    text = latex_report(five)
    assert text.startswith(r"\documentclass")
    assert text.count(r"\begin{equation*}") == text.count(r"\end{equation*}") > 20
    assert "breqn" not in text
    assert escaped("a_b & 50%") == r"a\_b \& 50\%"
    assert r"\title{five\_bar}" in text


def test_code_files_hold_the_laws(tmp_path: Path) -> None:
    arm = rk.load("planar_2r").bind(l1=1.0, l2=0.8, m1=1.0, m2=0.5)
    assert write_code(arm, tmp_path / "code") == len(list((tmp_path / "code").iterdir()))
    assert (tmp_path / "code" / "laws.wasm").read_bytes().startswith(b"\0asm")
    program = "import mass_matrix as m; print(m.mass_matrix([0.3, 0.4]).tolist())"
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path / "code", capture_output=True, text=True, check=True
    )
    numbers = [float(x) for x in answer.stdout.replace("[", " ").replace("]", " ").replace(",", " ").split()]
    np.testing.assert_allclose(numbers, np.ravel(arm.mass_matrix([0.3, 0.4])), rtol=1e-12)
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(NoPlace, match="cannot be made"):
        write_code(arm, tmp_path / "file" / "code")


def test_an_unknown_language_is_refused(five: Report) -> None:
    with pytest.raises(UnknownName, match="language"):
        html_report(five, "fr")


def test_a_pdf_without_a_browser_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(RikigakuError, match="Chromium, which was not found"):
        write_pdf(tmp_path / "a.html", tmp_path / "a.pdf")


def test_the_equation_of_motion_of_a_gear_without_loops_has_its_constraint() -> None:
    arm = rk.load("planar_2r")
    geared = replace(arm, couplings=(rk.Coupling("q2", "q1", 2),))
    laws = ["kinetic_energy", "reduced.mass_matrix"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = report(geared, np.array([0.2, 0.4]), laws=laws, time_limit=5.0)
    free = report(arm, np.array([0.2, 0.4]), laws=["pose"], time_limit=5.0)
    shown, plain = dynamics_section(found, "en"), dynamics_section(free, "en")
    assert "lambda" in shown
    assert "lambda" not in plain
    energy, mass = (np.asarray(item.value).item() for item in found.figures)
    M = arm.mass_matrix([0.2, 0.4])
    T = np.array([1.0, 2.0])  # v = T v_1
    assert mass == pytest.approx(T @ M @ T, rel=1e-12)
    assert energy == pytest.approx(0.5 * 0.5**2 * mass, rel=1e-12)  # at v_1 = 0.5, v_2 following
    assert 'data-law="reduced_mass_matrix"' in shown


def test_a_robot_of_symbols_is_drawn_with_assumed_lengths(tmp_path: Path) -> None:
    """As the studio draws it: 0.5 for each symbol that places links and has no value; the page says so."""
    path = tmp_path / "two_links.robot.toml"
    links = [
        f'[[link]]\nname = "link{k}"\nparent = "{parent}"\njoint = {{ name = "q{k}", type = "revolute" }}\n'
        f'dh = {{ alpha = 0, a = "L{k}", theta = "q", d = 0 }}\n'
        for k, parent in ((1, "base"), (2, "link1"))
    ]
    path.write_text('schema = 1\nname = "two_links"\n' + "".join(links), "utf-8")
    found = report(rk.load(path), None, laws=["pose"], time_limit=5.0)
    assert found.document is not None
    assert found.assumed == {"L1": 0.5, "L2": 0.5}
    bar = found.document.bars[-1]
    assert np.linalg.norm(np.subtract(bar.end, bar.start)) == pytest.approx(0.5)
    page = html_report(found)
    assert 'data-text="note.assumed"' in page
    assert '<img class="rk-picture"' in page
    assert "viewer.none" not in page.split("rikigaku-document")[0]
