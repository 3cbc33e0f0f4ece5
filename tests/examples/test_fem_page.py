"""The page on beams runs from top to bottom."""

from test_documentation import blocks, run


def test_the_page_on_beams_runs(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("fem.md", "python")))
    answer = run(script, "-W", "error")
    assert answer.returncode == 0, answer.stderr
    assert "left_motor: up to" in answer.stdout
