"""Notebooks and papers can show every formula: KaTeX, MathJax and LaTeX take them."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from latex_gallery import gallery

TOOLS = Path(__file__).parents[2] / "tools" / "latex"


def rendered(formulas: list[dict[str, str]]) -> list[dict[str, str]]:
    """What KaTeX and MathJax refuse."""
    node = shutil.which("node")
    assert node, "this test runs node: install it (Debian, Ubuntu: apt-get install nodejs npm)"
    assert (TOOLS / "node_modules").is_dir(), "this test needs KaTeX: run npm ci in tools/latex"
    answer = subprocess.run(
        [node, str(TOOLS / "render.mjs")], input=json.dumps(formulas), capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stderr
    found: list[dict[str, str]] = json.loads(answer.stdout)
    return found


@pytest.fixture(scope="module")
def formulas() -> list[dict[str, str]]:
    return [{"name": name, "latex": latex} for name, latex in gallery()]


def test_katex_and_mathjax_take_every_formula(formulas: list[dict[str, str]]) -> None:
    assert len(formulas) > 120
    assert rendered(formulas) == []


def complaints_of_latex(folder: Path, blocks: list[str]) -> list[str]:
    """Errors, and lines and displays that do not fit a page of A4, as pdflatex reports them."""
    engine = shutil.which("pdflatex")
    assert engine, "this test runs pdflatex: install it (Debian, Ubuntu: apt-get install texlive-latex-base)"
    head = r"\documentclass{article}\usepackage[a4paper,margin=2cm]{geometry}\usepackage{amsmath}"
    body = "\n".join(f"\\[{block}\\]" for block in blocks)
    (folder / "gallery.tex").write_text(head + r"\begin{document}" + body + r"\end{document}")
    command = [engine, "-interaction=nonstopmode", "gallery.tex"]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    return re.findall(r"^(?:!|Overfull|LaTeX Error).*", answer.stdout, re.MULTILINE)


def test_latex_takes_every_formula_and_every_line_fits_the_page(
    tmp_path: Path, formulas: list[dict[str, str]]
) -> None:
    assert complaints_of_latex(tmp_path, [formula["latex"] for formula in formulas]) == []


def test_latex_reports_errors_and_lines_that_do_not_fit(tmp_path: Path) -> None:
    found = complaints_of_latex(tmp_path, ["+".join(["x_{1}"] * 200), r"\foo(x)"])
    assert [x.split()[0] for x in found] == ["Overfull", "!"]


def test_what_no_engine_takes_is_reported() -> None:
    found = rendered([{"name": "bad", "latex": r"\frac{1}{"}, {"name": "unknown", "latex": r"\foo(x)"}])
    assert {(x["name"], x["engine"]) for x in found} == {
        (name, engine) for name in ("bad", "unknown") for engine in ("KaTeX", "MathJax")
    }
