"""The page on formulas is true: its Python runs as it stands, and prints what it says."""

from test_documentation import blocks, run


def test_the_page_on_formulas_runs_from_top_to_bottom(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("formulas.md", "python")))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    assert "l2*cos(q1 + q2)" in answer.stdout
    assert "with intermediate variables" in answer.stdout
