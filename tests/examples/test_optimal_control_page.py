"""The page on optimal control runs from top to bottom."""

from test_documentation import blocks, run


def test_the_code_on_the_page_runs(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("optimal-control.md", "python")))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "arm.so").is_file()
