"""Notebooks can show every formula: KaTeX, MathJax and, where there is one, a LaTeX engine take them."""

import json
import shutil
import subprocess
from pathlib import Path

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


def test_katex_and_mathjax_take_every_formula(tmp_path: Path) -> None:
    formulas = [{"name": name, "latex": latex} for name, latex in gallery()]
    assert len(formulas) > 120
    assert rendered(formulas) == []
    if engine := shutil.which("pdflatex") or shutil.which("lualatex"):
        body = "\n".join(f"\\[{formula['latex']}\\]" for formula in formulas)
        document = "\\documentclass{article}\\usepackage{amsmath}\\begin{document}" + body + "\\end{document}"
        (tmp_path / "gallery.tex").write_text(document)
        command = [engine, "-halt-on-error", "-interaction=nonstopmode", "gallery.tex"]
        answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert answer.returncode == 0, answer.stdout[-2000:]


def test_what_no_engine_takes_is_reported() -> None:
    found = rendered([{"name": "bad", "latex": r"\frac{1}{"}, {"name": "unknown", "latex": r"\foo(x)"}])
    assert {(x["name"], x["engine"]) for x in found} == {
        (name, engine) for name in ("bad", "unknown") for engine in ("KaTeX", "MathJax")
    }
